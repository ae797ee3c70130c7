"""Every figure can be explained by formula, values and source."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import Machine, engine
from ferrum_cli.errors import UsageError
from ferrum_cli.expand import Parallel
from ferrum_cli.plan import Wanted, plan
from ferrum_cli.plan.explain import explanation, figures
from tests.models import qwen3_next

PLAN = plan(qwen3_next(), engine("native"), Wanted(machine=Machine(memory_bytes=200 * 2**30)))


def test_all_figures_have_a_formula_and_a_source() -> None:
    names = [figure.name for figure in figures(PLAN)]
    assert {"bytes_per_slot", "kv_bytes_per_token", "max_requests", "parameters"} <= set(names)
    assert all(figure.formula and figure.source for figure in figures(PLAN))
    assert len(explanation(PLAN, "all").rows) == len(names)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bytes_per_slot", 77_266_944),
        ("state.bytes_per_slot", 77_266_944),
        ("kv.bytes_per_token", 24_576),
        ("weights.bytes", 159_348_782_592),
        ("model.parameters.total", 79_674_391_296),
        ("engine.layout.weights_bytes_per_rank", 159_348_782_592),
        ("KV cache", 6_442_450_944),
    ],
)
def test_a_figure_is_found_by_its_name_and_by_its_path_in_json(name: str, value: int) -> None:
    (row,) = explanation(PLAN, name).rows
    assert row[1].value == value


def test_every_rank_of_a_figure_is_shown_together() -> None:
    wanted = Wanted(parallel=Parallel(1, 3))
    rows = explanation(plan(qwen3_next(), engine("native"), wanted), "weights_bytes_per_rank").rows
    assert [row[0].value for row in rows] == [f"weights_bytes_per_rank.{n}" for n in range(3)]


def test_the_name_in_the_log_stands_beside_the_formula() -> None:
    wanted = Wanted(machine=Machine(memory_bytes=200 * 2**30), context=32_768)
    found = plan(qwen3_next(), engine("vllm"), wanted)
    (row,) = explanation(found, "kv_cache_size_tokens").rows
    assert row[4].value == "GPU KV cache size"


def test_an_unknown_figure_is_refused_with_all_names() -> None:
    with pytest.raises(UsageError, match=r"--explain: .*bytes_per_slot") as caught:
        explanation(PLAN, "bytes_per_slt")
    assert "did you mean 'bytes_per_slot'" in str(caught.value)
