"""For ten models, three engines and six machines: what is advised reaches what was promised.

The advised command line is pasted back and planned again, for the same target on the same machine.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.advice.asking import CONTEXT, ENGINES, MACHINES, MODELS, missed_target, planned, runs

CASES = list(itertools.product(MODELS, ENGINES, MACHINES))


def again(command: str, target: tuple[str, ...], devices: int) -> dict[str, Any]:
    """The advised command line, planned for the same target."""
    model, *words = target
    layers = ("--pp", str(devices)) if command.startswith("llama-server") else ()
    return planned(model, "--serve", command, *words, *layers)


@pytest.mark.parametrize(("model", "engine", "machine"), CASES)
def test_the_advised_command_line_reaches_the_target_and_without_it_nothing_does(
    model: str, engine: str, machine: str
) -> None:
    target = missed_target(model, engine, machine)
    wanted = int(target[-1])
    before = planned(*target, engine=engine)
    assert runs(before) < wanted
    advice = before["engine"]["advice"]
    if advice["command"] is None:
        assert advice["outcome"] == "nothing"
        assert all(one["requests"] == 0 for one in advice["tried"])
        return
    (chosen,) = (one for one in advice["tried"] if one["chosen"])
    after = again(advice["command"], target, chosen["devices"])
    assert after["verdict"] != "refused"
    assert runs(after) == chosen["requests"]
    assert (runs(after) >= wanted) == (advice["outcome"] in ("reached", "more_devices"))
    assert chosen["devices"] == 1 or advice["outcome"] != "reached"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_target_that_is_reached_gets_no_advice(engine: str) -> None:
    words = ("qwen3-8b", "--gpu", "h100", "--context", str(CONTEXT), "--requests", "2")
    found = planned(*words, engine=engine)
    assert runs(found) >= 2
    assert found["engine"]["advice"] is None


@pytest.mark.parametrize("engine", ENGINES)
def test_without_a_target_nothing_is_advised(engine: str) -> None:
    assert planned("qwen3.5-27b", "--gpu", "l40s", engine=engine)["engine"]["advice"] is None
