"""LFM2, dense and with experts: short convolutions and a few attentions, each with a network.

It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.short_conv import ShortConv
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._attention import attentions
from ferrum_cli.describe.gguf_file.families._feeds import experts, feed_forward
from ferrum_cli.describe.gguf_file.model import GgufModel

ARCHITECTURES = {"lfm2": ("Lfm2ForCausalLM", "Lfm2Model"), "lfm2moe": ("Lfm2MoeForCausalLM",)}


def describe(model: GgufModel) -> Description:
    """Describe a model of this family; a window counts for every attention."""
    fields = model.fields
    routed = model.gguf_architecture == "lfm2moe"
    window = None if routed else fields.count("attention.sliding_window", 0) or None
    found = attentions(model, qk_norm=True, window=window)
    dense = fields.count("leading_dense_block_count", 0) if routed else model.layers
    blocks: dict[str, Block] = {"conv": _convolution(model), "mlp": feed_forward(fields)}
    if routed:
        blocks["experts"] = experts(fields, "expert_feed_forward_length")
    return model.describe(
        ARCHITECTURES[model.gguf_architecture][0],
        blocks={**blocks, **found.blocks},
        layers=[
            (name or "conv", "mlp" if index < dense else "experts")
            for index, name in enumerate(found.names)
        ],
        tied=True,
    )


def _convolution(model: GgufModel) -> ShortConv:
    bias = model.has_tensor("blk.0.shortconv.conv.bias")
    return ShortConv(conv_kernel=model.fields.size("shortconv.l_cache"), bias=bias)
