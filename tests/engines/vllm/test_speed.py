"""Benchmarks: `pytest tests/engines/vllm/test_speed.py --benchmark-enable` measures them.

Layout and capacity of a loaded, expanded description are to take less than 0.3 ms; what is said
about them comes on top.
"""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines import engine
from ferrum_cli.engines.vllm.layout import layout
from ferrum_cli.engines.vllm.start import start
from ferrum_cli.expand import Parallel
from tests.engines.vllm.asking import (
    FALCON_MAMBA,
    HOPPER,
    KIMI_K3,
    LLAMA,
    NEMOTRON3_NANO,
    POOL,
    QWEN3_NEXT,
    question,
)

MODELS = (QWEN3_NEXT, NEMOTRON3_NANO, KIMI_K3, FALCON_MAMBA, LLAMA)


@pytest.mark.parametrize("model", MODELS)
def test_layout_and_capacity(benchmark: Any, model: str) -> None:
    asked = question(model, POOL, parallel=Parallel(8), machine=HOPPER)

    def sized() -> tuple[dict[str, Any], int | None]:
        found = start(asked)
        return layout(found.outcome, found.limits), found.capacity.max_requests

    figures, running = benchmark(sized)
    assert figures["num_gpu_blocks"] > 0
    assert running is not None


@pytest.mark.parametrize("model", MODELS)
def test_the_whole_answer_with_findings(benchmark: Any, model: str) -> None:
    asked = question(model, POOL, parallel=Parallel(8), machine=HOPPER)
    answer = benchmark(engine("vllm").answer, asked)
    assert answer.findings
