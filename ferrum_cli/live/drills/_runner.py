"""Runs drills and says what came of them; a drill that breaks or does not end has failed.

It knows nothing about what drills do.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType

from ferrum_cli import discover
from ferrum_cli.errors import UsageError
from ferrum_cli.live.drills._scene import Scene, Stage
from ferrum_cli.report import Cell

PACKAGE = "ferrum_cli.live.drills"
LONGEST_S = 120.0
"""A drill that takes longer waits for something that never comes."""


@dataclass(frozen=True, slots=True)
class DrillResult:
    """What came of one drill."""

    name: str
    purpose: str
    seed: int
    failures: tuple[str, ...]
    rows: tuple[tuple[str, Cell], ...]
    audits: int
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether everything held."""
        return not self.failures


def drills() -> tuple[str, ...]:
    """Every drill, as a user writes it; none is imported."""
    return tuple(name.replace("_", "-") for name in discover.names(PACKAGE))


def chosen_drills(names: Sequence[str]) -> tuple[str, ...]:
    """The drills of these names, each once; `all` is every one. Raises UsageError."""
    found: dict[str, None] = {}
    for name in names:
        if name != "all" and name not in drills():
            raise UsageError(
                f"unknown drill {name!r}",
                hint=discover.suggestion(name, (*drills(), "all")),
                where="--drill",
            )
        found.update(dict.fromkeys(drills() if name == "all" else (name,)))
    return tuple(found)


def run_drill(name: str, stage: Stage) -> DrillResult:
    """Run one drill to its end."""
    module = discover.load(PACKAGE, name.replace("-", "_"))
    assert module is not None  # noqa: S101 - the name was checked
    scene = Scene(stage)
    started = time.perf_counter()
    try:
        asyncio.run(_bounded(module, scene))
    except TimeoutError:
        scene.failures.append(f"it did not end within {LONGEST_S:.0f} s")
    except Exception as error:  # noqa: BLE001 - whatever breaks a drill is what it found
        scene.failures.append(f"it broke off with {type(error).__name__}: {error}")
    return DrillResult(
        name=name,
        purpose=str(module.__doc__).partition("\n")[0].rstrip("."),
        seed=stage.seed,
        failures=tuple(scene.failures),
        rows=tuple(scene.rows),
        audits=scene.audits,
        seconds=time.perf_counter() - started,
    )


def run_drills(
    names: Sequence[str], stage: Stage, tell: Callable[[str], object]
) -> Iterator[DrillResult]:
    """Run drills one after another, telling the name of each before it starts."""
    for name in names:
        tell(name)
        yield run_drill(name, stage)


async def _bounded(module: ModuleType, scene: Scene) -> None:
    async with asyncio.timeout(LONGEST_S):
        await module.run(scene)
    left = asyncio.all_tasks() - {asyncio.current_task()}
    scene.expect(not left, f"I8: {len(left)} tasks are left behind")
