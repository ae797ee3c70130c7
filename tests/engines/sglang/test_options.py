"""The table of options, and ranks that its flags give."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import engine
from ferrum_cli.engines._options import parse_assignment
from ferrum_cli.engines.sglang.aliases import ALIASES, canonical
from ferrum_cli.engines.sglang.options import OPTIONS
from ferrum_cli.errors import UsageError
from ferrum_cli.expand import Parallel
from tests.engines.sglang.asking import QWEN3_NEXT, answered, question


def test_no_option_stands_twice() -> None:
    names = [option.name for option in OPTIONS]
    assert len(names) == len(set(names))
    assert all(option.meaning for option in OPTIONS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("mamba_ssm_dtype=bfloat16", "bfloat16"),
        ("context-length=128k", 131_072),
        ("SGLANG_OPT_MAMBA_SKIP_DECODE_LOCK=1", True),
        ("available_gpu_memory_gib=60.5", 60.5),
        ("enable_metrics=true", True),
        ("cuda_graph_bs_decode=1,2,4", [1, 2, 4]),
        ("SGLANG_PP_LAYER_PARTITION=20,28", [20, 28]),
    ],
)
def test_values_are_read_by_kind(text: str, value: object) -> None:
    _, values = parse_assignment(OPTIONS, text)
    assert values == (value,)


@pytest.mark.parametrize(
    "text",
    [
        "mamba_ssm_dtype=float8",
        "mem_fraction_static=1.5",
        "max_running_requests=0",
        "page_size=many",
        "mamba_radix_cache_strategy=extra",
        "max_num_seqs=8",
    ],
)
def test_what_the_command_line_would_reject_is_rejected(text: str) -> None:
    with pytest.raises(UsageError):
        parse_assignment(OPTIONS, text)


@pytest.mark.parametrize("name", ["tp_size", "tensor_parallel_size"])
def test_ranks_may_be_given_by_sglangs_own_flags(name: str) -> None:
    by_flag = answered(QWEN3_NEXT, **{name: 2})
    by_option = answered(QWEN3_NEXT, parallel=Parallel(tp=2))
    assert by_flag.layout == by_option.layout
    assert by_flag.memory == by_option.memory


def test_second_names_lead_to_options_and_the_first_name_wins() -> None:
    names = {option.name for option in OPTIONS}
    assert set(ALIASES) | set(ALIASES.values()) <= names
    given = {"enable_hicache": True, "tensor_parallel_size": 4, "tp_size": 2}
    settings = canonical(question(QWEN3_NEXT, given)).settings
    assert settings.value("enable_hierarchical_cache") is True
    assert settings.value("tp_size") == 2


def test_the_engine_is_found_by_its_name() -> None:
    assert (engine("sglang").NAME, engine("sglang").VERSION) == ("sglang", "0.5.23")
