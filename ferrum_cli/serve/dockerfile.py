"""A Dockerfile: what the last stage's image starts.

It knows nothing about shells or engines.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

_FROM = re.compile(r"^FROM[ \t]+(?:--\S+[ \t]+)*(?P<image>\S+)", re.MULTILINE | re.IGNORECASE)
_STARTS = re.compile(r"^(?:CMD|ENTRYPOINT)[ \t]", re.MULTILINE)
_INSTRUCTION = re.compile(r"^[ \t]*(?P<name>CMD|ENTRYPOINT|ENV)[ \t]+(?P<rest>.*)$", re.MULTILINE)
_PAIR = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>\"[^\"]*\"|\S*)")


@dataclass(slots=True)
class Built:
    """What an image starts: words, or a script for a shell."""

    image: str
    words: tuple[str, ...] = ()
    script: str | None = None
    environment: dict[str, str] = field(default_factory=dict)


def is_dockerfile(text: str) -> bool:
    """Whether a text is a Dockerfile, or the lines of one that start something."""
    return bool(_FROM.search(text)) or bool(_STARTS.match(text.lstrip()))


def built(text: str) -> Built:
    """Read the last stage of a Dockerfile."""
    stages = list(_FROM.finditer(text))
    found = Built(stages[-1]["image"] if stages else "")
    last = text[stages[-1].end() :] if stages else text
    parts: dict[str, tuple[str, ...]] = {}
    for match in _INSTRUCTION.finditer(re.sub(r"\\[ \t]*\n", " ", last)):
        name, rest = match["name"], match["rest"].strip()
        if name == "ENV":
            found.environment |= {m["name"]: m["value"].strip('"') for m in _PAIR.finditer(rest)}
        elif (listed := _list(rest)) is not None:
            parts[name] = listed
        else:
            found.script = rest
    found.words = (*parts.get("ENTRYPOINT", ()), *parts.get("CMD", ()))
    return found


def _list(text: str) -> tuple[str, ...] | None:
    """The words of the JSON form; None for the form that a shell reads."""
    try:
        words = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(words, list) and all(isinstance(word, str) for word in words)
    return tuple(words) if is_list else None
