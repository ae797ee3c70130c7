"""The flags that let a number of requests run at a context, or the nearest that can be had.

Every proposal is started again with its flags, and only what that start reaches is said. It knows
nothing about how SGLang gets from flags to requests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ferrum_cli.engines._engine import Question
from ferrum_cli.engines._options import Setting, Settings
from ferrum_cli.engines.sglang.budget import ratio_for
from ferrum_cli.engines.sglang.device_memory import GIB
from ferrum_cli.engines.sglang.launch import Launch
from ferrum_cli.engines.sglang.options import OPTIONS
from ferrum_cli.engines.sglang.start import Start, start
from ferrum_cli.report import Finding, Level

_LOWEST_RATIO = 0.0001
_SCALES = (1.0, 1.02, 1.1)
"""With speculation the fit to memory has a factor that is not known beforehand."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Flags, and the requests that run with them at the context asked for.

    The ratio reaches as much by itself, should the number of slots be left to memory.
    """

    mamba_full_memory_ratio: float | None
    max_mamba_cache_size: int | float
    max_running_requests: int | float
    reached: int
    wanted: int

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags as they are written on a command line."""
        pairs = {
            "--mamba-full-memory-ratio": self.mamba_full_memory_ratio,
            "--max-mamba-cache-size": self.max_mamba_cache_size,
            "--max-running-requests": self.max_running_requests,
        }
        return tuple(f"{name} {value}" for name, value in pairs.items() if value is not None)

    @property
    def finding(self) -> Finding:
        """What the flags reach, as a finding."""
        flags = " ".join(self.flags)
        if self.reached >= self.wanted:
            message = f"{self.wanted} requests run with {flags}"
            return Finding(Level.INFO, "advice", message, "start SGLang with these flags")
        return Finding(
            Level.WARNING,
            "advice-nearest",
            f"{self.wanted} requests cannot be had on this machine;"
            f" {self.reached} run with {flags}",
            "use more devices, a shorter context, --mamba-ssm-dtype bfloat16 or"
            " --kv-cache-dtype fp8_e4m3",
        )


def advise(question: Question) -> Advice | None:
    """Flags for the requests and the context asked for; None where nothing can be advised.

    Where they cannot be had, the largest number below is searched by halving.
    """
    base = start(_with(question, {}))
    if base.launch is None or base.memory is None or base.slot is None:
        return None
    launch, wanted = base.launch, question.requests
    requests = wanted if _holds(question, launch, wanted) else _most(question, launch, wanted)
    if not requests:
        return None
    flags = _flags(launch, requests)
    sized = start(_with(question, flags))
    reached = fitting_requests(sized) or 0
    ratio = _ratio(question, sized, flags, reached)
    return Advice(
        ratio, flags["max_mamba_cache_size"], flags["max_running_requests"], reached, wanted
    )


def _most(question: Question, launch: Launch, wanted: int) -> int:
    """The largest number below `wanted` that holds, or 0."""
    low, high = 0, wanted - 1
    while low < high:
        middle = (low + high + 1) // 2
        if _holds(question, launch, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _holds(question: Question, launch: Launch, requests: int) -> bool:
    reached = fitting_requests(start(_with(question, _flags(launch, requests))))
    return reached is not None and reached >= requests


def _flags(launch: Launch, requests: int) -> dict[str, int | float]:
    """Exactly the slots that `requests` take, over all attention-DP workers."""
    per_replica = -(-requests // launch.workers) * launch.attention_dp
    slots = per_replica * launch.strategy.slots_per_request
    return {"max_mamba_cache_size": slots, "max_running_requests": per_replica}


def fitting_requests(found: Start) -> int | None:
    """Requests that run at once with their whole context in KV, over all workers."""
    launch, requests, tokens = found.launch, found.requests, found.tokens
    if found.refusal is not None or launch is None or requests is None or tokens is None:
        return None
    count = requests.count
    if any(cell.size_bytes for cell in found.cells):
        count = min(count, tokens.full // launch.context)
    return count * launch.workers


def _ratio(
    question: Question, sized: Start, flags: dict[str, int | float], reached: int
) -> float | None:
    """A ratio that reaches as much without `--max-mamba-cache-size`; None where none does."""
    slot, divided = sized.slot, sized.split
    if slot is None or divided is None or divided.slots is None:
        return None
    state = (divided.slots + 2) * slot.charged_bytes + divided.reserved_bytes + divided.rings_bytes
    least = ratio_for(state, divided.rest_gib * GIB)
    if least == math.inf:
        return None
    requests = {"max_running_requests": flags["max_running_requests"]}
    for scale in _SCALES:
        ratio = math.ceil(max(least * scale, _LOWEST_RATIO) * 10_000) / 10_000
        tried = start(_with(question, {**requests, "mamba_full_memory_ratio": ratio}))
        if (fitting_requests(tried) or 0) >= reached:
            return ratio
    return None


def _with(question: Question, flags: dict[str, int | float]) -> Question:
    """The question with the advised flags instead of those given for the same three."""
    advised = ("max_mamba_cache_size", "max_running_requests", "mamba_full_memory_ratio")
    kept = {n: s for n, s in question.settings.given().items() if n not in advised}
    given = {name: Setting(value, "flag") for name, value in flags.items()}
    return replace(question, settings=Settings(OPTIONS, {**kept, **given}))
