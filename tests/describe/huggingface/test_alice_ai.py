"""AliceAI: KDA from fields of Gated DeltaNet, as vLLM 0.33.0 sizes it."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_bytes_per_token, read, state

ALICE = {
    "architectures": ["AliceAIForCausalLM"],
    "model_type": "alice_ai",
    "dtype": "bfloat16",
    "hidden_size": 2048,
    "intermediate_size": 5120,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "num_key_value_heads": 2,
    "head_dim": 256,
    "max_position_embeddings": 131072,
    "linear_num_key_heads": 32,
    "linear_num_value_heads": 32,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4,
    "block_attn_res_block_size": 4,
    "kda_allow_negative_eigenvalues": False,
    "router_score_function": "sigmoid",
    "router_bias_correction": True,
    "layer_types": (["linear_attention"] * 3 + ["full_attention"]) * 6,
}


def test_state_and_cache_are_what_vllm_sizes() -> None:
    model = read(**ALICE)
    conv, recurrent = 3 * 32 * 128 * 3, 32 * 128 * 128
    assert state(model)[0] == (conv, recurrent)
    assert len(state(model)) == 18
    assert kv_bytes_per_token(model) == 6 * 2 * 2 * 256 * 2
    assert model.parameters == "approximate"


def test_experts_stand_where_the_file_has_them() -> None:
    experts = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 64}
    assert read(**ALICE | experts).blocks["mlp"].kind == "mixture_of_experts"


@pytest.mark.parametrize("name", ["linear_num_value_heads", "linear_value_head_dim"])
def test_values_that_differ_from_keys_are_refused(name: str) -> None:
    with pytest.raises(DescriptionError, match=f"{name}: values differ from keys"):
        read(**ALICE | {name: 64})
