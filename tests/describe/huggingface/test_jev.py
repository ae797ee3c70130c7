"""JEV: it decides with a language model, which is read by its own family."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import read, state, total
from tests.describe.huggingface.plain import DELTA

TEXT = DELTA | {"intermediate_size": 96, "model_type": "qwen3_5_text"}
TINY = {"model_type": "jev", "hidden_size": 64, "text_config": TEXT}


def test_the_language_model_is_the_one_in_the_text() -> None:
    model, text = read(**TINY), read(**TEXT)
    assert state(model) == state(text)
    assert model.architecture == "JevForDecision"
    assert model.hints.multimodal is None


# Built by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(("verbalizers", "parameters"), [(24, 177_376), (1, 175_881)])
def test_a_head_for_options_stands_in_place_of_one_for_words(
    verbalizers: int, parameters: int
) -> None:
    assert total(read(**TINY, num_verbalizers=verbalizers)) == parameters


def test_the_head_reads_what_the_text_writes() -> None:
    with pytest.raises(DescriptionError, match="hidden_size: 4096 is not that of the text, 64"):
        read(model_type="jev", text_config=TEXT)


def test_the_text_is_a_qwen_unless_it_says_otherwise() -> None:
    text = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 256}
    assert "delta" in read(model_type="jev", hidden_size=64, text_config=text).blocks
    llama = text | {"model_type": "llama"}
    assert "delta" not in read(model_type="jev", hidden_size=64, text_config=llama).blocks
