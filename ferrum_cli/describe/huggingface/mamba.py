"""Mamba and Falcon-Mamba: one Mamba mixer in every layer and nothing else.

Class defaults are those of transformers 5.24.0, models/mamba/configuration_mamba.py and
models/falcon_mamba/configuration_falcon_mamba.py, which are the same. It knows nothing about
engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.mamba1 import Mamba1
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble, context_or_unlimited
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._mamba import expanded, time_step_rank

ARCHITECTURES = {
    "mamba": ("MambaForCausalLM",),
    "falcon_mamba": ("FalconMambaForCausalLM",),
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Mamba configuration."""
    hidden = config.size("hidden_size", 768)
    context, hints = context_or_unlimited(config)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 50280),
        tie_embeddings=config.flag("tie_word_embeddings", True),
        max_context=context,
        blocks={"mamba": _mamba1(config, hidden)},
        layers=[("mamba",)] * config.layers("num_hidden_layers", 32),
        hints=hints,
    )


def _mamba1(config: Fields, hidden: int) -> Mamba1:
    """`intermediate_size` counts where it is given: falcon-mamba-7b says `expand: 16` beside it."""
    return Mamba1(
        intermediate_size=config.size("intermediate_size", expanded(config, "expand", hidden)),
        state_size=config.size("state_size", 16),
        time_step_rank=time_step_rank(config, "time_step_rank", hidden),
        conv_kernel=config.size("conv_kernel", 4),
        conv_bias=config.flag("use_conv_bias", True),
        bias=config.flag("use_bias", False),
    )
