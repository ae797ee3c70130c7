"""From a description and what is wanted to a plan: expand, ask the engine, judge.

It knows nothing about where the description came from or where the plan goes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ferrum_cli.describe.description import Description
from ferrum_cli.engines import Answer, Engine, Machine, Question, Settings
from ferrum_cli.expand import Parallel, check_parallel, expand, parameters
from ferrum_cli.plan.advice_search import advise
from ferrum_cli.plan.advice_shown import finding
from ferrum_cli.plan.budget import weigh
from ferrum_cli.plan.command import Written
from ferrum_cli.plan.newest import newer_version
from ferrum_cli.plan.result import Plan, Verdict
from ferrum_cli.plan.weights import weights_of
from ferrum_cli.report import Finding, Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a user asks for. None where nothing was said."""

    parallel: Parallel = field(default_factory=Parallel)
    requests: int | None = None
    context: int | None = None
    machine: Machine = field(default_factory=Machine)
    budget_bytes: int | None = None
    written: Written | None = None
    """The command line that the options come from, to be changed rather than written anew."""


def plan(
    description: Description,
    engine: Engine,
    wanted: Wanted,
    settings: Settings | None = None,
    version: str | None = None,
) -> Plan:
    """Plan one model with one engine. Raises ShardingError for splits that no engine defines."""
    question = _question(description, engine, wanted, settings, version)
    answer = engine.answer(question)
    verdict = _verdict(question, answer)
    budget = None
    if wanted.budget_bytes is not None:
        budget = weigh(question, engine, answer, wanted.budget_bytes)
        verdict = _with_budget(verdict, budget.holds)
    advice = advise(question, engine, answer, wanted.written)
    findings = (
        *_notes(description),
        *answer.findings,
        *_beyond_model(question),
        *newer_version(question, engine, answer),
        *((finding(advice, question),) if advice is not None else ()),
    )
    return Plan(question, answer, parameters(description), verdict, findings, budget, advice)


def _question(
    description: Description,
    engine: Engine,
    wanted: Wanted,
    settings: Settings | None,
    version: str | None,
) -> Question:
    model = expand(description)
    check_parallel(model, wanted.parallel)
    return Question(
        model=model,
        parallel=wanted.parallel,
        settings=settings or Settings(engine.OPTIONS, {}),
        version=version or engine.VERSION,
        requests=wanted.requests or 1,
        context=wanted.context or description.max_context,
        context_given=wanted.context is not None,
        requests_given=wanted.requests is not None,
        machine=wanted.machine,
        weights=weights_of(description, wanted.parallel),
    )


def _verdict(question: Question, answer: Answer) -> Verdict:
    if answer.refusal is not None:
        return Verdict.REFUSED
    if answer.capacity.max_requests is None:
        return Verdict.UNKNOWN if question.machine.memory_bytes is None else Verdict.FITS
    if question.requests > answer.capacity.max_requests:
        return Verdict.DOES_NOT_FIT
    return Verdict.FITS if question.weights.known else Verdict.UNKNOWN


def _with_budget(verdict: Verdict, holds: bool) -> Verdict:
    """A budget decides where memory says nothing, and a broken one never fits."""
    if verdict is Verdict.REFUSED:
        return verdict
    if not holds:
        return Verdict.DOES_NOT_FIT
    return Verdict.FITS if verdict is Verdict.UNKNOWN else verdict


def _notes(description: Description) -> tuple[Finding, ...]:
    return tuple(Finding(Level.INFO, "assumed", note) for note in description.notes)


def _beyond_model(question: Question) -> tuple[Finding, ...]:
    limit = question.model.description.max_context
    if question.context <= limit:
        return ()
    finding = Finding(
        Level.WARNING,
        "context-beyond-model",
        f"{question.context} tokens are more than the model's {limit}",
        f"use --context {limit} or less",
    )
    return (finding,)
