"""docs/public_cases.md lists every case, what was inferred for it, and what is missing."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.public_cases.cases import DATA

PAGE = Path(__file__).parents[2] / "docs" / "public_cases.md"
HEAD = """# Public cases

Figures that people published from their own servers, and command lines that give the same here.
The version in front is the one that was published, the one behind it the one that is assumed.
`tests/public_cases` runs every command and compares every figure; this page is written from the
same data (`pytest tests/public_cases --update-goldens`).
"""


def page() -> str:
    """The page as the data have it."""
    return "\n".join((HEAD, *_cases(), *_missing()))


def _cases() -> Iterator[str]:
    engines = dict.fromkeys(case["engine"] for case in DATA["cases"])
    for engine in engines:
        yield f"## {engine}\n"
        for case in (case for case in DATA["cases"] if case["engine"] == engine):
            yield f"### {case['id']}\n"
            version = f"{case['published_version']} → {case['assumed_version']}"
            yield f"{case['model']}; {version}; {case['source']}.\n"
            yield "```sh"
            for command in case["commands"]:
                yield f"ferrum plan {shlex.join(command['words'])}"
            yield "```\n"
            expected = (text for command in case["commands"] for text in _expected(command))
            yield from (f"* {text}" for text in dict.fromkeys(expected))
            if case["derived"]:
                yield f"* inferred: {case['derived']}"
            if case["left_out"]:
                yield f"* left out: {case['left_out']}"
            yield ""


def _expected(command: dict[str, object]) -> Iterator[str]:
    for kind in ("layout", "figures"):
        values = command.get(kind, {})
        assert isinstance(values, dict)
        if values:
            yield ", ".join(f"`{name}` {value}" for name, value in values.items())
    texts = command.get("log", [])
    assert isinstance(texts, list)
    yield from (f"`{text}`" for text in texts)
    if "refusal" in command:
        yield f"refused: `{command['refusal']}`"


def _missing() -> Iterator[str]:
    yield "## Not tested\n"
    yield "| case | engine | model | missing |"
    yield "|---|---|---|---|"
    for one in DATA["missing"]:
        yield f"| {one['id']} | {one['engine']} | {one['model']} | {one['missing']} |"
    yield ""


def test_the_page_is_what_the_data_say(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-goldens"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_case_stands_there_once_with_a_source_and_versions() -> None:
    cases = DATA["cases"]
    names = [one["id"] for one in (*cases, *DATA["missing"])]
    assert len(names) == len(set(names))
    assert all(case["source"] and case["commands"] for case in cases)
    assert all(case["published_version"] and case["assumed_version"] for case in cases)


def test_every_command_expects_something() -> None:
    for case in DATA["cases"]:
        for command in case["commands"]:
            assert {"layout", "figures", "log", "refusal"} & set(command), case["id"]
