"""gpt-oss: sliding and full attention with sinks in turn, biased experts in every layer.

Class defaults are those of transformers 5.24.0, models/gpt_oss/configuration_gpt_oss.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import alternating, attention, biased, both
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"gpt_oss": ("GptOssForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a gpt-oss configuration."""
    found = sizes(config, hidden=2880, vocabulary=201088, context=131072)
    length = config.layers("num_hidden_layers", 36)
    full = attention(
        config,
        found["hidden_size"],
        64,
        8,
        head_dim=config.size("head_dim", 64),
        sinks=True,
        **biased(config, default=True),
    )
    window = config.nullable_size("sliding_window", 128)
    mixers = alternating(config, length, [i % 2 == 0 for i in range(length)])
    return assemble(
        identity,
        config,
        **found,
        blocks={**both(full, window), "experts": _experts(config)},
        layers=[(mixer, "experts") for mixer in mixers],
    )


def _experts(config: Fields) -> MixtureOfExperts:
    return experts(
        config,
        number=128,
        per_token=4,
        width=2880,
        names=("num_local_experts", "num_experts"),
        intermediate_size=config.size("intermediate_size", 2880),
        bias=True,
        router_bias=True,
    )
