"""AliceAI: KDA and grouped-query attention.

Read from the fields of vLLM 0.33.0, model_executor/models/alice_ai.py; parameters are approximate,
since no checkpoint is published. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.kimi_delta_attention import KimiDeltaAttention
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"alice_ai": ("AliceAIForCausalLM",)}

_KINDS = {"linear_attention": "kda", "full_attention": "attention"}
_DEFAULT_VOCABULARY = 32000


def describe(config: Fields, identity: Identity) -> Description:
    """Read an AliceAI configuration."""
    hidden = config.size("hidden_size")
    length = config.layers("num_hidden_layers")
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", _DEFAULT_VOCABULARY),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings"),
        blocks={
            "kda": _kda(config),
            "attention": attention(config, hidden, config.size("num_attention_heads")),
            "mlp": _feed(config),
        },
        layers=[
            (mixer, "mlp") for mixer in layer_kinds(config, "layer_types", _KINDS, length, ("",))
        ],
        parameters="approximate",
    )


def _kda(config: Fields) -> KimiDeltaAttention:
    """Keys and values have the same heads and width, which vLLM demands."""
    heads, width = config.size("linear_num_key_heads"), config.size("linear_key_head_dim")
    for name, expected in (("linear_num_value_heads", heads), ("linear_value_head_dim", width)):
        if config.size(name, expected) != expected:
            config.fail(name, f"values differ from keys, which have {expected}")
    return KimiDeltaAttention(
        num_heads=heads,
        head_dim=width,
        conv_kernel=config.size("linear_conv_kernel_dim"),
        decay_rank=width,
        gate_rank=width,
    )


def _feed(config: Fields) -> Block:
    if config.raw("num_experts") is None:
        return FeedForward(intermediate_size=config.size("intermediate_size"))
    return MixtureOfExperts(
        num_experts=config.size("num_experts"),
        experts_per_token=config.count("num_experts_per_tok"),
        intermediate_size=config.size("moe_intermediate_size"),
        shared_intermediate_size=config.count("shared_expert_intermediate_size", 0),
    )
