"""Every figure of every plan is explained, and every formula comes to its value."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest

from ferrum_cli.describe.source import read_model
from ferrum_cli.engines import Figure, Machine, Setting, Settings, engine, engine_names
from ferrum_cli.errors import ShardingError
from ferrum_cli.expand import Parallel
from ferrum_cli.plan import Plan, Wanted, plan
from ferrum_cli.plan.document import document
from ferrum_cli.plan.explain import explanation, figures
from tests.explain.arithmetic import value_of

MODELS = (
    *("qwen3.5-27b", "kimi-linear-48b-a3b", "nemotron-3-nano-30b-a3b", "qwen3-8b"),
    *("falcon-mamba-7b", "lfm2-2.6b", "jamba-1.5-mini", "inkling-small", "deepseek-v3"),
    *("zamba2-7b", "minimax-m1", "falcon-h1-7b"),
)
SPLITS = (Parallel(), Parallel(2, 1, 2), Parallel(1, 2, 1))
SHAPES = ("conv_shapes", "temporal_shape", "recurrent_tensors_per_layer", "state_tensors")
"""Keys of the layout that hold shapes, not figures; and below, lists of layers' numbers."""
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "vllm": [
        {"enable_prefix_caching": False, "kv_cache_dtype": "fp8"},
        {"speculative_config": {"method": "mtp", "num_speculative_tokens": 2}},
        {"kv_cache_memory_bytes": [20 * 2**30], "max_num_seqs": 8},
    ],
    "sglang": [
        {"mem_fraction_static": 0.8, "max_running_requests": 16, "page_size": 64},
        {"disable_radix_cache": True, "max_running_requests": 8, "max_total_tokens": 100_000},
        {"speculative_algorithm": "NEXTN", "max_mamba_cache_size": 40},
        {"enable_hierarchical_cache": True, "mamba_ssm_dtype": "bfloat16"},
    ],
    "llama.cpp": [
        {"parallel": 3, "ctx_size": 10_000, "cache_type_k": "q8_0", "cache_type_v": "q8_0"},
        {"parallel": 2, "n_rs_seq": 3, "n_gpu_layers": 10},
        {"swa_full": True, "flash_attn": "off", "kv_offload": False},
    ],
    "transformers": [{"batch_size": 3, "cache_implementation": "static", "max_cache_len": 9000}],
    "native": [],
}
CASES = [
    *(
        (model, name, split, {})
        for model, name, split in itertools.product(MODELS, engine_names(), SPLITS)
    ),
    *(
        (model, name, Parallel(), options)
        for model in MODELS[:6]
        for name in engine_names()
        for options in OPTIONS[name]
    ),
]


def planned(model: str, name: str, split: Parallel, options: dict[str, Any]) -> Plan | None:
    given = {n: Setting(v, "flag") for n, v in options.items()}
    wanted = Wanted(
        machine=Machine(140 * 2**30, "H200", (9, 0), 2**30),
        requests=4,
        context=4096,
        parallel=split,
    )
    try:
        settings = Settings(engine(name).OPTIONS, given)
        return plan(read_model(model), engine(name), wanted, settings)
    except ShardingError:
        return None  # the engine defines no such split


def leaves(path: str, value: Any) -> Iterator[tuple[str, float]]:
    """Every number below a key, with its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(f"{path}.{key}", inner)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from leaves(f"{path}.{position}", inner)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


def shown(made: Plan) -> Iterator[tuple[str, float]]:
    """Every figure of the JSON, by its path."""
    found = document(made)
    for key, value in found["engine"]["layout"].items():
        if key not in SHAPES:
            yield from (
                (path, number)
                for path, number in leaves(key, value)
                if not re.search(r"layers\.\d+$", path)
            )
    for section in ("kv", "weights", "capacity", "model"):
        for path, number in leaves(section, found[section]):
            if path not in ("capacity.memory_bytes", "capacity.context", "model.num_layers"):
                yield re.sub(r"(weights\.bytes)_per_rank.*", r"\1", path), number
    yield "state.bytes_per_slot", found["state"]["bytes_per_slot"]


def same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-12)


@pytest.mark.parametrize(("model", "name", "split", "options"), CASES)
def test_every_figure_has_a_formula_that_comes_to_its_value(
    model: str, name: str, split: Parallel, options: dict[str, Any]
) -> None:
    made = planned(model, name, split, options)
    if made is None:
        return
    for figure in figures(made):
        assert figure.formula
        assert figure.source
        comes_to = value_of(figure.formula)
        if comes_to is None:
            assert in_words(figure), figure
        else:
            assert same(comes_to, float(figure.value)), figure


def in_words(figure: Figure) -> bool:
    """What no arithmetic of a few terms says: weights over several ranks, and those of a file."""
    weights = figure.name.partition(".")[0] == "weights_bytes"
    return weights and figure.formula.startswith("Σ over the tensors")


@pytest.mark.parametrize(("model", "name", "split", "options"), CASES)
def test_every_number_of_the_json_is_a_figure_of_that_value(
    model: str, name: str, split: Parallel, options: dict[str, Any]
) -> None:
    made = planned(model, name, split, options)
    if made is None:
        return
    known = {figure.name: figure for figure in figures(made)}
    for path, number in shown(made):
        if number == 0 and made.answer.refusal is not None:
            continue  # the engine stops before it counts
        rows = explanation(made, path).rows
        assert any(same(float(row[1].value), number) for row in rows), (path, number)  # type: ignore[arg-type]
    assert known


def test_every_line_of_the_memory_table_is_a_figure() -> None:
    made = planned("qwen3.5-27b", "llama.cpp", Parallel(), {})
    assert made is not None
    names = {figure.name for figure in figures(made)}
    lines = {f"host {x.name}" if x.host else x.name for x in made.answer.memory}
    assert lines <= names


@pytest.mark.parametrize(
    ("name", "figure", "log"),
    [
        ("vllm", "kv_cache_size_tokens", "GPU KV cache size"),
        ("vllm", "block_size", "attention block size"),
        ("sglang", "max_mamba_cache_size", "max_mamba_cache_size"),
        ("sglang", "max_total_num_tokens", "max_total_num_tokens"),
        ("llama.cpp", "rs_bytes_R", "R (f32)"),
        ("llama.cpp", "n_ctx_seq", "n_ctx_seq"),
    ],
)
def test_a_name_in_the_log_stands_in_a_line_that_the_engine_prints(
    name: str, figure: str, log: str
) -> None:
    made = planned("qwen3.5-27b", name, Parallel(), {"max_num_seqs": 64} if name == "vllm" else {})
    assert made is not None
    assert {f.name: f.log for f in figures(made)}[figure] == log
    assert any(log in line.text for line in made.answer.log_lines)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("36 conv_state × 8192·3 × 2 B + 36 delta_state × 32·128·128 × 4 B", 77_266_944),
        ("⌈10 tokens / 3 tokens a block⌉ − 1 null block", 3),
        ("max(0 B, 5 B of memory − 7 B of weights)", 0),
        ("min(4 by the flag, 9 tokens // 2) × 2 workers, each alone", 8),
        ("⌊1.5 GiB × 2⌋; 77 of something else", 3),
        ("pages of the largest group", None),
        ("4 slots of 9 tokens", None),
    ],
)
def test_formulas_are_read_as_arithmetic(formula: str, value: float | None) -> None:
    assert value_of(formula) == value
