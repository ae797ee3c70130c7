"""The rules of vLLM that changed between versions: one table, each row from one version on.

A row names the first version in which it was read; the row before it was last read in the version
before that one in `versions.READ`. Between the two it is not known which of them holds, so both
are asked. It knows nothing about models or arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal

from ferrum_cli.engines.vllm.versions import Version, neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What holds in one version; the table below says since when and where it was read."""

    group_slack: float
    """The largest bucket is the group size if it has fewer layers than this times the smallest."""
    size_in_log: Literal["groups", "concurrency"]
    """How the log counts tokens: blocks // groups × block size, or concurrency × max_model_len."""
    state_slots: Literal["positions", "modes"]
    """Blocks of state for a request: one for each mamba block of positions, or by cache mode."""
    all_mode: Literal["default", "default_without_drafts", "asked", "gone"]
    """When states at all block boundaries are kept (mode all)."""
    all_mode_counts_drafts: bool
    mode_option: Literal["absent", "three", "two", "inert"]
    """What --mamba-cache-mode may be."""
    hybrid_prefix_caching: bool
    """Whether prefix caching is on by default for hybrid models."""
    mla_quantum: int
    """Tokens to whose multiple a hybrid model's block is rounded with latent attention."""
    user_quantum: bool
    """Whether the block is rounded to the --block-size given, not only held above it."""
    common_kernel_block: bool
    """Whether the block fits every attention backend, not only the first."""
    null_block_reserved: bool
    """Whether the start-up check leaves out the block that is never handed out."""
    max_num_seqs_checked: bool
    """Whether more sequences than blocks are refused when graphs are captured."""
    gpu_memory_utilization: float
    small_gb10: bool
    """Whether GB10 has the small default of max_num_seqs in spite of its memory."""
    gdn_ssm_dtype: bool
    """Whether Gated DeltaNet's recurrent state has a dtype of its own."""
    nemotron_ssm_dtype: Literal["auto", "float16", "float32"]
    """Dtype of Nemotron-H's recurrent state where its configuration has none; auto: whatever it
    has, state is as wide as the window."""
    pooled_fp8: bool
    """Whether a pooled indexer (GLM-5-Next) makes the KV cache FP8 on SM10x."""
    kda_fused_window: bool
    """Whether KDA's windows over query, key and value are one tensor."""
    kda_ssm_dtype: bool
    """Whether KDA's recurrent state follows --mamba-ssm-cache-dtype at all."""
    kda_window_drafts: bool
    mamba2_window_drafts: bool
    mamba2_drafts_align: bool
    """Whether every Mamba-2 model class counts drafts when pages are aligned, or only some do."""
    short_conv_window_drafts: bool
    """Whether draft tokens widen the window (always for Gated DeltaNet, never for Mamba)."""
    state_drafts: Literal["qwen3_next", "any"]
    """Which models with state may speculate."""
    gdn_prefill_devices: tuple[int, ...]
    """Majors of the compute capabilities on which FlashInfer runs Gated DeltaNet's prefill."""
    kda_checkpoints: bool
    mamba2_checkpoints: bool
    gdn_checkpoints: bool
    """Whether these layers hold one block more for checkpoints inside a prefill."""
    ring_extends_groups: bool
    """Whether ReplaySSM's ring raises groups to tp as the convolution does."""
    records_in_page: bool
    """Whether RecoverSSM's verify records stand in the state page."""
    float_kv_checked: bool
    """Whether a float16 or bfloat16 KV cache must be the model's dtype."""
    unequal_pages: Literal["refused", "scaled", "padded"]
    """What happens to layers whose page is smaller than the largest."""
    packed_groups: bool
    """Whether block-outermost layouts pack pages of different sizes."""
    second_runner: Literal["off", "listed", "default"]
    """Whether model runner V2 is used unless the environment says otherwise."""


@dataclass(frozen=True, slots=True)
class Row:
    """One rule from one version on, and the file in which it was read."""

    rule: str
    since: str
    value: Any
    source: str


_UTILS = "v1/core/kv_cache_utils.py"
_SPECS = "v1/kv_cache_interface.py"
_HOOKS = "model_executor/models/config.py"
_PLATFORM = "platforms/interface.py"
_STATES = "model_executor/layers/mamba/mamba_utils.py"
_CONFIG = "config/vllm.py"
_CACHE = "config/cache.py"
_GDN = "model_executor/layers/mamba/gdn/qwen_gdn_linear_attn.py"
_ARGS = "engine/arg_utils.py"

TABLE = (
    Row("group_slack", "0.11.2", 0.0, _UTILS),
    Row("group_slack", "0.13.0", 1.25, _UTILS),
    Row("group_slack", "0.19.1", 1.5, _UTILS),
    Row("size_in_log", "0.11.2", "groups", _UTILS),
    Row("size_in_log", "0.20.2", "concurrency", _UTILS),
    Row("state_slots", "0.11.2", "positions", _SPECS),
    Row("state_slots", "0.15.1", "modes", _SPECS),
    Row("all_mode", "0.11.2", "default", _HOOKS),
    Row("all_mode", "0.20.2", "default_without_drafts", _HOOKS),
    Row("all_mode", "0.23.0", "default", _HOOKS),
    Row("all_mode", "0.28.0", "asked", _HOOKS),
    Row("all_mode", "0.32.0", "gone", _CACHE),
    Row("all_mode_counts_drafts", "0.11.2", False, _SPECS),
    Row("all_mode_counts_drafts", "0.23.0", True, _SPECS),
    Row("mode_option", "0.11.2", "absent", _ARGS),
    Row("mode_option", "0.15.1", "three", _CACHE),
    Row("mode_option", "0.32.0", "two", _CACHE),
    Row("mode_option", "0.33.0", "inert", _ARGS),
    Row("hybrid_prefix_caching", "0.11.2", False, "config/model.py"),
    Row("hybrid_prefix_caching", "0.26.0", True, "config/model.py"),
    Row("mla_quantum", "0.11.2", 64, _HOOKS),
    Row("mla_quantum", "0.20.2", 1, _PLATFORM),
    Row("mla_quantum", "0.28.0", 128, _PLATFORM),
    Row("user_quantum", "0.11.2", False, _HOOKS),
    Row("user_quantum", "0.20.2", True, _PLATFORM),
    Row("common_kernel_block", "0.11.2", False, _HOOKS),
    Row("common_kernel_block", "0.31.0", True, _PLATFORM),
    Row("null_block_reserved", "0.11.2", False, _UTILS),
    Row("null_block_reserved", "0.30.0", True, _UTILS),
    Row("max_num_seqs_checked", "0.11.2", False, "config/compilation.py"),
    Row("max_num_seqs_checked", "0.20.2", True, "config/compilation.py"),
    Row("gpu_memory_utilization", "0.11.2", 0.9, _CACHE),
    Row("gpu_memory_utilization", "0.20.2", 0.92, _CACHE),
    Row("small_gb10", "0.11.2", False, _ARGS),
    Row("small_gb10", "0.33.0", True, _ARGS),
    Row("gdn_ssm_dtype", "0.11.2", False, _STATES),
    Row("gdn_ssm_dtype", "0.17.1", True, _STATES),
    Row("nemotron_ssm_dtype", "0.11.2", "auto", _HOOKS),
    Row("nemotron_ssm_dtype", "0.13.0", "float16", _HOOKS),
    Row("nemotron_ssm_dtype", "0.20.2", "float32", _HOOKS),
    Row("pooled_fp8", "0.11.2", False, _HOOKS),
    Row("pooled_fp8", "0.33.0", True, _HOOKS),
    Row("kda_fused_window", "0.11.2", False, _STATES),
    Row("kda_fused_window", "0.23.0", True, _STATES),
    Row("kda_ssm_dtype", "0.11.2", False, _STATES),
    Row("kda_ssm_dtype", "0.30.0", True, _STATES),
    Row("kda_window_drafts", "0.11.2", False, _STATES),
    Row("kda_window_drafts", "0.28.0", True, _STATES),
    Row("mamba2_window_drafts", "0.11.2", False, _STATES),
    Row("mamba2_window_drafts", "0.17.1", True, _STATES),
    Row("mamba2_drafts_align", "0.11.2", False, "model_executor/models/falcon_h1.py"),
    Row("mamba2_drafts_align", "0.32.0", True, "model_executor/models/falcon_h1.py"),
    Row("short_conv_window_drafts", "0.11.2", False, _STATES),
    Row("short_conv_window_drafts", "0.30.0", True, _STATES),
    Row("state_drafts", "0.11.2", "qwen3_next", "model_executor/layers/mamba/abstract.py"),
    Row("state_drafts", "0.17.1", "any", "model_executor/layers/mamba/abstract.py"),
    Row("gdn_prefill_devices", "0.11.2", (), "model_executor/models/qwen3_next.py"),
    Row("gdn_prefill_devices", "0.17.1", (9,), "model_executor/models/qwen3_next.py"),
    Row("gdn_prefill_devices", "0.23.0", (9, 10), _GDN),
    Row("gdn_prefill_devices", "0.30.0", (9, 10, 12), _GDN),
    Row("kda_checkpoints", "0.11.2", False, _SPECS),
    Row("kda_checkpoints", "0.30.0", True, "models/kimi_k3/nvidia/kda.py"),
    Row("mamba2_checkpoints", "0.11.2", False, _SPECS),
    Row("mamba2_checkpoints", "0.32.0", True, "model_executor/layers/mamba/mamba_mixer2.py"),
    Row("gdn_checkpoints", "0.11.2", False, _SPECS),
    Row("gdn_checkpoints", "0.33.0", True, _GDN),
    Row("ring_extends_groups", "0.11.2", False, _STATES),
    Row("ring_extends_groups", "0.33.0", True, _STATES),
    Row("records_in_page", "0.11.2", True, _STATES),
    Row("records_in_page", "0.33.0", False, "models/kimi_k3/nvidia/kda.py"),
    Row("float_kv_checked", "0.11.2", False, _CONFIG),
    Row("float_kv_checked", "0.33.0", True, _CONFIG),
    Row("unequal_pages", "0.11.2", "refused", _UTILS),
    Row("unequal_pages", "0.13.0", "scaled", _UTILS),
    Row("unequal_pages", "0.26.0", "padded", _UTILS),
    Row("packed_groups", "0.11.2", False, _UTILS),
    Row("packed_groups", "0.30.0", True, _UTILS),
    Row("second_runner", "0.11.2", "off", "envs.py"),
    Row("second_runner", "0.23.0", "listed", _CONFIG),
    Row("second_runner", "0.30.0", "default", _CONFIG),
)


@dataclass(frozen=True, slots=True)
class Bracket:
    """The rules of a version: those of the last version read before it, and of the next after.

    `above` is None where both agree or the version itself was read.
    """

    below: Rules
    above: Rules | None
    read: tuple[Version, Version]
    """The versions of the two."""
    differing: tuple[str, ...] = ()
    """The rules that changed somewhere between the two."""


@cache
def bracket(version: Version) -> Bracket:
    """The rules that hold, or may hold, in `version`."""
    low, high = neighbours(version)
    below, above = _rules_of(low), _rules_of(high)
    differing = tuple(
        field.name
        for field in fields(Rules)
        if getattr(below, field.name) != getattr(above, field.name)
    )
    return Bracket(below, above if differing else None, (low, high), differing)


def _rules_of(version: Version) -> Rules:
    """The last row of each rule whose version is no newer."""
    values = {row.rule: row.value for row in TABLE if Version.of(row.since) <= version}
    return Rules(**values)
