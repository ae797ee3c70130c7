"""Nobody goes."""

from tests.live.policies.states import ordered


def test_nobody_is_evicted() -> None:
    assert ordered("none") == []
