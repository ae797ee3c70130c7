"""Qwen3 and Qwen2, dense: attention and a gated feed-forward in every layer.

Class defaults are those of transformers 5.24.0, models/qwen3/configuration_qwen3.py and
models/qwen2/configuration_qwen2.py. It knows nothing about engines.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import (
    alternating,
    attention,
    biased,
    both,
    window_of,
)
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"qwen3": ("Qwen3ForCausalLM",), "qwen2": ("Qwen2ForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen3 or Qwen2 configuration."""
    found = sizes(config, hidden=4096, vocabulary=151936, context=32768)
    full = attention(config, found["hidden_size"], 32, 32, **_options(config, identity.model_type))
    window = _window(config)
    return assemble(
        identity,
        config,
        **found,
        blocks={
            **both(full, window),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 22016)),
        },
        layers=[(name, "mlp") for name in _mixers(config, window)],
    )


def _options(config: Fields, model_type: str) -> dict[str, Any]:
    """Qwen3 has norms and a width of its own; Qwen2 always has biases on query, key and value."""
    if model_type == "qwen2":
        return {"qkv_bias": True}
    return {"qk_norm": True, "head_dim": config.size("head_dim", 128), **biased(config)}


def _window(config: Fields) -> int | None:
    """`sliding_window` counts only with `use_sliding_window`."""
    window = window_of(config, 4096)
    return window if config.flag("use_sliding_window", False) else None


def _mixers(config: Fields, window: int | None) -> tuple[str, ...]:
    length = config.layers("num_hidden_layers", 32)
    first = config.count("max_window_layers", 28)
    return alternating(config, length, [bool(window) and i >= first for i in range(length)])
