"""OLMo-Hybrid: Gated DeltaNet with keys narrower than values, and attention with wide norms.

Class defaults are those of transformers 5.24.0, models/olmo_hybrid/configuration_olmo_hybrid.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.gated_delta_net import GatedDeltaNet
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble, divided, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._qwen import LAYER_TYPES

ARCHITECTURES = {"olmo_hybrid": ("OlmoHybridForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read an OLMo-Hybrid configuration.

    An attention layer has its norms behind its blocks instead of before them; there are as many.
    """
    hidden = config.size("hidden_size", 3840)
    full = attention(config, hidden, 30, qk_norm=True, qk_norm_full=True, **biased(config))
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 100352),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 65536),
        blocks={
            "delta": _gated_delta_net(config, hidden, full.num_heads),
            "attention": full,
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 11008)),
        },
        layers=[(mixer, "mlp") for mixer in _mixers(config)],
    )


def _gated_delta_net(config: Fields, hidden: int, heads: int) -> GatedDeltaNet:
    """As many heads as attention has; keys take 3/4 of hidden_size, values twice that."""
    key_heads = config.size("linear_num_key_heads", None, null=True) or heads
    key_dim = config.size("linear_key_head_dim", None, null=True)
    key_dim = key_dim or divided(config, "linear_num_key_heads", int(0.75 * hidden), key_heads)
    return GatedDeltaNet(
        num_key_heads=key_heads,
        num_value_heads=config.size("linear_num_value_heads", None, null=True) or heads,
        key_head_dim=key_dim,
        value_head_dim=config.size("linear_value_head_dim", None, null=True) or 2 * key_dim,
        conv_kernel=config.size("linear_conv_kernel_dim", 4),
    )


def _mixers(config: Fields) -> tuple[str, ...]:
    """Every fourth layer attends, and of fewer than four the last."""
    length = config.layers("num_hidden_layers", 32)
    default = ["full_attention" if (i + 1) % 4 == 0 else "linear_attention" for i in range(length)]
    if "full_attention" not in default:
        default[-1] = "full_attention"
    return layer_kinds(config, "layer_types", LAYER_TYPES, length, default)
