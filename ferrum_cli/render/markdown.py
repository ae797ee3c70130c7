"""Reports as Markdown, for comments on pull requests and for documentation.

It knows nothing about terminals.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.render import Style
from ferrum_cli.render._cells import one_line, shown
from ferrum_cli.report import Finding, Report, Table

SUFFIXES = (".md", ".markdown")
_SPECIAL = str.maketrans({c: "\\" + c for c in "\\|`*_[]<>"})


def render(report: Report, style: Style) -> str:
    """The answer, each table under its title, and the findings as a list."""
    parts = [f"**{_text(report.answer)}**"]
    if not style.quiet:
        parts += ["\n".join(_table(table)) for table in report.tables]
        parts += [f"```sh\n{one_line(command)}\n```" for command in report.commands]
        if report.findings:
            told = (_finding(finding, report.commands) for finding in report.findings)
            parts.append("\n".join(told))
        parts += [f"_{_text(note)}_" for note in report.notes]
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> Iterator[str]:
    yield f"### {_text(table.title)}"
    yield ""
    yield _row([_text(column.heading) for column in table.columns])
    yield _row(["---:" if column.align == "right" else "---" for column in table.columns])
    for cells in table.rows:
        yield _row([_text(shown(cell)) for cell in cells])


def _row(texts: list[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _finding(finding: Finding, commands: tuple[str, ...]) -> str:
    told = None if finding.hint in commands else finding.hint
    hint = f" {_text(told)}" if told else ""
    return (
        f"- **{finding.level.value}** `{finding.code}`: {_text(one_line(finding.message))}.{hint}"
    )


def _text(text: str) -> str:
    return one_line(text).translate(_SPECIAL)
