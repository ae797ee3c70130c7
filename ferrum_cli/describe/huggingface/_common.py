"""What many families share: dtype, vocabulary, architecture and runs of layers.

It knows nothing about a particular family.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ferrum_cli.describe.description import Layer, Span
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.dtype import DType
from ferrum_cli.errors import InputError

NO_DTYPE = "the configuration names no dtype; bfloat16 is assumed"


def dtype_of(*configs: Fields) -> tuple[DType, tuple[str, ...]]:
    """The model's dtype from the first configuration that names one, and a note where none does."""
    for config in configs:
        for name in ("dtype", "torch_dtype"):
            if config.raw(name) is not None:
                try:
                    return DType.parse(config.text(name)), ()
                except InputError as error:
                    config.fail(name, error.message, error.hint)
    return DType.BF16, (NO_DTYPE,)


def one_span(layers: Iterable[Sequence[str | tuple[str, ...]]]) -> tuple[Span, ...]:
    """Layers given as lists of block names (a tuple for blocks side by side), in one span."""
    built = (
        Layer(tuple(entry if isinstance(entry, tuple) else (entry,) for entry in entries))
        for entries in layers
    )
    return (Span(tuple(built)),)


def layer_kinds(
    config: Fields, name: str, known: Sequence[str], length: int, default: Sequence[str]
) -> tuple[str, ...]:
    """A list such as `layer_types`, every entry known and as long as there are layers."""
    kinds: Any = config.texts(name, default)
    for position, kind in enumerate(kinds):
        if kind not in known:
            config.fail(f"{name}[{position}]", f"unknown kind of layer {kind!r}")
    if len(kinds) != length:
        config.fail(name, f"{len(kinds)} entries for {length} layers")
    return tuple(kinds)
