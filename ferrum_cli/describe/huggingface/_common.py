"""What many families share: dtype, layers as lists, block sizes that hang together, the whole.

It knows nothing about a particular family.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from ferrum_cli.blocks import LARGEST_SIZE, Block
from ferrum_cli.describe.description import Description, Draft, Layer, Span
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._quantization import quantization_hints
from ferrum_cli.dtype import DType
from ferrum_cli.errors import InputError

NO_DTYPE = "the configuration names no dtype; bfloat16 is assumed"

Entry = str | tuple[str, ...]
"""A block's name, or several that run side by side behind one norm."""

Entries = Sequence[Entry]
"""One layer."""

_BLAMED: Mapping[str, tuple[str, ...]] = {
    "attention": ("num_key_value_heads", "num_attention_heads"),
    "compressed_convolutional_attention": ("num_key_value_heads", "num_attention_heads"),
    "gated_delta_net": ("linear_num_value_heads",),
    "mamba2": ("mamba_n_groups", "n_groups", "mamba_n_heads", "mamba_num_heads", "num_heads"),
    "mlstm": ("num_heads",),
    "rwkv7": ("head_dim", "head_size"),
    "mixture_of_experts": ("num_experts_per_tok", "num_experts_per_token"),
}
"""The fields to point at when the sizes of a kind of block contradict each other."""


def assemble(
    identity: Identity,
    config: Fields,
    *,
    blocks: Mapping[str, Block],
    layers: Iterable[Entries] | tuple[Span, ...],
    hidden_size: int,
    hints: Hints | None = None,
    draft: Draft | None = None,
    notes: tuple[str, ...] = (),
    **others: Any,
) -> Description:
    """A description of the language model in `config`.

    `blocks` may hold more than the layers use; the others are dropped. `layers` are spans where
    some run more than once. Raises DescriptionError where the sizes of a block that is used
    contradict each other.
    """
    dtype, assumed = dtype_of(config)
    spans = _spans(layers)
    used = _used(spans, draft, blocks)
    for block in used.values():
        _check(config, block, hidden_size)
    return Description(
        name=identity.name,
        source=identity.source,
        architecture=identity.architecture,
        dtype=dtype,
        hidden_size=hidden_size,
        blocks=used,
        spans=spans,
        hints=dataclasses.replace(hints or Hints(), **quantization_hints(config)),
        draft=draft,
        notes=(*assumed, *notes),
        **others,
    )


def sizes(
    config: Fields, *, hidden: int, vocabulary: int, context: int, tied: bool = False
) -> dict[str, Any]:
    """The sizes that every family has, by their usual names; the arguments are class defaults."""
    return {
        "hidden_size": config.size("hidden_size", hidden),
        "vocab_size": config.size("vocab_size", vocabulary),
        "max_context": config.size("max_position_embeddings", context),
        "tie_embeddings": config.flag("tie_word_embeddings", tied),
    }


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


def span(layers: Iterable[Entries], passes: int = 1) -> Span:
    """Layers given as lists of block names (a tuple for blocks side by side)."""
    return Span(tuple(layer(entries) for entries in layers), passes)


def layer(entries: Entries) -> Layer:
    """One layer from its entries."""
    return Layer(tuple(entry if isinstance(entry, tuple) else (entry,) for entry in entries))


def layer_kinds(
    config: Fields, name: str, known: Mapping[str, str], length: int, default: Sequence[str]
) -> tuple[str, ...]:
    """A list such as `layer_types`, as long as there are layers, in the words of `known`.

    Legacy spellings stand in `known` beside the present ones.
    """
    kinds: Sequence[str] = config.texts(name, default)
    for position, kind in enumerate(kinds):
        if kind not in known:
            config.fail(
                f"{name}[{position}]",
                f"unknown kind of layer {ascii(kind)[:60]}",
                "known: " + ", ".join(known),
            )
    if len(kinds) != length:
        config.fail(
            name, f"{len(kinds)} entries for {length} layers", "give one entry for each layer"
        )
    return tuple(known[kind] for kind in kinds)


def context_or_unlimited(config: Fields) -> tuple[int, Hints]:
    """The length a configuration gives, or a million tokens and the hint that it gives none.

    llama.cpp's converters write 1,048,576 for models without a limit.
    """
    given = config.size("max_position_embeddings", None)
    return (given, Hints()) if given else (2**20, Hints(unlimited_context=True))


def nested_size(config: Fields, nested: str, flat: str, default: int) -> int:
    """A size in an object, `object.field`, or else one of the class's own fields."""
    name, _, field = nested.partition(".")
    inner = config.optional_child(name)
    if inner is not None and field in inner:
        return int(inner.size(field))
    return int(config.size(flat, default))


def divided(config: Fields, name: str, whole: int, parts: int) -> int:
    """`whole // parts`, which must be at least one; `name` is the field of `parts`."""
    if whole < parts:
        config.fail(name, f"a width of {whole} does not suffice for {parts} of them")
    return whole // parts


def _spans(layers: Iterable[Entries] | tuple[Span, ...]) -> tuple[Span, ...]:
    found = tuple(layers)
    if found and isinstance(found[0], Span):
        return cast("tuple[Span, ...]", found)
    return (span(cast("tuple[Entries, ...]", found)),)


def _used(
    spans: Sequence[Span], draft: Draft | None, blocks: Mapping[str, Block]
) -> dict[str, Block]:
    layers = [layer for span in spans for layer in span.layers]
    layers += draft.layers if draft else ()
    names = {name for layer in layers for name in layer.names}
    return {name: block for name, block in blocks.items() if name in names}


def _check(config: Fields, block: Block, hidden_size: int) -> None:
    problem = _too_large(block) or block.check(hidden_size)
    if problem is not None:
        name = config.first(*_BLAMED.get(block.kind, ("hidden_size",)))
        config.fail(name, problem, "change one of the two")


def _too_large(block: Block) -> str | None:
    """A size that was computed from fields, each of which alone is possible."""
    for field in dataclasses.fields(block):
        value = getattr(block, field.name)
        if isinstance(value, int) and value > LARGEST_SIZE:
            return f"{field.name} of {block.kind} would be {value}, the most is {LARGEST_SIZE}"
    return None
