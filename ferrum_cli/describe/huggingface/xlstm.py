"""xLSTM: an mLSTM layer and a gated feed-forward in every block.

Class defaults are those of transformers 5.24.0, models/xlstm/configuration_xlstm.py. It knows
nothing about engines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mlstm import Mlstm
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble, context_or_unlimited, divided
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"xlstm": ("xLSTMForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read an xLSTM configuration; the embeddings are never tied."""
    hidden = _hidden_size(config)
    cached, length = _lengths(config)
    bias = config.flag("use_bias", False)
    context, hints = context_or_unlimited(config)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 50304),
        tie_embeddings=False,  # the class in transformers 5.24.0 never ties them
        max_context=context,
        blocks={
            "mlstm": _mlstm(config, hidden, bias),
            "mlp": FeedForward(intermediate_size=_width(config, hidden), bias=bias),
        },
        layers=[("mlstm", "mlp")] * length,
        # Only the last norm has no bias; transformers builds it whatever `add_out_norm` says.
        norm="layer" if bias else "rms",
        final_norm=not bias,
        other_parameters=hidden if bias else 0,
        hints=Hints(
            chunk_size=config.size("chunk_size", 64),
            unlimited_context=hints.unlimited_context,
            cached_layers=cached if cached > length else None,
        ),
    )


def _hidden_size(config: Fields) -> int:
    """`hidden_size`, of which `embedding_dim` is an alias."""
    hidden, embedding = _with_alias(config, config.size, "hidden_size", "embedding_dim", 4096)
    if embedding != hidden:
        config.fail("embedding_dim", f"{embedding} is not hidden_size {hidden}")
    return hidden


def _lengths(config: Fields) -> tuple[int, int]:
    """Layers that the cache is made for, and those that are built, which may be fewer."""
    cached, built = _with_alias(config, config.layers, "num_hidden_layers", "num_blocks", 32)
    if built > cached:
        config.fail("num_blocks", f"{built} is more than num_hidden_layers {cached}")
    return cached, built


def _with_alias(
    config: Fields, read: Callable[..., Any], name: str, alias: str, default: int
) -> tuple[int, int]:
    """A size and its alias; a null takes the other's value."""
    other = read(alias, None, null=True)
    null = name in config and config.raw(name) is None
    size = int(other if null and other else read(name, default, null=True))
    return size, int(other or size)


def _mlstm(config: Fields, hidden: int, bias: bool) -> Mlstm:
    heads = config.size("num_heads", 8)
    keys = int(config.number("qk_dim_factor", 0.5) * hidden)
    values = int(config.number("v_dim_factor", 1.0) * hidden)
    for name, width in (("qk_dim_factor", keys), ("v_dim_factor", values)):
        if width % heads:
            config.fail(name, f"a width of {width} is no multiple of {heads} heads")
    return Mlstm(
        num_heads=heads,
        qk_head_dim=divided(config, "num_heads", keys, heads),
        v_head_dim=divided(config, "num_heads", values, heads),
        bias=bias,
    )


def _width(config: Fields, hidden: int) -> int:
    """`ffn_proj_factor`·hidden_size, rounded up."""
    multiple = config.size("ffn_round_up_to_multiple_of", 64)
    width = config.number("ffn_proj_factor", 2.667) * hidden
    rounded = int((width + multiple - 1) // multiple) * multiple
    if rounded < 1:
        config.fail("ffn_proj_factor", f"leaves a width of {rounded}")
    return int(rounded)
