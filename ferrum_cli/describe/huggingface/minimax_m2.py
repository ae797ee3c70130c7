"""MiniMax M2: attention with norms over all heads, experts in every layer.

Class defaults are those of transformers 5.24.0, models/minimax_m2/configuration_minimax_m2.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"minimax_m2": ("MiniMaxM2ForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a MiniMax M2 configuration."""
    found = sizes(config, hidden=3072, vocabulary=200064, context=196608)
    full = attention(
        config,
        found["hidden_size"],
        48,
        8,
        head_dim=config.size("head_dim", 128),
        qk_norm=True,
        qk_norm_full=True,
    )
    width = config.size("intermediate_size", 1536)
    routed = experts(
        config,
        number=256,
        per_token=8,
        width=width,
        names=("num_local_experts", "num_experts"),
        intermediate_size=width,
    )
    return assemble(
        identity,
        config,
        **found,
        blocks={"attention": full, "experts": routed},
        layers=[("attention", "experts")] * config.layers("num_hidden_layers", 62),
    )
