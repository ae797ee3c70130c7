"""Makes a Description of plain data that has the form of `ferrum.model/1`.

It trusts its input: text from outside goes through `validation` first, and the tests take every
shipped description through it. It knows nothing about YAML or files.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from ferrum_cli.blocks import Block, block_class
from ferrum_cli.describe.description import Description, Draft, Layer, Span
from ferrum_cli.describe.hints import Hints
from ferrum_cli.dtype import DType


def description(data: Mapping[str, Any]) -> Description:
    """The model that `data` describes."""
    values = {key: value for key, value in data.items() if key not in ("schema", "layers")}
    values["dtype"] = DType.parse(data["dtype"])
    values["blocks"] = {name: block(fields) for name, fields in data["blocks"].items()}
    values["spans"] = merged(_span(item) for item in data["layers"])
    if "draft" in data:
        values["draft"] = _draft(data["draft"])
    if "hints" in data:
        values["hints"] = _instance(Hints, data["hints"])
    return Description(**values)


def block(fields: Mapping[str, Any]) -> Block:
    """A block of the kind and sizes that a mapping gives."""
    rest = {key: value for key, value in fields.items() if key != "kind"}
    made: Block = _instance(block_class(fields["kind"]), rest)
    return made


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same layers with neighbouring spans of one pass joined, so that there is one form."""
    found: list[Span] = []
    once: list[Layer] = []
    for span in spans:
        if span.passes == 1:
            once.extend(span.layers)
            continue
        found.extend([Span(tuple(once))] if once else [])
        found.append(span)
        once = []
    found.extend([Span(tuple(once))] if once else [])
    return tuple(found)


def _span(item: Any) -> Span:
    if isinstance(item, list):
        return Span((_layer(item),))
    pattern = tuple(_layer(layer) for layer in item["pattern"])
    return Span(pattern * item.get("repeat", 1), item.get("passes", 1))


def _layer(entries: list[Any]) -> Layer:
    return Layer(tuple(tuple(e) if isinstance(e, list) else (e,) for e in entries))


def _draft(fields: Mapping[str, Any]) -> Draft:
    layers = tuple(layer for item in fields["layers"] for layer in _span(item).layers)
    return Draft(**{**fields, "layers": layers})


def _instance(cls: Any, fields: Mapping[str, Any]) -> Any:
    """A dataclass of plain data. Types are looked up only where a value is not plain."""
    return cls(
        **{
            name: tuple(_items(cls, name, value)) if isinstance(value, list) else value
            for name, value in fields.items()
        }
    )


def _items(cls: Any, name: str, values: list[Any]) -> Iterator[Any]:
    item = typing.get_args(_types(cls)[name])[0]
    for value in values:
        yield _instance(item, value) if dataclasses.is_dataclass(item) else value


@cache
def _types(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)
