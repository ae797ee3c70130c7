"""The least recently used goes first."""

from tests.live.policies.states import ordered


def test_unused_states_go_in_the_order_of_their_allocation() -> None:
    assert ordered("lru") == [0, 1, 2, 3]


def test_a_state_that_was_used_goes_last() -> None:
    assert ordered("lru", use=(0, 2, 0)) == [1, 3, 2, 0]
