"""Kimi-Linear: lists that count from one, latent attention as it is cached, class defaults."""

from __future__ import annotations

import pytest

from ferrum_cli.describe.huggingface._kimi import NO_PATTERN
from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import kv_per_token, mixers, published, read, state, total

KDA = {"head_dim": 16, "num_heads": 4, "short_conv_kernel_size": 4}
TINY = {
    "model_type": "kimi_linear",
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "moe_intermediate_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "kv_lora_rank": 32,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16,
    "v_head_dim": 16,
    "num_experts": 4,
    "num_experts_per_token": 2,
    "first_k_dense_replace": 1,
    "linear_attn_config": KDA | {"kda_layers": [1, 2, 3], "full_attn_layers": [4]},
}


def with_lists(kda: list[int], full: list[int]) -> dict[str, object]:
    return TINY | {"linear_attn_config": KDA | {"kda_layers": kda, "full_attn_layers": full}}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        (TINY, 226_396, "measured"),
        ({"model_type": "kimi_linear"}, 49_133_074_464, "class defaults"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**fields)) == parameters, source


def test_the_lists_count_layers_from_one() -> None:
    assert mixers(read(**with_lists([2, 3, 4], [1]))) == "mkkk"


def test_the_state_is_what_transformers_measures_less_a_column() -> None:
    model = read(**TINY)
    assert state(model) == dict.fromkeys(range(3), (3 * 64 * 3, 4 * 16 * 16))
    assert kv_per_token(model) == 32 + 8


def test_the_published_model_has_its_own_pattern() -> None:
    model = published("moonshotai__Kimi-Linear-48B-A3B-Instruct")
    assert mixers(model).count("k") == 20
    assert total(model) == 49_122_675_072
    assert NO_PATTERN not in model.notes


def test_a_file_without_lists_falls_back_to_the_class_and_says_so() -> None:
    model = read(model_type="kimi_linear")
    assert mixers(model).count("k") == 21
    assert NO_PATTERN in model.notes


@pytest.mark.parametrize(
    ("kda", "full", "message"),
    [
        ([0, 1, 2], [3], r"linear_attn_config.kda_layers\[0\]: layer 0 of 4; layers are counted"),
        ([1, 2, 3], [5], r"linear_attn_config.full_attn_layers\[0\]: layer 5 of 4"),
        ([1, 2, 3], [3, 4], r"linear_attn_config.kda_layers\[2\]: layer 3 stands twice"),
        ([1, 2], [4], "linear_attn_config.kda_layers: layer 3 stands neither here nor"),
    ],
)
def test_lists_that_do_not_name_every_layer_once_are_refused(
    kda: list[int], full: list[int], message: str
) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**with_lists(kda, full))


@pytest.mark.parametrize("name", ["model_max_length", "max_position_embeddings"])
def test_the_length_has_two_names(name: str) -> None:
    assert read(**TINY, **{name: 4096}).max_context == 4096
