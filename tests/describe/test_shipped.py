"""The descriptions that come with Ferrum, and how they are found."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ferrum_cli.describe import shipped
from ferrum_cli.describe.yaml_file.reader import read_description, read_shipped
from ferrum_cli.errors import DescriptionError


@pytest.mark.parametrize("name", shipped.names())
def test_a_shipped_description_is_valid_and_called_like_its_file(name: str) -> None:
    checked = read_description(shipped.path(name))
    assert checked.name == name
    assert read_shipped(shipped.path(name)) == checked


@pytest.mark.parametrize("name", shipped.names())
def test_a_shipped_description_is_found_by_its_source(name: str) -> None:
    source = read_shipped(shipped.path(name)).source
    assert source
    found = shipped.find_by_source(source.partition(",")[0])
    assert found is not None
    twin = read_shipped(shipped.path(found)).source
    assert twin is not None
    assert twin.partition(",")[0] == source.partition(",")[0]


def test_the_hub_does_not_mind_upper_case_and_neither_do_we() -> None:
    assert shipped.find_by_source("qwen/qwen3-next-80b-a3b-instruct") == "qwen3-next-80b-a3b"


@pytest.mark.parametrize("hub_id", ["", "Qwen/Qwen3-Next-80B-A3B", "a/b", "config.json"])
def test_another_hub_id_finds_nothing(hub_id: str) -> None:
    assert shipped.find_by_source(hub_id) is None


def test_names_are_sorted_and_no_file_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped.names.cache_clear()
    monkeypatch.setattr(Path, "open", None)
    found = shipped.names()
    assert list(found) == sorted(found)
    assert "qwen3-next-80b-a3b" in found


@pytest.mark.parametrize("name", ["../README", "", "qwen3-next-80b-a3b.yaml", "/etc/passwd"])
def test_only_a_name_leads_to_a_file(name: str) -> None:
    with pytest.raises(DescriptionError, match="is no shipped model"):
        shipped.path(name)


def test_an_unknown_name_is_told_the_nearest() -> None:
    with pytest.raises(DescriptionError) as caught:
        shipped.path("qwen3-next-80b")
    assert caught.value.hint
    assert caught.value.hint.startswith("did you mean")


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the package would stand, with nothing in it yet."""
    monkeypatch.setattr(shipped, "_PACKAGE", tmp_path / "ferrum_cli")
    forget()
    return tmp_path / "ferrum_cli"


@pytest.fixture(autouse=True)
def _forgotten_afterwards() -> Iterator[None]:
    yield
    forget()


def forget() -> None:
    for cached in (shipped.folder, shipped.names, shipped._by_hub_id):
        cached.cache_clear()


def test_a_wheel_has_them_inside_the_package(wheel: Path) -> None:
    source = Path(__file__).parents[2] / "model_specs"
    shutil.copytree(source, wheel / "model_specs")
    assert shipped.folder() == wheel / "model_specs"
    assert "qwen3-next-80b-a3b" in shipped.names()


def test_a_checkout_has_them_beside_the_package(wheel: Path) -> None:
    assert shipped.folder() == wheel.parent / "model_specs"
    assert shipped.names() == ()


def test_quotes_around_a_source_do_not_matter(wheel: Path) -> None:
    (wheel / "model_specs").mkdir(parents=True)
    (wheel / "model_specs" / "a.yaml").write_text("name: a\nsource: 'x/Y, config.json'\n")
    (wheel / "model_specs" / "b.yaml").write_text("name: b\n")
    assert shipped.find_by_source("X/y") == "a"
