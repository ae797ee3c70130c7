"""`$((…))` calculates as C does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.serve.shell.arithmetic import calculate


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1", 1),
        (" 2 + 3 * 4 ", 14),
        ("(2 + 3) * 4", 20),
        ("2 ** 3 ** 2", 512),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("1 << 10", 1024),
        ("10 - 4 - 3", 3),
        ("- - 1", 1),
    ],
)
def test_an_expression_has_this_value(expression: str, value: int) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    "expression",
    ["", "a", "1 +", "(1", "1 2", "1 / 0", "1 % 0", "2 ** 64", "9 ** 9 ** 9", "1 << 64", "x" * 999],
)
def test_what_cannot_be_calculated_has_no_value(expression: str) -> None:
    assert calculate(expression) is None


@given(st.integers(-999, 999), st.integers(-999, 999), st.sampled_from("+-*"))
def test_whole_numbers_are_pythons(left: int, right: int, sign: str) -> None:
    expected = {"+": left + right, "-": left - right, "*": left * right}[sign]
    assert calculate(f"({left}) {sign} ({right})") == expected
