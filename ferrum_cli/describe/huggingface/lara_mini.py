"""Lara 4 Mini: Gated DeltaNet, sliding and full attention in a period of five, experts everywhere.

Class defaults are those of transformers 5.24.0, models/lara_mini/configuration_lara_mini.py. It
knows nothing about engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._qwen import LAYER_TYPES, gated_delta_net

ARCHITECTURES = {"lara_mini": ("LaraMiniForCausalLM",)}

_KINDS = {**LAYER_TYPES, "sliding_attention": "sliding"}
_PERIOD = (
    "linear_attention",
    "sliding_attention",
    "linear_attention",
    "full_attention",
    "sliding_attention",
)


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Lara Mini configuration."""
    hidden = config.size("hidden_size", 1024)
    length = config.layers("num_hidden_layers", 34)
    default = [_PERIOD[i % len(_PERIOD)] for i in range(length)]
    width = config.size("head_dim", 128)
    full = attention(config, hidden, 16, 4, head_dim=width, qk_norm=True, **biased(config))
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 151936),
        tie_embeddings=config.flag("tie_word_embeddings", True),
        max_context=config.size("max_position_embeddings", 131072),
        blocks={
            "delta": gated_delta_net(config, key_heads=8, value_heads=16),
            "attention": full,
            "sliding": dataclasses.replace(full, window=config.size("sliding_window", 512)),
            "experts": _experts(config),
        },
        layers=[
            (mixer, "experts")
            for mixer in layer_kinds(config, "layer_types", _KINDS, length, default)
        ],
    )


def _experts(config: Fields) -> MixtureOfExperts:
    width = config.count("shared_expert_intermediate_size", 512)
    return experts(config, number=128, per_token=4, width=512, shared_intermediate_size=width)
