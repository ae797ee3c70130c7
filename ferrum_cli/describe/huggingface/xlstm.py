"""xLSTM: an mLSTM layer and a gated feed-forward in every block.

Class defaults are those of transformers 5.24.0, models/xlstm/configuration_xlstm.py. It knows
nothing about engines.
"""

from __future__ import annotations

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
    hidden = _either(config, "hidden_size", "embedding_dim", 4096)
    length = _either(config, "num_hidden_layers", "num_blocks", 32)
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
            chunk_size=config.size("chunk_size", 64), unlimited_context=hints.unlimited_context
        ),
    )


def _either(config: Fields, name: str, alias: str, default: int) -> int:
    """A size, or its alias where it is null."""
    read = config.layers if name.startswith("num_") else config.size
    if config.raw(name) is None and config.raw(alias) is not None:
        return int(read(alias))
    return int(read(name, default, null=True))


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
