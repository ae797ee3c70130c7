"""A budget: what the requests need on the fullest device, and what would make it hold.

It asks the engine again with fewer requests, less context or more ranks; it knows no engine's
rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ferrum_cli.engines import Answer, Engine, Question
from ferrum_cli.errors import ShardingError
from ferrum_cli.expand import Parallel
from ferrum_cli.plan.result import Budget
from ferrum_cli.plan.weights import weights_of
from ferrum_cli.quantity import fits, format_tokens

_RANKS_TRIED = (2, 4, 8, 16, 32, 64)


def needed_bytes(answer: Answer) -> int:
    """Weights, state and KV of the requests asked for, on the fullest device."""
    return sum(line.size_bytes for line in answer.memory if line.budgeted)


def weigh(question: Question, engine: Engine, answer: Answer, limit: int) -> Budget:
    """Hold the need against `limit` and, where it does not fit, look for what would."""
    needed = needed_bytes(answer)
    if fits(needed, limit):
        return Budget(limit, needed)
    return Budget(limit, needed, _remedies(question, engine, limit))


def _remedies(question: Question, engine: Engine, limit: int) -> tuple[str, ...]:
    def _holds(**changes: object) -> bool:
        changed = replace(question, **changes)  # type: ignore[arg-type]
        return fits(needed_bytes(engine.answer(changed)), limit)

    remedies = []
    requests = _largest(lambda n: _holds(requests=n), question.requests - 1)
    if requests:
        remedies.append(f"--requests {requests}")
    context = _largest(lambda n: _holds(context=n), question.context - 1)
    if context:
        remedies.append(f"--context {format_tokens(context)}")
    ranks = _enough_ranks(question, engine, limit)
    if ranks:
        remedies.append(f"--tp {ranks}")
    return tuple(remedies)


def _largest(holds: Callable[[int], bool], highest: int) -> int:
    """The largest number from 1 to `highest` for which `holds`, or 0; `holds` is monotone."""
    low, high = 0, highest
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _enough_ranks(question: Question, engine: Engine, limit: int) -> int | None:
    """The smallest tp of the usual ones at which the need holds."""
    description = question.model.description
    for tp in (n for n in _RANKS_TRIED if n > question.parallel.tp):
        parallel = Parallel(tp, question.parallel.pp, question.parallel.dp)
        try:
            weights = weights_of(description, parallel)
            answer = engine.answer(replace(question, parallel=parallel, weights=weights))
        except ShardingError:
            continue
        if fits(needed_bytes(answer), limit):
            return tp
    return None
