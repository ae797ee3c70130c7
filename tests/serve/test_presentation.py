"""What `--dry-run` shows of a command line."""

from __future__ import annotations

import json

from ferrum_cli.serve.presentation import present
from ferrum_cli.serve.reading import read


def test_the_answer_says_what_is_served() -> None:
    assert present(read("vllm serve A/B", {})).answer == "vLLM serves A/B."
    assert (
        present(read("docker run vllm/vllm-openai:v0.30.0 --model A/B --new", {})).answer
        == "vLLM 0.30.0 serves A/B, but would refuse this line."
    )
    assert present(read("", {})).answer.startswith("Nothing to plan: no command")


def test_tables_hold_options_environment_and_what_is_ignored() -> None:
    report = present(read("X=1 vllm serve A/B --limit-mm-per-prompt.image 2 --port 1", {}))
    shown = {table.title: [[c.value for c in row] for row in table.rows] for table in report.tables}
    assert shown == {
        "Options": [["model", "A/B"], ["limit_mm_per_prompt", '{"image": 2}']],
        "Environment": [["X", "1"]],
        "Ignored: without effect on memory": [["port"]],
    }


def test_refusals_and_gaps_are_findings() -> None:
    report = present(read("vllm serve $M --new", {}))
    assert [(f.level.value, f.message) for f in report.findings] == [
        ("error", "unrecognized arguments: --new"),
        ("warning", "$M is not set"),
    ]


def test_a_flag_that_older_versions_knew_is_a_warning() -> None:
    report = present(read("vllm serve A/B --cuda-graph-sizes 1 2", {}))
    (finding,) = report.findings
    assert (finding.message, finding.hint) == (
        "--cuda-graph-sizes is not known",
        "now --cudagraph-capture-sizes",
    )


def test_the_data_is_the_document() -> None:
    report = present(read("vllm serve A/B -tp 2", {}))
    assert json.loads(json.dumps(report.data))["options"] == {
        "model": "A/B",
        "tensor_parallel_size": 2,
    }
