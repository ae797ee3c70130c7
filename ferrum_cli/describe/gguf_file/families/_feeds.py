"""Feed-forward networks and experts as GGUF keys spell them.

It knows nothing about a family.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.gguf_file.fields import GgufFields


def feed_forward(fields: GgufFields, **options: Any) -> FeedForward:
    """A dense network of `feed_forward_length`."""
    return FeedForward(intermediate_size=fields.size("feed_forward_length"), **options)


def experts(fields: GgufFields, width: str, **options: Any) -> MixtureOfExperts:
    """Routed experts, as wide as the key `width` says."""
    return MixtureOfExperts(
        num_experts=fields.size("expert_count"),
        experts_per_token=fields.size("expert_used_count"),
        intermediate_size=fields.size(width),
        **options,
    )


def has_experts(fields: GgufFields) -> bool:
    """Whether there are any; the converter writes 0 or nothing where there are none."""
    return bool(fields.count("expert_count", 0))


def shared_width(fields: GgufFields) -> int:
    """Width of the shared experts together: stated, or each as wide as a routed one.

    llama.cpp 0c1e57098, src/models/kimi-linear.cpp and bailingmoe3.cpp.
    """
    stated: int = fields.count("expert_shared_feed_forward_length", 0)
    count: int = fields.count("expert_shared_count", 0)
    return stated or count * int(fields.size("expert_feed_forward_length"))
