"""Ring-linear: lightning attention, some grouped-query attention, and experts.

Read from Ring-mini-linear-2.0's config.json and counted as by mlx-lm 0.32.2,
models/bailing_moe_linear.py, without the router's biases. Every field must be there, since no
class with defaults is published. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.lightning_attention import LightningAttention
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface.bailing_hybrid import experts

ARCHITECTURES = {
    "bailing_moe_linear": ("BailingMoeLinearV2ForCausalLM", "BailingMoeLinearForCausalLM"),
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Ring-linear configuration."""
    hidden = config.size("hidden_size")
    heads = config.size("num_attention_heads")
    bias = config.flag("use_qkv_bias", False)
    full = attention(config, hidden, heads, qk_norm=True, qkv_bias=bias)
    dense = config.count("first_k_dense_replace", 0)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size"),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings"),
        blocks={
            "lightning": LightningAttention(
                num_heads=heads, head_dim=full.head_dim, qk_norm=True, qkv_bias=bias
            ),
            "attention": full,
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size")),
            "experts": experts(config, 0),
        },
        layers=[
            (mixer, "mlp" if i < dense else "experts") for i, mixer in enumerate(_mixers(config))
        ],
        hints=Hints(
            layer_group_size=config.size("layer_group_size"),
            group_norm_size=config.size("group_norm_size", None, null=True),
        ),
    )


def _mixers(config: Fields) -> list[str]:
    """The last layer of every group attends, and so do all layers of a group that is not full."""
    length = config.layers("num_hidden_layers")
    group = config.size("layer_group_size")
    whole = length // group * group
    return [
        "attention" if (i + 1) % group == 0 or i >= whole else "lightning" for i in range(length)
    ]
