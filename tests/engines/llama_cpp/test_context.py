"""State and KV in bytes: laws over slots and contexts, and special layers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.dtype import DType
from ferrum_cli.engines.llama_cpp.cache_types import TYPES
from tests.engines.llama_cpp.asking import (
    GRANITE,
    LFM25,
    LLAMA,
    MAMBA,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    converted,
    gguf,
)
from tests.gguf_files import CONVERTED, MODELS

LAID_OUT = (
    *("rs_bytes_R", "rs_bytes_S", "rs_bytes_P", "rs_cells", "n_rs_seq", "recurrent_layers"),
    *("kv_bytes", "kv_caches", "draft_kv_bytes", "n_ctx_effective", "n_ctx_seq"),
    *("checkpoint_bytes", "output_buffer_bytes", "compute_buffer_bytes"),
)


@pytest.mark.parametrize("name", sorted(CONVERTED))
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ctx_size": 8192, "parallel": 2},
        {"ctx_size": 5000, "parallel": 3, "n_rs_seq": 2, "flash_attn": "off"},
        {"ctx_size": 8192, "cache_type_k": "q8_0", "cache_type_v": "q8_0", "swa_full": True},
    ],
    ids=str,
)
def test_a_configuration_and_its_file_are_laid_out_alike(
    name: str, options: dict[str, Any]
) -> None:
    """The file is what llama.cpp's converter makes of the configuration."""
    file, config = answered(converted(name), options), answered(name, options)
    assert file.refusal == config.refusal
    assert {key: file.layout[key] for key in LAID_OUT} == {
        key: config.layout[key] for key in LAID_OUT
    }
    assert [line.text for line in file.log_lines] == [line.text for line in config.log_lines]


@given(
    st.sampled_from([QWEN35_27B, LFM25, MAMBA, GRANITE, QWEN3_NEXT]),
    st.integers(1, 16),
    st.integers(0, 4),
)
def test_state_grows_with_slots_and_snapshots_alone(name: str, slots: int, asked: int) -> None:
    one = answered(name, {"parallel": 1, "ctx_size": 4096})
    many = answered(name, {"parallel": slots, "ctx_size": 65536, "n_rs_seq": asked})
    rows = slots * (1 + many.layout["n_rs_seq"])
    for part in ("rs_bytes_R", "rs_bytes_S", "rs_bytes_P"):
        assert many.layout[part] == rows * one.layout[part]
    assert many.layout["rs_cells"] == slots


@given(
    st.sampled_from([QWEN35_27B, LFM25, LLAMA, QWEN3_NEXT]),
    st.integers(1, 16),
    st.integers(1, 2**18),
)
def test_kv_is_cells_times_the_bytes_of_a_token(name: str, slots: int, context: int) -> None:
    found = answered(name, {"parallel": slots, "ctx_size": context})
    assert found.layout["kv_bytes"] == found.kv.bytes_per_token * found.layout["n_ctx_effective"]


@pytest.mark.parametrize("name", [QWEN35_27B, MAMBA, LFM25])
def test_state_is_float32_whatever_the_cache_types(name: str) -> None:
    options = {"cache_type_k": "q8_0", "cache_type_v": "q8_0", "parallel": 1}
    found = answered(name, options)
    assert {tensor.dtype for tensor in found.state} == {DType.FP32}
    parts = ("rs_bytes_R", "rs_bytes_S", "rs_bytes_P")
    assert found.bytes_per_slot == sum(found.layout[part] for part in parts)


@pytest.mark.parametrize("kind", TYPES)
def test_a_cache_type_weighs_what_its_blocks_weigh(kind: str) -> None:
    options = {"cache_type_k": kind, "cache_type_v": kind, "ctx_size": 4096, "parallel": 1}
    found = answered(LLAMA, options)
    elements = 2 * 32 * 8 * 128 * 4096
    assert found.layout["kv_bytes"] == elements * TYPES[kind].block_bytes // TYPES[kind].block


def test_latent_attention_keeps_keys_alone() -> None:
    cache = answered("kimi-linear-48b-a3b", {"ctx_size": 4096, "parallel": 1}).layout["kv_caches"]
    full = cache["full"]
    assert full["v_bytes"] == 0
    assert full["k_bytes"] == len(full["layers"]) * (512 + 64) * 2 * 4096


def test_a_pooled_indexer_keeps_key_gate_and_value() -> None:
    caches = answered("synthetic-glm5-next-L8", {"ctx_size": 4096, "parallel": 1}).layout[
        "kv_caches"
    ]
    assert caches["indexer"]["k_bytes"] == len(caches["indexer"]["layers"]) * 3 * 128 * 2 * 4096


@pytest.mark.parametrize(
    ("options", "cells"),
    [
        ({"parallel": 1}, 1536),
        ({"parallel": 2}, 1536),
        ({"parallel": 2, "kv_unified": True}, 2560),
        ({"parallel": 1, "ubatch_size": 2048}, 3072),
        ({"parallel": 1, "swa_full": True}, 32768),
        ({"parallel": 1, "ctx_size": 1024}, 1024),
    ],
)
def test_a_window_needs_itself_and_a_batch(options: dict[str, Any], cells: int) -> None:
    windowed = gguf(MODELS["lfm2-1.2b"] | {"lfm2.attention.sliding_window": 1024})
    found = answered(windowed, {"ctx_size": 32768, **options})
    assert found.layout["kv_caches"]["window"]["cells"] == cells


def test_values_are_as_wide_as_the_widest_without_flash_attention() -> None:
    metadata = MODELS["synthetic-llama-8b-control"]
    layers = metadata["llama.block_count"]
    uneven = gguf(metadata | {"llama.attention.head_count_kv": [8, *[2] * (layers - 1)]})
    options = {"ctx_size": 4096, "parallel": 1}
    flash = answered(uneven, options).layout["kv_caches"]["full"]
    padded = answered(uneven, {**options, "flash_attn": "off"}).layout["kv_caches"]["full"]
    assert flash["v_bytes"] == (8 + 2 * (layers - 1)) * 128 * 2 * 4096
    assert padded["v_bytes"] == 8 * layers * 128 * 2 * 4096
    assert padded["k_bytes"] == flash["k_bytes"]


def test_a_context_of_the_draft_layers_holds_their_kv_alone() -> None:
    found = answered(QWEN35_27B, {"ctx_type": "mtp", "ctx_size": 4096, "parallel": 1}).layout
    assert (found["rs_cells"], found["rs_bytes_S"]) == (0, 0)
    assert found["kv_caches"]["full"]["layers"] == [64]
    assert found["kv_bytes"] == 2 * 4 * 256 * 2 * 4096


def test_a_second_context_has_types_of_its_own() -> None:
    options = {"spec_type": ["draft-mtp"], "spec_draft_type_k": "q8_0", "ctx_size": 4096}
    found = answered(QWEN35_27B, options).layout
    assert found["draft_kv_bytes"] == 4096 * 4 * 256 * (34 / 32 + 2)


def test_granite_without_state_is_no_hybrid_to_llama_cpp() -> None:
    """The converter calls it granite or granitemoe, with a context of its own."""
    heads = {"granitehybrid.attention.head_count_kv": 4}
    metadata = CONVERTED["ibm-granite__granite-4.0-h-tiny"] | heads
    hybrid = answered(gguf(metadata), {"ctx_size": 4096, "parallel": 1})
    plain = {key.replace("granitehybrid.", "granitemoe."): v for key, v in metadata.items()}
    plain |= {"general.architecture": "granitemoe", "granitemoe.context_length": 131072}
    found = answered(gguf(plain), {"ctx_size": 4096, "parallel": 1})
    assert found.layout["kv_bytes"] == hybrid.layout["kv_bytes"]
    assert (hybrid.layout["rs_cells"], found.layout["rs_cells"]) == (1, 0)
    keys = {line.key for line in found.log_lines}
    assert "state_size" not in keys
