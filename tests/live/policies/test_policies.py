"""Policies by their names."""

import pytest

from ferrum_cli.errors import UsageError
from ferrum_cli.live.policies import policies, policy


def test_every_policy_is_found_by_its_name() -> None:
    assert policies() == ("largest", "lru", "none", "oldest", "priority")


def test_an_unknown_policy_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="--policy: unknown policy 'lrv'; did you mean 'lru'"):
        policy("lrv")
