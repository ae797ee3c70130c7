"""Kinds of block that keep state, and how vLLM lays each out: its calculators of shape and dtype.

model_executor/layers/mamba/mamba_utils.py, read in the versions of `versions.READ`. This table and
the one of architectures are where vLLM's special cases stand. It knows nothing about sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixer:
    """What vLLM makes of one kind's windows, matrices and vectors."""

    calculator: str
    """vLLM's own name for the layout."""
    window_drafts: str | bool = False
    """Whether a draft token adds a row to the window: always, never, or by a rule's name."""
    window_drafts_align: bool = True
    """Whether the page is aligned for those rows too (not for LFM2)."""
    raises_groups: bool = False
    """Whether groups that do not divide are raised to tp; otherwise the sum must divide."""
    separate_windows: str | None = None
    """The rule without which every axis of the window is a tensor of its own."""
    matrix_dtype: Literal["ssm", "kda", "cache"] = "ssm"
    """What the recurrent part's dtype follows: its option, KDA's rule, or the window's dtype."""
    ssm_dtype_rule: str | None = None
    """The rule without which the recurrent part has the window's dtype."""
    checkpoints: Literal["none", "mamba2", "kda", "gdn", "ple"] = "none"
    """Which layers hold a block more for checkpoints inside a prefill."""
    replicated: bool = False
    """Whether every rank holds the whole state."""


MIXERS: Mapping[str, Mixer] = {
    "mamba1": Mixer(calculator="mamba1"),
    "mamba2": Mixer(
        calculator="mamba2",
        window_drafts="mamba2_window_drafts",
        raises_groups=True,
        checkpoints="mamba2",
    ),
    "plamo_mamba": Mixer(calculator="mamba2"),
    "short_conv": Mixer(
        calculator="short_conv",
        window_drafts="short_conv_window_drafts",
        window_drafts_align=False,
    ),
    "lightning_attention": Mixer(calculator="linear_attention", matrix_dtype="cache"),
    "gated_delta_net": Mixer(
        calculator="gated_delta_net",
        window_drafts=True,
        ssm_dtype_rule="gdn_ssm_dtype",
        checkpoints="gdn",
    ),
    "kimi_delta_attention": Mixer(
        calculator="kda",
        window_drafts="kda_window_drafts",
        separate_windows="kda_fused_window",
        matrix_dtype="kda",
        checkpoints="kda",
    ),
    "ngram_context": Mixer(
        calculator="short_conv", window_drafts=True, checkpoints="ple", replicated=True
    ),
}
