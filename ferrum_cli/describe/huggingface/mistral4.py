"""Mistral Large 3 and Small 4: latent attention and experts, most of them in every layer.

Class defaults are those of transformers 5.24.0, models/mistral4/configuration_mistral4.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._experts import experts, with_shared
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._latent import latent_attention

ARCHITECTURES = {"mistral4": ("Mistral4ForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Mistral 4 configuration."""
    length = config.layers("num_hidden_layers", 36)
    dense = config.count("first_k_dense_replace", 0)
    routed = experts(
        config, number=128, per_token=4, width=2048, names=("n_routed_experts", "num_local_experts")
    )
    return assemble(
        identity,
        config,
        **sizes(config, hidden=4096, vocabulary=131072, context=1048576),
        blocks={
            "mla": latent_attention(config, heads=32, q_lora_rank=1024, kv_lora_rank=256, nope=64),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 12288)),
            "experts": with_shared(routed, config.count("n_shared_experts", 1)),
        },
        layers=[("mla", "mlp" if i < dense else "experts") for i in range(length)],
    )
