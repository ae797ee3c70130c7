"""Whether a newer version of the engine would answer differently.

It knows nothing about an engine's versions but that each names its newest.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ferrum_cli.engines import Answer, Engine, Question
from ferrum_cli.errors import FerrumError
from ferrum_cli.report import Finding, Level

_TOLD = 3


def newer_version(question: Question, engine: Engine, answer: Answer) -> tuple[Finding, ...]:
    """A finding when the default version gives other figures than the one that was asked for."""
    if _numbers(question.version) >= _numbers(engine.VERSION):
        return ()
    try:
        newest = engine.answer(replace(question, version=engine.VERSION))
    except FerrumError:
        return ()
    changes = [
        f"{name} {answer.layout.get(name)} becomes {value}"
        for name, value in newest.layout.items()
        if isinstance(value, (int, float)) and answer.layout.get(name) != value
    ]
    if newest.refusal is not None and answer.refusal is None:
        changes = [f"it refuses to start ({newest.refusal})"]
    if not changes:
        return ()
    told = ", ".join(changes[:_TOLD]) + (", …" if len(changes) > _TOLD else "")
    finding = Finding(
        Level.INFO,
        "newer-version-differs",
        f"with {answer.engine} {engine.VERSION} {told}",
        f"compare with --engine-version {question.version},{engine.VERSION} --diff",
    )
    return (finding,)


def _numbers(version: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"[0-9]{1,9}", version)]
