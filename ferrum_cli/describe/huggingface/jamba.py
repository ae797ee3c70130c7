"""Jamba: Mamba with inner norms, attention in one layer of a few, experts in every other layer.

Class defaults are those of transformers 5.24.0, models/jamba/configuration_jamba.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mamba1 import Mamba1
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, _heads
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._mamba import expanded, time_step_rank

_SCORES = "JambaForSequenceClassification"

ARCHITECTURES = {"jamba": ("JambaForCausalLM", _SCORES)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Jamba configuration, of a language model or of one that scores labels."""
    found = _language_model(config, identity)
    return _heads.scoring(config, found) if identity.architecture == _SCORES else found


def _language_model(config: Fields, identity: Identity) -> Description:
    hidden = config.size("hidden_size", 4096)
    length = config.layers("num_hidden_layers", 32)
    width = config.size("intermediate_size", 14336)
    experts = config.count(config.first("num_experts", "num_local_experts"), 16)
    attends = _periodic(config, "attn_layer", 8, 4, length)
    routed = _periodic(config, "expert_layer", 2, 1, length) if experts > 1 else set()
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 65536),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 262144),
        blocks={
            "mamba": _mamba1(config, hidden),
            "attention": attention(config, hidden, 32, 8),
            "mlp": FeedForward(intermediate_size=width),
            "experts": MixtureOfExperts(
                num_experts=experts,
                experts_per_token=config.count("num_experts_per_tok", 2),
                intermediate_size=width,
            ),
        },
        layers=[
            ("attention" if i in attends else "mamba", "experts" if i in routed else "mlp")
            for i in range(length)
        ],
    )


def _mamba1(config: Fields, hidden: int) -> Mamba1:
    return Mamba1(
        intermediate_size=expanded(config, "mamba_expand", hidden),
        state_size=config.size("mamba_d_state", 16),
        time_step_rank=time_step_rank(config, "mamba_dt_rank", hidden),
        conv_kernel=config.size("mamba_d_conv", 4),
        conv_bias=config.flag("mamba_conv_bias", True),
        bias=config.flag("mamba_proj_bias", False),
        inner_norms=True,
    )


def _periodic(config: Fields, name: str, period: int, offset: int, length: int) -> set[int]:
    """Layers whose number leaves the remainder `…_offset` by `…_period`."""
    period = config.size(f"{name}_period", period)
    offset = config.count(f"{name}_offset", offset)
    if offset >= period:
        config.fail(f"{name}_offset", f"an offset of {offset} in a period of {period}")
    return {i for i in range(length) if i % period == offset}
