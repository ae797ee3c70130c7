"""What a plan does not import; start-up time is a matter of imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ferrum_cli.describe.source import read_model
from ferrum_cli.describe.yaml_file.writer import to_yaml

HEAVY = ("torch", "numpy", "asyncio", "gguf", "safetensors", "huggingface_hub", "matplotlib")


def loaded_after(*args: str) -> set[str]:
    """The modules that a command line has imported when it ends."""
    code = (
        "import sys\nfrom ferrum_cli.app import app\n"
        f"try:\n    app({list(args)!r})\nexcept SystemExit as end:\n    assert not end.code\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(result.stderr.split())


def test_a_plan_of_a_shipped_model_imports_no_validator_either() -> None:
    loaded = loaded_after("plan", "qwen3-next-80b-a3b", "--memory", "80GiB")
    assert loaded.isdisjoint({*HEAVY, "pydantic", "annotated_types", "tempfile"})
    assert loaded.isdisjoint({"ferrum_cli.serve.reading", "ferrum_cli.plan.difference"})


def test_help_imports_neither_rich_tables_nor_yaml() -> None:
    loaded = loaded_after("--help")
    assert loaded.isdisjoint({*HEAVY, "pydantic", "yaml", "rich.table", "ferrum_cli.plan"})


@pytest.mark.parametrize("engine", ["native"])
def test_a_plan_of_a_file_imports_nothing_heavy(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(to_yaml(read_model("qwen3-next-80b-a3b")))
    loaded = loaded_after("plan", str(path), "--engine", engine, "--format", "json")
    assert loaded.isdisjoint(HEAVY)


def test_only_the_kinds_of_block_that_a_model_has_are_imported() -> None:
    loaded = loaded_after("plan", "qwen3-next-80b-a3b")
    blocks = {name for name in loaded if name.startswith("ferrum_cli.blocks.")}
    public = {name for name in blocks if not name.rpartition(".")[2].startswith("_")}
    assert public == {
        f"ferrum_cli.blocks.{kind}"
        for kind in ("attention", "gated_delta_net", "mixture_of_experts")
    }
