"""Every shipped description against numbers that others recorded, and against its configuration."""

from __future__ import annotations

import dataclasses
import re

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ferrum_cli.describe import shipped
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.source import read_model
from ferrum_cli.describe.yaml_file.reader import read_description
from ferrum_cli.expand import expand, parameters
from tests.describe.huggingface.measure import (
    bytes_per_slot,
    kv_bytes_per_token,
    published,
    total,
)

SGLANG = "SGLang 0.5.23, mamba_cache_per_req with bf16 windows and fp32 state"
MLX = "mlx-lm 0.32.2, arrays of one sequence"
TRANSFORMERS = "transformers 5.24.0, cache of one sequence less one column of each window"
LLAMA_CPP = "llama.cpp 0c1e57098, R and S rows, of which R at the width of bf16"
RULE = "the formula of its kind, facts of transformers 5.24.0 and SGLang 0.5.23"
NONE = "no recurrent state"

# Name, bytes of one slot by the contract's rules, KV bytes of one token in layers that grow without
# limit, parameters, and who recorded the sizes of the state. Parameters are those that transformers
# 5.24.0 builds; of Kimi-K3, Ling, Ring, RWKV-7 and PLaMo-2 those that mlx-lm 0.32.2 does, without
# the biases of routers.
RECORDED = [
    ("qwen3-next-80b-a3b", 77_266_944, 24_576, 79_674_391_296, SGLANG),
    ("qwen3.5-0.8b", 19_537_920, 12_288, 752_393_024, TRANSFORMERS),
    ("qwen3.5-2b", 19_537_920, 12_288, 1_881_825_088, TRANSFORMERS),
    ("qwen3.5-4b", 51_511_296, 32_768, 4_205_751_296, TRANSFORMERS),
    ("qwen3.5-9b", 51_511_296, 32_768, 8_953_803_264, TRANSFORMERS),
    ("qwen3.5-27b", 153_944_064, 65_536, 26_895_998_464, SGLANG),
    ("qwen3.5-35b-a3b", 64_389_120, 20_480, 34_660_610_688, TRANSFORMERS),
    ("qwen3.5-122b-a10b", 153_649_152, 24_576, 122_111_526_912, SGLANG),
    ("qwen3.5-397b-a17b", 192_061_440, 30_720, 396_346_350_336, MLX),
    ("qwen3.5-122b-a10b-nvfp4", 153_649_152, 24_576, 122_111_526_912, SGLANG),
    ("qwen3.5-397b-a17b-nvfp4", 192_061_440, 30_720, 396_346_350_336, MLX),
    ("qwen3.6-27b-nvfp4", 153_944_064, 65_536, 26_895_998_464, SGLANG),
    ("qwen3.6-35b-a3b-nvfp4", 64_389_120, 20_480, 34_660_610_688, TRANSFORMERS),
    ("qwen3-8b", 0, 147_456, 8_190_735_360, NONE),
    ("qwen3-30b-a3b", 0, 98_304, 30_532_122_624, NONE),
    ("nemotron-h-8b", 102_137_856, 16_384, 8_100_852_736, MLX),
    ("nemotron-h-47b", 760_504_320, 20_480, 46_791_554_816, TRANSFORMERS),
    ("nemotron-h-56b", 912_605_184, 40_960, 56_324_350_464, MLX),
    ("nemotron-nano-9b-v2", 143_548_416, 16_384, 8_888_227_328, TRANSFORMERS),
    ("nemotron-3-nano-4b", 83_801_088, 16_384, 3_973_556_832, TRANSFORMERS),
    ("nemotron-3-nano-30b-a3b", 49_082_368, 6_144, 31_577_937_344, SGLANG),
    ("nemotron-3-nano-30b-a3b-nvfp4", 49_082_368, 6_144, 31_577_937_344, SGLANG),
    ("nemotron-3-super-120b-a12b", 170_229_760, 8_192, 120_668_687_360, TRANSFORMERS),
    ("nemotron-3-super-120b-a12b-nvfp4", 170_229_760, 8_192, 120_668_687_360, TRANSFORMERS),
    ("nemotron-3-ultra-550b-a55b", 407_961_600, 12_288, 549_308_968_960, MLX),
    ("nemotron-3.5-lightning-30b-a3b", 49_082_368, 6_144, 31_577_937_344, SGLANG),
    ("granite-4.0-h-350m", 22_321_152, 4_096, 340_332_224, SGLANG),
    ("granite-4.0-h-1b", 57_341_952, 8_192, 1_461_538_368, TRANSFORMERS),
    ("granite-4.0-h-tiny", 57_341_952, 8_192, 6_939_037_248, TRANSFORMERS),
    ("granite-4.0-h-small", 152_819_712, 16_384, 32_207_337_984, TRANSFORMERS),
    ("granite-4.0-h-micro", 76_437_504, 8_192, 3_191_396_096, LLAMA_CPP),
    ("falcon-h1-0.5b", 28_698_624, 18_432, 521_411_104, TRANSFORMERS),
    ("falcon-h1-1.5b", 76_013_568, 24_576, 1_554_789_760, TRANSFORMERS),
    ("falcon-h1-3b", 135_102_464, 32_768, 3_149_256_192, TRANSFORMERS),
    ("falcon-h1-7b", 139_358_208, 45_056, 7_585_513_568, SGLANG),
    ("falcon-h1-34b", 304_201_728, 147_456, 33_642_221_312, LLAMA_CPP),
    ("jamba-1.5-mini", 16_056_320, 16_384, 51_570_323_328, TRANSFORMERS),
    ("jamba-reasoning-3b", 9_318_400, 1_024, 3_029_337_472, RULE),
    ("bamba-9b", 123_104_768, 12_288, 9_780_235_392, TRANSFORMERS),
    ("zamba2-7b", 152_243_712, 372_736, 7_356_749_648, RULE),
    ("falcon-mamba-7b", 36_700_160, 0, 7_272_665_088, SGLANG),
    ("mamba-2.8b", 24_903_680, 0, 2_768_345_600, SGLANG),
    ("mamba2-780m", 76_455_936, 0, 780_161_280, TRANSFORMERS),
    ("mamba-codestral-7b", 272_367_616, 0, 7_285_403_648, TRANSFORMERS),
    ("kimi-linear-48b-a3b", 43_417_600, 8_064, 49_122_675_072, SGLANG),
    ("kimi-k3", 449_372_160, 27_648, 2_779_484_393_568, SGLANG),
    ("ling-3.0-tiny", 19_537_920, 6_912, 7_893_389_856, MLX),
    ("ring-mini-linear-2.0", 16_777_216, 8_192, 16_423_443_456, MLX),
    ("minimax-m1", 293_601_280, 40_960, 456_089_655_296, TRANSFORMERS),
    ("lfm2-350m", 40_960, 12_288, 354_483_968, TRANSFORMERS),
    ("lfm2-2.6b", 180_224, 16_384, 2_569_272_320, SGLANG),
    ("lfm2-8b-a1b", 147_456, 12_288, 8_339_929_856, SGLANG),
    ("lfm2.5-2.6b", 180_224, 16_384, 2_697_198_592, SGLANG),
    ("lfm2.5-vl-1.6b", 81_920, 12_288, 1_170_340_608, TRANSFORMERS),
    ("olmo-hybrid-7b", 54_743_040, 122_880, 7_430_870_688, MLX),
    ("recurrentgemma-2b", 460_800, 0, 2_682_862_080, TRANSFORMERS),
    ("rwkv7-2.9b", 21_299_200, 0, 2_947_735_040, MLX),
    ("xlstm-7b", 134_480_896, 0, 6_865_424_896, RULE),
    ("jet-nemotron-2b", 28_753_920, 2_048, 1_964_806_208, RULE),
    ("jet-nemotron-4b", 55_164_928, 3_072, 3_960_424_768, RULE),
    ("zaya1-8b", 215_040, 40_960, 8_840_488_784, SGLANG),
    ("inkling-small", 2_580_480, 28_672, 263_655_189_034, TRANSFORMERS),
    ("minicpm-sala", 50_331_648, 8_192, 9_477_203_968, SGLANG),
    ("plamo-2-1b", 8_585_216, 0, 1_291_441_920, MLX),
    ("llama-3.1-8b", 0, 131_072, 8_030_261_248, NONE),
    ("llama-3.1-70b", 0, 327_680, 70_553_706_496, NONE),
    ("deepseek-v3", 0, 70_272, 671_026_404_352, NONE),
]

APPROXIMATE = {
    "bamba-9b",
    "falcon-h1-34b",
    "granite-4.0-h-micro",
    "jet-nemotron-2b",
    "jet-nemotron-4b",
    "minicpm-sala",
}


@pytest.mark.parametrize(("name", "slot", "token", "weights", "who"), RECORDED)
def test_a_shipped_model_keeps_and_weighs_what_others_recorded(
    name: str, slot: int, token: int, weights: int, who: str
) -> None:
    model = read_model(name)
    assert bytes_per_slot(model) == slot, who
    assert kv_bytes_per_token(model) == token
    assert total(model) == weights


def test_every_shipped_model_is_recorded() -> None:
    assert sorted(row[0] for row in RECORDED) == list(shipped.names())
    assert len(RECORDED) >= 50


@pytest.mark.parametrize("name", shipped.names())
def test_a_shipped_model_is_what_its_configuration_says(name: str) -> None:
    model = read_model(name)
    hub_id = str(model.source).partition(",")[0]
    assert _facts(model) == _facts(published(hub_id.replace("/", "__")))


@pytest.mark.parametrize("name", shipped.names())
def test_a_shipped_file_is_valid_and_cites_its_source(name: str) -> None:
    model = read_description(shipped.path(name))
    assert model.name == name
    assert re.fullmatch(r"[\w.-]+/[\w.-]+, .+", str(model.source))


def test_parameters_are_exact_unless_the_file_says_otherwise() -> None:
    models = map(read_model, shipped.names())
    assert {m.name for m in models if m.parameters == "approximate"} == APPROXIMATE


def test_a_hub_id_finds_its_shipped_model() -> None:
    assert read_model("Qwen/Qwen3.5-27B").name == "qwen3.5-27b"
    assert len({str(read_model(name).source) for name in shipped.names()}) == len(RECORDED)


def all_expanded() -> int:
    """Layers of all shipped models, each read, expanded and weighed."""
    models = [read_model(name) for name in shipped.names()]
    return sum(len(expand(model).layers) for model in models if parameters(model).total)


def test_benchmark_of_all_shipped_models(benchmark: BenchmarkFixture) -> None:
    assert benchmark(all_expanded) > len(RECORDED)


def _facts(model: Description) -> Description:
    """A description without its name, source, notes and what it says of its parameters."""
    return dataclasses.replace(model, name="", source=None, notes=(), parameters="exact")
