"""Inkling: four windows in every layer, two sets of attention fields, names of checkpoints."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, mixers, read, state, total, windows

TINY = {
    "vocab_size": 256,
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "swa_num_attention_heads": 4,
    "swa_num_key_value_heads": 4,
    "swa_head_dim": 16,
    "sliding_window_size": 8,
    "d_rel": 4,
    "rel_extent": 32,
    "intermediate_size": 96,
    "moe_intermediate_size": 32,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "layer_types": ["hybrid_sliding", "hybrid_sliding", "hybrid"],
    "model_type": "inkling_text",
}

# The language model of Inkling-Small.
SMALL = {
    "hidden_size": 4096,
    "num_hidden_layers": 42,
    "vocab_size": 201024,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "swa_num_attention_heads": 32,
    "swa_num_key_value_heads": 8,
    "swa_head_dim": 128,
    "sliding_window_size": 512,
    "d_rel": 16,
    "rel_extent": 1024,
    "sconv_kernel_size": 4,
    "dense_mlp_idx": 2,
    "dense_intermediate_size": 16384,
    "intermediate_size": 2048,
    "n_routed_experts": 256,
    "num_experts_per_tok": 6,
    "n_shared_experts": 2,
    "model_type": "inkling_text",
    "local_layer_ids": [i for i in range(42) if i not in [5, 11, 17, 23, 29, 35, 41]],
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 196_259, "measured"),
        ({"model_type": "inkling_text"}, 975_340_270_146, "class defaults"),
        (SMALL, 263_655_189_034, "Inkling-Small"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(2), (192, 192, 192, 192)) | dict.fromkeys(
        [2], (96, 96, 192, 192)
    )
    assert kv_per_token(model) == 64


def test_by_default_five_layers_of_six_slide() -> None:
    assert mixers(read(model_type="inkling_text", num_hidden_layers=7)) == "sssssas"


def test_sliding_layers_keep_the_last_tokens_only() -> None:
    assert windows(read(**TINY)) == [8, 8]


def test_a_dense_width_makes_the_other_one_the_width_of_experts() -> None:
    blocks = read(**SMALL).blocks
    assert blocks["mlp"] == FeedForward(intermediate_size=16384)
    assert blocks["experts"].intermediate_size == 2048  # type: ignore[attr-defined]


WRAPPER: dict[str, Any] = {
    "model_type": "inkling_mm_model",
    "text_config": TINY | {"model_type": "inkling_model"},
}


def test_the_wrapper_says_how_many_draft_layers_there_are() -> None:
    model = read(
        **WRAPPER,
        mtp_config={"num_nextn_predict_layers": 3, "local_layer_ids": [0, 2]},
    )
    assert total(model) == 196_259
    assert model.hints.multimodal
    assert model.draft is not None
    assert [next(layer.names)[0] for layer in model.draft.layers] == ["s", "a", "s"]


# SGLang 0.5.23, configs/inkling.py, takes eight where nothing is said.
@pytest.mark.parametrize(
    ("outer", "inner", "drafts"),
    [
        ({}, {}, "aaaaaaaa"),
        ({"mtp_config": {"n_layers": 2}}, {}, "aa"),
        ({"mtp_config": {"num_nextn_predict_layers": 0}}, {}, ""),
        ({"mtp_config": {"num_nextn_predict_layers": 2}}, {"num_mtp_layers": 1}, "a"),
        ({}, {"num_nextn_predict_layers": 3, "mtp_local_layer_ids": [1]}, "asa"),
        ({"mtp_config": {"local_layer_ids": [0]}}, {"num_mtp_layers": 2}, "sa"),
    ],
)
def test_drafts_are_counted_inside_and_around(
    outer: dict[str, Any], inner: dict[str, Any], drafts: str
) -> None:
    text = {"text_config": WRAPPER["text_config"] | inner}
    draft = read(**WRAPPER | text | outer).draft
    layers = draft.layers if draft else ()
    assert "".join(next(layer.names)[0] for layer in layers) == drafts


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"layer_types": None, "local_layer_ids": [3]}, r"local_layer_ids\[0\]: layer 3 of 3"),
        ({"layer_types": ["full_attention"] * 3}, r"layer_types\[0\]: unknown kind of layer"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)
