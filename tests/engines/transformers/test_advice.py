"""Findings: every code with a question that brings it and one that does not."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.blocks.attention import Attention
from ferrum_cli.describe.description import Draft, Layer
from ferrum_cli.describe.hints import Hints
from ferrum_cli.engines import Machine, Weights
from ferrum_cli.engines.transformers.architectures import OWN_STATE
from tests.engines.transformers.asking import GIB, asked, built_from, codes
from tests.models import described

PLAIN = described(architecture="LlamaForCausalLM")
SLIDING = built_from(attention=Attention(num_heads=4, num_kv_heads=2, head_dim=16, window=1024))
DRAFT = Draft("mtp", (Layer((("attention",), ("mlp",))),))
STORED = Weights((123_456,), "checkpoint")
STATIC = {"cache_implementation": "static"}


@pytest.mark.parametrize(
    ("code", "model", "options"),
    [
        ("version-not-measured", PLAIN, {"version": "4.57.0"}),
        ("architecture-not-named", described(), {}),
        ("weights-unknown", PLAIN, {"weights": Weights((0,), "no tensors", known=False)}),
        ("weights-not-converted", PLAIN, {"weights": STORED, "dtype": "float32"}),
        ("context-contradicted", PLAIN, {"context": 100, "seq_len": 200}),
        ("batch-is-not-requests", PLAIN, {"batch_size": 2}),
        ("batch-is-not-requests", PLAIN, {"batch_size": 2, "requests": 3}),
        ("max-cache-len-ignored", PLAIN, {"max_cache_len": 100}),
        ("static-cache-reserves", PLAIN, STATIC),
        ("quantized-cache-not-planned", PLAIN, {"cache_implementation": "quantized"}),
        ("windows-hold-prompt", SLIDING, {}),
        ("draft-layers-not-built", described(draft=DRAFT), {}),
        ("dtype-field-ignored", described(hints=Hints(mamba_ssm_dtype="float32")), {}),
        ("dtype-field-ignored", described(hints=Hints(mamba_ssm_cache_dtype="float32")), {}),
        ("dtype-field-ignored", described(hints=Hints(mamba_cache_dtype="float32")), {}),
        ("dtype-field-ignored", described(hints=Hints(kv_cache_dtype="FP8")), {}),
        ("state-outside-cache", described(architecture="RecurrentGemmaForCausalLM"), {}),
        ("cache-implementation-ignored", described(architecture="RwkvForCausalLM"), STATIC),
        ("built-as-another-class", described(architecture="BailingMoeV2_5ForCausalLM"), {}),
        ("batch-does-not-fit", PLAIN, {"batch_size": 10**6, "machine": Machine(GIB)}),
    ],
)
def test_a_finding_appears_when_it_is_due(code: str, model: Any, options: dict[str, Any]) -> None:
    assert code in codes(asked(model, **options))


@pytest.mark.parametrize(
    ("code", "model", "options"),
    [
        ("weights-not-converted", PLAIN, {"weights": STORED}),
        ("weights-not-converted", PLAIN, {"dtype": "float32"}),
        ("context-contradicted", PLAIN, {"context": 200, "seq_len": 200}),
        ("batch-is-not-requests", PLAIN, {"batch_size": 3, "requests": 3}),
        ("max-cache-len-ignored", PLAIN, {"max_cache_len": 100} | STATIC),
        ("windows-hold-prompt", SLIDING, STATIC),
        ("windows-hold-prompt", PLAIN, {}),
        ("static-cache-reserves", described(architecture="RwkvForCausalLM"), STATIC),
        ("cache-implementation-ignored", described(architecture="RwkvForCausalLM"), {}),
        ("batch-does-not-fit", PLAIN, {"batch_size": 2, "machine": Machine(GIB)}),
    ],
)
def test_a_finding_stays_away_otherwise(code: str, model: Any, options: dict[str, Any]) -> None:
    assert code not in codes(asked(model, **options))


def test_a_plain_model_brings_no_finding_at_all() -> None:
    assert asked(PLAIN, machine=Machine(80 * GIB)).findings == ()


def test_the_prompt_that_windows_keep_alive_has_its_bytes() -> None:
    # Measured: 40 tokens through a window of eight leave 2,560 bytes of storage for the keys of
    # two heads of sixteen, and 512 after the next token.
    answer = asked(SLIDING, seq_len=2048)
    (finding,) = (f for f in answer.findings if f.code == "windows-hold-prompt")
    assert "256.00 KiB" in finding.message
    assert 2048 * 2 * 2 * 16 * 2 == 256 * 1024


@pytest.mark.parametrize("architecture", sorted(OWN_STATE))
def test_every_model_with_state_elsewhere_says_where(architecture: str) -> None:
    found = asked(described(architecture=architecture)).findings
    message = next(f.message for f in found if f.code == "state-outside-cache")
    assert OWN_STATE[architecture].place in message


@pytest.mark.parametrize(
    "architecture", sorted(name for name, own in OWN_STATE.items() if own.own_cache)
)
def test_a_model_with_its_own_cache_takes_no_notice_of_static(architecture: str) -> None:
    model = described(architecture=architecture)
    options = {"seq_len": 16, "max_cache_len": 999}
    assert asked(model, **options, **STATIC).layout == asked(model, **options).layout


def test_minimax_keeps_keys_and_values_without_the_window_it_attends_to() -> None:
    # Run with sliding_window 8 and 16 tokens: MiniMaxCache held all 16.
    block = Attention(num_heads=4, num_kv_heads=2, head_dim=16, window=8)
    model = described(
        architecture="MiniMaxForCausalLM",
        blocks={"attention": block},
        spans=SLIDING.spans,
    )
    assert asked(model, seq_len=16).layout["kv_bytes"] == 2048
