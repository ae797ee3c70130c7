"""Writes a description as YAML in the house style, which reads back as the same description.

Blocks are one-line mappings, layers are patterns with counts, and what is a default is left out.
The reader's `notes` are not written. It knows nothing about files.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ferrum_cli.blocks import Block
from ferrum_cli.describe.description import Description, Draft, Layer, Span
from ferrum_cli.describe.yaml_file.build import merged
from ferrum_cli.describe.yaml_file.layer_runs import Run, runs, whole_run
from ferrum_cli.describe.yaml_file.scalar import plain_value

WIDTH = 160
"""Lines longer than this are wrapped after a comma."""

_KEPT_TOGETHER = 40
"""Lists and mappings inside others that are no longer than this are never wrapped: layers."""

_SCALARS = (
    "name",
    "source",
    "architecture",
    "dtype",
    "hidden_size",
    "vocab_size",
    "tie_embeddings",
    "max_context",
    "norm",
    "post_norm",
    "final_norm",
    "parameters",
    "other_parameters",
    "vision_parameters",
)
# Marks that mean nothing to YAML wherever they stand, and a letter, so that no reader takes it for
# a number or a date; everything else is put in quotes.
_PLAIN = (
    r"(?!0[xXoObB])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_]"
    r"(?:[A-Za-z0-9_./+()=@-]|{} (?=[A-Za-z0-9_(]))*"
)
_PLAIN_IN_FLOW = re.compile(_PLAIN.format(""))
_PLAIN_ALONE = re.compile(_PLAIN.format(",?"))
# Words that YAML 1.1 takes for booleans, so that other readers see the same text.
_WORDS_OF_YAML = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])


def to_yaml(description: Description) -> str:
    """The text of a description file."""
    lines = ["schema: ferrum.model/1", *_scalar_lines(description), "blocks:"]
    lines += _block_lines(description)
    lines.append("layers:")
    for span in merged(description.spans):
        lines += (_wrapped("  - ", item) for item in _span_items(span))
    if description.draft is not None:
        lines.append(_wrapped("draft: ", _draft(description.draft)))
    if hints := description.hints.given():
        lines.append(_wrapped("hints: ", hints))
    return "\n".join(lines) + "\n"


def _scalar_lines(description: Description) -> Iterator[str]:
    fields = {field.name: field for field in dataclasses.fields(description)}
    for name in _SCALARS:
        value = getattr(description, name)
        if name == "dtype":
            value = value.name
        if value != fields[name].default:
            yield f"{name}: {_scalar(value, alone=True)}"


def _block_lines(description: Description) -> Iterator[str]:
    labels = {_scalar(name): block for name, block in description.blocks.items()}
    width = max(len(label) for label in labels) + 1
    for label, block in labels.items():
        yield _wrapped(f"  {label + ':':<{width}} ", _block(block))


def _block(block: Block) -> dict[str, Any]:
    given = _fields(block)
    shared = {"shared": True} if given.pop("shared", False) else {}
    return {"kind": block.kind, **given, **shared}


def _fields(instance: Any) -> dict[str, Any]:
    """The fields of a dataclass that are no defaults."""
    pairs = ((f, getattr(instance, f.name)) for f in dataclasses.fields(instance))
    return {field.name: _outside(value) for field, value in pairs if value != field.default}


def _outside(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_outside(item) for item in value]
    return _fields(value) if dataclasses.is_dataclass(value) else value


def _span_items(span: Span) -> Iterator[Any]:
    if span.passes > 1:
        yield {**_run(whole_run(span.layers)), "passes": span.passes}
    else:
        yield from _items(span.layers)


def _items(layers: Sequence[Layer]) -> Iterator[Any]:
    for run in runs(layers):
        yield _run(run) if run.repeat > 1 else _layer(run.pattern[0])


def _run(run: Run[Layer]) -> dict[str, Any]:
    repeat = {"repeat": run.repeat} if run.repeat > 1 else {}
    return {**repeat, "pattern": [_layer(layer) for layer in run.pattern]}


def _layer(layer: Layer) -> list[Any]:
    return [entry[0] if len(entry) == 1 else list(entry) for entry in layer.entries]


def _draft(draft: Draft) -> dict[str, Any]:
    fields = _fields(draft)
    fields["layers"] = list(_items(draft.layers))
    return fields


def _wrapped(before: str, value: Any) -> str:
    """`before` and the value on one line, or on several that begin under its first item."""
    words = _words(value)
    line, lines = before + words[0], []
    indent = " " * (len(before) + 1)
    for word in words[1:]:
        if len(line) + len(word.rstrip()) > WIDTH and line.endswith(" "):
            lines.append(line.rstrip())
            line = indent
        line += word
    return "\n".join([*lines, line])


def _words(value: Any) -> list[str]:
    """A value as flow YAML, in pieces between which a line may be broken after a space."""
    if not isinstance(value, list | dict):
        return [_scalar(value)]
    braces = "{}" if isinstance(value, dict) else "[]"
    pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    words = [braces[0]]
    for key, item in pairs:
        first, *rest = _together(_words(item))
        words += [first if key is None else f"{key}: {first}", *rest]
        words[-1] += ", "
    if len(words) > 1:
        words[-1] = words[-1].removesuffix(", ")
    words[-1] += braces[1]
    return words


def _together(words: list[str]) -> list[str]:
    text = "".join(words)
    return [text] if len(text) <= _KEPT_TOGETHER else words


def _scalar(value: Any, *, alone: bool = False) -> str:
    """A single value; text that stands `alone` on its line needs quotes less often."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    pattern = _PLAIN_ALONE if alone else _PLAIN_IN_FLOW
    is_text = isinstance(plain_value(value)[0], str) and value.lower() not in _WORDS_OF_YAML
    return value if is_text and pattern.fullmatch(value) else json.dumps(value, ensure_ascii=False)
