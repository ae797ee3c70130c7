"""MiniCPM-V: the language model is a Qwen3.5, the tower merges windows of patches midway."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import read, total

TINY = {
    "model_type": "minicpmv4_6",
    "text_config": {
        "hidden_size": 64,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "vocab_size": 256,
        "intermediate_size": 96,
    },
    "vision_config": {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": 16,
        "patch_size": 4,
        "insert_layer_id": 1,
    },
    "insert_layer_id": 1,
}


def test_the_tower_is_counted_apart_as_transformers_builds_it() -> None:
    model = read(**TINY)
    assert total(model) == 3_380_384
    assert model.vision_parameters == 77_664
    assert model.hints.multimodal


def test_merging_more_often_adds_weights() -> None:
    assert read(**TINY, merger_times=2).vision_parameters > read(**TINY).vision_parameters


def test_a_window_has_two_sides() -> None:
    with pytest.raises(DescriptionError, match="window_kernel_size: expected two sides"):
        read(**TINY | {"vision_config": {"window_kernel_size": [2, 2, 2]}})


def test_four_patches_become_one_whatever_the_kernel_says() -> None:
    # transformers 5.24.0, models/minicpmv4_6/modeling_minicpmv4_6.py: hidden_size * 4.
    assert read(**TINY, merge_kernel_size=[1, 2]).vision_parameters == 77_664
