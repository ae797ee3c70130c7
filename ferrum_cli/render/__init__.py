"""Reports as text; one file is one output format.

A format is a module with `SUFFIXES`, the endings of file names that mean it, and
`render(report, style)`. It knows nothing but reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from ferrum_cli import discover
from ferrum_cli.errors import UsageError
from ferrum_cli.report import Report


@dataclass(frozen=True, slots=True)
class Style:
    """What the place where the text goes can show."""

    width: int = 100
    color: bool = False
    quiet: bool = False


def formats() -> tuple[str, ...]:
    """Every output format, without importing any."""
    return discover.names(__name__)


def render(report: Report, format_name: str, style: Style) -> str:
    """The report in a format, ending in a newline. Raises UsageError for an unknown format."""
    module = discover.load(__name__, format_name)
    if module is None:
        raise UsageError(
            f"unknown format {format_name!r}",
            hint=discover.suggestion(format_name, formats()),
            where="--format",
        )
    text: str = module.render(report, style)
    return text


def format_of_path(path: str) -> str | None:
    """The format that a file's name asks for by its ending."""
    suffix = PurePath(path).suffix.lower()
    for name in formats():
        module = discover.load(__name__, name)
        if module is not None and suffix in module.SUFFIXES:
            return name
    return None
