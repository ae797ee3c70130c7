"""Kimi-Linear: Kimi Delta Attention and latent attention, then experts in all but the first layers.

Class defaults are those of transformers 5.24.0, models/kimi_linear/configuration_kimi_linear.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, _kimi
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._latent import draft, latent_attention

ARCHITECTURES = {"kimi_linear": ("KimiLinearForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Kimi-Linear configuration."""
    length = config.layers("num_hidden_layers", 27)
    mixers, notes = _kimi.mixers(config, length)
    return assemble(
        identity,
        config,
        hidden_size=config.size("hidden_size", 2304),
        vocab_size=config.size("vocab_size", 163840),
        tie_embeddings=False,  # the class in transformers 5.24.0 never ties them
        max_context=_kimi.context(config),
        blocks={
            "kda": _kimi.kda(config),
            "mla": latent_attention(config, heads=32),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 9216)),
            "experts": _kimi.experts(config),
        },
        layers=list(zip(mixers, _kimi.feeds(config, length), strict=True)),
        draft=draft(config.draft_layers("num_nextn_predict_layers", 0)),
        notes=notes,
    )
