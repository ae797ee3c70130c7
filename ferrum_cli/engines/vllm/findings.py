"""Everything a user should know about a start: refusal, version, assumptions, options, costs.

It knows nothing about how findings are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from ferrum_cli.engines.vllm.assumptions import assumptions
from ferrum_cli.engines.vllm.costs import costs
from ferrum_cli.engines.vllm.layout import layout
from ferrum_cli.engines.vllm.option_notes import option_notes
from ferrum_cli.engines.vllm.rules import TABLE, Rules
from ferrum_cli.engines.vllm.start import Start, by_rules
from ferrum_cli.engines.vllm.versions import READ
from ferrum_cli.report import Finding, Level

_COMPARED = (
    *("mamba_cache_mode", "block_size", "num_gpu_blocks", "blocks_per_max_len_request"),
    *("max_concurrency", "kv_cache_size_tokens", "running_limit", "state_page_bytes_per_layer"),
)


def findings(found: Start) -> tuple[Finding, ...]:
    """All findings, the refusal first."""
    return (
        *_refused(found),
        *_version(found),
        *assumptions(found),
        *option_notes(found),
        *costs(found),
    )


def _refused(found: Start) -> Iterator[Finding]:
    refusal = found.outcome.refusal
    if refusal is not None:
        yield Finding(Level.ERROR, refusal.code, refusal.words, refusal.hint)


def _version(found: Start) -> Iterator[Finding]:
    version, (low, high) = found.launch.version, found.launch.bracket.read
    if version > READ[-1]:
        yield Finding(
            Level.WARNING,
            "version-newer",
            f"vLLM {version} is newer than the last version read; the rules of {low} are taken",
            "compare with the engine's own log",
        )
    elif low != high or version < READ[0]:
        yield from _between(found)


def _between(found: Start) -> Iterator[Finding]:
    """A version that was not read: the versions around it agree, or both answers are given."""
    version, (low, high) = found.launch.version, found.launch.bracket.read
    if low == high:
        yield Finding(
            Level.INFO,
            "version-not-read",
            f"vLLM {version} was not read; the rules of {high} are taken",
            "compare with the engine's own log",
        )
        return
    differences = _differences(found, found.other) if found.other else []
    if not differences:
        yield Finding(
            Level.INFO,
            "version-not-read",
            f"vLLM {version} was not read; the rules of {low} and {high} agree on this start",
        )
        return
    yield Finding(
        Level.WARNING,
        "version-in-doubt",
        f"between vLLM {low} and {high} these rules changed: {', '.join(_deciding(found))};"
        f" by {low} or {high}: {'; '.join(differences)}",
        f"the plan is that of {low}; compare with the engine's own log",
    )


def _differences(found: Start, other: Start) -> list[str]:
    before, after = layout(found.outcome, found.limits), layout(other.outcome, other.limits)
    said = [
        f"{key} {_short(before[key])} or {_short(after[key])}"
        for key in _COMPARED
        if before[key] != after[key]
    ]
    refusals = [s.outcome.refusal.code if s.outcome.refusal else "none" for s in (found, other)]
    if refusals[0] != refusals[1]:
        said.append(f"refusal {refusals[0]} or {refusals[1]}")
    return said


def _short(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _deciding(found: Start) -> list[str]:
    """The rules of those in doubt that change this start, each by itself, with its file."""
    above = found.launch.bracket.above
    if above is None:
        return []
    names = [name for name in found.launch.bracket.differing if _matters(found, name, above)]
    return [f"{name} ({_source(name)})" for name in names or found.launch.bracket.differing]


def _matters(found: Start, name: str, above: Rules) -> bool:
    mixed: Rules = replace(found.launch.bracket.below, **{name: getattr(above, name)})
    return bool(_differences(found, by_rules(found.question, found.launch, mixed)))


def _source(rule: str) -> str:
    return next(row.source for row in reversed(TABLE) if row.rule == rule)


RULE_NAMES = tuple(field.name for field in fields(Rules))
"""Names under which the findings speak of rules."""
