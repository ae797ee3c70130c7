"""Files of variables, one a line, as `--env-file` and `EnvironmentFile=` take them.

It knows nothing about what a variable means.
"""

from __future__ import annotations

import re

_LINE = re.compile(r"(?:export[ \t]+)?(?P<name>[A-Za-z_]\w*)[ \t]*=[ \t]*(?P<value>.*)")
_COMMENT = re.compile(r"[ \t]+#.*$")


def variables(text: str) -> dict[str, str] | None:
    """Every variable; None where a line is something else."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        match = _LINE.fullmatch(content)
        if match is None:
            return None
        found[match["name"]] = _value(match["value"])
    return found or None


def _value(text: str) -> str:
    """A value without its quotes, or without the comment behind it."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return _COMMENT.sub("", text).strip()
