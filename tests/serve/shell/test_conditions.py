"""Tests that can be decided without a machine, and those that cannot."""

from __future__ import annotations

import pytest

from ferrum_cli.serve.shell.conditions import holds, is_test
from ferrum_cli.serve.shell.values import Argument


def decided(text: str) -> bool | None:
    words = ["" if word == "''" else word for word in text.split()]
    return holds([Argument(w, (w.strip("${}"),) if w.startswith("$") else ()) for w in words])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        ("false", False),
        ("[ a = a ]", True),
        ("[ a != a ]", False),
        ("[[ abc == a* ]]", True),
        ("test -n a", True),
        ("[ -z '' ]", True),
        ("[ a ]", True),
        ("[ ! -z a ]", True),
        ("[ 3 -lt 10 ]", True),
        ("[ 3 -ge 10 ]", False),
        ("[ -z $U ]", True),
        ("[ -n ${U} ]", False),
        ("[ -f file ]", None),
        ("[ x -lt 10 ]", None),
        ("[ -z $(date) ]", None),
        ("[ a = a", None),
        ("grep x", None),
    ],
)
def test_a_test_is_decided_where_it_can_be(text: str, expected: bool | None) -> None:
    assert decided(text) is expected


def test_only_tests_are_tests() -> None:
    assert is_test("[[")
    assert not is_test("grep")
