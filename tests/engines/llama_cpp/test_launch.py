"""Options settled: slots, contexts and their rounding, batches, speculation, what is refused.

Laws and tables are llama-server's of 0c1e57098 (common/arg.cpp, src/llama-context.cpp).
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines import engine
from ferrum_cli.engines.llama_cpp.launch import padded, sizes
from ferrum_cli.engines.llama_cpp.options import OPTIONS
from ferrum_cli.errors import UsageError
from ferrum_cli.plan.sweep import sweep
from tests.engines.llama_cpp.asking import (
    GRANITE,
    LFM25,
    LLAMA,
    MAMBA,
    QWEN3_NEXT,
    QWEN35_27B,
    deployed,
)


@pytest.mark.parametrize(
    ("slots", "context", "unified", "n_ctx", "n_ctx_seq"),
    [
        (1, 4096, False, 4096, 4096),
        (1, 1, False, 256, 256),
        (1, 5000, False, 5120, 5120),
        (3, 8192, False, 8448, 2816),  # "rounding down" to more than was asked for
        (4, 100, False, 1024, 256),
        (4, 8192, True, 8192, 8192),
        (7, 5000, True, 5120, 5120),
    ],
)
def test_a_context_is_rounded_up_twice(
    slots: int, context: int, unified: bool, n_ctx: int, n_ctx_seq: int
) -> None:
    found = sizes(slots, context, unified)
    assert (found.n_ctx, found.n_ctx_seq) == (n_ctx, n_ctx_seq)


@given(st.integers(1, 256), st.integers(1, 2**22), st.booleans())
def test_no_slot_gets_less_than_its_share(slots: int, context: int, unified: bool) -> None:
    found = sizes(slots, context, unified)
    assert found.n_ctx == found.n_ctx_seq * found.streams
    assert found.n_ctx >= context
    assert found.n_ctx_seq % 256 == 0
    assert found.n_ctx_seq * found.streams < padded(context) + 256 * found.streams


@pytest.mark.parametrize(
    ("options", "slots", "unified"),
    [
        ({}, 4, True),
        ({"parallel": -1}, 4, True),
        ({"parallel": -1, "kv_unified": False}, 4, True),
        ({"parallel": 4}, 4, False),
        ({"parallel": 2, "kv_unified": True}, 2, True),
        ({"parallel": 1}, 1, False),
    ],
)
def test_automatic_slots_are_four_over_one_cache(
    options: dict[str, Any], slots: int, unified: bool
) -> None:
    launch = deployed(QWEN35_27B, options).launch
    assert (launch.slots, launch.unified, launch.default_slots) == (
        slots,
        unified,
        options.get("parallel", -1) == -1,
    )


@pytest.mark.parametrize(
    ("options", "changes", "n_ctx"),
    [
        ({}, {}, 262144),
        ({"ctx_size": 0}, {}, 262144),
        ({"parallel": 2}, {}, 2 * 262144),
        ({"parallel": 2, "fit": "off"}, {}, 262144),
        ({"parallel": 2, "ctx_size": 0}, {}, 262144),
        ({"parallel": 2, "ctx_size": 8192}, {}, 8192),
        ({"parallel": 2}, {"context": 8192}, 16384),
        ({"parallel": 2, "ctx_size": 4096}, {"context": 8192}, 4096),
        ({}, {"context": 8192}, 4 * 8192),
        ({"kv_unified_per_slot": 8192, "parallel": 3}, {}, 24576),
    ],
)
def test_a_context_is_stated_or_shared_or_the_models_own(
    options: dict[str, Any], changes: dict[str, Any], n_ctx: int
) -> None:
    """`--context` is that of one slot, `ctx_size` that of all."""
    assert deployed(QWEN35_27B, options, **changes).launch.sizes().n_ctx == n_ctx


@pytest.mark.parametrize(
    ("name", "written"),
    [
        (MAMBA, 2**20),
        (GRANITE, 2**20),
        ("nvidia__NVIDIA-Nemotron-Nano-9B-v2", 2**20),
        ("nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 2**20),
        ("ibm-fms__Bamba-9B", 262144),
        (LLAMA, 131072),
        (QWEN35_27B, 262144),
    ],
)
def test_the_training_context_is_what_the_converter_writes(name: str, written: int) -> None:
    assert deployed(name).launch.training_context == written


@pytest.mark.parametrize(
    ("options", "batch", "ubatch"),
    [
        ({}, 2048, 512),
        ({"ctx_size": 300}, 300, 300),
        ({"batch_size": 64}, 64, 64),
        ({"ubatch_size": 0}, 2048, 2048),
        ({"ubatch_size": 4096}, 2048, 2048),
    ],
)
def test_batches_are_capped_by_each_other_and_by_the_context(
    options: dict[str, Any], batch: int, ubatch: int
) -> None:
    launch = deployed(QWEN35_27B, options).launch
    assert (launch.batch, launch.ubatch) == (batch, ubatch)


@pytest.mark.parametrize(
    ("name", "options", "asked", "snapshots"),
    [
        (QWEN35_27B, {}, 0, 0),
        (QWEN35_27B, {"spec_type": ["draft-mtp"]}, 3, 3),
        (QWEN35_27B, {"spec_type": ["draft-mtp"], "spec_draft_n_max": 6}, 6, 6),
        (QWEN35_27B, {"spec_type": ["draft-simple"]}, 0, 0),
        (QWEN35_27B, {"spec_type": ["draft-eagle3"]}, 3, 3),
        (QWEN35_27B, {"spec_type": ["ngram-mod"]}, 0, 0),
        (QWEN35_27B, {"n_rs_seq": 2}, 2, 2),
        (QWEN35_27B, {"n_rs_seq": 0, "spec_type": ["draft-mtp"]}, 0, 0),
        (LFM25, {"n_rs_seq": 5}, 5, 5),
        (QWEN3_NEXT, {"spec_type": ["draft-mtp"]}, 3, 0),
        (MAMBA, {"n_rs_seq": 4}, 4, 0),
        (GRANITE, {"n_rs_seq": 4}, 4, 0),
    ],
)
def test_snapshots_are_asked_for_by_speculation_and_given_to_some(
    name: str, options: dict[str, Any], asked: int, snapshots: int
) -> None:
    launch = deployed(name, options).launch
    assert (launch.asked_snapshots, launch.snapshots) == (asked, snapshots)


@pytest.mark.parametrize("word", ["on", "enabled", "true", "1"])
def test_flash_attention_is_switched_on_by_four_words(word: str) -> None:
    assert deployed(LLAMA, {"flash_attn": word}).launch.flash is True


@pytest.mark.parametrize("word", ["auto", "-1"])
def test_flash_attention_may_be_left_open(word: str) -> None:
    assert deployed(LLAMA, {"flash_attn": word}).launch.flash is None


def test_every_option_says_what_it_means() -> None:
    names = [option.name for option in OPTIONS]
    assert len(names) == len(set(names))
    assert all(option.meaning for option in OPTIONS)
    assert set(names) >= {
        *("ctx_size", "parallel", "kv_unified", "cache_type_k", "cache_type_v", "flash_attn"),
        *("batch_size", "ubatch_size", "n_rs_seq", "ctx_type", "swa_full", "n_gpu_layers"),
        *("tensor_split", "no_kv_offload", "ctx_checkpoints", "cache_ram", "spec_type"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "ctx_size=-1",
        "parallel=-2",
        "cache_type_k=q3_K",
        "flash_attn=maybe",
        "spec_type=ngram",
        "ctx_type=draft",
        "n_gpu_layers=most",
        "tensor_split=a,b",
        "cache_ram=-2",
        "no_such_option=1",
    ],
)
def test_a_value_that_llama_server_does_not_take_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        sweep(engine("llama.cpp").OPTIONS, [text])


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("ctx_size=128k", "ctx_size", 131072),
        ("n_gpu_layers=all", "n_gpu_layers", "all"),
        ("n_gpu_layers=99", "n_gpu_layers", 99),
        ("tensor_split=3,1", "tensor_split", [3.0, 1.0]),
        ("spec_type=draft-mtp", "spec_type", ["draft-mtp"]),
        ("kv_unified=true", "kv_unified", True),
    ],
)
def test_values_are_read_as_on_the_command_line(text: str, name: str, value: object) -> None:
    (settings,) = sweep(engine("llama.cpp").OPTIONS, [text])
    assert settings.value(name) == value
