"""Which fields of a configuration a family asks for, as what, and what it finds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest import mock

from ferrum_cli.describe.huggingface._fields import Fields
from tests.describe.huggingface.measure import read

KINDS = {
    "size": "size",
    "count": "count",
    "layers": "layers",
    "draft_layers": "count",
    "nullable_size": "size",
    "number": "number",
    "flag": "flag",
    "text": "text",
    "choice": "text",
    "texts": "texts",
    "counts": "counts",
    "child": "object",
    "optional_child": "object",
    "child_or_empty": "object",
    "children": "objects",
}
"""What each method of Fields reads."""


class Asked(NamedTuple):
    """A field that was read: the kind of value it holds, and the value or its default."""

    kind: str
    value: Any


def asked(config: dict[str, Any]) -> dict[str, Asked]:
    """Every field that the reader of `config` asks for, by its path.

    A field that is read as several kinds has the last. Fields inside lists are left out.
    """
    found: dict[str, Asked] = {}
    with _recording(found):
        read(**config)
    return {path: field for path, field in found.items() if "[" not in path}


def put(config: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of `config` with `value` at `path`; objects on the way are made."""
    copy: dict[str, Any] = json.loads(json.dumps(config))
    *outer, name = path.split(".")
    inner = copy
    for part in outer:
        if not isinstance(inner.get(part), dict):
            inner[part] = {}
        inner = inner[part]
    inner[name] = value
    return copy


@contextmanager
def _recording(found: dict[str, Asked]) -> Iterator[None]:
    with ExitStack() as patches:
        for name, kind in KINDS.items():
            noting = _noting(getattr(Fields, name), kind, found)
            patches.enter_context(mock.patch.object(Fields, name, noting))
        yield


def _noting(method: Callable[..., Any], kind: str, found: dict[str, Asked]) -> Callable[..., Any]:
    def noting(self: Fields, name: str, *arguments: Any, **named: Any) -> Any:
        value = method(self, name, *arguments, **named)
        found[self.path(name)] = Asked(kind, value)
        return value

    return noting
