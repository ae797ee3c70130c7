"""The least important goes first."""

from tests.live.policies.states import ordered


def test_states_go_by_priority_and_among_equals_by_use() -> None:
    assert ordered("priority", use=(1,)) == [3, 1, 2, 0]
