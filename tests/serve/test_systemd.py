"""Units of systemd: what is started, with what."""

from __future__ import annotations

from ferrum_cli.serve.reading import read
from ferrum_cli.serve.systemd import is_unit, unit

UNIT = """\
[Unit]
Description=a server
[Service]
Environment=A=1
Environment="B=2 3" C=4
ExecStartPre=/bin/sleep 1
# ExecStart=/bin/false
ExecStart=-/opt/v/bin/vllm serve A/B \\
    # a comment within
    --max-num-seqs 4 \\
    --served-model-name 100%%
Restart=always
"""


def test_a_unit_is_known_by_its_first_line() -> None:
    assert is_unit("[Service]")
    assert is_unit("ExecStart=/bin/x")
    assert not is_unit("export A=1")
    assert not is_unit("A=1 vllm serve X")


def test_lines_are_joined_and_prefixes_and_comments_left_out() -> None:
    found = unit(UNIT)
    assert found.environment == ("A=1", '"B=2 3" C=4')
    (start,) = found.starts
    assert start.split() == [
        *("/opt/v/bin/vllm", "serve", "A/B", "--max-num-seqs", "4"),
        *("--served-model-name", "100%"),
    ]


def test_a_unit_is_read_with_its_environment() -> None:
    command = read(UNIT, {})
    assert command.model == "A/B"
    assert command.options["max_num_seqs"] == 4
    assert command.environment == {"A": "1", "B": "2 3", "C": "4"}


def test_a_unit_may_use_its_own_variables() -> None:
    text = "[Service]\nEnvironment=MODEL=A/B\nExecStart=/usr/bin/llama-server -m ${MODEL}"
    assert read(text, {}).model == "A/B"
