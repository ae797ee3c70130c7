"""DeepSeek-V2 and V3: latent attention, and experts in all but the first layers.

Class defaults are those of transformers 5.24.0, models/deepseek_v3/configuration_deepseek_v3.py and
models/deepseek_v2/configuration_deepseek_v2.py. It knows nothing about engines.
"""

from __future__ import annotations

from typing import NamedTuple

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.latent_attention import LatentAttention
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description, Draft
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble, layer
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {
    "deepseek_v3": ("DeepseekV3ForCausalLM",),
    "deepseek_v2": ("DeepseekV2ForCausalLM",),
}


class _Class(NamedTuple):
    """Class defaults that differ between the two."""

    vocabulary: int
    hidden: int
    width: int
    expert_width: int
    length: int
    heads: int
    experts: int
    shared: int
    dense: int
    context: int
    drafts: int


_V3 = _Class(129280, 7168, 18432, 2048, 61, 128, 256, 1, 3, 4096, 1)
_V2 = _Class(102400, 4096, 11008, 1407, 32, 32, 64, 2, 0, 2048, 0)


def describe(config: Fields, identity: Identity) -> Description:
    """Read a DeepSeek-V3 or V2 configuration."""
    default = _V3 if identity.model_type == "deepseek_v3" else _V2
    dense = config.count("first_k_dense_replace", default.dense, null=True) or 0
    length = config.layers("num_hidden_layers", default.length)
    experts = _experts(config, default)
    hidden = config.size("hidden_size", default.hidden)
    bias = default is _V2 and config.flag("mlp_bias", False)
    shared = 2 * experts.shared_intermediate_size + hidden if bias else 0
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", default.vocabulary),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", default.context),
        blocks={
            "mla": _latent_attention(config, default),
            "mlp": FeedForward(
                intermediate_size=config.size("intermediate_size", default.width),
                bias=bias,
            ),
            "experts": experts,
        },
        layers=[("mla", "mlp" if i < dense else "experts") for i in range(length)],
        draft=_draft(config, default.drafts),
        other_parameters=shared * max(0, length - dense),  # biases of the shared experts
    )


def _latent_attention(config: Fields, default: _Class) -> LatentAttention:
    return LatentAttention(
        num_heads=config.size("num_attention_heads", default.heads),
        kv_lora_rank=config.size("kv_lora_rank", 512),
        q_lora_rank=config.nullable_size("q_lora_rank", 1536),
        qk_nope_head_dim=config.size("qk_nope_head_dim", 128),
        qk_rope_head_dim=config.count("qk_rope_head_dim", 64),
        v_head_dim=config.size("v_head_dim", 128),
        bias=config.flag("attention_bias", False),
    )


def _experts(config: Fields, default: _Class) -> MixtureOfExperts:
    """Every one of the shared experts is as wide as a routed one."""
    width = config.size("moe_intermediate_size", default.expert_width)
    return MixtureOfExperts(
        num_experts=config.size(
            config.first("n_routed_experts", "num_experts", "num_local_experts"), default.experts
        ),
        experts_per_token=config.size("num_experts_per_tok", 8, null=True),
        intermediate_size=width,
        shared_intermediate_size=config.count("n_shared_experts", default.shared) * width,
    )


def _draft(config: Fields, default: int) -> Draft | None:
    count = config.count(config.first("num_nextn_predict_layers", "num_mtp_layers"), default)
    return Draft("mtp", (layer(("mla", "experts")),) * count) if count else None
