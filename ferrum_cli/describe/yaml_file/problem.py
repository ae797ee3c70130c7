"""What is wrong with a description, and the choice of what to say first.

It knows nothing about how a problem is found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ferrum_cli.describe.yaml_file.guard import Document, Route
from ferrum_cli.discover import nearest
from ferrum_cli.errors import DescriptionError

_LONGEST_SHOWN = 60
_MOST_COMPARED = 200
_MOST_LISTED = 12


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, at a value or (`at_key`) at its key.

    `unknown` is a word and those it could have been. They are compared for the one problem that
    is told, because a hostile file can hold thousands of both.
    """

    route: Route
    message: str
    hint: str | None = None
    at_key: bool = False
    unknown: tuple[str, Collection[str]] | None = None


def raise_first(problems: Iterable[Problem], document: Document) -> None:
    """Raise what comes first in the file as a DescriptionError, and say how many more there are."""
    found = [(document.where(p.route, key=p.at_key), p) for p in problems]
    if not found:
        return
    where, first = min(found, key=lambda pair: (pair[0].line or 0, pair[0].column or 0))
    message = first.message
    if len(found) > 1:
        message += f" (and {len(found) - 1} more)"
    hint = _suggestion(*first.unknown) if first.unknown else first.hint
    raise DescriptionError(message, hint=hint, where=where)


def _suggestion(word: str, known: Collection[str]) -> str:
    some = tuple(islice(known, _MOST_COMPARED))
    if close := nearest(word, some):
        return f"did you mean {close!r}?"
    listed = ", ".join(some[:_MOST_LISTED])
    return f"known: {listed}{', …' if len(known) > _MOST_LISTED else ''}"


def shown_route(route: Route) -> str:
    """A route as people write it: `layers[0].pattern[1]`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in route)
    return "".join(steps).removeprefix(".") or "the description"


def shown_value(value: Any) -> str:
    """A value as it would stand in the file, cut short where it is long."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
