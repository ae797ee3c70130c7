"""PLaMo-2: Mamba mixers of its own and sliding attention in turn, sandwich norms.

Read from plamo-2-1b's config.json and counted as by mlx-lm 0.32.2, models/plamo2.py. It knows
nothing about engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.plamo_mamba import PlamoMamba
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"plamo2": ("Plamo2ForCausalLM", "PlamoForCausalLM")}

_LEAST_RANK = 64


def describe(config: Fields, identity: Identity) -> Description:
    """Read a PLaMo-2 configuration."""
    hidden = config.size("hidden_size", 4096)
    full = _attention(config)
    window = config.size("attention_window_size", 2048)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 32000),
        tie_embeddings=config.flag("tie_word_embeddings", True),
        max_context=config.size("max_position_embeddings", 10485760),
        blocks={
            "mamba": _mamba(config, hidden),
            "attention": full,
            "sliding": dataclasses.replace(full, window=window),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 13312)),
        },
        layers=[(mixer, "mlp") for mixer in _mixers(config)],
        post_norm=True,
    )


def _attention(config: Fields) -> Attention:
    """Queries and keys have a norm for every head."""
    return Attention(
        num_heads=config.size("num_attention_heads", 32),
        num_kv_heads=config.size("num_key_value_heads", 4),
        head_dim=config.size("hidden_size_per_head", 128),
        qk_norm=True,
        qk_norm_full=True,
    )


def _mamba(config: Fields, hidden: int) -> PlamoMamba:
    return PlamoMamba(
        num_heads=config.size("mamba_num_heads", 64),
        head_dim=config.size("hidden_size_per_head", 128),
        state_size=config.size("mamba_d_state", 64),
        conv_kernel=config.size("mamba_d_conv", 4),
        time_step_rank=max(_LEAST_RANK, hidden // 16),
    )


def _mixers(config: Fields) -> list[str]:
    """In every period of `mamba_step` layers the middle one attends, mostly to the last tokens."""
    length = config.layers("num_hidden_layers", 32)
    step = config.size("mamba_step", 2)
    full = set(config.counts("full_attention_idx", ()))
    if not config.flag("mamba_enabled", True):
        attends = set(range(length))
    elif length <= step // 2:
        attends = {length - 1}
    else:
        attends = {i for i in range(length) if i % step == step // 2}
    return [
        "mamba" if i not in attends else "attention" if i in full else "sliding"
        for i in range(length)
    ]
