"""The flags worth setting, and single changes that would let the requests asked about run.

Every proposal is started again with its flags, and only what that start reaches is said. It knows
nothing about how vLLM gets from flags to requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ferrum_cli.engines.vllm.changes import as_flags, changes, sizing
from ferrum_cli.engines.vllm.launch import launch
from ferrum_cli.engines.vllm.start import Start, by_rules, retried
from ferrum_cli.errors import FerrumError
from ferrum_cli.report import Finding, Level

_MOST_RANKS = 64


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
    later = (*as_flags(sizing(found)), *_reaching(found))
    named = {flag.split()[0]: flag for flag in (*worth, *later)}
    return tuple(named.values())


def advise(found: Start) -> Iterator[Finding]:
    """Which change alone lets the requests asked about run; else the one that comes nearest."""
    if not _wanting(found):
        return
    wanted = found.question.requests
    tried = list(_proposals(found))
    enough = [one for one in tried if one.reached >= wanted]
    if enough:
        ways = "; ".join(" ".join(one.flags) for one in enough)
        message = f"{wanted} requests run with one of these changes: {ways}"
        yield Finding(Level.INFO, "advice", message, " ".join(enough[0].flags))
        return
    best = max(tried, key=lambda proposal: proposal.reached, default=None)
    if best is not None:
        change = " ".join(best.flags)
        message = f"no single change lets {wanted} requests run; {best.reached} run with {change}"
        yield Finding(Level.WARNING, "advice-nearest", message, change)


def _wanting(found: Start) -> bool:
    """Whether more was asked for than runs, on a machine that is known."""
    runs, question = found.capacity.max_requests, found.question
    asked = question.requests_given or question.context_given
    return asked and runs is not None and runs < question.requests


def _reaching(found: Start) -> tuple[str, ...]:
    """The first single change that is enough at the context asked for, as flags."""
    if not _wanting(found):
        return ()
    wanted = found.question.requests
    enough = (p.flags for p in _proposals(found) if p.reached >= wanted and not p.shorter)
    return next(enough, ())


def _proposals(found: Start) -> Iterator[Proposal]:
    """Single changes, cheapest first, that let more requests run than now."""
    for proposal in _all(found):
        if proposal.reached > (found.capacity.max_requests or 0):
            yield proposal


def _all(found: Start) -> Iterator[Proposal]:
    yield _tried(found, ())
    for change in changes(found):
        steps = [_tried(retried(found, **step), as_flags(step)) for step in change.steps]
        enough = (one for one in steps if one.reached >= found.question.requests)
        yield next(enough, steps[-1])
    yield from _more_ranks(found)
    yield from _shorter(found)


def _tried(changed: Start, written: tuple[str, ...]) -> Proposal:
    """The change together with the max_num_seqs that it needs."""
    sized = sizing(changed)
    reached = _reached(retried(changed, **sized) if sized else changed)
    return Proposal((*written, *as_flags(sized)), reached)


def _more_ranks(found: Start) -> Iterator[Proposal]:
    """The fewest ranks that are enough, or most that help; where the device's memory is known."""
    if found.outcome.budget is None or found.outcome.budget.requested is None:
        return
    tp, best = found.launch.parallel.tp * 2, found.capacity.max_requests or 0
    while tp <= _MOST_RANKS and best < found.question.requests:
        asked = retried(found, tensor_parallel_size=tp).question
        try:
            split = by_rules(asked, launch(asked), found.config.rules)
        except FerrumError:
            return
        proposal = _tried(split, (f"--tensor-parallel-size {tp}",))
        best = max(best, proposal.reached)
        yield proposal
        tp *= 2


def _shorter(found: Start) -> Iterator[Proposal]:
    """The longest context at which the requests run, or the shortest of all."""

    def _at(context: int) -> Proposal:
        question = replace(found.question, context=context, context_given=True)
        shorter = by_rules(question, found.launch, found.config.rules)
        written = (f"--max-model-len {context}",)
        return _tried(retried(shorter, max_model_len=context), written)

    low, high = 1, found.capacity.context - 1
    while low < high:
        middle = (low + high + 1) // 2
        if _at(middle).reached >= found.question.requests:
            low = middle
        else:
            high = middle - 1
    if high:
        yield replace(_at(low), shorter=True)


def _reached(tried: Start) -> int:
    """Requests that run; none where vLLM would not start."""
    return 0 if tried.outcome.refusal is not None else tried.capacity.max_requests or 0
