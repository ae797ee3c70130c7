"""Strategies that make any block, hint and description there can be, from the dataclasses alone."""

import dataclasses
import types
import typing
from typing import Annotated, Any, Literal

from hypothesis import strategies as st

from ferrum_cli import blocks
from ferrum_cli.blocks import LARGEST_SIZE, Block, Size
from ferrum_cli.describe.description import NORM_VECTORS, Description, Draft, Layer, Span
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.yaml_file.build import merged
from ferrum_cli.dtype import DType

TEXTS = st.text(min_size=1, max_size=30).filter(str.isprintable)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,10}", fullmatch=True)


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return st.integers(1 if annotation == Size else 0, LARGEST_SIZE)
    if origin is types.UnionType:
        return st.one_of([values(argument) for argument in arguments])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=3).map(tuple)
    if dataclasses.is_dataclass(annotation):
        return instances(annotation)
    plain = {bool: st.booleans(), int: st.integers(-(10**19), 10**19), float: FLOATS, str: TEXTS}
    return plain.get(annotation, st.none())


def instances(cls: Any) -> st.SearchStrategy[Any]:
    """Instances of a dataclass; fields with a default are often left out."""
    hints = typing.get_type_hints(cls, include_extras=True)
    fields = {f.name: f for f in dataclasses.fields(cls)}
    required = {n: values(hints[n]) for n, f in fields.items() if f.default is dataclasses.MISSING}
    rest = {n: values(hints[n]) for n in fields if n not in required}
    return st.fixed_dictionaries(required, optional=rest).map(lambda given: cls(**given))


def any_block() -> st.SearchStrategy[Block]:
    """A block of any kind, with sizes that need not fit together."""
    return st.sampled_from(blocks.kinds()).flatmap(lambda k: instances(blocks.block_class(k)))


@st.composite
def layers(draw: st.DrawFn, names: list[str]) -> Layer:
    """A layer of these blocks, some of them side by side."""
    beside = st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True).map(tuple)
    return Layer(tuple(draw(st.lists(beside, min_size=1, max_size=3))))


@st.composite
def descriptions(draw: st.DrawFn) -> Description:
    """A description whose every block is used, in the one form that spans have."""
    made = draw(st.dictionaries(NAMES, any_block(), min_size=1, max_size=4))
    a_row = st.lists(layers(list(made)), min_size=1, max_size=6)
    spans = draw(st.lists(st.builds(Span, a_row.map(tuple), st.integers(1, 3)), max_size=3))
    spans.append(Span((Layer(tuple((name,) for name in made)),)))
    draft = st.builds(Draft, TEXTS, a_row.map(tuple), st.booleans())
    sizes = ("hidden_size", "vocab_size", "max_context")
    numbers = ("other_parameters", "vision_parameters")
    flags = ("tie_embeddings", "post_norm", "final_norm")
    fields: dict[str, Any] = {
        "name": draw(st.from_regex(r"[a-z0-9][a-z0-9.-]{0,20}", fullmatch=True)),
        "dtype": draw(st.sampled_from(DType)),
        "blocks": made,
        "spans": merged(spans),
        "source": draw(st.none() | TEXTS),
        "architecture": draw(st.none() | TEXTS),
        "norm": draw(st.sampled_from(list(NORM_VECTORS))),
        "parameters": draw(st.sampled_from(["exact", "approximate"])),
        "draft": draw(st.none() | draft),
        "hints": draw(instances(Hints)),
        **{name: draw(st.integers(1, LARGEST_SIZE)) for name in sizes},
        **{name: draw(st.integers(0, 2**63 - 1)) for name in numbers},
        **{name: draw(st.booleans()) for name in flags},
    }
    return Description(**fields)
