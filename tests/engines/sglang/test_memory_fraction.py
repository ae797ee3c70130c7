"""SGLang's own heuristic for mem_fraction_static."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ferrum_cli.describe.huggingface import describe
from ferrum_cli.engines.sglang.start import start
from ferrum_cli.expand import Parallel
from tests.engines.sglang.asking import LLAMA, QWEN3_NEXT, question

QWEN3_5: dict[str, Any] = {
    "architectures": ["Qwen3_5ForConditionalGeneration"],
    "model_type": "qwen3_5",
    "text_config": {"model_type": "qwen3_5_text"},
}


# arg_groups/memory_hook.py by hand: reserved = 512 + 1.5 x chunk + 128 x ranks + 2 x batch + 8 for
# each captured size of prefill, in MiB.
@pytest.mark.parametrize(
    ("model", "options", "parallel", "fraction"),
    [
        # 512 + 12288 + 128 + 512 + 60 x 8 = 13920 of 81920
        (QWEN3_NEXT, {"gpu_mem_gib": 80}, Parallel(), 0.83),
        (QWEN3_NEXT, {"gpu_mem_gib": 80, "disable_cuda_graph": True}, Parallel(), 0.842),
        (QWEN3_NEXT, {"gpu_mem_gib": 80, "disable_prefill_cuda_graph": True}, Parallel(), 0.836),
        (QWEN3_NEXT, {"gpu_mem_gib": 80}, Parallel(pp=2), 0.834),
        (LLAMA, {"gpu_mem_gib": 80, "chunked_prefill_size": 2048}, Parallel(), 0.875),
        (LLAMA, {"mem_fraction_static": 0.7}, Parallel(), 0.7),
    ],
)
def test_the_fraction_follows_the_device_the_chunk_and_the_graphs(
    model: dict[str, Any], options: dict[str, Any], parallel: Parallel, fraction: float
) -> None:
    found = start(question(model, options, parallel=parallel)).fraction
    assert found is not None
    assert found.value == fraction


# SGLang 0.5.23's own value for Qwen3.5-9B on 80 GiB, and for the same without its vision_config,
# which the class fills in: 0.83 x 0.95 x (1 - 0.1 x (1152^2 / 1024^2 - 1)).
@pytest.mark.parametrize("vision", [{"vision_config": {"hidden_size": 1152}}, {}])
def test_a_wrapper_with_vision_keeps_memory_back(vision: dict[str, Any]) -> None:
    found = start(question(QWEN3_5 | vision, {"gpu_mem_gib": 80})).fraction
    assert found is not None
    assert found.value == 0.7675554687499999


# adjust_mem_fraction_for_vlm: 0.95 x (1 - 0.1 x (layers x width^2 / (24 x 1024^2) - 1)), within
# 0.8 and 1.05; by the towers that the configuration classes fill in.
@pytest.mark.parametrize(
    ("architecture", "stated", "factor"),
    [
        ("KimiK3ForConditionalGeneration", {}, 0.95 * 0.9875),
        ("Lfm2VlForConditionalGeneration", {}, 0.95 * 1.05),
        ("Glm5NextForConditionalGeneration", {}, 1.0),
        ("Glm5NextForConditionalGeneration", {"vision_hidden_size": 1024}, 0.95),
        ("NemotronH_Nano_VL_V2", {"vision_hidden_size": 1280}, 1.0),
        ("SomeWrapper", {"vision_layers": 96, "vision_hidden_size": 2048}, 0.95 * 0.8),
    ],
)
def test_the_size_of_the_tower_decides_how_much(
    architecture: str, stated: dict[str, int], factor: float
) -> None:
    plain = describe(LLAMA, "model")
    hints = replace(plain.hints, multimodal=True, **stated)  # type: ignore[arg-type]
    wrapper = replace(plain, architecture=architecture, hints=hints)
    device = {"gpu_mem_gib": 80, "disable_cuda_graph": True}
    images = start(question(wrapper, device)).fraction
    text = start(question(wrapper, device | {"language_model_only": True})).fraction
    assert images is not None
    assert text is not None
    assert images.value == pytest.approx(text.value * factor)


def test_without_a_device_it_is_95_percent() -> None:
    found = start(question(LLAMA)).fraction
    assert found is not None
    assert found.value == 0.95


@pytest.mark.parametrize(
    ("memory", "chunk"), [(16, 2048), (24, 4096), (48, 4096), (80, 8192), (141, 8192), (192, 16384)]
)
def test_the_prefill_chunk_follows_the_device(memory: float, chunk: int) -> None:
    found = start(question(LLAMA, {"gpu_mem_gib": memory})).fraction
    assert found is not None
    assert found.chunk == chunk
