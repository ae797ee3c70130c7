"""What Qwen3-Next, Qwen3.5 and their relatives share: mixers, layer pattern, draft layers.

Names and defaults are those of transformers 5.24.0, models/qwen3_next and models/qwen3_5. It knows
nothing about engines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.gated_delta_net import GatedDeltaNet
from ferrum_cli.describe.description import Draft
from ferrum_cli.describe.huggingface._common import layer, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields

LAYER_TYPES: Mapping[str, str] = {
    "linear_attention": "delta",
    "full_attention": "attention",
    "attention": "attention",
}
"""What a layer type calls the mixer here; the last is a legacy spelling."""


def gated_delta_net(config: Fields, key_heads: int = 16, value_heads: int = 32) -> GatedDeltaNet:
    """The linear-attention mixer of the whole family."""
    return GatedDeltaNet(
        num_key_heads=config.size("linear_num_key_heads", key_heads),
        num_value_heads=config.size("linear_num_value_heads", value_heads),
        key_head_dim=config.size("linear_key_head_dim", 128),
        value_head_dim=config.size("linear_value_head_dim", 128),
        conv_kernel=config.size("linear_conv_kernel_dim", 4),
    )


def gated_attention(config: Fields, kv_heads: int) -> Attention:
    """Attention with an output gate from the query projection, and norms on query and key."""
    bias = config.flag("attention_bias", False)
    return Attention(
        num_heads=config.size("num_attention_heads", 16),
        num_kv_heads=config.size("num_key_value_heads", kv_heads),
        head_dim=config.size("head_dim", 256),
        output_gate=True,
        qk_norm=True,
        qkv_bias=bias,
        output_bias=bias,
    )


def gate_biases(config: Fields, attention: Attention, mixers: Sequence[str]) -> int:
    """The gate is a part of the query projection and has its bias, too."""
    if not config.flag("attention_bias", False):
        return 0
    return attention.num_heads * attention.head_dim * mixers.count("attention")


def mixers(config: Fields, length: int) -> tuple[str, ...]:
    """The mixer of each layer: `layer_types`, or full attention in every n-th layer."""
    interval = config.size("full_attention_interval", 4)
    default = [
        "linear_attention" if (i + 1) % interval else "full_attention" for i in range(length)
    ]
    return layer_kinds(config, "layer_types", LAYER_TYPES, length, default)


def draft(config: Fields, name: str, entries: Sequence[str], default: int = 1) -> Draft | None:
    """Draft layers that share the embeddings; one where a Qwen3.5 does not say how many.

    vLLM 0.33.0, model_executor/models/qwen3_next_mtp.py and qwen3_5_mtp.py.
    """
    count = config.count(name, default)
    return Draft("mtp", (layer(entries),) * count) if count else None
