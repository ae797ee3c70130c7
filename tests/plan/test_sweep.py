"""Several values of an option are a comparison."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import Kind, Option
from ferrum_cli.errors import UsageError
from ferrum_cli.plan.sweep import sweep

TABLE = (
    Option(name="size", kind=Kind.INTEGER, meaning="a size", default=4, lowest=1),
    Option(name="mode", kind=Kind.TEXT, meaning="a mode", choices=("none", "align")),
    Option(name="split", kind=Kind.INTEGERS, meaning="a list"),
    Option(name="extra", kind=Kind.JSON, meaning="an object"),
    Option(name="RUNNER", kind=Kind.FLAG, meaning="a variable", environment=True),
)


def test_without_assignments_there_is_one_combination_of_defaults() -> None:
    (only,) = sweep(TABLE, [])
    assert (only.value("size"), only["size"].source) == (4, "default")
    assert only.given() == {}


def test_every_combination_is_planned_in_order() -> None:
    made = sweep(TABLE, ["size=1,2", "mode=none,align"])
    assert [(s.value("size"), s.value("mode")) for s in made] == [
        (1, "none"),
        (1, "align"),
        (2, "none"),
        (2, "align"),
    ]


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("split=1,2,3", "split", [1, 2, 3]),
        ('extra={"a": 1, "b": [2, 3]}', "extra", {"a": 1, "b": [2, 3]}),
        ("RUNNER=1", "RUNNER", True),
    ],
)
def test_lists_and_json_keep_their_commas(text: str, name: str, value: object) -> None:
    (only,) = sweep(TABLE, [text])
    assert only.value(name) == value


def test_where_a_value_came_from_is_kept() -> None:
    (only,) = sweep(TABLE, ["RUNNER=1", "size=2"])
    assert (only["RUNNER"].source, only["size"].source) == ("environment", "flag")


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (["sise=1"], "--set: unknown option 'sise'; did you mean 'size'?"),
        (["size"], "--set: 'size' is no KEY=VALUE"),
        (["=1"], "--set: '=1' is no KEY=VALUE"),
        (["size=x"], "--set size: size is a whole number, not 'x'"),
        (["size=0"], "--set size: size is at least 1, not 0"),
        (["size=1_000"], "--set size: size is a whole number"),
        (["size=" + "9" * 5000], "--set size: size is a whole number"),
        (["mode=all"], "--set mode: mode: invalid choice 'all'; choose from none, align"),
        (["extra={"], "--set extra: extra is JSON"),
        (["extra=" + "[" * 100_000], "--set extra: extra is JSON"),
        (["RUNNER=yes"], "--set RUNNER: RUNNER is true or false, not 'yes'"),
        (["size=1", "size=2"], "--set size: size is set twice"),
        (["size=" + ",".join(["1"] * 300)], "--set: more than 256 combinations"),
    ],
)
def test_what_is_no_value_of_an_option_is_refused(assignments: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        sweep(TABLE, assignments)
    assert message in str(caught.value)
