"""Inkling 2: attention with gates and sinks, convolutions on four streams, attention residuals.

Class defaults are those of transformers 5.24.0, models/inkling2/configuration_inkling2.py and
models/inkling2_loop/configuration_inkling2_loop.py, whose middle layers run several times. It knows
nothing about engines.
"""

from __future__ import annotations

from typing import NamedTuple

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.custom import Custom
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.blocks.stream_convolution import StreamConvolution
from ferrum_cli.describe.description import Description, Span
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import (
    Entries,
    assemble,
    layer_kinds,
    nested_size,
    span,
)
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._fields import MOST_LAYERS, Fields
from ferrum_cli.describe.huggingface._inkling import KINDS, Attends, attends
from ferrum_cli.describe.huggingface._wrapper import around, with_vision

ARCHITECTURES = {
    "inkling2_text": ("Inkling2ForCausalLM", "Inkling2ForConditionalGeneration"),
    "inkling2": ("Inkling2ForConditionalGeneration",),
    "inkling2_loop_text": ("Inkling2LoopForCausalLM", "Inkling2LoopForConditionalGeneration"),
    "inkling2_loop": ("Inkling2LoopForConditionalGeneration",),
}


class _Loop(NamedTuple):
    """Layers from `start` to before `end` run `passes` times.

    The loop may be empty, and `end` may lie past the last layer: messages between passes have a
    query for each index, layers are those that are there.
    """

    start: int
    end: int
    passes: int
    gate_rank: int


class _Class(NamedTuple):
    """Class defaults that differ between the two."""

    hidden: int
    length: int
    heads: int
    experts: int
    expert_width: int


_PLAIN = _Class(hidden=4608, length=48, heads=48, experts=384, expert_width=2304)
_LOOPED = _Class(hidden=2304, length=24, heads=24, experts=128, expert_width=1152)


def describe(config: Fields, identity: Identity) -> Description:
    """Read an Inkling 2 configuration, of the language model alone or with vision around it."""
    looped = identity.model_type.startswith("inkling2_loop")
    if identity.model_type.endswith("_text"):
        return _language_model(config, identity, looped)
    text = config.child("text_config")
    return with_vision(around(config, text, _language_model(text, identity, looped)), None)


def _language_model(config: Fields, identity: Identity, looped: bool) -> Description:
    default = _LOOPED if looped else _PLAIN
    hidden = config.size("hidden_size", default.hidden)
    length = config.layers("num_hidden_layers", default.length)
    loop = _loop(config, length) if looped else _Loop(length, length, 1, 0)
    kinds = ["hybrid_sliding" if (i + 1) % 6 else "hybrid" for i in range(length)]
    mixers = layer_kinds(config, "layer_types", KINDS, length, kinds)
    rows = config.size("vocab_size", 201024)
    vocabulary = config.size("unpadded_vocab_size", 200058)
    if vocabulary > rows:
        config.fail("unpadded_vocab_size", f"{vocabulary} is more than vocab_size {rows}")
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=vocabulary,
        tie_embeddings=False,  # the class in transformers 5.24.0 never ties them
        max_context=config.size(
            config.first("model_max_length", "max_position_embeddings"), 1048576
        ),
        blocks=_blocks(config, default, hidden, loop),
        layers=_spans(mixers, loop),
        # Rows of the embedding that pad the vocabulary, which the head goes without; the norm after
        # it; the query of the last residual, and those of messages between passes.
        other_parameters=hidden * (rows - vocabulary + 2 + 4 * (loop.end - loop.start)),
    )


def _loop(config: Fields, length: int) -> _Loop:
    """`loop_config`, or the class's own fields."""
    names = (
        ("core_start", "loop_layer_index_start", 6),
        ("core_end", "loop_layer_index_end", 18),
        ("num_passes", "loop_num_passes", 3),
        ("gate_rank", "loop_gate_rank", 64),
    )
    loop = _Loop(
        *(nested_size(config, f"loop_config.{inner}", flat, size) for inner, flat, size in names)
    )
    name = config.first("loop_config", "loop_layer_index_end")
    if loop.end < loop.start:
        config.fail(name, f"layers {loop.start} to {loop.end} cannot run again")
    block = config.size("n_layers_per_attn_res_block", 6)
    if loop.start % block or loop.end % block:
        config.fail(
            name,
            f"layers {loop.start} to {loop.end} do not begin and end with a block of {block}",
            "n_layers_per_attn_res_block must divide both",
        )
    _check_length(config, loop, length)
    return loop


def _check_length(config: Fields, loop: _Loop, length: int) -> None:
    """Every pass becomes layers of its own."""
    again = max(0, min(loop.end, length) - loop.start)
    executed = length + again * (loop.passes - 1)
    if executed > MOST_LAYERS:
        name = config.first("loop_config", "loop_num_passes")
        config.fail(name, f"{executed} layers would be executed, the most is {MOST_LAYERS}")


def _entries(mixer: str, index: int, loop: _Loop) -> Entries:
    inside = "looped_" if loop.start <= index < loop.end else ""
    first = "first_" if index == 0 else ""
    return ((mixer, f"{mixer}_streams", f"{first}{inside}{mixer}_extras"), "experts")


def _spans(mixers: tuple[str, ...], loop: _Loop) -> tuple[Span, ...]:
    layers = [_entries(mixer, index, loop) for index, mixer in enumerate(mixers)]
    parts = (
        (layers[: loop.start], 1),
        (layers[loop.start : loop.end], loop.passes),
        (layers[loop.end :], 1),
    )
    return tuple(span(part, passes) for part, passes in parts if part)


def _blocks(config: Fields, default: _Class, hidden: int, loop: _Loop) -> dict[str, Block]:
    window = config.size(config.first("sliding_window_size", "sliding_window"), 1024)
    found: dict[str, Block] = {"experts": _experts(config, default)}
    for name, prefix, limit in (("attention", "", None), ("sliding", "swa_", window)):
        kind = Attends(prefix, heads=default.heads, kv_heads=8, head_dim=128)
        attention = attends(config, kind, window=limit, output_gate=True)
        found[name] = attention
        found[f"{name}_streams"] = StreamConvolution(
            num_kv_heads=attention.num_kv_heads,
            head_dim=attention.head_dim,
            conv_kernel=config.size(config.first("sconv_kernel_size", "conv_kernel_size"), 4),
            dynamic=limit is None,
        )
        for first in ("", "first_"):
            for inside, rank in (("", 0), ("looped_", loop.gate_rank)):
                extras = _extras(config, hidden, attention, bool(first), rank)
                found[f"{first}{inside}{name}_extras"] = extras
    return found


def _extras(
    config: Fields, hidden: int, attention: Attention, first: bool, gate_rank: int
) -> Custom:
    """Sinks, biases by position, norms and residual queries; four gates in layers that loop.

    Full attention has norms and queries of its own for query, key and value.
    """
    heads, rank = attention.num_heads, config.size("d_rel", 16)
    extent = attention.window or config.size("rel_extent", 1024)
    inputs = 1 if attention.window else 3
    residuals = hidden * (1 + (0 if first else inputs))
    norms = hidden * (inputs - 1)
    gates = 4 * 4 * hidden * gate_rank
    return Custom(
        parameters=heads * (attention.head_dim + hidden + hidden * rank + rank),
        replicated_parameters=rank * extent + norms + residuals + gates,
    )


def _experts(config: Fields, default: _Class) -> MixtureOfExperts:
    return experts(
        config,
        default.experts,
        8,
        default.expert_width,
        names=("n_routed_experts", "num_local_experts"),
        intermediate_size=config.size(
            config.first("intermediate_size", "moe_intermediate_size"), default.expert_width
        ),
    )
