"""Every figure can be explained by formula, values and source."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import Machine, engine
from ferrum_cli.errors import UsageError
from ferrum_cli.plan import Wanted, plan
from ferrum_cli.plan.explain import explanation, figures
from tests.models import qwen3_next

PLAN = plan(qwen3_next(), engine("native"), Wanted(machine=Machine(memory_bytes=200 * 2**30)))


def test_all_figures_have_a_formula_and_a_source() -> None:
    names = [figure.name for figure in figures(PLAN)]
    assert {"bytes_per_slot", "kv_bytes_per_token", "max_requests", "parameters"} <= set(names)
    assert all(figure.formula and figure.source for figure in figures(PLAN))
    assert len(explanation(PLAN, "all").rows) == len(names)


def test_the_formula_of_a_slot_works_out_to_its_bytes() -> None:
    (row,) = explanation(PLAN, "bytes_per_slot").rows
    formula = str(row[2].value).replace("×", "*").replace("·", "*").replace(" B", "")
    assert eval(formula) == row[1].value == 77_266_944  # noqa: S307 - our own arithmetic


def test_the_formula_of_the_requests_works_out_too() -> None:
    (row,) = explanation(PLAN, "max_requests").rows
    formula = str(row[2].value).replace("× dp", "*")
    assert eval(formula) == row[1].value  # noqa: S307 - our own arithmetic


def test_an_unknown_figure_is_refused_with_all_names() -> None:
    with pytest.raises(UsageError, match=r"--explain: .*bytes_per_slot") as caught:
        explanation(PLAN, "bytes_per_slt")
    assert "did you mean 'bytes_per_slot'" in str(caught.value)
