"""Failed admissions give all back everywhere, and a manager that keeps some is found out."""

import pytest

from ferrum_cli.live.layout._storage import Storage
from ferrum_cli.live.layout.per_tensor import PerTensor
from tests.live.drills.conftest import Trial


def test_it_holds_for_every_kind_of_block_on_every_device(trial: Trial) -> None:
    assert trial("admission-failure") == ()


def test_a_manager_that_keeps_the_slots_of_a_failed_admission_is_found_out(
    mutant: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take(self: PerTensor, count: int) -> tuple[int, ...]:
        slots = Storage.take(self, count)
        for slot in slots:
            self._fill_slot(slot)
        return slots

    monkeypatch.setattr(PerTensor, "take", take)
    assert any("slots were kept" in failure for failure in mutant("admission-failure"))
