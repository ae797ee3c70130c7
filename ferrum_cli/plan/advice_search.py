"""What would reach a target that a plan misses: changes one by one, together, on more devices.

Every try is a question asked of the engine again, so nothing is promised that was not planned. It
knows no engine's options: engines say which changes there are, cheapest first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ferrum_cli.engines import Answer, Change, Engine, Question, Setting, Settings
from ferrum_cli.errors import FerrumError
from ferrum_cli.expand import check_parallel
from ferrum_cli.plan.advice import Advice, Outcome, Try, room, runs
from ferrum_cli.plan.command import Written, grammar, ranks
from ferrum_cli.plan.weights import weights_of

MOST_DEVICES = 64
_NO_ROOM = -(2**63)
Factors = tuple[tuple[str, int], ...]
"""Ranks, and how many times as many of them."""


def advise(
    question: Question, engine: Engine, answer: Answer, written: Written | None = None
) -> Advice | None:
    """What would reach the target; None where none was named or it is reached, or nothing helps."""
    named = question.requests_given or question.context_given
    unknown = answer.refusal is None and answer.capacity.max_requests is None
    if not named or unknown or not answer.changes or runs(answer) >= question.requests:
        return None
    return _Search(question, engine, answer, written).found()


@dataclass
class _Search:
    """One target, and what was planned for it so far."""

    question: Question
    engine: Engine
    before: Answer
    written: Written | None = None
    planned: dict[tuple[Any, ...], Try | None] = field(default_factory=dict)

    @cached_property
    def sized(self) -> Try | None:
        """The target with nothing but the sizing; None where there is none."""
        return self._try("nothing", {}) if self.before.sizing else None

    def found(self) -> Advice:
        """The cheapest way; else more devices; else the nearest."""
        if self.sized is not None and self._reaches(self.sized):
            return self._advice((self.sized,), self.sized, Outcome.REACHED)
        singles = [t for c in self.before.changes if (t := self._step(c, {})) is not None]
        together = None
        if not any(map(self._reaches, singles)):
            together = self._together()
        spread = self._spread(together)
        rows = [t for t in (self.sized, *singles, together) if t is not None and self._helps(t)]
        rows += [spread] if spread is not None and spread.requests else []
        return self._best(rows)

    def _best(self, rows: Sequence[Try]) -> Advice:
        """The first that reaches on these devices, then on more; else the one that gets nearest."""
        for outcome, enough in (
            (Outcome.REACHED, [t for t in rows if t.devices == 1 and self._reaches(t)]),
            (Outcome.MORE_DEVICES, [t for t in rows if self._reaches(t)]),
        ):
            if enough:
                return self._advice(rows, enough[0], outcome)
        here = [t for t in rows if t.devices == 1 and t.requests]
        nearest = max(here or rows, key=_merit, default=None)
        if nearest is None or not nearest.requests:
            return self._advice(rows, None, Outcome.NOTHING)
        return self._advice(rows, nearest, Outcome.NEAREST)

    def _advice(self, rows: Sequence[Try], chosen: Try | None, outcome: Outcome) -> Advice:
        context = self._shorter() if outcome is not Outcome.REACHED else None
        return Advice(
            before=self.before,
            sized=self.before if self.sized is None else self.sized.answer,
            tries=tuple(rows),
            chosen=chosen,
            outcome=outcome,
            written=self.written,
            context_instead=context,
        )

    def _reaches(self, tried: Try) -> bool:
        return tried.requests >= self.question.requests

    def _helps(self, tried: Try) -> bool:
        """Whether a change buys anything at all."""
        now, then = room(self.before), room(tried.answer)
        roomier = now is not None and then is not None and then > now
        return tried.requests > runs(self.before) or (roomier and tried.answer.refusal is None)

    def _step(self, change: Change, base: Mapping[str, Any]) -> Try | None:
        """The least step of a change on top of others that is enough, or the last there is."""
        steps = change.steps

        def _at(position: int) -> Try | None:
            return self._try(change.price, {**base, **steps[position]})

        last = _at(len(steps) - 1)
        if last is None or not self._reaches(last):
            return last
        low, high = 0, len(steps) - 1
        while low < high:
            middle = (low + high) // 2
            tried = _at(middle)
            if tried is not None and self._reaches(tried):
                high = middle
            else:
                low = middle + 1
        return _at(low)

    def _together(self) -> Try | None:
        """Changes added cheapest first as long as they help, then those left out that need not be.

        None where no more than one of them helps.
        """
        best, used = self._try("nothing", {}), list[Change]()
        for change in self.before.changes:
            tried = self._step(change, _all(used))
            if tried is not None and (best is None or _merit(tried) > _merit(best)):
                best, used = tried, [*used, change]
            if best is not None and self._reaches(best):
                break
        if best is None or not used:
            return None
        best, used = self._without_the_needless(best, used)
        if len(used) == 1:
            return None
        return replace(best, price="; ".join(change.price for change in used))

    def _without_the_needless(self, best: Try, used: list[Change]) -> tuple[Try, list[Change]]:
        """Leave out, dearest first, what is not needed to get as far."""
        needed = min(best.requests, self.question.requests)
        for change in reversed(used[:-1]):
            fewer = [other for other in used if other is not change]
            tried = self._step(fewer[-1], _all(fewer[:-1]))
            if tried is not None and tried.requests >= needed:
                best, used = tried, fewer
        return best, used

    def _spread(self, together: Try | None) -> Try | None:
        """The fewest devices that reach it, as asked or with all changes; else where most run."""
        if self.question.machine.memory_bytes is None:
            return None  # what was measured on one device says nothing about others
        tries: list[Try] = []
        for options in ({}, together.options) if together is not None else ({},):
            for tried in self._on_more(options):
                if self._reaches(tried):
                    return tried
                tries.append(tried)
        return max(tries, key=_merit, default=None)

    def _on_more(self, options: Mapping[str, Any]) -> Iterator[Try]:
        """Twice as many devices, and again, in every way of spreading a model over them."""
        parallel, times = self.question.parallel, 2
        while times * parallel.tp * parallel.pp * parallel.dp <= MOST_DEVICES:
            for factors in _ways(times, self.before.spread):
                tried = self._try(f"{times} times as many devices", options, factors)
                if tried is not None:
                    yield tried
            times *= 2

    def _shorter(self) -> int | None:
        """The longest context at which the requests run here without a change."""
        question = self.question

        def _holds(context: int) -> bool:
            shorter = replace(question, context=context, context_given=True)
            try:
                return runs(_planned(self.engine, shorter, {})[1]) >= question.requests
            except FerrumError:
                return False

        return _largest(_holds, self.before.capacity.context - 1) or None

    def _try(self, price: str, options: Mapping[str, Any], factors: Factors = ()) -> Try | None:
        """Plan a change, once; None where the engine rejects it."""
        given = self.question.settings.given()
        options = {n: v for n, v in options.items() if v is not None or n in given}
        key = (factors, *sorted(options.items(), key=lambda item: item[0]))
        if key not in self.planned:
            self.planned[key] = self._plan(options, factors)
        tried = self.planned[key]
        return None if tried is None else replace(tried, price=price)

    def _plan(self, options: Mapping[str, Any], factors: Factors) -> Try | None:
        try:
            question = self.question
            for rank, times in factors:
                question = _spread_over(question, self.engine, rank, times)
            asked, answer = _planned(self.engine, question, options)
        except FerrumError:
            return None
        if answer.refusal is not None and not answer.changes:
            return None  # not for want of memory: nothing would help from there on
        devices = math.prod(times for _, times in factors)
        return Try(price="", options=options, devices=devices, question=asked, answer=answer)


def _ways(times: int, spread: Sequence[str]) -> Iterator[Factors]:
    """Factors of the ranks whose product is `times`: the best way alone, then with another."""
    best, *others = spread
    split = times
    while split >= 1:
        alone = ((best, split),) if split > 1 else ()
        if split == times:
            yield alone
        else:
            yield from ((*alone, (other, times // split)) for other in others)
        split //= 2


def _spread_over(question: Question, engine: Engine, rank: str, times: int) -> Question:
    """The question with more ranks, said as they were: by Ferrum's options or the engine's."""
    line = grammar(engine.NAME)
    name = ranks(line).get(rank) if line is not None else None
    if name is not None and name in question.settings and question.settings.is_given(name):
        return changed(question, engine, {name: question.settings.value(name) * times})
    parallel = replace(question.parallel, **{rank: getattr(question.parallel, rank) * times})
    check_parallel(question.model, parallel)
    weights = weights_of(question.model.description, parallel)
    return replace(question, parallel=parallel, weights=weights)


def changed(question: Question, engine: Engine, options: Mapping[str, Any]) -> Question:
    """The question with options set; those that are None are left at their defaults."""
    given = {n: s for n, s in question.settings.given().items() if n not in options}
    given |= {n: Setting(v, "flag") for n, v in options.items() if v is not None}
    return replace(question, settings=Settings(engine.OPTIONS, given))


def _planned(
    engine: Engine, question: Question, options: Mapping[str, Any]
) -> tuple[Question, Answer]:
    """The question with options and what sizes the start to them, and its answer."""
    asked = changed(question, engine, options)
    answer = engine.answer(asked)
    if not answer.sizing:
        return asked, answer
    sized = changed(asked, engine, answer.sizing)
    return sized, replace(engine.answer(sized), sizing=answer.sizing)


def _all(changes: Sequence[Change]) -> dict[str, Any]:
    """The last steps of changes together; of two that set the same option the later counts."""
    return {name: value for change in changes for name, value in change.steps[-1].items()}


def _merit(tried: Try) -> tuple[int, int]:
    """Requests first, then the room that is left."""
    left = room(tried.answer)
    return tried.requests, _NO_ROOM if left is None else left


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
