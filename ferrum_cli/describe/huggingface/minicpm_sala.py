"""MiniCPM-SALA: lightning attention and sparse attention, each with a gated feed-forward.

Read from MiniCPM-SALA's config.json and SGLang 0.5.23, configs/minicpm_sala.py; parameters are
approximate, since nothing that builds it was run. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.lightning_attention import LightningAttention
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"minicpm_sala": ("MiniCPMSALAForCausalLM",)}

_KINDS = {
    "lightning": "lightning",
    "lightning-attn": "lightning",
    "lightning_attn": "lightning",
    "minicpm4": "attention",
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a MiniCPM-SALA configuration."""
    hidden = config.size("hidden_size")
    length = config.layers("num_hidden_layers")
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size"),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings"),
        blocks={
            "lightning": _lightning(config),
            "attention": _attention(config, hidden),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size")),
        },
        layers=[
            (mixer, "mlp") for mixer in layer_kinds(config, "mixer_types", _KINDS, length, ("",))
        ],
        parameters="approximate",
    )


def _lightning(config: Fields) -> LightningAttention:
    """As many heads for keys and values as for queries."""
    heads = config.size("lightning_nh", config.size("lightning_nkv"))
    if config.size("lightning_nkv") != heads:
        config.fail("lightning_nkv", f"{config.size('lightning_nkv')} is not lightning_nh {heads}")
    return LightningAttention(
        num_heads=heads,
        head_dim=config.size("lightning_head_dim"),
        output_gate=config.flag("use_output_gate", True),
        output_norm=config.flag("use_output_norm", True),
        qk_norm=config.flag("qk_norm", True),
    )


def _attention(config: Fields, hidden: int) -> Attention:
    """InfLLM-V2: all tokens stay in the cache, of which some blocks are read."""
    sparse = config.optional_child("sparse_config") or Fields({})
    blocks = sparse.size("topk", None, null=True)
    return attention(
        config,
        hidden,
        config.size("num_attention_heads"),
        output_gate=config.flag("attn_use_output_gate", True),
        topk=blocks and blocks * sparse.size("block_size", 64),
        **biased(config),
    )
