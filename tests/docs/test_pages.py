"""Every page has what a reader looks for, and says what the code does."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from ferrum_cli.engines import engine_names
from ferrum_cli.engines.vllm.log_lines import FORMS
from ferrum_cli.engines.vllm.metrics import METRICS
from tests.running import ferrum

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
INDEX = (DOCS / "README.md").read_text(encoding="utf-8")
PAGES = {
    name: (DOCS / "engines" / f"{name}.md").read_text(encoding="utf-8") for name in engine_names()
}
MAKERS = {"Finding", "Refusal", "assertion", "value_error"}
"""Calls whose first or second argument is a code."""
ROW = re.compile(r"^\| (`[a-z0-9-]+`(?:, `[a-z0-9-]+`)*) \|(.*)\|$", re.MULTILINE)


def said(package: Path) -> set[str]:
    """Every code that a package gives to a finding or a refusal."""
    found: set[str] = set()
    for path in package.glob("*.py"):
        if not path.stem.startswith("command_line"):
            found |= set(_codes(ast.parse(path.read_text(encoding="utf-8"))))
    return found


def _codes(tree: ast.Module) -> Iterator[str]:
    """Codes of calls; of constants that are one; and of tuples of code, words and hint."""
    for node in ast.walk(tree):
        arguments: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            arguments = node.args[:3] if node.func.id in MAKERS | {"_difference"} else []
            arguments += node.args[3:4] if node.func.id == "_difference" else []
        elif isinstance(node, ast.Tuple) and len(node.elts) == 3:
            arguments = node.elts[:1]
        elif isinstance(node, ast.Assign):
            arguments = [node.value]
        for argument in arguments:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                code = argument.value
                if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+|replayssm|assumed", code):
                    yield code


def documented(page: str) -> dict[str, list[str]]:
    """Every code of a page's tables, with the cells behind it."""
    rows = ROW.findall(page)
    return {
        code: [cell.strip() for cell in cells.split(" | ")]
        for names, cells in rows
        for code in re.findall(r"`([^`]+)`", names)
        if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+|replayssm|assumed|advice", code)
    }


def section(page: str, *titles: str) -> str:
    """The text below any of these headings."""
    parts = re.split(r"^## (.*)$", page, flags=re.MULTILINE)
    return "".join(
        text for title, text in zip(parts[1::2], parts[2::2], strict=True) if title in titles
    )


NOT_CODES = {"compressed-tensors", "mamba-ssm"}
"""Words with a dash that stand where codes do."""


@pytest.mark.parametrize("name", engine_names())
def test_the_findings_of_a_page_are_those_of_the_engine(name: str) -> None:
    package = ROOT / "ferrum_cli" / "engines" / name.replace(".", "_")
    findings = documented(section(PAGES[name], "Findings", "Refusals"))
    assert set(findings) == said(package) - NOT_CODES


def test_the_findings_of_the_index_are_those_of_plans() -> None:
    assert set(documented(INDEX)) == said(ROOT / "ferrum_cli" / "plan") | {"advice"}


@pytest.mark.parametrize("name", [*engine_names(), "index"])
def test_every_finding_says_what_it_means_and_what_to_do(name: str) -> None:
    page = INDEX if name == "index" else section(PAGES[name], "Findings", "Refusals")
    for code, cells in documented(page).items():
        assert len(cells) >= 2, code
        assert all(cells), code


@pytest.mark.parametrize("name", engine_names())
def test_a_page_shows_the_picture_of_its_engine(name: str) -> None:
    pictures = re.findall(r"!\[[^\]]+\]\((\.\./pictures/[^)]+)\)", PAGES[name])
    assert pictures == [f"../pictures/{name}.svg"]
    assert (DOCS / "engines" / pictures[0]).is_file()


@pytest.mark.parametrize("key", FORMS)
def test_every_log_line_of_vllm_stands_there_word_for_word(key: str) -> None:
    text = FORMS[key][-1].text
    assert text is None or text in section(PAGES["vllm"], "Log lines").splitlines()


def test_no_log_line_of_vllm_stands_there_that_is_gone() -> None:
    block = section(PAGES["vllm"], "Log lines").split("```")[1].strip().splitlines()
    assert set(block) == {rows[-1].text for rows in FORMS.values() if rows[-1].text}


def test_the_gauges_of_vllm_are_those_of_the_table() -> None:
    assert set(re.findall(r"`(vllm:\w+)`", section(PAGES["vllm"], "Metrics"))) == set(METRICS)


def test_every_page_stands_in_the_index_and_no_link_is_dead() -> None:
    pages = {str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md")} - {"README.md"}
    linked = set(re.findall(r"\]\(([^)#]+\.md)\)", INDEX))
    assert linked == pages
    assert "docs/README.md" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "line", [line for line in INDEX.splitlines() if line.startswith("ferrum plan")]
)
def test_the_commands_of_the_index_run(line: str) -> None:
    assert ferrum(*shlex.split(line)[1:]).exit_code == 0


def test_every_document_is_spoken_of_as_what_it_is() -> None:
    for page in PAGES.values():
        assert page.startswith("# ")
        assert not re.search(r"^\| \? \|", page, flags=re.MULTILINE)
