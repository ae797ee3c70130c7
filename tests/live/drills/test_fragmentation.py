"""Arenas stay as they are everywhere, and a layout that does not is found out."""

from typing import Any

import pytest

from ferrum_cli.live.manager import StatePool
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("fragmentation") == ()


def test_a_manager_that_allocates_for_each_tensor_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = StatePool.__init__

    def per_tensor(self: StatePool, device: Any, classes: Any, layout: str) -> None:
        del layout
        make(self, device, classes, "per-tensor")

    monkeypatch.setattr(StatePool, "__init__", per_tensor)
    assert any("the device holds" in failure for failure in mutant("fragmentation"))
