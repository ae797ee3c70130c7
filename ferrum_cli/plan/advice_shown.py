"""Advice as it is shown: a finding, a table of what each change buys, and JSON.

It knows nothing about how the advice was found.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ferrum_cli.engines import Answer, Question
from ferrum_cli.plan.advice import Advice, Outcome, Try, room, runs
from ferrum_cli.plan.advice_search import MOST_DEVICES
from ferrum_cli.plan.command import command, flags, said
from ferrum_cli.quantity import format_bytes, format_tokens
from ferrum_cli.report import Cell, Finding, Level, Table, Unit, cell, table

_HEADINGS = ("change", "price", "requests", "more requests", "more tokens", "more room", "enough")


def finding(advice: Advice, question: Question) -> Finding:
    """What to do, in one sentence, with the command line to copy."""
    wanted = _target(question.requests, advice.before.capacity.context)
    nothing = f"no change lets {wanted} run here"
    no_devices = f"nor did any way of using up to {MOST_DEVICES} such devices"
    shorter = _shorter(advice, question)
    if advice.chosen is None:
        message = f"{nothing}, {no_devices}: not one request runs{shorter}"
        return Finding(Level.WARNING, "advice-nothing", message, "use larger devices")
    change, line = " ".join(_change(advice.chosen)), command_line(advice)
    if advice.outcome is Outcome.REACHED:
        runs_or_run = "runs" if question.requests == 1 else "run"
        return Finding(Level.INFO, "advice", f"{wanted} {runs_or_run} with {change}", line)
    if advice.outcome is Outcome.MORE_DEVICES:
        message = f"{nothing}, but with {change}{shorter}"
        return Finding(Level.WARNING, "advice-devices", message, line)
    message = f"{nothing}, {no_devices}; {advice.chosen.requests} run with {change}{shorter}"
    return Finding(Level.WARNING, "advice-nearest", message, line)


def tried_table(advice: Advice, question: Question) -> Table:
    """The changes, cheapest first, and what each buys."""
    title = (
        f"What would reach it: {_target(question.requests, advice.before.capacity.context)},"
        f" where {runs(advice.before)} run now"
    )
    return table(title, _HEADINGS, [_row(advice, one) for one in advice.tries])


def command_line(advice: Advice) -> str | None:
    """What to start with; None where nothing runs, or no command line starts the engine."""
    chosen = advice.chosen
    if chosen is None:
        return None
    return command(advice.before.engine, chosen.question, chosen.advised, advice.written)


def to_json(advice: Advice) -> dict[str, Any]:
    """Everything that was tried, with its flags and what it buys."""
    return {
        "outcome": advice.outcome.value,
        "command": command_line(advice),
        "context_instead": advice.context_instead,
        "tried": [_facts(advice, one) for one in advice.tries],
    }


def start_flags(question: Question, answer: Answer, advice: Advice | None) -> tuple[str, ...]:
    """The flags to add to what was given: those of the advice, or what the target needs anyway."""
    chosen = None if advice is None else advice.chosen
    if chosen is not None:
        question, answer = chosen.question, chosen.answer
    advised = answer.sizing if chosen is None else chosen.advised
    options = {**said(answer.engine, question), **advised}
    return flags(answer.engine, question.version, options)


def _facts(advice: Advice, tried: Try) -> dict[str, Any]:
    """One change, and what it buys."""
    bought = _bought(advice, tried)
    return {
        "change": list(_change(tried)),
        "options": dict(tried.advised),
        "devices": _devices(tried),
        "price": tried.price,
        "requests": tried.requests,
        "requests_bought": bought[0],
        "tokens_bought": bought[1],
        "bytes_bought": bought[2],
        "reaches": tried.requests >= tried.question.requests,
        "chosen": tried is advice.chosen,
    }


def _row(advice: Advice, tried: Try) -> tuple[Cell, ...]:
    requests, tokens, size = _bought(advice, tried)
    return (
        cell(" ".join(_change(tried))),
        cell(tried.price),
        cell(tried.requests, Unit.COUNT),
        cell(f"{requests:+,}"),
        cell(None if tokens is None else f"{tokens:+,}"),
        cell(None if size is None else _signed_bytes(size)),
        cell("yes" if tried.requests >= tried.question.requests else "no"),
    )


def _bought(advice: Advice, tried: Try) -> tuple[int, int | None, int | None]:
    """Requests, tokens of KV, and bytes of room for the requests asked about, beyond the sizing."""
    changes = bool(tried.options) or tried.devices > 1
    before, after = advice.sized if changes else advice.before, tried.answer
    return (
        tried.requests - runs(before),
        _more(before.capacity.tokens, after.capacity.tokens),
        _more(room(before), room(after)),
    )


def _more(before: int | None, after: int | None) -> int | None:
    return None if after is None else after - (before or 0)


def _signed_bytes(size: int) -> str:
    return f"{'+' if size >= 0 else '−'}{format_bytes(abs(size))}"


def _change(tried: Try) -> tuple[str, ...]:
    """The change in words: devices, flags, and flags to leave out."""
    engine, version = tried.answer.engine, tried.question.version
    spread = said(engine, replace(tried.question, context_given=False))
    ranks = flags(engine, version, spread) or (f"{_devices(tried)} devices",)
    removed = (n.replace("_", "-") for n, v in tried.options.items() if v is None)
    return (
        *(ranks if tried.devices > 1 else ()),
        *flags(engine, version, tried.advised),
        *(f"without --{name}" for name in removed),
    )


def _devices(tried: Try) -> int:
    parallel = tried.question.parallel
    return parallel.tp * parallel.pp * parallel.dp


def _target(requests: int, context: int) -> str:
    noun = "request" if requests == 1 else "requests"
    return f"{requests} {noun} of {format_tokens(context)} tokens"


def _shorter(advice: Advice, question: Question) -> str:
    if advice.context_instead is None:
        return ""
    return f"; {_target(question.requests, advice.context_instead)} run here as it is"
