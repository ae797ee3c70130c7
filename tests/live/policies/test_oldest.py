"""The first allocated goes first, however it was used."""

from tests.live.policies.states import ordered


def test_use_does_not_matter() -> None:
    assert ordered("oldest", use=(0, 1)) == [0, 1, 2, 3]
