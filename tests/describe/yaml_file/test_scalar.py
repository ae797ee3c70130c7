"""What an unquoted word means."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.describe.yaml_file.scalar import MAX_TEXT, plain_value, refusal_of_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("151936", 151936),
        ("-7", -7),
        ("18446744073709551615", 2**64 - 1),
        ("1.5", 1.5),
        ("-5.0", -5.0),
        ("1e308", 1e308),
        ("1.0e+308", 1e308),
        ("2E-3", 0.002),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
    ],
)
def test_plain_decimal_numbers_and_constants_are_values(text: str, value: Any) -> None:
    found, refusal = plain_value(text)
    assert refusal is None
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    "text",
    [
        *("no", "yes", "on", "off", "y", "n", "True", "FALSE", "Null", "010", "0o10", "0x10"),
        *("0b1", "1_000", "1:30", "190:20:30", "2026-01-01", "2001-12-14t21:59:43Z", "+1", ".5"),
        *("5.", "-", "1e", "e5", "--1", "1.2.3", "٣", "inf", "nan", "=", "1 2", "1e5\n"),
    ],
)
def test_whatever_else_yaml_takes_for_a_number_date_or_boolean_stays_text(text: str) -> None:
    assert plain_value(text) == (text, None)


@pytest.mark.parametrize("text", [".inf", "-.inf", "+.INF", ".nan", ".NaN", "1e309", "-1e999"])
def test_numbers_that_are_not_finite_are_refused(text: str) -> None:
    value, refusal = plain_value(text)
    assert value is None
    assert refusal is not None


def test_twenty_digits_are_a_number_and_more_are_refused() -> None:
    assert plain_value("9" * 20) == (10**20 - 1, None)
    assert plain_value("-" + "9" * 20) == (1 - 10**20, None)
    assert plain_value("9" * 22)[1] == ("a number of 22 digits", "the most is 20")


def test_text_has_a_longest_length() -> None:
    assert refusal_of_text("x" * MAX_TEXT) is None
    assert refusal_of_text("x" * (MAX_TEXT + 1)) == (
        "text of 4,097 characters",
        "the most is 4,096",
    )


@pytest.mark.parametrize("text", ["\x1b[31m", "a\nb", "\u202eevil", "a\u200bb", "\x9b", "\ud800"])
def test_text_that_a_terminal_would_act_on_is_refused(text: str) -> None:
    assert refusal_of_text(text) is not None


@given(st.text())
def test_every_word_is_a_finite_value_or_is_refused(text: str) -> None:
    value, refusal = plain_value(text)
    assert refusal is None or value is None
    assert not isinstance(value, float) or math.isfinite(value)
