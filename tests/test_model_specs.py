"""Every shipped description against numbers that others recorded, and against its configuration."""

from __future__ import annotations

import dataclasses
import re

import pytest

from ferrum_cli.describe import shipped
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.source import read_model
from ferrum_cli.describe.yaml_file.reader import read_description
from tests.describe.huggingface.measure import (
    bytes_per_slot,
    kv_bytes_per_token,
    published,
    total,
)

SGLANG = "SGLang 0.5.23, mamba_cache_per_req with bf16 windows and fp32 state"
MLX = "mlx-lm 0.32.2, arrays of one sequence"
TRANSFORMERS = "transformers 5.24.0, cache of one sequence less one column of each window"
VLLM = "vLLM 0.33.0, get_kv_cache_spec of every layer"
NONE = "no recurrent state"

# name, bytes of one slot, KV bytes of one token, parameters, who recorded the state. Parameters
# are those that transformers 5.24.0 builds.
RECORDED = [
    ("qwen3-next-80b-a3b", 77_266_944, 24_576, 79_674_391_296, SGLANG),
    ("qwen3.5-27b", 153_944_064, 65_536, 26_895_998_464, SGLANG),
    ("qwen3.5-35b-a3b", 64_389_120, 20_480, 34_660_610_688, MLX),
    ("nemotron-3-nano-30b-a3b", 49_082_368, 6_144, 31_577_937_344, SGLANG),
    ("granite-4.0-h-tiny", 57_341_952, 8_192, 6_939_037_248, SGLANG),
    ("falcon-h1-7b", 139_358_208, 45_056, 7_585_513_568, SGLANG),
    ("mamba2-780m", 76_455_936, 0, 780_161_280, TRANSFORMERS),
    ("mamba-codestral-7b", 272_367_616, 0, 7_285_403_648, SGLANG),
    ("lfm2-2.6b", 180_224, 16_384, 2_569_272_320, SGLANG),
    ("kimi-linear-48b-a3b", 43_417_600, 8_064, 49_122_675_072, SGLANG),
    ("llama-3.1-8b", 0, 131_072, 8_030_261_248, NONE),
    ("qwen3-8b", 0, 147_456, 8_190_735_360, NONE),
]

# The configuration in tests/data/configs from which each was read, and what stands differently in
# the shipped file because the published subset leaves it out.
CONFIGS = {
    "qwen3-next-80b-a3b": "Qwen__Qwen3-Next-80B-A3B-Instruct",
    "qwen3.5-27b": "Qwen__Qwen3.5-27B",
    "qwen3.5-35b-a3b": "Qwen__Qwen3.5-35B-A3B",
    "nemotron-3-nano-30b-a3b": "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "granite-4.0-h-tiny": "ibm-granite__granite-4.0-h-tiny",
    "falcon-h1-7b": "tiiuae__Falcon-H1-7B-Instruct",
    "mamba2-780m": "AntonV__mamba2-780m-hf",
    "mamba-codestral-7b": "mistralai__Mamba-Codestral-7B-v0.1",
    "lfm2-2.6b": "LiquidAI__LFM2-2.6B",
    "kimi-linear-48b-a3b": "moonshotai__Kimi-Linear-48B-A3B-Instruct",
    "llama-3.1-8b": "meta-llama__Meta-Llama-3.1-8B",
    "qwen3-8b": "Qwen__Qwen3-8B",
}


@pytest.mark.parametrize(("name", "slot", "token", "parameters", "who"), RECORDED)
def test_a_shipped_model_keeps_and_weighs_what_others_recorded(
    name: str, slot: int, token: int, parameters: int, who: str
) -> None:
    model = read_model(name)
    assert bytes_per_slot(model) == slot, who
    assert kv_bytes_per_token(model) == token
    assert total(model) == parameters


def test_every_shipped_model_is_recorded() -> None:
    assert sorted(row[0] for row in RECORDED) == list(shipped.names())


@pytest.mark.parametrize("name", shipped.names())
def test_a_shipped_model_is_what_its_configuration_says(name: str) -> None:
    assert _facts(read_model(name)) == _facts(published(CONFIGS[name]))


@pytest.mark.parametrize("name", shipped.names())
def test_a_shipped_file_is_valid_and_cites_its_source(name: str) -> None:
    model = read_description(shipped.path(name))
    assert model.name == name
    assert re.fullmatch(r"[\w.-]+/[\w.-]+, .+", str(model.source))


def _facts(model: Description) -> Description:
    """A description without its name, source and the reader's notes."""
    return dataclasses.replace(model, name="", source=None, notes=())
