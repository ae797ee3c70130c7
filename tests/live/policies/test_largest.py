"""The largest goes first."""

from tests.live.policies.states import ordered


def test_states_go_by_size_and_among_equals_by_use() -> None:
    assert ordered("largest", use=(0,)) == [3, 1, 2, 0]
