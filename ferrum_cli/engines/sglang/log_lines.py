"""SGLang's start-up lines: one table that is used to write them and to read them.

Texts are those of SGLang 0.5.23 (its "GB" are GiB, but for the host pools, where they are 10^9). It
knows nothing about how the numbers come about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from ferrum_cli.engines._engine import LogLine

FORMS: Mapping[str, str] = {
    "images_reserved": (
        "Reserving {reserved:.2f} GB of the KV budget for post-sizing multimodal allocations"
        " (feature-transport pools + embedding cache)."
    ),
    "window_pool": (
        "Use sliding window memory pool. full_layer_tokens={tokens:d}, swa_layer_tokens={windows:d}"
    ),
    "window_pool_only": "Use sliding window memory pool (all SWA). swa_layer_tokens={windows:d}",
    "requests_capped_by_slots": (
        "max_running_requests is capped to {requests:d} by the mamba state cache"
        " (max_mamba_cache_size={slots:d}, {ratio:d} state slots per request). To raise it:"
        " increase --mamba-full-memory-ratio or --max-mamba-cache-size, or halve the state size"
        " with --mamba-ssm-dtype bfloat16."
    ),
    "requests_reduced_by_kv": (
        "max_running_requests was reduced from the requested {asked:d} to {requests:d} (per dp"
        " worker) due to the available KV cache capacity."
    ),
    "state_allocated": (
        "Mamba Cache is allocated. max_mamba_cache_size: {slots:d}, conv_state size: {conv:.2f}GB,"
        " ssm_state size: {temporal:.2f}GB "
    ),
    "state_allocated_with_drafts": (
        "Mamba Cache is allocated. max_mamba_cache_size: {slots:d}, conv_state size: {conv:.2f}GB,"
        " ssm_state size: {temporal:.2f}GB intermediate_ssm_state_cache size:"
        " {draft_temporal:.2f}GB intermediate_conv_window_cache size: {draft_conv:.2f}GB "
    ),
    "kv_allocated": (
        "KV Cache is allocated. dtype: torch.{dtype:s}, #tokens: {tokens:d}, K size: {key:.2f} GB,"
        " V size: {value:.2f} GB"
    ),
    "latent_kv_allocated": (
        "KV Cache is allocated. dtype: torch.{dtype:s}, #tokens: {tokens:d}, KV size: {size:.2f} GB"
    ),
    "host_state_allocated": (
        "Allocating {size:.2f} GB host memory for hierarchical Mamba cache ({slots:d} state slots,"
        " layout={layout:s})."
    ),
    "max_total_num_tokens": (
        "max_total_num_tokens={tokens:d}, chunked_prefill_size={chunk:d},"
        " max_prefill_tokens={prefill:d}, max_running_requests={requests:d},"
        " context_len={context:d}"
    ),
}
"""The last line goes on with the free memory that was measured, which no plan can know."""

_FIELD = re.compile(r"\{(\w+):([^}]*)\}")
_PATTERNS = {"d": r"-?\d+", ".2f": r"-?\d+\.\d\d", "s": r"\S+?"}


def write(key: str, /, **values: float | str) -> LogLine:
    """The line `key` with its values."""
    return LogLine(key, FORMS[key].format(**values))


def read(text: str) -> tuple[str, dict[str, float | str]] | None:
    """Which line `text` holds, whatever stands around it, and its values; None for others.

    Of two lines that fit, the longer one is meant.
    """
    best: tuple[str, dict[str, float | str]] | None = None
    length = -1
    for key in FORMS:
        match = _reader(key).search(text)
        if match is not None and len(match[0]) > length:
            best, length = (key, _values(key, match)), len(match[0])
    return best


@cache
def _reader(key: str) -> re.Pattern[str]:
    """A pattern for one line; spaces at its end may be missing in a copied log."""
    pattern, position = "", 0
    form = FORMS[key].rstrip()
    for field in _FIELD.finditer(form):
        pattern += re.escape(form[position : field.start()])
        pattern += f"(?P<{field[1]}>{_PATTERNS[field[2]]})"
        position = field.end()
    return re.compile(pattern + re.escape(form[position:]))


def _values(key: str, match: re.Match[str]) -> dict[str, float | str]:
    kinds = {field[1]: field[2] for field in _FIELD.finditer(FORMS[key])}
    readers = {"d": int, ".2f": float, "s": str}
    return {name: readers[kinds[name]](text) for name, text in match.groupdict().items()}
