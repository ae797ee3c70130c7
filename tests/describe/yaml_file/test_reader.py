"""Reading description files from outside and shipped ones."""

import subprocess
import sys
from pathlib import Path

import pytest

from ferrum_cli.describe import shipped
from ferrum_cli.describe.description import Layer, Span
from ferrum_cli.describe.yaml_file.reader import parse_description, read_description, read_shipped
from ferrum_cli.errors import DescriptionError
from tests.describe.small import SMALL, small_with


def test_a_file_from_outside_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SMALL)
    found = read_description(tmp_path / "a.yaml")
    assert found.name == "small"
    assert found.spans == (Span((Layer((("mixer",), ("mlp",))),)),)


def test_both_readers_give_the_same_description(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SMALL)
    assert read_shipped(tmp_path / "a.yaml") == read_description(tmp_path / "a.yaml")


def test_an_error_names_the_file_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(small_with("conv_kernel", "conv_kernal"))
    with pytest.raises(DescriptionError) as caught:
        read_description(tmp_path / "a.yaml")
    assert str(caught.value) == (
        f"{tmp_path}/a.yaml:8:29: unknown key 'conv_kernal'; did you mean 'conv_kernel'?"
    )


def test_json_is_yaml() -> None:
    text = (
        '{"schema":"ferrum.model/1","name":"j","dtype":"BF16","hidden_size":1,"vocab_size":1,'
        '"max_context":1,"blocks":{"a":{"kind":"short_conv","conv_kernel":4}},"layers":[["a"]]}'
    )
    assert parse_description(text.encode(), "a.json").name == "j"


def modules_after(program: str) -> set[str]:
    """What Python has imported when it has run a program."""
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys; {program}; print(*sys.modules)"],
        capture_output=True,
        check=True,
        text=True,
    )
    return set(ended.stdout.split())


def test_a_shipped_description_is_read_without_pydantic_and_without_other_kinds_of_block() -> None:
    file = shipped.path("qwen3-next-80b-a3b")
    program = "from ferrum_cli.describe.yaml_file import reader as y; from pathlib import Path; "
    loaded = modules_after(f"{program}y.read_shipped(Path({str(file)!r}))")
    assert "yaml" in loaded
    assert loaded.isdisjoint({"pydantic", "torch", "numpy", "asyncio"})
    assert "ferrum_cli.blocks.custom" not in loaded
