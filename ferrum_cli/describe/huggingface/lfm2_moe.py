"""LFM2 with experts in all but the first layers.

Class defaults are those of transformers 5.24.0, models/lfm2_moe/configuration_lfm2_moe.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface.lfm2 import KINDS, conv_hints, short_conv, tied

ARCHITECTURES = {"lfm2_moe": ("Lfm2MoeForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read an LFM2-MoE configuration, which must list its layers."""
    hidden = config.size("hidden_size", 2048)
    length = config.layers("num_hidden_layers", 32)
    dense = config.count("num_dense_layers", 2)
    if config.raw("layer_types") is None:
        config.fail("layer_types", "is missing", "list 'conv' or 'full_attention' for each layer")
    mixers = layer_kinds(config, "layer_types", KINDS, length, ())
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 65536),
        tie_embeddings=tied(config),
        max_context=config.size("max_position_embeddings", 128000),
        blocks={
            "conv": short_conv(config),
            "attention": attention(config, hidden, 32, 8, qk_norm=True),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 7168)),
            "experts": experts(config, number=32, per_token=4, width=1792),
        },
        layers=[(mixer, "mlp" if i < dense else "experts") for i, mixer in enumerate(mixers)],
        hints=conv_hints(config, hidden),
    )
