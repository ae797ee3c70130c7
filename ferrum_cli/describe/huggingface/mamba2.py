"""Mamba-2: one Mamba-2 mixer in every layer and nothing else (Codestral).

Class defaults are those of transformers 5.24.0, models/mamba2/configuration_mamba2.py. It knows
nothing about engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.blocks.mamba2 import Mamba2
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble, context_or_unlimited
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._mamba import class_refuses, expanded

ARCHITECTURES = {"mamba2": ("Mamba2ForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Mamba-2 configuration.

    The heads make the inner width; that it is `expand·hidden_size` the class demands, not mlx-lm.
    """
    hidden = config.size("hidden_size", 4096)
    context, hints = context_or_unlimited(config)
    mixer = _mamba2(config)
    inner = mixer.num_heads * mixer.head_dim
    taken = expanded(config, "expand", hidden)
    refused = None if taken == inner else taken
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 32768),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=context,
        blocks={"mamba": mixer},
        layers=[("mamba",)] * config.layers("num_hidden_layers", 64),
        hints=dataclasses.replace(
            hints, chunk_size=config.size("chunk_size", 256), class_inner_size=refused
        ),
        notes=class_refuses(refused, inner),
    )


def _mamba2(config: Fields) -> Mamba2:
    bias = config.flag("use_bias", False)
    return Mamba2(
        num_heads=config.size("num_heads", 128),
        head_dim=config.size("head_dim", 64),
        num_groups=config.size("n_groups", 8),
        state_size=config.size("state_size", 128),
        conv_kernel=config.size("conv_kernel", 4),
        conv_bias=config.flag("use_conv_bias", True),
        in_bias=bias,
        out_bias=bias,
    )
