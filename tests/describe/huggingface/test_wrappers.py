"""Wrappers around a language model: whose word counts on ties of its embeddings."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import read

# The default of the class around the text, whose head the model has; False where no word ties it.
# Each built by transformers 5.24.0 with all nine pairs of words.
ITS_OWN_WORD = {
    "gemma3": True,
    "glm5_next": False,
    "lfm2_vl": True,
    "lfm3_vl": True,
    "minicpm_ocr": True,
    "minicpmv4_6": False,
    "minicpmv4_7": False,
    "qwen3_5": False,
    "qwen3_5_moe": False,
    "qwen4_exp": False,
}
NEVER_TIED = (
    "inkling2",
    "inkling2_loop",
    "inkling_mm_model",
    "nemo_speechlm",
    "nemotron_h_omni",
)


def tied(model_type: str, outer: bool | None, inner: bool | None, **fields: object) -> bool:
    """Whether a wrapper's embeddings are tied; None where a word is not said."""
    around = {} if outer is None else {"tie_word_embeddings": outer}
    text = {} if inner is None else {"tie_word_embeddings": inner}
    return read(model_type=model_type, text_config=text, **around, **fields).tie_embeddings


@pytest.mark.parametrize("inner", [None, True, False])
@pytest.mark.parametrize("outer", [None, True, False])
@pytest.mark.parametrize(("model_type", "default"), ITS_OWN_WORD.items())
def test_the_word_of_the_class_with_the_head_counts(
    model_type: str, default: bool, outer: bool | None, inner: bool | None
) -> None:
    assert tied(model_type, outer, inner) is (default if outer is None else outer)


@pytest.mark.parametrize("inner", [None, True, False])
@pytest.mark.parametrize("outer", [None, True, False])
def test_of_a_text_with_its_own_head_the_word_inside_counts(
    outer: bool | None, inner: bool | None
) -> None:
    assert tied("llama4", outer, inner) is bool(inner)
    alone = ["Qwen3_5ForCausalLM"]
    assert tied("qwen3_5", outer, inner, architectures=alone) is bool(inner)


@pytest.mark.parametrize("model_type", NEVER_TIED)
def test_some_classes_never_tie(model_type: str) -> None:
    assert not tied(model_type, outer=True, inner=True)


def test_the_alias_of_a_word_counts_first() -> None:
    assert not tied("lfm2_vl", outer=True, inner=None, tie_embedding=False)
