"""Gemma 2 and 3: windows in turn, norms on query and key, sandwich norms, vision."""

from __future__ import annotations

import pytest

from tests.describe.huggingface.measure import mixers, read, total, windows

TINY = {
    "model_type": "gemma2",
    "head_dim": 16,
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


# Built by transformers 5.24.0 from the same fields.
@pytest.mark.parametrize(
    ("fields", "parameters"),
    [
        ({}, 140_352),
        ({"attention_bias": True}, 141_120),
        ({"model_type": "gemma3_text"}, 140_480),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int
) -> None:
    assert total(read(**TINY | fields)) == parameters


@pytest.mark.parametrize(
    ("fields", "pattern"),
    [
        ({}, "sasa"),
        ({"model_type": "gemma3_text", "num_hidden_layers": 7}, "sssssas"),
        ({"model_type": "gemma3_text", "sliding_window_pattern": 3}, "ssas"),
    ],
)
def test_full_attention_comes_by_a_period(fields: dict[str, object], pattern: str) -> None:
    model = read(**TINY | fields)
    assert mixers(model) == pattern
    assert windows(model) == [4096] * pattern.count("s")


@pytest.mark.parametrize(("given", "kept"), [(8, 5), (4096, 2049)])
def test_a_gemma_that_looks_both_ways_looks_half_as_far(given: int, kept: int) -> None:
    both = {"model_type": "gemma3_text", "use_bidirectional_attention": True}
    model = read(**TINY | both, sliding_window=given)
    assert set(windows(model)) == {kept}


def test_the_tower_is_counted_apart_as_transformers_builds_it() -> None:
    model = read(model_type="gemma3", text_config={}, vision_config={})
    assert total(model) == 2_628_658_432
    assert model.vision_parameters == 94_654_464
