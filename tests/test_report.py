"""Reports are neutral: values with units, columns that know their side."""

from __future__ import annotations

from ferrum_cli.report import Finding, Level, Unit, cell, table


def test_columns_of_numbers_stand_to_the_right() -> None:
    made = table("t", ("name", "bytes"), [(cell("a"), cell(1, Unit.BYTES))])
    assert [column.align for column in made.columns] == ["left", "right"]


def test_a_finding_as_json_has_all_four_keys() -> None:
    assert Finding(Level.INFO, "code", "text").to_json() == {
        "level": "info",
        "code": "code",
        "message": "text",
        "hint": None,
    }
