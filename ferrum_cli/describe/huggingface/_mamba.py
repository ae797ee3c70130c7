"""The words that families with Mamba mixers share: `mamba_n_heads`, `expand`, `auto`.

Class defaults are those of transformers 5.24.0, models/bamba/configuration_bamba.py. It knows
nothing about a particular family.
"""

from __future__ import annotations

import math
from typing import Any

from ferrum_cli.blocks.mamba2 import Mamba2
from ferrum_cli.describe.huggingface._common import divided
from ferrum_cli.describe.huggingface._fields import Fields


def mamba2(config: Fields, inner_size: int, **options: Any) -> Mamba2:
    """A mixer of `inner_size` channels, which heads times their width must equal."""
    num_heads = config.size("mamba_n_heads", 128)
    width = mamba_head_dim(config)
    if width is None:
        width = divided(config, "mamba_n_heads", inner_size, num_heads)
    if num_heads * width != inner_size:
        config.fail(
            "mamba_n_heads", f"{num_heads} heads of {width} make no inner width of {inner_size}"
        )
    options.setdefault("in_bias", config.flag("mamba_proj_bias", False))
    options.setdefault("out_bias", config.flag("mamba_proj_bias", False))
    return Mamba2(
        num_heads=num_heads,
        head_dim=width,
        num_groups=config.size("mamba_n_groups", 1),
        state_size=config.size("mamba_d_state", 256),
        conv_kernel=config.size("mamba_d_conv", 4),
        conv_bias=config.flag("mamba_conv_bias", True),
        **options,
    )


def mamba_head_dim(config: Fields) -> int | None:
    """`mamba_d_head`, or None where it is `"auto"` or absent."""
    if config.raw("mamba_d_head") == "auto":
        return None
    return int(config.size("mamba_d_head")) if "mamba_d_head" in config else None


def expanded(config: Fields, name: str, hidden_size: int) -> int:
    """`expand·hidden_size`, by the field's name."""
    return int(config.number(name, 2) * hidden_size)


def time_step_rank(config: Fields, name: str, hidden_size: int) -> int:
    """A rank, or a sixteenth of hidden_size, rounded up, where it is `"auto"` or absent."""
    if config.raw(name) == "auto" or name not in config:
        return math.ceil(hidden_size / 16)
    return int(config.size(name))


def class_refuses(taken: int | None, inner_size: int) -> tuple[str, ...]:
    """A note where the configuration class takes another inner width than the heads make."""
    if taken is None:
        return ()
    made = f"the heads make an inner width of {inner_size}, the configuration class takes {taken}"
    return (f"{made}; transformers and vLLM would refuse this file",)
