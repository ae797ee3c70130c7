"""What every engine owes its callers; engines are found by name, a newcomer too."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.custom import Custom, CustomMatrix
from ferrum_cli.describe.description import Description, Layer, Span
from ferrum_cli.dtype import DType
from ferrum_cli.engines import (
    Answer,
    Kind,
    Machine,
    Question,
    Setting,
    Settings,
    Weights,
    engine,
    engine_names,
)
from ferrum_cli.engines._options import Option, parse_assignment
from ferrum_cli.errors import FerrumError, ShardingError, UsageError
from ferrum_cli.expand import Parallel, expand, weight_bytes_per_rank
from tests.models import described, qwen3_next, with_mamba2

GIB = 2**30
NAMES = engine_names()
OPTIONS = [(name, option) for name in NAMES for option in engine(name).OPTIONS]
ATTENTION_ONLY, HYBRID = described(), qwen3_next()
STATE_ONLY = with_mamba2(1, architecture="Mamba2ForCausalLM")
STEPPED = {"sglang": {"mem_fraction_static": Setting(0.85, "flag")}}
"""Heuristics that reserve more from some size of device on, held still."""
MODELS = {"hybrid": HYBRID, "attention": ATTENTION_ONLY, "state": STATE_ONLY}

LISTS = (Kind.INTEGERS, Kind.NUMBERS, Kind.BYTES_LIST)
EXAMPLES = {
    Kind.FLAG: "true",
    Kind.INTEGER: "16",
    Kind.NUMBER: "0.5",
    Kind.TEXT: "text",
    Kind.TOKENS: "4k",
    Kind.BYTES: "1GiB",
    Kind.JSON: '{"key": 1}',
    Kind.INTEGERS: "1,2",
    Kind.NUMBERS: "0.5,1",
    Kind.BYTES_LIST: "1GiB,2GiB",
}
"""A text of every kind; kinds to come are read as text."""
WRONG = {
    Kind.FLAG: "perhaps",
    Kind.INTEGER: "1.5",
    Kind.NUMBER: "many",
    Kind.TOKENS: "4q",
    Kind.BYTES: "1 elephant",
    Kind.JSON: "{",
    Kind.INTEGERS: "1,x",
    Kind.NUMBERS: "1,x",
    Kind.BYTES_LIST: "1GiB,x",
}


every_option = pytest.mark.parametrize(
    ("name", "option"), OPTIONS, ids=[f"{name}-{option.name}" for name, option in OPTIONS]
)


def question(name: str, model: Description, gib: float | None = 400, **changes: Any) -> Question:
    """Two requests of 4,096 tokens, or what `changes` say."""
    split = changes.get("parallel", Parallel())
    memory = None if gib is None else int(gib * GIB)
    fields: dict[str, Any] = {
        "model": expand(model),
        "parallel": split,
        "settings": Settings(engine(name).OPTIONS, {}),
        "version": engine(name).VERSION,
        "requests": 2,
        "context": 4096,
        "context_given": True,
        "requests_given": True,
        "machine": Machine(memory, "a device", (9, 0), 2 * GIB if memory else 0),
        "weights": Weights(weight_bytes_per_rank(model, split), "parameters × BF16"),
    }
    return Question(**(fields | changes))


def answer(name: str, model: Description, gib: float | None = 400, **changes: Any) -> Answer:
    return engine(name).answer(question(name, model, gib, **changes))


def needed(found: Answer) -> int:
    """What the requests need besides weights."""
    lines = (line for line in found.memory if line.budgeted and "weights" not in line.name)
    return sum(line.size_bytes for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_has_its_own_name_a_version_and_a_table(name: str) -> None:
    found = engine(name)
    assert name == found.NAME
    assert found.VERSION
    names = [option.name for option in found.OPTIONS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_the_engines_and_the_same_every_time(name: str, model: str) -> None:
    first, second = answer(name, MODELS[model]), answer(name, MODELS[model])
    assert first == second
    assert (first.engine, first.refusal) == (name, None)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_accounted_for_is_no_less_than_what_is_kept(name: str, model: str) -> None:
    found = answer(name, MODELS[model])
    content = found.bytes_per_slot + found.kv.bytes_at_context
    assert needed(found) >= 2 * content
    assert found.bytes_per_slot >= sum(tensor.size_bytes for tensor in found.state)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", NAMES)
def test_lines_are_no_less_than_nothing_and_stay_within_the_device(name: str, model: str) -> None:
    found = answer(name, MODELS[model])
    on_device = [line.size_bytes for line in found.memory if not line.host]
    assert min(on_device) >= 0
    assert sum(on_device) <= 400 * GIB


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", NAMES)
def test_lines_grow_by_the_same_bytes_with_every_request(name: str, model: str) -> None:
    sizes = [needed(answer(name, MODELS[model], requests=n)) for n in (1, 2, 3, 4)]
    steps = {after - before for before, after in pairwise(sizes)}
    assert len(steps) == 1
    assert min(steps) >= 0


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", NAMES)
@given(one=st.floats(0.001, 500), other=st.floats(0.001, 500))
def test_more_memory_never_holds_fewer_requests(
    name: str, model: str, one: float, other: float
) -> None:
    less, more = sorted((one, other))
    settings = Settings(engine(name).OPTIONS, STEPPED.get(name, {}))
    fewer, most = (
        answer(name, MODELS[model], gib, settings=settings).capacity for gib in (less, more)
    )
    assert (fewer.max_requests or 0) <= (most.max_requests or 0)
    assert (fewer.available_bytes or 0) <= (most.available_bytes or 0)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", NAMES)
def test_without_memory_nothing_is_said_about_requests_that_fit(name: str, model: str) -> None:
    found = answer(name, MODELS[model], None)
    assert found.capacity.available_bytes is None
    assert found.capacity.max_requests is None or found.capacity.limited_by != "memory"


@pytest.mark.parametrize("pp", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_the_layout_is_json_with_a_list_for_every_rank(name: str, pp: int) -> None:
    try:
        layout = answer(name, HYBRID, parallel=Parallel(1, pp)).layout
    except ShardingError:
        return  # the engine defines no such split
    json.dumps(dict(layout), allow_nan=False)
    for key, value in layout.items():
        if key.endswith("_per_rank"):
            assert isinstance(value, list), key
            assert len(value) == pp, key


@pytest.mark.parametrize("name", NAMES)
def test_findings_lines_and_figures_are_complete(name: str) -> None:
    found = answer(name, HYBRID)
    assert all(one.code and one.message for one in found.findings)
    assert all(line.key and line.text for line in found.log_lines)
    figures = [figure.name for figure in found.figures]
    assert len(figures) == len(set(figures))
    assert all(figure.formula and figure.source for figure in found.figures)
    assert found.dtype_source


def unheard_of() -> Description:
    """A model whose state is of no kind that any engine has heard of."""
    memory = CustomMatrix(name="memory", num_heads=4, value_dim=16, key_dim=16)
    return described(
        architecture="UnheardOfForCausalLM",
        blocks={
            "mixer": Custom(matrices=(memory,)),
            "attention": Attention(num_heads=4, num_kv_heads=2, head_dim=16),
        },
        spans=(Span((Layer((("mixer",),)), Layer((("attention",),)))),),
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_kind_unheard_of_is_served_from_its_parts_or_refused_by_name(name: str) -> None:
    found = answer(name, unheard_of())
    if found.refusal is None:
        assert found.bytes_per_slot >= 4 * 16 * 16
    else:
        said = " ".join(f"{one.message} {one.hint}" for one in found.findings)
        assert "UnheardOf" in said or "custom" in said


@every_option
def test_every_option_is_documented_and_read(name: str, option: Option) -> None:
    assert option.meaning
    found, values = parse_assignment(engine(name).OPTIONS, f"{option.name}={_example(option)}")
    assert found is option
    assert len(values) == 1


def _example(option: Option) -> str:
    """A text of the option's kind, within its bounds, and not the lowest where there is room."""
    if option.choices:
        return option.choices[-1]
    if option.lowest is None and option.highest is None:
        return EXAMPLES.get(option.kind, "text")
    lowest = option.highest if option.lowest is None else option.lowest
    highest = option.lowest + 1 if option.highest is None else option.highest  # type: ignore[operator]
    number = min(lowest + 1, highest)  # type: ignore[operator]
    whole = option.kind not in (Kind.NUMBER, Kind.NUMBERS)
    text = str(int(number)) if whole else str(number)
    return f"{text},{text}" if option.kind in LISTS else text


@every_option
def test_a_value_that_is_none_is_refused(name: str, option: Option) -> None:
    wrong = WRONG.get(option.kind)
    if option.choices:
        wrong = "no such choice"
    if wrong is None:
        return
    with pytest.raises(UsageError):
        parse_assignment(engine(name).OPTIONS, f"{option.name}={wrong}")


@every_option
def test_every_option_can_be_set_and_is_answered_or_refused(name: str, option: Option) -> None:
    """No value of an option's own kind makes an engine fall over."""
    _, values = parse_assignment(engine(name).OPTIONS, f"{option.name}={_example(option)}")
    settings = Settings(engine(name).OPTIONS, {option.name: Setting(values[0], "flag")})
    with contextlib.suppress(FerrumError):
        assert answer(name, HYBRID, settings=settings).engine == name


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_option_is_refused_with_the_nearest(name: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_assignment(engine(name).OPTIONS, "no_such_option=1")
    assert error.value.hint


@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_of_the_model_changes_what_is_kept(name: str) -> None:
    narrow = answer(name, ATTENTION_ONLY).kv.bytes_per_token
    wide = answer(name, dataclasses.replace(ATTENTION_ONLY, dtype=DType.FP32)).kv.bytes_per_token
    assert narrow > 0
    assert wide >= narrow
