"""What a MODEL argument means: a shipped name, a file, a folder or a hub id."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ferrum_cli.describe import shipped
from ferrum_cli.describe.source import is_hub_id, read_model
from ferrum_cli.errors import DescriptionError

CONFIG = Path(__file__).parents[1] / "data" / "configs" / "Qwen__Qwen3.5-27B.json"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("owner/name", True),
        ("Qwen/Qwen3.5-27B", True),
        ("unsloth/Qwen3.5-35B-A3B-GGUF:Q4_K_M", True),
        ("owner/name/more", False),
        ("./owner", False),
        ("~/name", False),
        ("/owner", False),
        ("owner/", False),
        ("owner/model.yaml", False),
        ("owner/model.YML", False),
        ("owner/config.json", False),
        ("owner/model.gguf", False),
        ("qwen3.5-27b", False),
    ],
)
def test_an_owner_and_a_name_are_a_hub_id(text: str, expected: bool) -> None:
    assert is_hub_id(text) is expected


def test_a_path_that_exists_is_no_hub_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "owner" / "name").mkdir(parents=True)
    assert not is_hub_id("owner/name")


@pytest.mark.parametrize(
    "text", ["Qwen/Qwen3.5-27B", "qwen/qwen3.5-27b", "Qwen/Qwen3.5-27B:Q4_K_M"]
)
def test_a_hub_id_that_is_shipped_needs_no_network(text: str) -> None:
    assert read_model(text) == read_model("qwen3.5-27b")


def test_a_folder_and_its_config_json_are_the_same_model(tmp_path: Path) -> None:
    shutil.copy(CONFIG, tmp_path / "config.json")
    folder, file = read_model(str(tmp_path)), read_model(str(tmp_path / "config.json"))
    assert folder == file
    assert folder.spans == read_model("qwen3.5-27b").spans


def test_a_shipped_file_is_read_by_its_path_too() -> None:
    assert read_model(str(shipped.path("qwen3-8b"))) == read_model("qwen3-8b")


@pytest.mark.parametrize("text", ["", "a\0b"])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(DescriptionError, match="MODEL"):
        read_model(text)


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(DescriptionError, match=r"did you mean 'qwen3\.5-27b'\?"):
        read_model("qwen3.5-27")
