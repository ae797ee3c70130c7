"""The pictures that are committed are those that their script makes today."""

from __future__ import annotations

import importlib
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

from ferrum_cli.engines import engine_names

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script, imported as it is when it runs: with its own folder on the path."""
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module("make")
    finally:
        sys.path.remove(str(FOLDER))


def test_every_engine_has_a_picture_and_no_other_file_is_one(script: ModuleType) -> None:
    assert set(script.PICTURES) == set(engine_names())
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(engine_names())


@pytest.mark.parametrize("name", engine_names())
def test_a_picture_is_what_the_script_makes(
    script: ModuleType, name: str, request: pytest.FixtureRequest
) -> None:
    made = script.PICTURES[name]().svg()
    path = FOLDER / f"{name}.svg"
    if request.config.getoption("--update-goldens"):
        path.write_text(made, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == made


@pytest.mark.parametrize("name", engine_names())
def test_a_picture_is_drawn_within_its_frame(name: str) -> None:
    picture = ET.fromstring((FOLDER / f"{name}.svg").read_text(encoding="utf-8"))  # noqa: S314 - our own
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    boxes = [part.attrib for part in picture if part.tag.endswith("rect") and "x" in part.attrib]
    assert len(boxes) > 5
    for box in boxes:
        assert 0 <= float(box["x"]) <= width - float(box["width"])
        assert 0 <= float(box["y"]) <= height - float(box["height"])
