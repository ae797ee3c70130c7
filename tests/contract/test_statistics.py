"""Statistics of handles and managers, and the choice of resume policy."""

import dataclasses
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.contract import (
    RecurrentStateHandleStats,
    RecurrentStateManagerStats,
    RecurrentStateResumePolicy,
)
from ferrum_cli.errors import ContractError
from ferrum_cli.quantity import MAX_USIZE

VALID = {
    "total_memory_bytes": 1000,
    "used_memory_bytes": 600,
    "active_states": 2,
    "active_state_tensors": 8,
    "total_batch_slots": 16,
    "used_batch_slots": 3,
    "allocation_count": 5,
    "allocation_failures": 1,
    "eviction_count": 2,
}


def test_json_of_a_managers_statistics_is_serdes() -> None:
    stats = RecurrentStateManagerStats(**VALID)
    assert json.dumps(stats.to_json()) == json.dumps(VALID)


@given(st.fixed_dictionaries(dict.fromkeys(VALID, st.integers(0, MAX_USIZE))))
def test_every_managers_statistics_survive_json(values: dict[str, int]) -> None:
    stats = RecurrentStateManagerStats(**values)
    assert RecurrentStateManagerStats.from_json(json.loads(json.dumps(stats.to_json()))) == stats


@pytest.mark.parametrize("field", VALID)
@pytest.mark.parametrize("bad", [-1, MAX_USIZE + 1, 1.0, True, None, "1"])
def test_a_count_that_is_no_usize_is_refused_with_its_path(field: str, bad: object) -> None:
    with pytest.raises(ContractError, match=rf"^manager\.{field}: expected an integer"):
        RecurrentStateManagerStats.from_json(VALID | {field: bad}, "manager")


@pytest.mark.parametrize("field", VALID)
def test_a_missing_count_is_refused(field: str) -> None:
    lacking = {name: value for name, value in VALID.items() if name != field}
    with pytest.raises(ContractError, match=f"missing field '{field}'"):
        RecurrentStateManagerStats.from_json(lacking)


def test_an_unknown_count_is_refused() -> None:
    with pytest.raises(ContractError, match="unknown field 'snapshots'"):
        RecurrentStateManagerStats.from_json(VALID | {"snapshots": 1})


def test_json_of_a_handles_statistics_has_an_age_in_place_of_an_instant() -> None:
    stats = RecurrentStateHandleStats(
        memory_bytes=600, state_tensors=4, batch_slots=1, last_access=time.monotonic() - 60
    )
    written = stats.to_json()
    age = written.pop("seconds_since_last_access")
    assert 60 <= age < 120
    assert written == {"memory_bytes": 600, "state_tensors": 4, "batch_slots": 1}


def test_an_access_in_the_future_has_no_negative_age() -> None:
    stats = RecurrentStateHandleStats(0, 0, 0, last_access=time.monotonic() + 3600)
    assert stats.to_json()["seconds_since_last_access"] == 0


def test_statistics_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        RecurrentStateManagerStats(**VALID).active_states = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        RecurrentStateHandleStats(0, 0, 0, 0.0).last_access = 1.0


@pytest.mark.parametrize("policy", RecurrentStateResumePolicy)
def test_a_resume_policy_is_written_by_its_variants_name(
    policy: RecurrentStateResumePolicy,
) -> None:
    assert policy.to_json() == policy.name
    assert RecurrentStateResumePolicy.from_json(policy.to_json()) is policy


@pytest.mark.parametrize("bad", ["recompute", "recomputeonresume", "", None, 0, {}])
def test_a_name_that_is_no_resume_policy_is_refused(bad: object) -> None:
    with pytest.raises(ContractError, match=r"^policy: expected a RecurrentStateResumePolicy"):
        RecurrentStateResumePolicy.from_json(bad, "policy")
