"""The flags worth setting, and those that would let the requests asked about run.

Every proposal is started again with its flags, and only what that start reaches is said. It knows
nothing about how vLLM gets from flags to requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ferrum_cli.engines.vllm.launch import launch
from ferrum_cli.engines.vllm.start import Start, by_rules, retried
from ferrum_cli.errors import FerrumError
from ferrum_cli.report import Finding, Level

_MOST_RANKS = 64
_HIGH_UTILIZATION = 0.95


@dataclass(frozen=True, slots=True)
class Proposal:
    """Flags to add, as written, and the requests that run with them."""

    flags: tuple[str, ...]
    reached: int
    shorter: bool = False
    """Whether it gives up context."""


def flags(found: Start) -> tuple[str, ...]:
    """Flags worth setting: ranks and length told by other names, max_num_seqs where it counts."""
    settings, question, parallel = found.config.settings, found.question, found.launch.parallel
    worth = [
        f"{name} {value}"
        for name, option, value in (
            ("--tensor-parallel-size", "tensor_parallel_size", parallel.tp),
            ("--pipeline-parallel-size", "pipeline_parallel_size", parallel.pp),
            ("--data-parallel-size", "data_parallel_size", parallel.dp),
        )
        if value > 1 and settings.value(option) is None
    ]
    if question.context_given and settings.value("max_model_len") is None:
        worth.append(f"--max-model-len {found.config.max_model_len}")
    seqs = sequences_worth_setting(found)
    if seqs is not None:
        worth.append(f"--max-num-seqs {seqs}")
    return (*worth, *_reaching(found))


def sequences_worth_setting(found: Start) -> int | None:
    """max_num_seqs where another value is needed: no more than blocks, no fewer than requests."""
    seqs: int = found.config.batching.max_num_seqs.value
    limits = found.limits
    if limits.running_limit is None or not found.outcome.pool or not found.outcome.pool.num_blocks:
        return None
    if limits.max_num_seqs_limit is not None and seqs > limits.max_num_seqs_limit:
        return limits.max_num_seqs_limit
    wanted = found.replica_requests
    return wanted if seqs < wanted <= limits.running_limit else None


def advise(found: Start) -> Iterator[Finding]:
    """Which change alone lets the requests asked about run; else the one that comes nearest."""
    if not _wanting(found):
        return
    wanted = found.question.requests
    tried = list(proposals(found))
    enough = [one for one in tried if one.reached >= wanted]
    if enough:
        ways = "; ".join(f"{' '.join(p.flags)} ({p.reached})" for p in enough)
        message = f"{wanted} requests run with one of these changes (and as many as given): {ways}"
        yield Finding(Level.INFO, "advice", message, " ".join(enough[0].flags))
        return
    best = max(tried, key=lambda proposal: proposal.reached, default=None)
    if best is not None and best.reached > (found.capacity.max_requests or 0):
        flags_said = " ".join(best.flags)
        yield Finding(
            Level.WARNING,
            "advice-nearest",
            f"no single change lets {wanted} requests run; {best.reached} run with {flags_said}",
            flags_said,
        )


def proposals(found: Start) -> Iterator[Proposal]:
    """Single changes and what each reaches; those without effect are left out."""
    now = found.capacity.max_requests or 0
    for changed, written in _changes(found):
        reached = _reached(changed)
        if reached > now:
            yield Proposal(written, reached, written[0].startswith("--max-model-len"))


def _wanting(found: Start) -> bool:
    """Whether more was asked for than runs, on a machine that is known."""
    capacity = found.capacity
    asked = found.question.requests_given or found.question.context_given
    return (
        asked
        and capacity.max_requests is not None
        and (capacity.max_requests < found.question.requests)
    )


def _reaching(found: Start) -> tuple[str, ...]:
    """The first single change that is enough at the context asked for, as flags."""
    if not _wanting(found):
        return ()
    wanted = found.question.requests
    enough = (p.flags for p in proposals(found) if p.reached >= wanted and not p.shorter)
    return next(enough, ())


def _changes(found: Start) -> Iterator[tuple[Start, tuple[str, ...]]]:
    """Changes in the order in which a user would try them."""
    config = found.config
    seqs = max(found.replica_requests, 1)
    also: dict[str, Any] = {}
    note: tuple[str, ...] = ()
    if config.batching.max_num_seqs.value < seqs:
        also, note = {"max_num_seqs": seqs}, (f"--max-num-seqs {seqs}",)
        yield retried(found, **also), note
    if config.mode != "none":
        without = retried(found, enable_prefix_caching=False, **also)
        yield without, ("--no-enable-prefix-caching", *note)
    if config.ssm_dtype.torch_name == "float32":
        narrow = retried(found, mamba_ssm_cache_dtype="bfloat16", **also)
        yield narrow, ("--mamba-ssm-cache-dtype bfloat16", *note)
    if not config.kv_dtype.quantized:
        yield retried(found, kv_cache_dtype="fp8", **also), ("--kv-cache-dtype fp8", *note)
    if found.outcome.budget is not None and found.outcome.budget.requested is not None:
        higher = retried(found, gpu_memory_utilization=_HIGH_UTILIZATION, **also)
        yield higher, (f"--gpu-memory-utilization {_HIGH_UTILIZATION}", *note)
        yield from _more_ranks(found, also, note)
    yield from _shorter(found, also, note)


def _more_ranks(
    found: Start, also: dict[str, Any], note: tuple[str, ...]
) -> Iterator[tuple[Start, tuple[str, ...]]]:
    tp = found.launch.parallel.tp * 2
    while tp <= _MOST_RANKS:
        changed = retried(found, **also)
        question = replace(changed.question, parallel=replace(found.launch.parallel, tp=tp))
        try:
            asked = launch(question)
            yield (
                by_rules(question, asked, found.config.rules),
                (
                    f"--tensor-parallel-size {tp}",
                    *note,
                ),
            )
        except FerrumError:
            return
        tp *= 2


def _shorter(
    found: Start, also: dict[str, Any], note: tuple[str, ...]
) -> Iterator[tuple[Start, tuple[str, ...]]]:
    """The longest context at which the requests run, if any is long enough to be of use."""
    base = retried(found, **also)

    def _at(context: int) -> Start:
        question = replace(base.question, context=context, context_given=True)
        shorter = by_rules(question, base.launch, base.config.rules)
        return retried(shorter, max_model_len=context)

    low, high = 0, found.capacity.context - 1
    while low < high:
        middle = (low + high + 1) // 2
        if _reached(_at(middle)) >= found.question.requests:
            low = middle
        else:
            high = middle - 1
    if low:
        yield _at(low), (f"--max-model-len {low}", *note)


def _reached(tried: Start) -> int:
    """Requests that run; none where vLLM would not start."""
    return 0 if tried.outcome.refusal is not None else tried.capacity.max_requests or 0
