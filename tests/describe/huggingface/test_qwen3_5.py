"""Qwen3.5, dense: language model alone and wrapped, and the vision tower counted apart."""

from __future__ import annotations

import pytest

from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface._wrapper import NO_TOWER
from ferrum_cli.dtype import DType
from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import published, read, state, total
from tests.describe.huggingface.plain import DELTA

TINY = DELTA | {"intermediate_size": 96, "model_type": "qwen3_5_text"}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 192_200, "measured"),
        ({"model_type": "qwen3_5_text"}, 8_953_803_264, "class defaults"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_the_state_is_what_transformers_measures_less_a_column() -> None:
    assert state(read(**TINY)) == dict.fromkeys(range(3), (128 * 3, 4 * 16 * 16))


def test_vision_is_counted_apart() -> None:
    model = published("Qwen__Qwen3.5-27B")
    assert total(model) == 26_895_998_464
    assert total(model) + model.vision_parameters == 27_356_728_560
    assert model.notes == ()


def test_the_hints_keep_what_engines_read() -> None:
    assert published("Qwen__Qwen3.5-27B").hints == Hints(
        full_attention_interval=4,
        mamba_ssm_dtype="float32",
        multimodal=True,
        vision_hidden_size=1152,
    )


def test_a_wrapper_without_vision_config_says_that_it_counts_none() -> None:
    model = read(model_type="qwen3_5", text_config=TINY)
    assert model.vision_parameters == 0
    assert NO_TOWER in model.notes
    assert model.architecture == "Qwen3_5ForConditionalGeneration"


def test_the_dtype_may_stand_outside_the_text() -> None:
    model = read(model_type="qwen3_5", text_config=TINY, dtype="float16")
    assert model.dtype is DType.FP16
    assert model.notes == (NO_TOWER,)


def test_a_wrapper_needs_its_text() -> None:
    with pytest.raises(DescriptionError, match="text_config: is missing"):
        read(model_type="qwen3_5", vision_config={})


def test_a_decision_model_has_a_readout_in_place_of_a_head() -> None:
    # vLLM 0.33.0, model_executor/models/d3.py: the readout's rows stand in a file of their own.
    fields = {"model_type": "qwen3_5", "text_config": TINY}
    decides = read(**fields, architectures=["D3ForSequenceClassification"])
    assert total(decides) == total(read(**fields)) - 256 * 64
    assert [note for note in decides.notes if "readout" in note] == [
        "the readout of answer codes is a file of its own and not counted"
    ]


# Built by transformers 5.24.0 from the same fields; the alias counts first.
@pytest.mark.parametrize(
    ("fields", "parameters"), [({}, 43_456), ({"num_hidden_layers": 3}, 50_960)]
)
def test_the_depth_of_the_tower_has_two_names(fields: dict[str, int], parameters: int) -> None:
    vision = {
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 48,
        "out_hidden_size": 64,
        "patch_size": 4,
        "num_position_embeddings": 16,
    }
    model = read(model_type="qwen3_5", text_config=TINY, vision_config=vision | fields)
    assert model.vision_parameters == parameters
