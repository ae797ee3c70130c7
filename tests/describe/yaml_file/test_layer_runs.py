"""The shortest way to write a row of layers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.describe.yaml_file.layer_runs import Run, runs, whole_run


def written(row: str) -> str:
    return " ".join(
        "".join(run.pattern) + (f"*{run.repeat}" if run.repeat > 1 else "") for run in runs(row)
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("", ""),
        ("A", "A"),
        ("AA", "A*2"),
        ("AB", "A B"),
        ("ABAB", "AB*2"),
        ("AAAA", "A*4"),
        ("AAABAAABAAAB", "AAAB*3"),
        ("AAABAAABAAABAA", "AAAB*3 A*2"),
        ("DAAABAAABAAAB", "D AAAB*3"),
        ("AAAABBBB", "A*4 B*4"),
        ("AABBAABB", "AABB*2"),
        ("ABABABABCABC", "AB*3 ABC*2"),
        ("ABCDEF", "A B C D E F"),
    ],
)
def test_rows_become_runs_as_a_person_would_write_them(row: str, expected: str) -> None:
    assert written(row) == expected


@given(st.text("ABC", max_size=60))
def test_runs_make_up_the_row_and_are_never_longer(row: str) -> None:
    found = runs(row)
    assert "".join("".join(run.pattern) * run.repeat for run in found) == row
    assert sum(len(run.pattern) for run in found) <= len(row)


@given(st.text("AB", min_size=1, max_size=8), st.integers(2, 20))
def test_a_repeated_pattern_is_written_once_at_most(pattern: str, times: int) -> None:
    cost = sum(len(run.pattern) + (run.repeat > 1) for run in runs(pattern * times))
    assert cost <= len(pattern) + 1


@pytest.mark.parametrize(
    ("row", "run"),
    [
        ("AAAA", Run(("A",), 4)),
        ("ABAB", Run(("A", "B"), 2)),
        ("ABA", Run(("A", "B", "A"))),
        ("A", Run(("A",))),
    ],
)
def test_a_row_that_must_stay_one_run_has_its_shortest_pattern(row: str, run: Run[str]) -> None:
    assert whole_run(row) == run


def test_thousands_of_layers_are_no_trouble() -> None:
    assert written("AAAB" * 1024) == "AAAB*1024"
