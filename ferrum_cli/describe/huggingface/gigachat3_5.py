"""GigaChat 3.5: Gated DeltaNet and gated latent attention, experts, norms with gates of their own.

Class defaults and formulas are those of SGLang 0.5.23, configs/gigachat35.py and
models/gigachat35.py; parameters are approximate, since nothing that builds it was run. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description, Draft
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble, layer, layer_kinds
from ferrum_cli.describe.huggingface._experts import experts, with_shared
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._latent import latent_attention
from ferrum_cli.describe.huggingface._qwen import gated_delta_net

ARCHITECTURES = {"gigachat3_5": ("GigaChat35ForCausalLM",)}

_KINDS = {"linear_attention": "delta", "attention": "mla", "full_attention": "mla"}
_NORMS = ("LlamaRMSNorm", "ZeroCenteredRMSNorm", "ZeroCenteredGatedNorm", "GatedNorm")
_GATED_NORMS = _NORMS[2:]
_GATE_RANK = 16
"""Rank of the gate of a norm, which is projected down and up (_GATED_NORM_LOW_RANK)."""


def describe(config: Fields, identity: Identity) -> Description:
    """Read a GigaChat 3.5 configuration."""
    length = config.layers("num_hidden_layers", 12)
    mixers = _mixers(config, length)
    placed = config.choice("layernorm_type", ("pre", "post", "pre_post"), "pre_post")
    return assemble(
        identity,
        config,
        hidden_size=config.size("hidden_size", 1280),
        vocab_size=config.size("vocab_size", 128256),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 4096),
        blocks=_blocks(config),
        layers=list(zip(mixers, _feeds(config, length), strict=True)),
        post_norm=placed != "pre",
        draft=_draft(config),
        hints=Hints(mamba_ssm_dtype=config.text("mamba_ssm_dtype", None, null=True)),
        other_parameters=_norm_gates(config, mixers, 2 if placed == "pre" else 4),
        parameters="approximate",
    )


def _mixers(config: Fields, length: int) -> tuple[str, ...]:
    """`layer_types`, or latent attention in `full_attention_layers`; linear without either."""
    full = config.counts("full_attention_layers", ())
    for position, index in enumerate(full):
        if not 0 <= index < length:
            config.fail(f"full_attention_layers[{position}]", f"layer {index} of {length}")
    default = ["attention" if i in full else "linear_attention" for i in range(length)]
    return layer_kinds(config, "layer_types", _KINDS, length, default)


def _feeds(config: Fields, length: int) -> list[str]:
    """Experts behind the first dense layers, in every layer that `moe_layer_freq` divides."""
    dense = config.count("first_k_dense_replace", 1)
    every = config.size("moe_layer_freq", 1)
    return ["mlp" if i < dense or i % every else "experts" for i in range(length)]


def _blocks(config: Fields) -> dict[str, Block]:
    routed = experts(config, number=64, per_token=6, width=896, names=("n_routed_experts",))
    return {
        "delta": gated_delta_net(config, key_heads=8, value_heads=16),
        "mla": latent_attention(
            config, heads=16, q_lora_rank=1536, output_gate=config.flag("gated_attention", True)
        ),
        "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 896)),
        "experts": with_shared(routed, config.count("n_shared_experts", 2)),
    }


def _norm_gates(config: Fields, mixers: tuple[str, ...], norms: int) -> int:
    """Gates of `norms` norms of a layer, of the last norm, and of those inside the attention."""
    if config.choice("norm_type", _NORMS, "ZeroCenteredGatedNorm") not in _GATED_NORMS:
        return 0
    queries = config.nullable_size("q_lora_rank", 1536) or 0
    inside = config.size("kv_lora_rank", 512) + queries
    around = (norms * len(mixers) + 1) * config.size("hidden_size", 1280)
    return int(2 * _GATE_RANK * (around + mixers.count("mla") * inside))


def _draft(config: Fields) -> Draft | None:
    """Draft layers attend to everything; `nextn_is_sparse` gives them experts."""
    count = config.draft_layers("num_nextn_predict_layers", 0)
    feed = "experts" if config.flag("nextn_is_sparse", False) else "mlp"
    return Draft("mtp", (layer(("mla", feed)),) * count) if count else None
