"""Which architectures a version has, and what it says about others."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from ferrum_cli.describe.description import Description
from ferrum_cli.engines.vllm.architectures import NO_PIPELINE, TABLE, find
from ferrum_cli.engines.vllm.mixers import MIXERS
from ferrum_cli.engines.vllm.versions import READ, Version
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    CODESTRAL,
    HOPPER,
    KIMI_K3,
    LLAMA,
    OLMO_HYBRID,
    POOL,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    codes,
    description,
    finding,
)
from tests.models import described


def named(model: str, architecture: str | None) -> Description:
    return dataclasses.replace(description(model), architecture=architecture)


@pytest.mark.parametrize("name", TABLE)
def test_versions_of_architectures_are_versions_that_were_read(name: str) -> None:
    row = TABLE[name]
    assert row.since is None or Version.of(row.since) in READ
    assert row.until is None or Version.of(row.until) < READ[-1]


@pytest.mark.parametrize(
    ("model", "version", "words"),
    [
        ("MiniMaxAI__MiniMax-M1", "0.32.0", "was supported in vLLM until v0.23.0, and is not"),
        ("pfnet__plamo-2-1b", "0.28.0", "was supported in vLLM until v0.26.0, and is not"),
        ("ibm-fms__Bamba-9B", "0.33.0", "does not dispatch through the Transformers attention"),
        ("BlinkDL__rwkv7-g1i-2.9b", "0.33.0", "are not supported for now"),
        ("NX-AI__xLSTM-7b", "0.33.0", "are not supported for now"),
        ("google__recurrentgemma-2b", "0.33.0", "are not supported for now"),
        ("jet-ai__Jet-Nemotron-2B", "0.33.0", "are not supported for now"),
        (KIMI_K3, "0.26.0", "are not supported for now"),
        (OLMO_HYBRID, "0.17.1", "are not supported for now"),
        (QWEN35_27B, "0.15.1", "are not supported for now"),
    ],
)
def test_architectures_that_a_version_lacks_are_refused_in_its_words(
    model: str, version: str, words: str
) -> None:
    answer = answered(model, POOL, version=version, machine=HOPPER)
    assert answer.refusal is not None
    assert words in answer.refusal
    error = answer.findings[0]
    assert (error.level.value, error.message) == ("error", answer.refusal)
    assert error.hint


@pytest.mark.parametrize(
    ("model", "version"),
    [("MiniMaxAI__MiniMax-M1", "0.23.0"), ("pfnet__plamo-2-1b", "0.26.0")],
)
def test_the_last_version_of_an_architecture_still_runs_it(model: str, version: str) -> None:
    answer = answered(model, POOL | {"max_model_len": 2048}, version=version, machine=HOPPER)
    assert answer.refusal is None
    assert answer.layout["recurrent_tensors_per_layer"]


def test_between_two_versions_an_architecture_may_or_may_not_be_there() -> None:
    answer = answered(KIMI_K3, POOL, version="0.27.0", machine=HOPPER, parallel=Parallel(8))
    assert finding(answer, "architecture-doubtful")


@pytest.mark.parametrize("model", [CODESTRAL, "Zyphra__Zamba2-7B"])
def test_models_without_pipelines_refuse_them(model: str) -> None:
    answer = answered(model, POOL, parallel=Parallel(1, 2), machine=HOPPER)
    assert answer.refusal == NO_PIPELINE
    assert "pipeline-unsupported" in codes(answer)


def test_a_description_without_an_architecture_takes_the_commonest_ways() -> None:
    nameless = answered(named(QWEN3_NEXT, None), POOL, machine=HOPPER)
    usual = answered(QWEN3_NEXT, POOL, machine=HOPPER)
    assert nameless.layout == usual.layout
    assert finding(nameless, "architecture-assumed")


def test_any_architecture_without_state_is_taken() -> None:
    assert answered(named(LLAMA, "SomeForCausalLM"), POOL, machine=HOPPER).refusal is None
    assert answered(described(), POOL, machine=HOPPER).refusal is None


def test_an_unknown_architecture_with_state_is_refused_by_name() -> None:
    answer = answered(named(QWEN3_NEXT, "SomeForCausalLM"), POOL, machine=HOPPER)
    assert answer.refusal == "Model architectures ['SomeForCausalLM'] are not supported for now."


def test_every_kind_that_vllm_keeps_state_for_is_found_by_some_model() -> None:
    for kind in MIXERS:
        row, listed = find(None, (kind,))
        assert listed
        assert row is not None


def test_the_ways_of_models_differ_where_vllms_hooks_do() -> None:
    """Read in model_executor/models/config.py, MODELS_CONFIG_MAP, vLLM 0.33.0."""
    by_hook: dict[str, Any] = {
        "Qwen3_5ForConditionalGeneration": "mamba_ssm_dtype",
        "NemotronHForCausalLM": "mamba_ssm_cache_dtype",
        "Qwen3NextForCausalLM": "option",
        "InternS2PreviewForConditionalGeneration": "option",
        "NemotronH_Omni_Reasoning_V3": "option",
    }
    assert {name: TABLE[name].ssm_dtype for name in by_hook} == by_hook
