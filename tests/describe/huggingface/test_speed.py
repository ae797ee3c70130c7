"""Benchmarks of reading: `pytest tests/describe --benchmark-enable --benchmark-only` runs them.

Every published configuration is to be read and expanded in less than 5 ms once its family is
loaded; the largest, with a quantization for each of hundreds of layers, took 1.4 ms when this was
written.
"""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ferrum_cli.describe import config_json
from ferrum_cli.errors import UnknownArchitecture
from ferrum_cli.expand import Expanded, expand
from tests.describe.huggingface.measure import CONFIGS


def expanded(content: bytes) -> Expanded:
    """What `plan` makes of a configuration before any engine looks at it."""
    return expand(config_json.parse(content, "config.json"))


@pytest.mark.parametrize("name", sorted(path.stem for path in CONFIGS.glob("*.json")))
def test_benchmark_of_reading_and_expanding(benchmark: BenchmarkFixture, name: str) -> None:
    content = (CONFIGS / f"{name}.json").read_bytes()
    assert benchmark(expanded, content).layers


def refused(content: bytes) -> bool:
    """Whether no family knows the model."""
    try:
        config_json.parse(content, "config.json")
    except UnknownArchitecture:
        return True
    return False


@pytest.mark.parametrize(
    "content", [b'{"model_type": "x"}', b'{"architectures": ["XForCausalLM"]}']
)
def test_benchmark_of_refusing_an_unknown_model(
    benchmark: BenchmarkFixture, content: bytes
) -> None:
    assert benchmark(refused, content)
