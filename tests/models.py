"""Small descriptions that many tests use, built from blocks directly."""

from __future__ import annotations

from typing import Any

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.gated_delta_net import GatedDeltaNet
from ferrum_cli.blocks.mamba2 import Mamba2
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description, Layer, Span
from ferrum_cli.dtype import DType

DELTA = GatedDeltaNet(
    num_key_heads=16, num_value_heads=32, key_head_dim=128, value_head_dim=128, conv_kernel=4
)
GATED_ATTENTION = Attention(
    num_heads=16, num_kv_heads=2, head_dim=256, output_gate=True, qk_norm=True
)
EXPERTS = MixtureOfExperts(
    num_experts=512,
    experts_per_token=10,
    intermediate_size=512,
    shared_intermediate_size=512,
    shared_gate=True,
)


def described(**changes: Any) -> Description:
    """A small dense model with two attention layers; any field can be changed."""
    fields: dict[str, Any] = {
        "name": "small",
        "dtype": DType.BF16,
        "hidden_size": 64,
        "vocab_size": 1000,
        "max_context": 4096,
        "blocks": {
            "attention": Attention(num_heads=4, num_kv_heads=2, head_dim=16),
            "mlp": FeedForward(intermediate_size=128),
        },
        "spans": (Span((Layer((("attention",), ("mlp",))),) * 2),),
    }
    return Description(**(fields | changes))


def qwen3_next() -> Description:
    """Qwen3-Next-80B-A3B-Instruct, as its config.json on the hub has it."""
    mixers = ("delta", "delta", "delta", "attention") * 12
    return Description(
        name="qwen3-next-80b-a3b",
        architecture="Qwen3NextForCausalLM",
        dtype=DType.BF16,
        hidden_size=2048,
        vocab_size=151936,
        max_context=262144,
        blocks={"delta": DELTA, "attention": GATED_ATTENTION, "experts": EXPERTS},
        spans=(Span(tuple(Layer(((mixer,), ("experts",))) for mixer in mixers)),),
    )


def with_mamba2(num_groups: int, **changes: Any) -> Description:
    """A small Mamba-2 model of eight heads in `num_groups` groups."""
    mixer = Mamba2(num_heads=8, head_dim=16, num_groups=num_groups, state_size=32, conv_kernel=4)
    fields: dict[str, Any] = {
        "blocks": {"mixer": mixer},
        "spans": (Span((Layer((("mixer",),)),)),),
    }
    return described(**(fields | changes))
