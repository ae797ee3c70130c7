"""RWKV-7 (Goose): a time mixing with a generalised delta rule and a channel mixing.

Class defaults are those of flash-linear-attention 0.5.2, fla/models/rwkv7/configuration_rwkv7.py;
`head_size` is what converters of the original checkpoints write for `head_dim`. It knows nothing
about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.rwkv7 import Rwkv7
from ferrum_cli.blocks.rwkv_channel_mix import RwkvChannelMix
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"rwkv7": ("RWKV7ForCausalLM", "Rwkv7ForCausalLM")}


def describe(config: Fields, identity: Identity) -> Description:
    """Read an RWKV-7 configuration; a norm follows the embedding."""
    hidden = config.size("hidden_size", 2048)
    length = config.layers("num_hidden_layers", 24)
    ratio = config.number("hidden_ratio", 4.0, null=True) or 4.0
    width = config.size("intermediate_size", None, null=True) or int(ratio * hidden)
    residual = config.size("v_low_rank_dim", 16, null=True)
    first, later = (_rwkv7(config, rank) for rank in (None, residual))
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 32000),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size(config.first("max_position_embeddings", "context_length"), 2048),
        blocks={
            "first_rwkv": first,
            "rwkv": later,
            "channel_mix": RwkvChannelMix(intermediate_size=width, receptance=False),
        },
        layers=[("first_rwkv" if i == 0 else "rwkv", "channel_mix") for i in range(length)],
        norm="layer" if config.flag("norm_bias", True) else "layer_no_bias",
        other_parameters=(2 if config.flag("norm_bias", True) else 1) * hidden,
    )


def _rwkv7(config: Fields, residual: int | None) -> Rwkv7:
    return Rwkv7(
        head_dim=config.size(config.first("head_dim", "head_size"), 64),
        decay_low_rank_dim=config.size("decay_low_rank_dim", 64, null=True),
        a_low_rank_dim=config.size("a_low_rank_dim", 64, null=True),
        v_low_rank_dim=residual,
        gate_low_rank_dim=config.size("gate_low_rank_dim", 128, null=True),
    )
