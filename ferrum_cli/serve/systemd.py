"""A systemd unit: what it sets, and what it starts.

It knows nothing about shells or engines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SECTION = re.compile(r"\[(?:Unit|Service|Install)\]")
_KEY = re.compile(r"(?P<key>[A-Z][A-Za-z]+)\s*=\s*(?P<value>.*)", re.DOTALL)
_PREFIXES = "-@:+!|"


@dataclass(frozen=True, slots=True)
class Unit:
    """The values of `Environment=` and of `ExecStart=`, as they stand."""

    environment: tuple[str, ...]
    starts: tuple[str, ...]


def is_unit(first_line: str) -> bool:
    """Whether a text that begins with this line is a unit."""
    match = _KEY.match(first_line)
    return bool(_SECTION.match(first_line)) or (
        match is not None and match["key"] in ("ExecStart", "Environment", "EnvironmentFile")
    )


def unit(text: str) -> Unit:
    """Read a unit."""
    environment: list[str] = []
    starts: list[str] = []
    for line in _lines(text):
        match = _KEY.match(line)
        if match is None:
            continue
        if match["key"] == "Environment":
            environment.append(match["value"])
        elif match["key"] == "ExecStart" and match["value"]:
            starts.append(match["value"].lstrip(_PREFIXES).replace("%%", "%"))
    return Unit(tuple(environment), tuple(starts))


def _lines(text: str) -> list[str]:
    """Logical lines: a backslash at the end joins the next one, and comments are left out."""
    found: list[str] = []
    open_ = False
    for line in text.splitlines():
        if line.lstrip().startswith(("#", ";")):
            continue
        content = line.strip()
        goes_on = content.endswith("\\")
        content = content.removesuffix("\\")
        if open_:
            found[-1] += f" {content}"
        else:
            found.append(content)
        open_ = goes_on
    return found
