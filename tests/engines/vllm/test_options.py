"""vLLM's options as one table."""

from __future__ import annotations

import pytest

from ferrum_cli.engines import Kind
from ferrum_cli.engines._options import Option, parse_assignment
from ferrum_cli.engines.vllm.options import AUTO_LENGTH, DECIDING, OPTIONS, OTHER_OPTIONS
from ferrum_cli.engines.vllm.versions import READ, Version
from ferrum_cli.errors import UsageError


def test_no_option_stands_twice() -> None:
    names = [option.name for option in OPTIONS]
    assert len(names) == len(set(names))
    assert len(DECIDING) + len(OTHER_OPTIONS) == len(OPTIONS)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: str(option.name))
def test_versions_of_options_are_versions_that_were_read(option: Option) -> None:
    for version in (option.since, option.until):
        assert version is None or Version.of(version) in READ
    if option.since and option.until:
        assert Version.of(option.since) < Version.of(option.until)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: str(option.name))
def test_variables_are_in_capitals_and_flags_are_not(option: Option) -> None:
    assert option.environment == option.name.isupper() == option.name.startswith("VLLM_")
    assert "-" not in option.name


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("max_model_len=128k", 131072),
        ("max_model_len=auto", "auto"),
        ("max_model_len=-1", "-1"),
        ("kv_cache_memory_bytes=40GiB,38GiB", [40 * 2**30, 38 * 2**30]),
        ("enable_prefix_caching=false", False),
        ('speculative_config={"method": "mtp"}', {"method": "mtp"}),
        ("VLLM_PP_LAYER_PARTITION=20,28", [20, 28]),
        ("gpu_memory_utilization=0.95", 0.95),
        ("mamba-ssm-cache-dtype=bfloat16", "bfloat16"),
    ],
)
def test_values_are_read_as_vllm_reads_them(text: str, value: object) -> None:
    assert parse_assignment(OPTIONS, text)[1] == (value,)


@pytest.mark.parametrize(
    "text",
    [
        "max_model_len=0",
        "max_num_seqs=0",
        "gpu_memory_utilization=1.5",
        "gpu_memory_utilization=0",
        "mamba_cache_dtype=fp8",
        "mamba_cache_mode=maybe",
        "speculative_config={",
        "max_num_seq=8",
    ],
)
def test_values_that_vllm_rejects_are_errors(text: str) -> None:
    with pytest.raises(UsageError):
        parse_assignment(OPTIONS, text)


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(UsageError) as error:
        parse_assignment(OPTIONS, "max_num_seq=8")
    assert "max_num_seqs" in (error.value.hint or "")


def test_an_automatic_length_has_two_spellings() -> None:
    option = next(option for option in OPTIONS if option.name == "max_model_len")
    assert option.words == AUTO_LENGTH
    assert option.kind is Kind.TOKENS
