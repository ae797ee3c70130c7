"""Mamba and Mamba-2 as the `ssm.` keys spell them.

`ssm.time_step_rank` is a rank for Mamba and the number of heads for Mamba-2, as llama.cpp's
converter writes it (conversion/mamba.py of 0c1e57098). It knows nothing about a family.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.blocks.mamba1 import Mamba1
from ferrum_cli.blocks.mamba2 import Mamba2
from ferrum_cli.describe.gguf_file.fields import GgufFields


def mamba1(fields: GgufFields, **options: Any) -> Mamba1:
    """A Mamba mixer."""
    return Mamba1(
        intermediate_size=fields.size("ssm.inner_size"),
        state_size=fields.size("ssm.state_size"),
        conv_kernel=fields.size("ssm.conv_kernel"),
        time_step_rank=fields.size("ssm.time_step_rank"),
        **options,
    )


def mamba2(fields: GgufFields, **options: Any) -> Mamba2:
    """A Mamba-2 mixer, whose heads share the inner width evenly."""
    heads, width = heads_of(fields)
    return Mamba2(
        num_heads=heads,
        head_dim=width,
        num_groups=fields.size("ssm.group_count"),
        state_size=fields.size("ssm.state_size"),
        conv_kernel=fields.size("ssm.conv_kernel"),
        **options,
    )


def heads_of(fields: GgufFields) -> tuple[int, int]:
    """Heads and the width of one: `ssm.time_step_rank` of them make `ssm.inner_size`."""
    inner: int = fields.size("ssm.inner_size")
    heads: int = fields.size("ssm.time_step_rank")
    if inner % heads:
        fields.fail("ssm.time_step_rank", f"{heads} heads share no inner width of {inner}")
    return heads, inner // heads
