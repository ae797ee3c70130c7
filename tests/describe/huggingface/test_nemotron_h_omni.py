"""Nemotron Omni and its kin: the language model is a Nemotron-H under either of two names."""

from __future__ import annotations

import pytest

from ferrum_cli.describe.huggingface._wrapper import NO_TOWER
from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import read, state, total

TEXT = {
    "vocab_size": 256,
    "hidden_size": 64,
    "hybrid_override_pattern": "M*E",
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "ssm_state_size": 16,
    "mamba_num_heads": 6,
    "mamba_head_dim": 16,
    "n_groups": 2,
    "n_routed_experts": 4,
    "moe_intermediate_size": 48,
    "moe_shared_expert_intermediate_size": 48,
    "num_experts_per_tok": 2,
}


@pytest.mark.parametrize("name", ["text_config", "llm_config"])
@pytest.mark.parametrize("model_type", ["nemotron_h_omni", "NemotronH_Nano_VL_V2", "nemo_speechlm"])
def test_the_language_model_is_the_one_in_the_text(model_type: str, name: str) -> None:
    model = read(model_type=model_type, **{name: TEXT})
    text = read(model_type="nemotron_h", **TEXT)
    assert total(model) == total(text)
    assert state(model) == state(text)
    assert NO_TOWER in model.notes


def test_a_wrapper_needs_its_text() -> None:
    with pytest.raises(DescriptionError, match="text_config: is missing"):
        read(model_type="nemotron_h_omni")
