"""What sizes a start to the requests asked about, and the changes that may let more of them run.

It says what to try, cheapest first, not what a change reaches. It knows nothing about how SGLang
gets from options to requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import Change, Question
from ferrum_cli.engines._options import Setting, Settings
from ferrum_cli.engines.sglang.dtypes import kv_dtype
from ferrum_cli.engines.sglang.options import OPTIONS
from ferrum_cli.engines.sglang.start import Start, start

_FRACTIONS = (0.9, 0.93)
"""Shares of a device above what SGLang takes by itself; activations must fit into the rest."""
_NO_DRAFTS: Mapping[str, None] = dict.fromkeys(
    option.name for option in OPTIONS if option.name.startswith("speculative_")
)


def sizing(found: Start) -> dict[str, Any]:
    """Slots and running requests for the requests asked about, or for as many as run.

    Nothing where they run already. The most that run are searched by halving.
    """
    question, launch = found.question, found.launch
    asked = question.requests_given or question.context_given
    if launch is None or found.memory is None or not asked or _runs(found, question.requests):
        return {}
    if _runs(_sized(found, question.requests), question.requests):
        return _options(found, question.requests)
    low, high = 0, question.requests - 1
    while low < high:
        middle = (low + high + 1) // 2
        if _runs(_sized(found, middle), middle):
            low = middle
        else:
            high = middle - 1
    return _options(found, low) if low else {}


def running(found: Start) -> int | None:
    """Requests that run at once; with a context asked for, those that KV holds with all of it."""
    launch, requests, tokens = found.launch, found.requests, found.tokens
    if found.refusal is not None or launch is None or requests is None or tokens is None:
        return None
    count = requests.count
    if found.question.context_given and any(cell.size_bytes for cell in found.cells):
        count = min(count, tokens.full // launch.context)
    return count * launch.workers


def changes(found: Start) -> tuple[Change, ...]:
    """What else may help; nothing for a model that SGLang does not start at all."""
    return () if found.launch is None else tuple(_changes(found))


def _changes(found: Start) -> Iterator[Change]:
    yield from _fraction(found)
    yield from _strategy(found)
    launch = found.launch
    if launch is not None and launch.speculation is not None:
        yield Change(price="slower decoding, without drafts", steps=(_NO_DRAFTS,))
    if kv_dtype(found.question)[1] is not DType.FP8 and any(c.size_bytes for c in found.cells):
        steps = ({"kv_cache_dtype": "fp8_e4m3"},)
        yield Change(price="keys and values in 8 bits", steps=steps)
    if found.dtypes is not None and found.dtypes.temporal is DType.FP32:
        yield Change(price="recurrent state in 16 bits", steps=({"mamba_ssm_dtype": "bfloat16"},))


def _fraction(found: Start) -> Iterator[Change]:
    """More of the device: what SGLang takes by itself, where less was given, or beyond it."""
    given = found.question.settings.is_given("mem_fraction_static")
    own = start(_with(found.question, {"mem_fraction_static": None})).fraction if given else None
    now = found.fraction.value if found.fraction is not None else 1.0
    if own is not None and own.value > now:
        now = own.value
        own_share = {"mem_fraction_static": round(own.value, 3)}
        yield Change(price="nothing: the share SGLang takes by itself", steps=(own_share,))
    steps = tuple({"mem_fraction_static": share} for share in _FRACTIONS if share > now)
    if steps:
        yield Change(price="less room for activations and graphs", steps=steps)


def _strategy(found: Start) -> Iterator[Change]:
    """Fewer slots for each request; without the prefix cache one."""
    launch = found.launch
    if launch is None or found.slot is None or not launch.strategy.radix_cache:
        return
    if launch.strategy.name == "extra_buffer" and launch.strategy.overlap:
        lazy = {"mamba_radix_cache_strategy": "extra_buffer_lazy"}
        yield Change(price="a request's second buffer is made on demand", steps=(lazy,))
    if launch.strategy.extra_buffer:
        plain = {"mamba_radix_cache_strategy": "no_buffer", "disable_overlap_schedule": True}
        yield Change(price="scheduler and device no longer overlap", steps=(plain,))
    yield Change(price="equal prefixes are computed again", steps=({"disable_radix_cache": True},))


def _sized(found: Start, requests: int) -> Start:
    return start(_with(found.question, _options(found, requests)))


def _runs(found: Start, requests: int) -> bool:
    count = running(found)
    return count is not None and count >= requests


def _options(found: Start, requests: int) -> dict[str, Any]:
    """Exactly the slots that `requests` take, over all attention-DP workers."""
    launch = found.launch
    assert launch is not None  # noqa: S101 - the caller has looked
    per_replica = -(-requests // launch.workers) * launch.attention_dp
    slots = per_replica * launch.strategy.slots_per_request
    needs_slots = found.slot is not None and launch.strategy.radix_cache
    sized = {"max_mamba_cache_size": slots} if needs_slots else {}
    return {**sized, "max_running_requests": per_replica}


def _with(question: Question, options: Mapping[str, Any]) -> Question:
    """The question with other options; None for an option's default."""
    given = {n: s for n, s in question.settings.given().items() if n not in options}
    given |= {n: Setting(v, "flag") for n, v in options.items() if v is not None}
    return replace(question, settings=Settings(OPTIONS, given))
