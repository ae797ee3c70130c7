"""Findings: each code in the case that calls for it, and not in its neighbour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ferrum_cli.expand import Parallel
from ferrum_cli.report import Level
from tests.engines.llama_cpp.asking import (
    GIB,
    GRANITE,
    LFM25,
    LLAMA,
    MAMBA,
    QWEN3_NEXT,
    QWEN35_27B,
    answered,
    codes,
    finding,
    gguf,
    model,
)
from tests.gguf_files import MODELS
from tests.models import described


@pytest.mark.parametrize(
    ("code", "name", "options", "neighbour"),
    [
        ("four-slots-by-default", QWEN35_27B, {}, {"parallel": 1}),
        ("speculation-multiplies-state", QWEN35_27B, {"spec_type": ["draft-mtp"]}, {}),
        ("rollback-not-supported", QWEN3_NEXT, {"n_rs_seq": 3}, {"n_rs_seq": 0}),
        ("draft-model-not-planned", LFM25, {"spec_draft_model": "small.gguf"}, {}),
        ("draft-model-not-planned", LFM25, {"spec_type": ["draft-eagle3"]}, {}),
        ("context-of-a-million", GRANITE, {}, {"ctx_size": 8192}),
        (
            "context-rounded-up",
            QWEN35_27B,
            {"ctx_size": 8192, "parallel": 3},
            {"ctx_size": 8448, "parallel": 3},
        ),
        ("override-tensor-not-planned", LLAMA, {"override_tensor": ["exps=CPU"]}, {}),
        ("split-mode-not-measured", LLAMA, {"split_mode": "row"}, {"split_mode": "layer"}),
        ("state-on-host", QWEN35_27B, {"no_kv_offload": True}, {}),
        ("checkpoints-in-host-memory", QWEN35_27B, {}, {"ctx_checkpoints": 0}),
        ("prompt-cache-unlimited", LLAMA, {"cache_ram": -1}, {"cache_ram": 0}),
    ],
)
def test_a_finding_is_made_where_it_holds_and_nowhere_else(
    code: str, name: str, options: dict[str, Any], neighbour: dict[str, Any]
) -> None:
    assert code in codes(answered(name, options))
    assert code not in codes(answered(name, neighbour))


def test_four_slots_are_said_with_what_they_reserve() -> None:
    """149.625 MiB for each: the most common surprise with Qwen3.5-27B."""
    said = finding(answered(QWEN35_27B), "four-slots-by-default")
    assert said.message == (
        "llama-server makes 4 slots over one unified cache: it reserves 598.50 MiB of state,"
        " 149.62 MiB for each, used or not"
    )


def test_speculation_is_said_with_its_factor() -> None:
    found = answered(QWEN35_27B, {"spec_type": ["draft-mtp"], "parallel": 1})
    said = finding(found, "speculation-multiplies-state")
    assert "3 rollback snapshots make 4 times the state" in said.message
    assert said.level is Level.WARNING


def test_a_model_without_state_has_no_finding_about_state() -> None:
    found = codes(answered(LLAMA, {"n_rs_seq": 3}))
    assert (
        not {
            *("four-slots-by-default", "speculation-multiplies-state"),
            *("checkpoints-in-host-memory", "log-counts-all-layers"),
        }
        & found
    )


def test_a_model_of_state_alone_has_no_context_of_a_million() -> None:
    """2^20 is written for it too, and costs it nothing."""
    assert "context-of-a-million" not in codes(answered(MAMBA))


def test_more_requests_than_slots_wait() -> None:
    found = answered(QWEN35_27B, {"parallel": 2}, requests=7)
    said = finding(found, "more-requests-than-slots")
    assert (said.message, said.hint) == ("7 requests wait for 2 slots", "use --parallel 7")
    shared = answered(QWEN35_27B, {"parallel": 2}, requests=4, parallel=Parallel(dp=2))
    assert "more-requests-than-slots" not in codes(shared)


def test_two_ways_of_stating_a_context_that_differ_are_told_apart() -> None:
    options = {"parallel": 2, "ctx_size": 8192}
    assert "context-contradicted" in codes(answered(QWEN35_27B, options, context=8192))
    assert "context-contradicted" not in codes(answered(QWEN35_27B, options, context=4096))


def test_an_interval_of_slots_is_said_to_be_one() -> None:
    found = answered(QWEN35_27B, memory=60 * GIB, context=256)
    assert found.capacity.low != found.capacity.high
    said = finding(found, "capacity-is-an-interval")
    assert said.message.startswith(f"{found.capacity.low} slots surely fit and")


def test_values_that_are_padded_are_said_to_be() -> None:
    metadata = MODELS["synthetic-llama-8b-control"]
    heads = [8, *[2] * (metadata["llama.block_count"] - 1)]
    uneven = gguf(metadata | {"llama.attention.head_count_kv": heads})
    assert "values-padded" in codes(answered(uneven, {"flash_attn": "off"}))
    assert "values-padded" not in codes(answered(uneven))
    assert "values-padded" not in codes(answered(LLAMA, {"flash_attn": "off"}))


def test_a_window_that_llama_cpp_does_not_keep_is_said_to_be_ignored() -> None:
    assert "window-ignored" in codes(answered("pfnet__plamo-2-1b"))
    windowed = gguf(MODELS["lfm2-1.2b"] | {"lfm2.attention.sliding_window": 1024})
    assert "window-ignored" not in codes(answered(windowed))


def test_a_description_of_no_architecture_is_laid_out_by_common_rules() -> None:
    found = answered(described(architecture=None))
    assert "architecture-not-named" in codes(found)
    assert found.layout["kv_bytes"] > 0
    assert "architecture-not-named" not in codes(answered(LLAMA))


def test_another_version_is_planned_by_the_rules_that_are_known() -> None:
    found = answered(LLAMA, version="b9000")
    assert "not of b9000" in finding(found, "version-not-known").message
    assert "version-not-known" not in codes(answered(LLAMA))


def test_layers_of_the_log_are_all_of_the_model() -> None:
    said = finding(answered(QWEN35_27B), "log-counts-all-layers")
    assert said.message.endswith("says 64 layers, which are all of the model; 48 hold state")
    assert "log-counts-all-layers" not in codes(answered(MAMBA))


def test_sizes_are_said_to_be_hidden() -> None:
    assert "-lv 4" in finding(answered(LLAMA), "sizes-hidden").message


def test_weights_that_are_unknown_are_said_to_be() -> None:
    described_ = gguf(MODELS["qwen3.5-4b"])
    assert "weights-unknown" in codes(answered(described_))
    assert "weights-unknown" not in codes(answered(QWEN35_27B))


def test_every_finding_of_an_error_is_a_refusal_and_the_other_way_round() -> None:
    for options in ({}, {"cache_type_v": "q8_0", "flash_attn": "off"}):
        found = answered(QWEN35_27B, options)
        errors = [f.message for f in found.findings if f.level is Level.ERROR]
        assert errors == ([] if found.refusal is None else [found.refusal])


def test_explained_figures_are_those_of_the_layout() -> None:
    found = answered(QWEN35_27B, {"parallel": 3, "ctx_size": 8192}, memory=100 * GIB)
    figures = {figure.name: figure for figure in found.figures}
    for name in ("rs_bytes_R", "rs_bytes_S", "kv_bytes", "n_ctx_seq", "n_ctx_effective"):
        assert figures[name].value == found.layout[name]
        assert figures[name].formula
        assert "llama.cpp" in figures[name].source
    assert figures["bytes_per_slot"].value == found.bytes_per_slot
    assert figures["checkpoint_bytes"].value == found.layout["checkpoint_bytes"]


def test_figures_of_capacity_are_what_the_flags_can_reach() -> None:
    """`-np` for the context of a slot, and `-c` for the slots."""
    found = answered(LFM25, {"parallel": 3, "ctx_size": 24_576}, memory=12 * GIB)
    figures = {figure.name: figure.value for figure in found.figures}
    slots = int(figures["largest_parallel"])
    more = {"parallel": slots, "ctx_size": slots * 8192}
    assert answered(LFM25, more, memory=12 * GIB).capacity.max_requests == slots
    longest = int(figures["longest_ctx_size"])
    wide = answered(LFM25, {"parallel": 3, "ctx_size": longest}, memory=12 * GIB)
    assert wide.capacity.max_requests == 3
    beyond = answered(LFM25, {"parallel": 3, "ctx_size": longest + 768}, memory=12 * GIB)
    trained = 3 * model(LFM25).max_context
    assert longest >= trained or (beyond.capacity.max_requests or 0) < 3


def test_a_described_window_of_another_architecture_is_kept() -> None:
    """Gemma 3 and its kin get a cache of their own for windows."""
    base = model(LLAMA)
    other = replace(base, architecture="Gemma3ForCausalLM")
    assert answered(other).refusal is None
