"""gpt-oss: sliding and full attention with sinks in turn, biased experts in every layer.

Class defaults are those of transformers 5.24.0, models/gpt_oss/configuration_gpt_oss.py. It knows
nothing about engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"gpt_oss": ("GptOssForCausalLM",)}

_KINDS = {
    "full_attention": "attention",
    "attention": "attention",
    "sliding_attention": "sliding",
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a gpt-oss configuration."""
    hidden = config.size("hidden_size", 2880)
    length = config.layers("num_hidden_layers", 36)
    full = attention(
        config,
        hidden,
        64,
        8,
        head_dim=config.size("head_dim", 64),
        sinks=True,
        **biased(config, default=True),
    )
    window = config.nullable_size("sliding_window", 128)
    kinds = ["full_attention" if i % 2 else "sliding_attention" for i in range(length)]
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 201088),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 131072),
        blocks={
            "attention": full,
            "sliding": dataclasses.replace(full, window=window),
            "experts": MixtureOfExperts(
                num_experts=config.size(config.first("num_local_experts", "num_experts"), 128),
                experts_per_token=config.size("num_experts_per_tok", 4),
                intermediate_size=config.size("intermediate_size", 2880),
                bias=True,
                router_bias=True,
            ),
        },
        layers=[
            (mixer, "experts")
            for mixer in layer_kinds(config, "layer_types", _KINDS, length, kinds)
        ],
    )
