"""Jet-VLM: the text is a Jet-Nemotron, and the tower is counted with its projector."""

from __future__ import annotations

from tests.describe.huggingface.measure import read, state, total
from tests.describe.huggingface.test_jet_nemotron import JET

VISION = {
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_hidden_layers": 27,
    "image_size": 448,
    "patch_size": 14,
}


def test_the_language_model_is_the_one_in_the_text() -> None:
    model, text = read(model_type="jet_vlm", text_config=JET), read(**JET)
    assert total(model) == total(text)
    assert state(model) == state(text)
    assert model.hints.multimodal
    assert model.architecture == "JetVLMForConditionalGeneration"


def test_the_tower_is_counted_with_its_projector() -> None:
    model = read(model_type="jet_vlm", text_config=JET, vision_config=VISION)
    tower = 428_565_440  # SiglipVisionModel of these fields, transformers 5.24.0
    hidden, merged = model.hidden_size, 4 * 1152
    projector = 2 * merged + hidden * (merged + 1) + hidden * (hidden + 1)
    assert model.vision_parameters == tower + projector
