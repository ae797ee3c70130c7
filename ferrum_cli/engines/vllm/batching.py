"""How many requests and tokens vLLM puts into one step, by option or by the device's defaults.

engine/arg_utils.py, get_batch_defaults, for `vllm serve` on CUDA, vLLM 0.33.0. It knows nothing
about the cache pool.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines._engine import Machine
from ferrum_cli.engines._options import Setting, Settings
from ferrum_cli.engines.vllm.rules import Rules

_GIB = 2**30
_GB10 = (12, 1)


@dataclass(frozen=True, slots=True)
class Batching:
    """The most requests that run, the size of captured graphs, and the tokens of one step."""

    max_num_seqs: Setting
    max_num_batched_tokens: Setting
    max_num_active_seqs: int | None = None
    assumed: bool = False
    """Whether the device's memory is not known, so that a large device's default is assumed."""

    @property
    def most_running(self) -> int:
        """Requests that may run at once, whatever the pool holds."""
        most: int = self.max_num_seqs.value
        return most if self.max_num_active_seqs is None else min(most, self.max_num_active_seqs)


def batching(settings: Settings, machine: Machine, rules: Rules, max_model_len: int) -> Batching:
    """The options, or else the defaults of the device's tier, doubled for throughput."""
    seqs, tokens = settings["max_num_seqs"], settings["max_num_batched_tokens"]
    default_seqs, default_tokens = _defaults(machine, rules)
    if settings.value("performance_mode") == "throughput":
        default_seqs, default_tokens = 2 * default_seqs, 2 * default_tokens
    if tokens.value is None:
        most = (seqs.value or default_seqs) * max_model_len
        tokens = Setting(min(default_tokens, most), "default")
    assumed = seqs.value is None and machine.memory_bytes is None
    if seqs.value is None:
        seqs = Setting(min(default_seqs, tokens.value), "default")
    return Batching(seqs, tokens, settings.value("max_num_active_seqs"), assumed)


def _defaults(machine: Machine, rules: Rules) -> tuple[int, int]:
    """Requests and tokens by memory; a device of which nothing is known counts as large."""
    memory = machine.memory_bytes
    if memory is None:
        return 1024, 8192
    if memory >= 160 * _GIB:
        return 1024, 16384
    small = memory < 70 * _GIB or "a100" in (machine.name or "").lower()
    gb10 = machine.compute_capability == _GB10 and rules.small_gb10
    return (256, 2048) if small or gb10 else (1024, 8192)
