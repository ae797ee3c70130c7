"""Intern-S2: Preview is read as its text, and Mobius shares banks of experts between layers."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import read, state, total
from tests.describe.huggingface.plain import DELTA_EXPERTS

TEXT = DELTA_EXPERTS
MOE = 242_632  # the same text as transformers 5.24.0 builds it for Qwen3.5-MoE
ROUTED = 4 * (64 + 3 * 64 * 32)  # router and experts of one layer


def mobius(**fields: object) -> int:
    return total(read(model_type="interns2_mobius", text_config=TEXT | fields))


@pytest.mark.parametrize("text", [{}, {"model_type": "qwen3_5_moe_text"}])
def test_preview_is_read_as_its_text(text: dict[str, str]) -> None:
    model = read(model_type="intern_s2_preview", text_config=TEXT | text)
    assert total(model) == MOE
    assert model.architecture == "InternS2PreviewForConditionalGeneration"
    assert model.hints.multimodal


def test_the_text_of_a_preview_may_be_dense() -> None:
    dense = read(model_type="intern_s2_preview", text_config=TEXT | {"model_type": "qwen3_5_text"})
    assert "mlp" in dense.blocks


def test_preview_counts_the_tower_of_qwen() -> None:
    model = read(model_type="intern_s2_preview", text_config=TEXT, vision_config={})
    assert model.vision_parameters == 453_650_672  # class defaults, transformers 5.24.0


# vLLM 0.33.0, interns2_mobius.py: layer i takes meta_mlp[i mod num_blocks].
@pytest.mark.parametrize(("banks", "routed"), [(1, 1), (3, 3), (4, 4)])
def test_a_bank_of_experts_weighs_once_for_all_its_layers(banks: int, routed: int) -> None:
    assert mobius(num_blocks=banks) == MOE - (4 - routed) * ROUTED


def test_layers_take_the_banks_in_turn() -> None:
    model = read(model_type="interns2_mobius", text_config=TEXT | {"num_blocks": 2})
    names = [list(layer.names)[1] for layer in model.layers]
    assert names == ["bank_0", "bank_1", "bank_0", "bank_1"]
    assert state(model) == dict.fromkeys(range(3), (128 * 3, 4 * 16 * 16))


def test_a_layer_may_scale_what_its_blocks_add() -> None:
    assert mobius(layer_scale=True) - mobius() == 4 * 2 * 64


def test_the_draft_of_mobius_has_experts_of_its_own_number() -> None:
    model = read(model_type="interns2_mobius", text_config=TEXT | {"mtp_num_experts": 9})
    assert model.draft is not None
    assert next(w.copies for w in model.block_weights("experts") if w.name == "experts_up") == 9


def test_more_banks_than_layers_are_refused() -> None:
    with pytest.raises(DescriptionError, match=r"text_config.num_blocks: 5 banks of experts for 4"):
        mobius(num_blocks=5)
