"""Which plans a command asks for: engines, their versions, and every combination of options.

It knows nothing about models or machines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ferrum_cli.describe.description import Description
from ferrum_cli.engines import Engine, Settings, engine, engine_names
from ferrum_cli.engines._options import find
from ferrum_cli.errors import ShardingError, UsageError
from ferrum_cli.plan.asking import Wanted, plan
from ferrum_cli.plan.result import Plan
from ferrum_cli.plan.sweep import sweep
from ferrum_cli.report import Finding, Level

ALL = "all"


@dataclass(frozen=True, slots=True)
class Case:
    """One engine in one version with one combination of options."""

    engine: Engine
    version: str | None
    settings: Settings


def cases(name: str, versions: str | None, assignments: Sequence[str]) -> list[Case]:
    """Every case that `--engine`, `--engine-version` and `--set` ask for together.

    With `all`, an option goes to the engines that know it. Raises UsageError where none does.
    """
    if name != ALL:
        return list(_cases(engine(name), versions, assignments))
    if versions is not None:
        raise UsageError(
            "versions belong to one engine", hint="name it with --engine", where="--engine-version"
        )
    engines = [engine(known) for known in engine_names()]
    for text in assignments:
        if not any(_knows(one, text) for one in engines):
            sweep([option for one in engines for option in one.OPTIONS], [text])
    return [
        case
        for one in engines
        for case in _cases(one, None, [text for text in assignments if _knows(one, text)])
    ]


def plan_cases(
    descriptions: Sequence[Description], asked: Sequence[Case], wanted: Wanted
) -> tuple[list[Plan], tuple[Finding, ...]]:
    """Every model in every case; of several cases, those that cannot split it are left out.

    Raises ShardingError where none is left.
    """
    plans: list[Plan] = []
    failed: list[tuple[Case, ShardingError]] = []
    for description in descriptions:
        for case in asked:
            try:
                plans.append(plan(description, case.engine, wanted, case.settings, case.version))
            except ShardingError as error:
                failed.append((case, error))
    if failed and not plans:
        raise failed[0][1]
    left_out = tuple(
        Finding(
            Level.WARNING, "split-undefined", f"{case.engine.NAME}: {error.message}", error.hint
        )
        for case, error in failed
    )
    return plans, left_out


def _cases(one: Engine, versions: str | None, assignments: Sequence[str]) -> Iterator[Case]:
    combinations = sweep(one.OPTIONS, assignments)
    for version in versions.split(",") if versions is not None else (None,):
        if version is not None and not version.strip():
            raise UsageError(f"{versions!r} names no version", where="--engine-version")
        for settings in combinations:
            yield Case(one, version, settings)


def _knows(one: Engine, assignment: str) -> bool:
    key = assignment.partition("=")[0].replace("-", "_")
    return find(one.OPTIONS, key) is not None
