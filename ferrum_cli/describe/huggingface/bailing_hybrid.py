"""Ling 3 (KDA) and Ling 2.5 (lightning attention), both with latent attention and experts.

Class defaults are those of transformers 5.24.0, models/bailing_hybrid/, which builds Ling 3 alone;
Ling 2.5 has the same model type and another class, counted as mlx-lm 0.32.2 builds it. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.kimi_delta_attention import KimiDeltaAttention
from ferrum_cli.blocks.lightning_attention import LightningAttention
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity, _experts
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._feeds import dense_first
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._latent import draft, latent_attention

LIGHTNING = ("BailingMoeV2_5ForCausalLM",)
"""Classes whose linear layers are lightning attention."""

ARCHITECTURES = {
    "bailing_hybrid": ("BailingHybridForCausalLM", "BailingMoeV3ForCausalLM", *LIGHTNING),
}

_KINDS = {"linear_attention": "linear", "full_attention": "mla", "attention": "mla"}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a configuration of Ling 3 or Ling 2.5."""
    length = config.layers("num_hidden_layers", 42)
    group = config.size("layer_group_size", 6)
    lightning = identity.architecture in LIGHTNING
    kinds = ["linear_attention" if (i + 1) % group else "full_attention" for i in range(length)]
    return assemble(
        identity,
        config,
        hidden_size=config.size("hidden_size", 2560),
        vocab_size=config.size("vocab_size", 157184),
        tie_embeddings=False,  # the class in transformers 5.24.0 never ties them
        max_context=config.size(
            config.first("model_max_length", "max_position_embeddings"), 262144
        ),
        blocks={
            "linear": _linear(config, lightning),
            "mla": latent_attention(
                config, heads=32, output_gate=not lightning, gate_per_head=not lightning
            ),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 6144)),
            "experts": experts(config, 512),
        },
        layers=list(
            zip(
                layer_kinds(config, "layer_types", _KINDS, length, kinds),
                dense_first(config, length, config.count("first_k_dense_replace", 2)),
                strict=True,
            )
        ),
        draft=draft(
            config.draft_layers(config.first("num_nextn_predict_layers", "num_mtp_layers"), 0)
        ),
        hints=Hints(
            layer_group_size=group,
            group_norm_size=config.size("group_norm_size", None, null=True),
        ),
    )


def _linear(config: Fields, lightning: bool) -> Block:
    heads = config.size(config.first("linear_num_heads", "num_attention_heads"), 32)
    width = config.size(config.first("linear_head_dim", "head_dim"), 128)
    if lightning:
        return LightningAttention(num_heads=heads, head_dim=width, qk_norm=True)
    kernel = config.size(config.first("linear_conv_kernel_dim", "short_conv_kernel_size"), 4)
    return KimiDeltaAttention(num_heads=heads, head_dim=width, conv_kernel=kernel)


def experts(config: Fields, number: int) -> MixtureOfExperts:
    """Experts; every one of the shared experts is as wide as a routed one."""
    routed = _experts.experts(
        config,
        number,
        8,
        768,
        names=("num_experts", "num_local_experts"),
        each=("num_experts_per_token", "num_experts_per_tok"),
    )
    shared = config.count(config.first("num_shared_experts", "n_shared_experts"), 1)
    return _experts.with_shared(routed, shared)
