"""What llama.cpp refuses or dies of, in its own words, and what it does not.

All rows were run with 0c1e57098, on models made of their metadata.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.errors import UsageError
from ferrum_cli.expand import Parallel
from ferrum_cli.report import Level
from tests.engines.llama_cpp.asking import (
    LFM25,
    LLAMA,
    MAMBA,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    finding,
    gguf,
    model,
)
from tests.gguf_files import MODELS

KIMI, MINIMAX = "kimi-linear-48b-a3b", "minimax-text-01"
GLM: dict[str, Any] = MODELS["synthetic-glm5-next-L8"] | {
    "glm5-next.block_count": 9,
    "glm5-next.nextn_predict_layers": 1,
    "glm5-next.attention.head_count_kv": [0, 0, 0, 1, 0, 0, 0, 1, 1],
}
REPEAT = "GGML_ASSERT(ggml_can_repeat(b, a)) failed"
OUTPUTS = "GGML_ASSERT(n_outputs_max <= cparams.n_outputs_max) failed"
VIEW = (
    "GGML_ASSERT(view_src == NULL || data_size == 0 || data_size + view_offs <="
    " ggml_nbytes(view_src)) failed"
)

TABLE: list[tuple[str, dict[str, Any], str, str]] = [
    (
        KIMI,
        {"ctx_size": 8192, "parallel": 2, "cache_type_k": "q8_0"},
        "cache-types-differ",
        "model does not support different K (q8_0) and V (f16) cache types",
    ),
    (KIMI, {"ctx_size": 12288, "parallel": 3}, "ubatch-not-multiple-of-slots", REPEAT),
    (MINIMAX, {"ctx_size": 12288, "parallel": 3}, "ubatch-not-multiple-of-slots", REPEAT),
    (
        KIMI,
        {"ctx_size": 8192, "parallel": 4, "ubatch_size": 510},
        "ubatch-not-multiple-of-slots",
        REPEAT,
    ),
    (
        QWEN35_27B,
        {"cache_type_v": "q8_0", "flash_attn": "off"},
        "quantized-v-needs-flash",
        "quantized V cache requires flash_attn to be enabled",
    ),
    (
        QWEN35_27B,
        {"batch_size": 0, "ubatch_size": 0},
        "no-batch",
        "n_batch and n_ubatch cannot both be zero",
    ),
    (
        QWEN35_27B,
        {"parallel": 257},
        "too-many-slots",
        "n_seq_max must be <= 256",
    ),
    (MAMBA, {"parallel": 8, "batch_size": 7}, "batch-below-slots", OUTPUTS),
    (MAMBA, {"parallel": 8, "ctx_size": 4}, "batch-below-slots", OUTPUTS),
    (QWEN35_27B, {"batch_size": 0}, "batch-below-slots", OUTPUTS),
    (
        LFM25,
        {"ctx_type": "mtp"},
        "no-mtp-layers",
        "context type MTP requested but model doesn't contain MTP layers",
    ),
    (LFM25, {"spec_type": ["draft-mtp"]}, "no-mtp-layers", "failed to create MTP context"),
    (
        MAMBA,
        {"split_mode": "tensor"},
        "split-mode-tensor-unsupported",
        "LLAMA_SPLIT_MODE_TENSOR not implemented for architecture 'mamba'",
    ),
    (
        LLAMA,
        {"split_mode": "tensor", "flash_attn": "off"},
        "split-mode-tensor-needs-flash",
        "SPLIT_MODE_TENSOR requires flash_attn to be enabled",
    ),
]


@pytest.mark.parametrize(("name", "options", "code", "words"), TABLE)
def test_it_stops_in_its_own_words(
    name: str, options: dict[str, Any], code: str, words: str
) -> None:
    found = answered(name, options)
    assert found.refusal == words
    said = finding(found, code)
    assert (said.level, said.message) == (Level.ERROR, words)
    assert said.hint
    assert found.capacity.max_requests is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"ctx_type": "mtp"},
            "failed to initialize the context: GLM5-Next NextN graph not implemented yet",
        ),
        ({"spec_type": ["draft-mtp"]}, "failed to create MTP context"),
        ({}, None),
    ],
)
def test_the_draft_layers_of_glm_5_next_have_no_graph(
    options: dict[str, Any], words: str | None
) -> None:
    found = answered(gguf(GLM), options)
    assert found.refusal == words
    if words is not None:
        assert finding(found, "mtp-graph-missing").message == words


HEADS_OF_80 = MODELS["synthetic-llama-8b-control"] | {
    "llama.attention.key_length": 80,
    "llama.attention.value_length": 80,
}
ONE_HEAD_OF_80 = HEADS_OF_80 | {"llama.attention.head_count_kv": 1}


@pytest.mark.parametrize(
    ("metadata", "options", "words"),
    [
        (
            HEADS_OF_80,
            {"cache_type_k": "q8_0"},
            "K cache type q8_0 with block size 32 does not divide n_embd_head_k=80",
        ),
        (
            HEADS_OF_80,
            {"cache_type_v": "q4_0"},
            "V cache type q4_0 with block size 32 does not divide n_embd_head_v=80",
        ),
        (HEADS_OF_80, {"cache_type_k": "q8_0", "flash_attn": "off"}, None),
        (ONE_HEAD_OF_80, {"cache_type_k": "q8_0", "flash_attn": "off"}, VIEW),
        (HEADS_OF_80, {"cache_type_k": "bf16", "cache_type_v": "f32"}, None),
    ],
)
def test_types_must_divide_heads_or_without_flash_attention_rows(
    metadata: dict[str, Any], options: dict[str, Any], words: str | None
) -> None:
    assert answered(gguf(metadata), options).refusal == words


def test_a_context_of_the_drafts_is_refused_for_heads_of_the_model() -> None:
    """The heads are looked at before the context's type is."""
    options = {"cache_type_k": "q8_0", "ctx_type": "mtp"}
    assert "does not divide n_embd_head_k=80" in str(answered(gguf(HEADS_OF_80), options).refusal)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (KIMI, {"ctx_size": 12288, "parallel": 3, "kv_unified": True}),
        (KIMI, {"ctx_size": 12288, "parallel": 3, "ubatch_size": 510}),
        (KIMI, {"ctx_size": 8192, "parallel": 4}),
        (KIMI, {"ctx_size": 8192, "parallel": 2, "cache_type_k": "q8_0", "cache_type_v": "q8_0"}),
        ("synthetic-kimi-k3-L8", {"ctx_size": 12288, "parallel": 3}),
        (QWEN3_NEXT, {"ctx_size": 12288, "parallel": 3}),
        (QWEN35_27B, {"cache_type_k": "q8_0", "flash_attn": "off"}),
        (QWEN35_27B, {"cache_type_v": "q8_0", "flash_attn": "on"}),
        (QWEN35_27B, {"cache_type_v": "q8_0", "flash_attn": "auto"}),
        (QWEN35_27B, {"parallel": 256}),
        (QWEN35_27B, {"ctx_type": "mtp"}),
        (QWEN35_27B, {"spec_type": ["draft-mtp"]}),
        (QWEN35_27B, {"ubatch_size": 0}),
        (MAMBA, {"parallel": 8, "batch_size": 8}),
        (LLAMA, {"split_mode": "tensor"}),
        (QWEN35_27B, {"split_mode": "tensor"}),
    ],
)
def test_what_runs_is_not_refused(name: str, options: dict[str, Any]) -> None:
    assert answered(name, options).refusal is None


def test_an_attention_in_the_last_layer_alone_is_not_missed() -> None:
    """Only rows with outputs are left behind it: five layers run where the fourth attends last."""
    metadata = MODELS["mini-minimax-text-01-L8"]
    options = {"ctx_size": 12288, "parallel": 3}
    layers = metadata["minimax-01.block_count"]
    assert answered(gguf(metadata), options).refusal is None
    further = metadata | {
        "minimax-01.block_count": 2 * layers,
        "minimax-01.attention.recurrent_layers": None,
    }
    further.pop("minimax-01.attention.recurrent_layers")
    assert answered(gguf(further), options).refusal == REPEAT


@given(st.integers(1, 8), st.integers(1, 2048), st.integers(1, 100_000))
def test_kimi_runs_with_every_batch_that_the_slots_divide(
    slots: int, ubatch: int, context: int
) -> None:
    """The batch that is computed is the smallest of ubatch, batch and context."""
    options = {"ctx_size": context, "parallel": slots, "ubatch_size": ubatch, "kv_unified": False}
    found = answered(KIMI, options)
    tokens = min(ubatch, 2048, context)
    if slots > min(2048, context):
        assert found.refusal == OUTPUTS
    else:
        assert (found.refusal == REPEAT) == (tokens % slots != 0)


def test_tensor_parallel_is_refused_as_split_mode_tensor_is() -> None:
    found = answered(MAMBA, parallel=Parallel(tp=2))
    assert found.refusal == "LLAMA_SPLIT_MODE_TENSOR not implemented for architecture 'mamba'"


@pytest.mark.parametrize(
    "name",
    ["NX-AI__xLSTM-7b", "Zyphra__Zamba2-7B", "jet-ai__Jet-Nemotron-2B", "allenai__Olmo-Hybrid-7B"],
)
def test_a_class_that_has_no_converter_is_not_supported(name: str) -> None:
    found = answered(name)
    assert found.refusal == f"Model {model(name).architecture} is not supported"
    assert finding(found, "architecture-not-supported").level is Level.ERROR
    assert found.layout == {}


def test_an_architecture_of_a_file_that_it_does_not_have_is_unknown() -> None:
    described = model("qwen3.5-4b")
    other = replace(described, hints=replace(described.hints, gguf_architecture="xlstm"))
    assert answered(other).refusal == "unknown model architecture: 'xlstm'"


def test_no_slots_at_all_is_a_wrong_use() -> None:
    with pytest.raises(UsageError, match="invalid value for n_parallel"):
        answered(QWEN35_27B, {"parallel": 0})
