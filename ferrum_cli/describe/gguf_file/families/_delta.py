"""Gated DeltaNet, and which layers it stands in, as the keys of Qwen's models spell them.

The converter writes value heads as `ssm.time_step_rank`, their widths together as
`ssm.inner_size`, key heads as `ssm.group_count` and a key's width as `ssm.state_size`
(conversion/qwen.py of llama.cpp 0c1e57098). It knows nothing about a family.
"""

from __future__ import annotations

from ferrum_cli.blocks.gated_delta_net import GatedDeltaNet
from ferrum_cli.describe.gguf_file.families._state_space import heads_of
from ferrum_cli.describe.gguf_file.fields import GgufFields
from ferrum_cli.describe.gguf_file.model import GgufModel


def gated_delta_net(fields: GgufFields) -> GatedDeltaNet:
    """The linear-attention mixer."""
    heads, width = heads_of(fields)
    return GatedDeltaNet(
        num_key_heads=fields.size("ssm.group_count"),
        num_value_heads=heads,
        key_head_dim=fields.size("ssm.state_size"),
        value_head_dim=width,
        conv_kernel=fields.size("ssm.conv_kernel"),
    )


def recurrent_layers(model: GgufModel, interval: int) -> tuple[bool, ...]:
    """Which layers of the model are recurrent: `attention.recurrent_layers`, or all but every n-th.

    `interval` is the default of `full_attention_interval` (src/models/qwen3next.cpp).
    """
    stated = model.fields.flags("attention.recurrent_layers", model.all_layers)
    if stated is not None:
        return stated[: model.layers]
    every: int = model.fields.size("full_attention_interval", interval)
    return tuple((index + 1) % every != 0 for index in range(model.layers))
