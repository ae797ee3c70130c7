"""Inkling 2: rows that only pad, residual queries, and layers that run several times."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, mixers, read, state, total

TINY = {
    "vocab_size": 256,
    "unpadded_vocab_size": 250,
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "swa_num_attention_heads": 4,
    "swa_num_key_value_heads": 2,
    "swa_head_dim": 16,
    "sliding_window_size": 8,
    "d_rel": 4,
    "rel_extent": 32,
    "moe_intermediate_size": 32,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "layer_types": ["hybrid_sliding", "hybrid_sliding", "hybrid"],
    "n_layers_per_attn_res_block": 3,
    "eos_token_id": 2,
    "model_type": "inkling2_text",
}

LOOP = TINY | {
    "n_layers_per_attn_res_block": 1,
    "model_type": "inkling2_loop_text",
    "loop_layer_index_start": 1,
    "loop_layer_index_end": 3,
    "loop_num_passes": 2,
    "loop_gate_rank": 8,
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 164_784, "measured"),
        ({"model_type": "inkling2_text"}, 593_718_478_848, "class defaults"),
        (LOOP, 181_680, "measured, looped"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_state_and_cache_are_what_transformers_measures() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(3), (96, 96, 192, 192))
    assert kv_per_token(model) == 64


def test_layers_that_loop_keep_state_for_every_pass_and_weigh_once() -> None:
    once, thrice = (read(**LOOP | {"loop_num_passes": passes}) for passes in (1, 3))
    assert total(once) == total(thrice)
    assert [len(state(model)) for model in (once, thrice)] == [3, 1 + 3 * 2]
    assert mixers(thrice) == "s" + "sa" * 3


# Built and run by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("start", "end", "parameters", "executed"),
    [
        (2, 2, 164_784, 3),
        (6, 6, 164_784, 3),
        (2, 5, 173_744, 4),
        (6, 12, 166_320, 3),
    ],
)
def test_a_loop_may_be_empty_or_end_past_the_last_layer(
    start: int, end: int, parameters: int, executed: int
) -> None:
    model = read(**LOOP | {"loop_layer_index_start": start, "loop_layer_index_end": end})
    assert total(model) == parameters
    assert model.num_layers == executed


def test_the_loop_may_stand_in_an_object_of_its_own() -> None:
    loop = {"core_start": 1, "core_end": 3, "num_passes": 2, "gate_rank": 8}
    fields = {name: value for name, value in LOOP.items() if not name.startswith("loop_")}
    assert total(read(**fields, loop_config=loop)) == 181_680


def test_padding_rows_stand_in_the_embedding_only() -> None:
    assert read(**TINY).vocab_size == 250


def test_a_wrapper_is_read_by_its_text() -> None:
    model = read(model_type="inkling2", text_config=TINY)
    assert total(model) == 164_784
    assert model.architecture == "Inkling2ForConditionalGeneration"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"loop_layer_index_end": 0}, "loop_layer_index_end: expected 1 to"),
        (
            {"loop_layer_index_start": 3, "loop_layer_index_end": 2},
            "layers 3 to 2 cannot run again",
        ),
        (
            {"n_layers_per_attn_res_block": 2},
            "layers 1 to 3 do not begin and end with a block of 2",
        ),
        ({"loop_num_passes": 0}, "loop_num_passes: expected 1 to"),
        ({"loop_num_passes": 10**6}, "loop_num_passes: 2000001 layers would be executed"),
        ({"unpadded_vocab_size": 300}, "unpadded_vocab_size: 300 is more than vocab_size 256"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**LOOP | fields)
