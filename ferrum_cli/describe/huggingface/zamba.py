"""Zamba: Mamba in every layer, and one attention with feed-forward that some layers share.

Class defaults are those of transformers 5.24.0, models/zamba/configuration_zamba.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.custom import Custom
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mamba1 import Mamba1
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import kv_heads_of
from ferrum_cli.describe.huggingface._common import Entry, assemble, divided, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._mamba import expanded, time_step_rank

ARCHITECTURES = {"zamba": ("ZambaForCausalLM",)}

KINDS = {"mamba": "mamba", "linear_attention": "mamba", "hybrid": "hybrid"}

# One norm stands before the mixer of a hybrid layer; those of the shared blocks are shared too and
# counted among `other_parameters`.
_HYBRID: Entry = ("shared_attention", "shared_mlp", "linear", "mamba")


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Zamba configuration; the state stands in hybrid layers, too."""
    hidden = config.size("hidden_size", 3712)
    length = config.layers("num_hidden_layers", 76)
    name = config.first("layers_block_type", "layer_types")
    kinds = layer_kinds(config, name, KINDS, length, _default(config, length))
    tied = config.flag("tie_word_embeddings", True)
    # Without tied embeddings transformers ties nothing: every use of the shared blocks has its own.
    uses = min(1, kinds.count("hybrid")) if tied else kinds.count("hybrid")
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 32000),
        tie_embeddings=tied,
        max_context=config.size("max_position_embeddings", 4096),
        blocks={
            "mamba": _mamba1(config, hidden),
            "shared_attention": _attention(config, hidden, tied),
            "shared_mlp": FeedForward(
                intermediate_size=config.size("intermediate_size", 14848), shared=tied
            ),
            "linear": Custom(parameters=hidden * hidden),
        },
        layers=[(_HYBRID if kind == "hybrid" else kind,) for kind in kinds],
        other_parameters=2 * hidden * uses,
    )


def _default(config: Fields, length: int) -> list[str]:
    """Two Mamba layers and a hybrid one, then a hybrid one in every period."""
    period = config.size("attn_layer_period", 6)
    offset = config.count("attn_layer_offset", 4)
    rest = ["hybrid" if i % period == offset else "mamba" for i in range(length - 3)]
    return [*["mamba", "mamba", "hybrid"][:length], *rest]


def _attention(config: Fields, hidden: int, shared: bool) -> Attention:
    """It reads the layer's input beside the embedding, 2·hidden_size wide."""
    heads = config.size("num_attention_heads", 16)
    width = config.size("attention_hidden_size", None, null=True) or 2 * hidden
    head_dim = config.size(config.first("attention_head_dim", "head_dim"), None, null=True)
    return Attention(
        num_heads=heads,
        num_kv_heads=kv_heads_of(config, heads, 16),
        head_dim=head_dim or divided(config, "num_attention_heads", 2 * hidden, heads),
        input_size=width,
        shared=shared,
    )


def _mamba1(config: Fields, hidden: int) -> Mamba1:
    return Mamba1(
        intermediate_size=expanded(config, "mamba_expand", hidden),
        state_size=config.size("mamba_d_state", 16),
        time_step_rank=time_step_rank(config, "mamba_dt_rank", hidden),
        conv_kernel=config.size("mamba_d_conv", 4),
        num_heads=config.size("n_mamba_heads", 2),
        conv_bias=config.flag("mamba_conv_bias", True),
        bias=config.flag("mamba_proj_bias", False),
    )
