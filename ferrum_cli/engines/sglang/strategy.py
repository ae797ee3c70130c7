"""The prefix cache's strategy for recurrent state, and the slots that one request is planned with.

SGLang 0.5.23, arg_groups/overrides.py (_mamba_radix_cache_resolution), arg_groups/mamba_hook.py
and mem_cache/kv_cache_configurator.py (_calculate_mamba_ratio). It knows nothing about memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines._options import Settings
from ferrum_cli.engines.sglang.architectures import Architecture, Radix
from ferrum_cli.engines.sglang.refusals import Refusal, assertion, value_error

_WITH_CHECKPOINTS = 3
"""Slots of a request with the prefix cache: its own, and room for two checkpoints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """What the flags resolve to."""

    name: str
    radix_cache: bool
    overlap: bool
    skips_decode_lock: bool = False
    overlap_lost_to: str | None = None
    """Why the overlap of scheduler and device is off though nobody asked for that."""

    @property
    def extra_buffer(self) -> bool:
        """Whether a running request tracks its state in slots of its own."""
        return self.radix_cache and self.name in ("extra_buffer", "extra_buffer_lazy")

    @property
    def tracking_slots(self) -> int:
        """Slots that a running request holds beside its own."""
        if not self.extra_buffer:
            return 0
        return 1 if self.name == "extra_buffer_lazy" or not self.overlap else 2

    @property
    def slots_per_request(self) -> int:
        """Slots of the pool for each running request: the planning ratio."""
        if not self.radix_cache:
            return 1
        base = _WITH_CHECKPOINTS - self.skips_decode_lock
        return base + (self.tracking_slots if self.extra_buffer else self.skips_decode_lock)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What the strategy depends on in a model."""

    row: Architecture
    architecture: str | None
    keeps_state: bool

    @property
    def listed(self) -> bool:
        """Whether the model goes through the prefix cache for hybrid models."""
        listed = (Radix.EXTRA_BUFFER, Radix.NO_BUFFER, Radix.PINNED)
        return self.keeps_state and self.row.radix in listed


def resolve_strategy(
    settings: Settings, model: ModelFacts, *, page: int | None, pp: int
) -> Strategy | Refusal:
    """Strategy, prefix cache and overlap after all of SGLang's own decisions."""
    radix = _radix_cache(settings, model.row)
    asked: str = settings.value("mamba_radix_cache_strategy")
    overlap = not settings.value("disable_overlap_schedule")
    name, lost = asked, None
    if asked == "auto" and model.row.radix is Radix.PINNED:
        name = "extra_buffer"
    elif asked == "auto" and model.listed and radix:
        name = _automatic(settings, model.row, overlap=overlap, page=page)
        if name == "no_buffer" and overlap:
            overlap, lost = False, "the no_buffer strategy"
    problem = _check(settings, model, name, page, overlap=overlap) if radix else None
    if problem is not None:
        return problem
    if pp > 1 and overlap:
        overlap, lost = False, "pipeline parallelism"
    if name == "extra_buffer_lazy" and radix and not overlap:
        return assertion(
            "lazy-needs-overlap",
            "Lazy extra buffer requires overlap schedule (--disable-overlap-schedule is"
            " incompatible)",
            "use --mamba-radix-cache-strategy extra_buffer",
        )
    return Strategy(
        name=name,
        radix_cache=radix,
        overlap=overlap,
        skips_decode_lock=settings.value("SGLANG_OPT_MAMBA_SKIP_DECODE_LOCK"),
        overlap_lost_to=lost,
    )


def _radix_cache(settings: Settings, row: Architecture) -> bool:
    if settings.value("disaggregation_mode") == "decode":
        return bool(settings.value("disaggregation_decode_enable_radix_cache"))
    return row.radix is not Radix.OFF and not settings.value("disable_radix_cache")


def _supports_extra(settings: Settings, row: Architecture) -> bool:
    extra = row.radix in (Radix.EXTRA_BUFFER, Radix.PINNED)
    return extra and settings.value("linear_attn_backend") == "triton"


def _automatic(settings: Settings, row: Architecture, *, overlap: bool, page: int | None) -> str:
    wanted = overlap or (page or 1) > 1
    return "extra_buffer" if wanted and _supports_extra(settings, row) else "no_buffer"


def _check(
    settings: Settings, model: ModelFacts, name: str, page: int | None, *, overlap: bool
) -> Refusal | None:
    """What SGLang asserts of a strategy while the prefix cache is on."""
    extra = name in ("extra_buffer", "extra_buffer_lazy")
    if not model.listed:
        return _needs_state(name, model.architecture) if extra else None
    if extra:
        return _check_extra(settings, model, name, page)
    return _check_none(settings, page, overlap=overlap)


def _needs_state(name: str, arch: str | None) -> Refusal:
    return value_error(
        "strategy-needs-state",
        f"--mamba-radix-cache-strategy {name} needs mamba state, got {arch}.",
        "leave --mamba-radix-cache-strategy out",
    )


def _check_extra(
    settings: Settings, model: ModelFacts, name: str, page: int | None
) -> Refusal | None:
    """validate_mamba_extra_buffer."""
    if not _supports_extra(settings, model.row):
        return assertion(
            "strategy-not-supported",
            f"extra_buffer is not supported for {model.architecture}; use no_buffer.",
            "use --mamba-radix-cache-strategy no_buffer --disable-overlap-schedule",
        )
    if name == "extra_buffer_lazy" and settings.value("disaggregation_mode") != "null":
        return assertion(
            "lazy-not-disaggregated",
            "extra_buffer_lazy unsupported under PD disaggregation; use"
            " --mamba-radix-cache-strategy extra_buffer.",
            "use --mamba-radix-cache-strategy extra_buffer",
        )
    interval = settings.value("mamba_track_interval")
    draft_tokens = settings.value("speculative_num_draft_tokens")
    if draft_tokens is not None and interval < draft_tokens:
        return assertion(
            "track-interval-too-short",
            "",
            f"use --mamba-track-interval {draft_tokens} or more",
        )
    if page is not None and interval % page:
        return assertion(
            "track-interval-not-paged",
            "",
            f"use a --mamba-track-interval that is a multiple of the page of {page} tokens",
        )
    return None


def _check_none(settings: Settings, page: int | None, *, overlap: bool) -> Refusal | None:
    """validate_mamba_no_buffer."""
    if page not in (1, None):
        return assertion(
            "no-buffer-needs-page-1",
            "no_buffer only supports page_size=1.",
            "leave --page-size out",
        )
    if overlap:
        return assertion(
            "no-buffer-needs-no-overlap",
            "no_buffer do not support overlap schedule. Try to set disable_overlap_schedule=True.",
            "add --disable-overlap-schedule",
        )
    if settings.value("attention_backend") == "trtllm_mha":
        return assertion(
            "no-buffer-not-trtllm",
            "no_buffer do not support trtllm_mha attention backend.",
            "use another --attention-backend",
        )
    return None
