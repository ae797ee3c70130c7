"""What every kind of block must keep to; a new file in the folder is picked up by itself."""

from __future__ import annotations

import dataclasses
import importlib
import subprocess
import sys
import types
from dataclasses import MISSING
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ferrum_cli.blocks import (
    LARGEST_SIZE,
    Axis,
    Block,
    Context,
    KeyValue,
    Latent,
    Matrix,
    Part,
    Role,
    Split,
    Vector,
    Weight,
    Window,
    block_class,
    kinds,
)
from ferrum_cli.blocks._block import Bounds
from ferrum_cli.errors import DescriptionError
from ferrum_cli.expand import units_on_rank

KINDS = kinds()
every_kind = pytest.mark.parametrize("kind", KINDS)
powers = st.sampled_from([1, 2, 4, 8, 16, 32])


@cache
def hints(cls: type[Any]) -> dict[str, Any]:
    """The types of a class's fields with their annotations."""
    every = get_type_hints(cls, include_extras=True)
    return {field.name: every[field.name] for field in dataclasses.fields(cls)}


def bounds(hint: Any) -> Bounds | None:
    """The range that a size's annotation gives, or None where the hint is no size."""
    return next((m for m in getattr(hint, "__metadata__", ()) if isinstance(m, Bounds)), None)


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a field that has no default."""
    if bounds(hint):
        return powers
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    return st.sampled_from(["one", "two"]) if hint is str else st.booleans()


@st.composite
def instances(draw: st.DrawFn, cls: type[Any], prefix: str = "") -> Any:
    """An instance of a block or of something nested in it; lists get one item each."""
    given_fields: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        hint = hints(cls)[field.name]
        if get_origin(hint) is tuple:
            given_fields[field.name] = (draw(instances(get_args(hint)[0], field.name)),)
        elif field.name == "name":
            given_fields[field.name] = f"{prefix}_part"
        elif field.default is MISSING:
            given_fields[field.name] = draw(values(hint))
    return cls(**given_fields)


@st.composite
def blocks(draw: st.DrawFn, kind: str) -> tuple[Block, int]:
    """A block whose sizes go together, and a hidden size."""
    block, hidden = draw(instances(block_class(kind))), draw(powers)
    assume(block.check(hidden) is None)
    return block, hidden


def size_fields(block: Block) -> list[str]:
    """The sizes that a block has been given."""
    return [name for name, hint in hints(type(block)).items() if bounds(hint)]


def axes(part: Part) -> tuple[Axis, ...]:
    """The axes along which a part may split."""
    if isinstance(part, Window):
        return part.channels
    if isinstance(part, Matrix):
        return (part.heads,)
    return (part.axis,) if isinstance(part, Vector) else ()


def elements(part: Part) -> int:
    """Elements of a part that keeps only what is needed."""
    if isinstance(part, Context):
        return part.length
    if isinstance(part, Vector):
        return part.axis.size
    if isinstance(part, Matrix):
        return part.heads.size * part.value_dim * part.key_dim
    return part.history * sum(axis.size for axis in part.channels)


def amounts(block: Block, hidden: int) -> dict[str, int]:
    """All that grows when a size grows."""
    weights = block.weights(hidden)
    return {
        "state": sum(elements(part) for part in block.state(hidden)),
        "cache": sum(c.elements_per_token for c in block.cache(hidden)),
        "weights": sum(w.elements for w in weights),
        "active weights": sum(w.active_elements for w in weights),
        "operations": block.flops_per_token(hidden, 1000),
    }


def assert_no_less(before: dict[str, int], after: dict[str, int]) -> None:
    """Nothing has shrunk."""
    assert {k: v for k, v in after.items() if v < before[k]} == {}


def many(test: Any) -> Any:
    """A few dozen examples; blocks are cheap, but most random sizes do not go together."""
    wanted = settings(
        max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
    )
    return every_kind(wanted(given(data=st.data())(test)))


@every_kind
def test_the_kind_is_called_like_its_file(kind: str) -> None:
    found = block_class(kind)
    assert (found.kind, found.__module__) == (kind, f"ferrum_cli.blocks.{kind}")


@every_kind
def test_the_source_of_the_formulas_is_cited(kind: str) -> None:
    assert len(block_class(kind).source) > len("a paper")


@every_kind
def test_the_module_says_its_job_and_what_it_knows_nothing_about(kind: str) -> None:
    doc = importlib.import_module(f"ferrum_cli.blocks.{kind}").__doc__ or ""
    assert "knows nothing" in " ".join(doc.split())


@every_kind
def test_a_block_is_frozen_has_slots_and_takes_keywords(kind: str) -> None:
    found = block_class(kind)
    assert found.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(found)
    assert all(field.kw_only for field in dataclasses.fields(found))


@every_kind
def test_every_number_of_a_description_is_bounded(kind: str) -> None:
    for hint in hints(block_class(kind)).values():
        choices = get_args(hint) if get_origin(hint) is types.UnionType else (hint,)
        assert int not in choices
        limits = [limit for limit in map(bounds, choices) if limit]
        assert all(limit.lowest in (0, 1) for limit in limits)
        assert all(limit.highest == LARGEST_SIZE for limit in limits)


@many
def test_parts_have_names_roles_and_positive_sizes(kind: str, data: st.DataObject) -> None:
    block, hidden = data.draw(blocks(kind))
    parts = block.state(hidden)
    names = [part.name for part in parts]
    assert len(set(names)) == len(names)
    for part in parts:
        assert part.name.isidentifier()
        assert isinstance(part.role, Role)
        assert all(axis.units >= 1 and axis.width >= 1 for axis in axes(part))
        # A kernel of one tap keeps no past.
        assert elements(part) >= (0 if isinstance(part, Window) else 1)


@many
def test_caches_have_positive_sizes(kind: str, data: st.DataObject) -> None:
    block, hidden = data.draw(blocks(kind))
    for kept in block.cache(hidden):
        assert kept.elements_per_token >= 1
        assert not isinstance(kept, KeyValue) or kept.window is None or kept.window >= 1
        assert not isinstance(kept, Latent) or kept.rope_dim >= 0


@many
def test_weights_have_names_axes_with_a_split_and_positive_sizes(
    kind: str, data: st.DataObject
) -> None:
    block, hidden = data.draw(blocks(kind))
    weights = block.weights(hidden)
    names = [weight.name for weight in weights]
    assert len(set(names)) == len(names)
    for weight in weights:
        assert isinstance(weight.axis.split, Split)
        assert weight.elements >= 1
        assert 0 <= weight.active_elements <= weight.elements


@many
def test_a_block_keeps_or_weighs_something_and_takes_operations(
    kind: str, data: st.DataObject
) -> None:
    block, hidden = data.draw(blocks(kind))
    assert block.state(hidden) or block.cache(hidden) or block.weights(hidden)
    assert block.flops_per_token(hidden, 1) > 0


@many
def test_nothing_shrinks_when_a_size_grows(kind: str, data: st.DataObject) -> None:
    block, hidden = data.draw(blocks(kind))
    before = amounts(block, hidden)
    for name in size_fields(block):
        grown = dataclasses.replace(block, **{name: 2 * getattr(block, name)})
        if grown.check(hidden) is None:
            assert_no_less(before, amounts(grown, hidden))


@many
def test_nothing_shrinks_when_the_model_grows(kind: str, data: st.DataObject) -> None:
    block, hidden = data.draw(blocks(kind))
    if block.check(2 * hidden) is None:
        assert_no_less(amounts(block, hidden), amounts(block, 2 * hidden))


@many
def test_operations_do_not_shrink_as_the_context_grows(kind: str, data: st.DataObject) -> None:
    block, hidden = data.draw(blocks(kind))
    counts = [block.flops_per_token(hidden, context) for context in (1, 7, 1000, 1001)]
    assert counts == sorted(counts)


@many
def test_shares_over_ranks_add_up_or_are_replicated_by_declaration(
    kind: str, data: st.DataObject
) -> None:
    block, hidden = data.draw(blocks(kind))
    weights: tuple[Weight, ...] = block.weights(hidden)
    found = [w.axis for w in weights] + [a for part in block.state(hidden) for a in axes(part)]
    tp = data.draw(st.sampled_from([1, 2, 4]))
    for axis in found:
        share = units_on_rank(axis, tp) if axis.units % tp == 0 else None
        if axis.split is Split.REPLICATED:
            assert units_on_rank(axis, tp) == axis.units
        elif share is not None:
            assert share * tp == axis.units


def test_listing_kinds_and_loading_them_imports_nothing_heavy() -> None:
    code = (
        "import sys; from ferrum_cli import blocks;"
        " [blocks.block_class(kind) for kind in blocks.kinds()];"
        " print(sorted({'torch', 'numpy', 'pydantic', 'yaml', 'asyncio'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_an_unknown_kind_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(DescriptionError, match="mamba2"):
        block_class("mamba_2")
