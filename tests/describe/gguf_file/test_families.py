"""Families: a GGUF file gives the blocks that the configuration it was made of gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.mamba2 import Mamba2
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.blocks.plamo_mamba import PlamoMamba
from ferrum_cli.describe import config_json, gguf_file
from ferrum_cli.describe.description import Description, Layer
from ferrum_cli.describe.gguf_file.families import families, family_of
from ferrum_cli.errors import DescriptionError
from tests.gguf_files import CONVERTED, MODELS, Tensors, write_model

CONFIGS = Path(__file__).parents[2] / "data" / "configs"

WITHOUT_WINDOWS = {"pfnet__plamo-2-1b"}
"""The converter does not write the window of the attention."""


def read(folder: Path, metadata: dict[str, Any], tensors: Tensors | None = None) -> Description:
    return gguf_file.read(write_model(folder / "m.gguf", metadata, tensors))


def blocks_of(description: Description, layers: Iterable[Layer]) -> list[list[tuple[Block, ...]]]:
    """The blocks of each layer as they stand, whatever they are called."""
    return [
        [tuple(description.blocks[name] for name in entry) for entry in layer.entries]
        for layer in layers
    ]


def described(name: str) -> Description:
    return config_json.read(CONFIGS / f"{name}.json")


@pytest.mark.parametrize("name", sorted(set(CONVERTED) - WITHOUT_WINDOWS))
def test_a_converted_model_has_the_blocks_of_its_configuration(tmp_path: Path, name: str) -> None:
    """The metadata are what llama.cpp's converter writes for the very configuration."""
    found, wanted = read(tmp_path, CONVERTED[name]), described(name)
    assert blocks_of(found, found.layers) == blocks_of(wanted, wanted.layers)
    for field in ("hidden_size", "vocab_size", "norm", "post_norm", "final_norm"):
        assert getattr(found, field) == getattr(wanted, field), field


@pytest.mark.parametrize("name", sorted(CONVERTED))
def test_a_converted_model_has_the_drafts_of_its_configuration(tmp_path: Path, name: str) -> None:
    """Layers that propose tokens are counted in `block_count`, and told apart here."""
    found, wanted = read(tmp_path, CONVERTED[name]), described(name)
    if CONVERTED[name].get(f"{found.hints.gguf_architecture}.nextn_predict_layers"):
        assert found.draft is not None
        assert wanted.draft is not None
        assert blocks_of(found, found.draft.layers) == blocks_of(wanted, wanted.draft.layers)
    else:
        assert found.draft is None


@pytest.mark.parametrize("name", sorted(CONVERTED))
def test_a_converted_model_has_the_class_of_its_configuration(tmp_path: Path, name: str) -> None:
    found, wanted = read(tmp_path, CONVERTED[name]), described(name)
    other = next((note for note in found.notes if "but also" in note), "")
    assert wanted.architecture == found.architecture or str(wanted.architecture) in other


def test_the_attention_window_of_plamo_is_said_to_be_missing(tmp_path: Path) -> None:
    found = read(tmp_path, CONVERTED["pfnet__plamo-2-1b"])
    wanted = described("pfnet__plamo-2-1b")
    assert without_windows(found) == without_windows(wanted)
    assert any("does not say the attention's window" in note for note in found.notes)


def without_windows(description: Description) -> list[Block]:
    """The blocks of all layers in order, their attention over the whole context."""
    layers = blocks_of(description, description.layers)
    blocks = [block for layer in layers for entry in layer for block in entry]
    return [replace(b, window=None) if isinstance(b, Attention) else b for b in blocks]


def test_every_architecture_belongs_to_one_family() -> None:
    seen: dict[str, str] = {}
    for name in families():
        module = __import__(f"ferrum_cli.describe.gguf_file.families.{name}", fromlist=["x"])
        for architecture, classes in module.ARCHITECTURES.items():
            assert architecture not in seen, (architecture, seen.get(architecture), name)
            assert classes
            seen[architecture] = name
            assert family_of(architecture, "m.gguf") is module
    assert set(seen) >= {metadata["general.architecture"] for metadata in MODELS.values()}


def changed(name: str, **changes: Any) -> dict[str, Any]:
    """A model's metadata with other values; `a__b` is the key `a.b` of its architecture."""
    metadata = MODELS[name]
    prefix = metadata["general.architecture"]
    return metadata | {f"{prefix}.{k.replace('__', '.')}": v for k, v in changes.items()}


def test_plamos_group_count_of_zero_is_its_mixers_own_kind(tmp_path: Path) -> None:
    found = read(tmp_path, MODELS["plamo-2-8b"])
    assert isinstance(found.blocks["mamba"], PlamoMamba)
    with pytest.raises(DescriptionError, match=r"plamo2\.ssm\.group_count: 1 groups"):
        read(tmp_path, changed("plamo-2-8b", ssm__group_count=1))


def test_mamba_2_reads_its_heads_from_the_time_step_rank(tmp_path: Path) -> None:
    mixer = read(tmp_path, MODELS["mamba2-2.7b"]).blocks["mamba"]
    assert isinstance(mixer, Mamba2)
    assert (mixer.num_heads, mixer.head_dim, mixer.num_groups) == (80, 64, 1)


def test_heads_that_do_not_share_the_inner_width_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"mamba2\.ssm\.time_step_rank: 7 heads share no"):
        read(tmp_path, changed("mamba2-2.7b", ssm__time_step_rank=7))


def test_falcon_mamba_is_told_by_its_norms(tmp_path: Path) -> None:
    falcon = read(tmp_path, CONVERTED["tiiuae__falcon-mamba-7b"])
    plain = read(tmp_path, CONVERTED["state-spaces__mamba-2.8b-hf"])
    assert falcon.architecture == "FalconMambaForCausalLM"
    assert plain.architecture == "MambaForCausalLM"
    assert falcon.hints.unlimited_context
    assert plain.hints.unlimited_context


def test_bamba_is_told_by_its_turned_keys(tmp_path: Path) -> None:
    assert read(tmp_path, CONVERTED["ibm-fms__Bamba-9B"]).architecture == "BambaForCausalLM"


@pytest.mark.parametrize(
    "name", ["ibm-granite__granite-4.0-h-1b", "nvidia__NVIDIA-Nemotron-Nano-9B-v2"]
)
def test_a_written_context_is_said_to_be_none_of_the_models_own(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, CONVERTED[name])
    assert found.max_context == 2**20
    assert any("the converter wrote a context of 1,048,576" in note for note in found.notes)


@pytest.mark.parametrize("architecture", ["granite", "granitemoe"])
def test_granite_without_mamba_layers_is_attention_alone(tmp_path: Path, architecture: str) -> None:
    source = CONVERTED["ibm-granite__granite-4.0-h-tiny"]
    metadata = {
        key.replace("granitehybrid.", f"{architecture}."): value
        for key, value in source.items()
        if ".ssm." not in key
    }
    layers = source["granitehybrid.block_count"]
    metadata |= {
        "general.architecture": architecture,
        f"{architecture}.attention.head_count_kv": 4,
        f"{architecture}.context_length": 131072,
    }
    found = read(tmp_path, metadata)
    mixers = {type(entry[0]) for layer in blocks_of(found, found.layers) for entry in layer}
    assert mixers == {Attention, MixtureOfExperts}
    assert found.num_layers == layers
    assert "GraniteMoeHybridForCausalLM" in found.notes[0]


@pytest.mark.parametrize(("name", "shifts"), [("arwkv7-7b", 1), ("rwkv7-2.9b-world", 2)])
def test_rwkv_keeps_as_many_shifts_as_the_file_says(tmp_path: Path, name: str, shifts: int) -> None:
    assert read(tmp_path, MODELS[name]).hints.token_shift_count == shifts


def test_jambas_experts_are_told_by_its_tensors(tmp_path: Path) -> None:
    routers: Tensors = {f"blk.{i}.ffn_gate_inp.weight": ("F32", (4096, 16)) for i in (0, 3)}
    found = read(tmp_path, MODELS["jamba-v0.1"], routers)
    routed = [index for index, layer in enumerate(found.layers) if "experts" in layer.names]
    assert routed == [0, 3]


def test_jambas_experts_are_assumed_without_tensors(tmp_path: Path) -> None:
    found = read(tmp_path, MODELS["jamba-v0.1"])
    assert [i for i, layer in enumerate(found.layers) if "experts" in layer.names] == list(
        range(1, 32, 2)
    )
    assert any("every other one is assumed" in note for note in found.notes)


@pytest.mark.parametrize(
    ("bias", "expected"), [({}, False), ({"blk.0.attn_q.bias": ("F32", (4096,))}, True)]
)
def test_biases_of_attention_are_told_by_its_tensors(
    tmp_path: Path, bias: Tensors, expected: bool
) -> None:
    tensors: Tensors = {"output.weight": ("F16", (4096, 8)), **bias}
    found = read(tmp_path, MODELS["synthetic-llama-8b-control"], tensors)
    attention = found.blocks["attention"]
    assert isinstance(attention, Attention)
    assert attention.qkv_bias is expected


def test_nemotron_layers_are_told_by_two_arrays(tmp_path: Path) -> None:
    found = read(tmp_path, MODELS["nemotron-nano-9b-v2"])
    metadata = MODELS["nemotron-nano-9b-v2"]
    heads = metadata["nemotron_h.attention.head_count_kv"]
    feeds = metadata["nemotron_h.feed_forward_length"]
    kinds = [
        "attention" if kv else "feed_forward" if width else "mamba2"
        for kv, width in zip(heads, feeds, strict=True)
    ]
    assert [layer[0][0].kind for layer in blocks_of(found, found.layers)] == kinds


def test_layers_of_puzzle_models_may_differ_in_their_experts(tmp_path: Path) -> None:
    metadata = MODELS["nemotron-3-nano-30b-a3b"]
    feeds = list(metadata["nemotron_h_moe.feed_forward_length"])
    routed = [index for index, width in enumerate(feeds) if width]
    feeds[routed[0]] = 2 * feeds[routed[0]]
    found = read(tmp_path, metadata | {"nemotron_h_moe.feed_forward_length": feeds})
    widths = {
        block.intermediate_size
        for block in found.blocks.values()
        if isinstance(block, MixtureOfExperts)
    }
    assert widths == {feeds[routed[0]], feeds[routed[1]]}


def test_latent_attention_is_cached_as_one_head_and_described_as_many(tmp_path: Path) -> None:
    found = read(tmp_path, MODELS["kimi-linear-48b-a3b"])
    latent = found.blocks["mla"]
    assert (latent.num_heads, latent.kv_lora_rank, latent.qk_rope_head_dim) == (32, 512, 64)  # type: ignore[attr-defined]
    assert (latent.qk_nope_head_dim, latent.v_head_dim) == (128, 128)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"attention__key_length": 500}, "attention.key_length: less than"),
        ({"attention__key_length_mla": 64}, "attention.key_length_mla: no more than"),
        ({"attention__head_count_kv": [2] * 27}, "attention.head_count_kv: layer 0 has 2 heads"),
    ],
)
def test_latent_attention_that_cannot_be_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(DescriptionError) as caught:
        read(tmp_path, changed("kimi-linear-48b-a3b", **changes))
    assert f"kimi-linear.{message}" in str(caught.value)


def test_recurrent_layers_may_be_stated_one_by_one(tmp_path: Path) -> None:
    layers = MODELS["qwen3.5-4b"]["qwen35.block_count"]
    stated = [index % 5 != 0 for index in range(layers)]
    found = read(tmp_path, changed("qwen3.5-4b", attention__recurrent_layers=stated))
    kinds = [layer[0][0].kind == "gated_delta_net" for layer in blocks_of(found, found.layers)]
    assert kinds == stated


@pytest.mark.parametrize(
    "name", ["Qwen__Qwen3.5-9B", "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"]
)
def test_the_dtype_of_state_is_that_of_published_models_and_said_to_be(
    tmp_path: Path, name: str
) -> None:
    found, wanted = read(tmp_path, CONVERTED[name]), described(name)
    for hint in ("mamba_ssm_dtype", "mamba_ssm_cache_dtype"):
        assert getattr(found.hints, hint) == getattr(wanted.hints, hint)
    assert any("dtype of state; float32 is taken" in note for note in found.notes)
