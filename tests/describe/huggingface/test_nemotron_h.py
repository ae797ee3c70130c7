"""Nemotron-H: patterns in letters and in words, experts without gates, drafts."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import mixers, published, read, state, total

TINY = {
    "model_type": "nemotron_h",
    "vocab_size": 256,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "intermediate_size": 96,
    "ssm_state_size": 16,
    "mamba_num_heads": 6,
    "mamba_head_dim": 16,
    "n_groups": 2,
    "n_routed_experts": 4,
    "moe_intermediate_size": 48,
    "moe_shared_expert_intermediate_size": 48,
    "num_experts_per_tok": 2,
}


@pytest.mark.parametrize(
    ("fields", "parameters", "source"),
    [
        ({"hybrid_override_pattern": "M-M*-ME*"}, 184_950, "measured"),
        ({"hybrid_override_pattern": "MEM*E", "moe_latent_size": 32}, 138_660, "measured, latent"),
    ],
)
def test_parameters_are_what_transformers_builds(
    fields: dict[str, object], parameters: int, source: str
) -> None:
    assert total(read(**TINY | fields)) == parameters, source


def test_without_a_pattern_the_class_has_four_layers() -> None:
    model = read(model_type="nemotron_h")
    assert mixers(model) == "meam"
    assert total(model) == 1_968_355_712


@pytest.mark.parametrize(
    "fields",
    [
        {"hybrid_override_pattern": "M-*E"},
        {"layers_block_type": ["mamba", "mlp", "attention", "moe"]},
        {"layer_types": ["linear_attention", "mlp", "full_attention", "moe"]},
        {"layers_block_type": ["mamba", "mlp", "attention", "moe"], "hybrid_override_pattern": "M"},
    ],
)
def test_the_pattern_has_several_spellings(fields: dict[str, object]) -> None:
    names = [next(layer.names) for layer in read(**TINY | fields).layers]
    assert names == ["mamba", "mlp", "attention", "experts"]


def test_only_mamba_layers_keep_state() -> None:
    model = read(**TINY, hybrid_override_pattern="M-M*-ME*")
    assert state(model) == dict.fromkeys([0, 2, 5], (160 * 3, 6 * 16 * 16))


def test_the_number_of_layers_is_ignored_where_a_pattern_contradicts_it() -> None:
    model = read(**TINY, hybrid_override_pattern="M-*E", num_hidden_layers=52)
    assert model.num_layers == 4
    assert any("num_hidden_layers is 52" in note for note in model.notes)


def test_expand_has_no_effect() -> None:
    wide, plain = (read(**TINY, hybrid_override_pattern="M*", expand=n) for n in (16, 2))
    assert state(wide) == state(plain)


def test_each_draft_layer_holds_all_blocks_of_the_draft_pattern() -> None:
    draft = read(
        **TINY,
        hybrid_override_pattern="M*",
        num_nextn_predict_layers=2,
        mtp_hybrid_override_pattern="*E",
    ).draft
    assert draft is not None
    assert [list(layer.names) for layer in draft.layers] == [["attention", "experts"]] * 2


def test_draft_blocks_are_bounded() -> None:
    pattern = "M" * 100
    with pytest.raises(DescriptionError, match="num_nextn_predict_layers: 10000 blocks of draft"):
        read(**TINY, num_nextn_predict_layers=100, mtp_hybrid_override_pattern=pattern)


def test_embeddings_are_never_tied() -> None:
    fields = TINY | {"hybrid_override_pattern": "M*"}
    assert total(read(**fields, tie_word_embeddings=True)) == total(read(**fields))


def test_the_published_model_has_its_recorded_sizes() -> None:
    model = published("nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")
    assert total(model) == 31_577_937_344
    assert model.hints.mamba_ssm_cache_dtype == "float32"
    assert model.hints.chunk_size == 128


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"hybrid_override_pattern": "M-X"}, "hybrid_override_pattern: unknown kind of layer 'X'"),
        ({"hybrid_override_pattern": ""}, "hybrid_override_pattern: 0 layers"),
        ({"layers_block_type": ["mamba", "rwkv"]}, r"layers_block_type\[1\]: unknown kind"),
    ],
)
def test_a_pattern_of_unknown_blocks_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**TINY | fields)
