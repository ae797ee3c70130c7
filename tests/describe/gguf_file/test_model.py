"""What every family's description has: name, dtype, vocabulary, drafts, ties, notes, weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ferrum_cli.describe import gguf_file
from ferrum_cli.describe.description import Description
from ferrum_cli.dtype import DType
from ferrum_cli.errors import DescriptionError, UnknownArchitecture
from tests.gguf_files import MODELS, Tensors, write_model

LLAMA: dict[str, Any] = {
    "general.architecture": "llama",
    "llama.block_count": 2,
    "llama.context_length": 4096,
    "llama.embedding_length": 64,
    "llama.feed_forward_length": 128,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "llama.vocab_size": 1000,
}
EMBEDDING: Tensors = {"token_embd.weight": ("F16", (64, 1000))}


def read(
    folder: Path, changes: dict[str, Any], tensors: Tensors | None = None, name: str = "m.gguf"
) -> Description:
    pairs = {key: value for key, value in (LLAMA | changes).items() if value is not None}
    return gguf_file.read(write_model(folder / name, pairs, tensors))


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("Qwen3.5-27B-UD-Q5_K_M.gguf", "qwen3.5-27b-ud-q5-k-m"),
        ("my model (1).gguf", "my-model-1"),
        ("模型.gguf", "model"),
        ("x" * 120 + ".gguf", "x" * 100),
    ],
)
def test_a_model_is_called_as_its_file(tmp_path: Path, file: str, name: str) -> None:
    assert read(tmp_path, {}, name=file).name == name


@pytest.mark.parametrize(
    ("file_type", "dtype"), [(0, DType.FP32), (1, DType.FP16), (32, DType.BF16)]
)
def test_the_file_type_of_full_precision_is_the_dtype(
    tmp_path: Path, file_type: int, dtype: DType
) -> None:
    found = read(tmp_path, {"general.file_type": file_type})
    assert found.dtype is dtype
    assert not any("dtype" in note for note in found.notes)


@pytest.mark.parametrize("file_type", [None, 2, 15, 1024])
def test_a_quantized_file_has_an_assumed_dtype_and_says_so(
    tmp_path: Path, file_type: int | None
) -> None:
    found = read(tmp_path, {"general.file_type": file_type})
    assert found.dtype is DType.BF16
    assert "the file does not say the model's own dtype; bfloat16 is assumed" in found.notes


def test_the_vocabulary_is_counted_where_no_size_is_stated(tmp_path: Path) -> None:
    tokens = {"llama.vocab_size": None, "tokenizer.ggml.tokens": ["a", "b", "c"]}
    assert read(tmp_path, tokens).vocab_size == 3


def test_a_stated_vocabulary_counts_before_the_tokens(tmp_path: Path) -> None:
    assert read(tmp_path, {"tokenizer.ggml.tokens": ["a", "b", "c"]}).vocab_size == 1000


def test_a_file_without_any_vocabulary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"llama\.vocab_size: is missing, and the file has"):
        read(tmp_path, {"llama.vocab_size": None})


def test_embeddings_are_tied_where_there_is_no_output(tmp_path: Path) -> None:
    output: Tensors = {"output.weight": ("F16", (64, 1000))}
    assert read(tmp_path, {}, EMBEDDING).tie_embeddings
    assert not read(tmp_path, {}, {**EMBEDDING, **output}).tie_embeddings


def test_weights_are_those_of_the_tensors(tmp_path: Path) -> None:
    stored = read(tmp_path, {}, EMBEDDING).stored_weights
    assert stored is not None
    assert (stored.known, stored.embedding_bytes) == (True, 128_000)


def test_weights_are_unknown_without_tensors(tmp_path: Path) -> None:
    stored = read(tmp_path, {}).stored_weights
    assert stored is not None
    assert not stored.known


def test_layers_at_the_end_that_propose_tokens_are_drafts(tmp_path: Path) -> None:
    changes = {"llama.block_count": 3, "llama.nextn_predict_layers": 1}
    found = read(tmp_path, changes)
    assert found.num_layers == 2
    assert found.draft is not None
    assert (found.draft.method, len(found.draft.layers)) == ("mtp", 1)


def test_the_architecture_of_the_file_is_kept_for_engines(tmp_path: Path) -> None:
    assert read(tmp_path, {}).hints.gguf_architecture == "llama"


def test_a_name_of_several_classes_is_said_to_be_ambiguous(tmp_path: Path) -> None:
    found = read(tmp_path, {})
    assert found.architecture == "LlamaForCausalLM"
    assert found.notes[0] == (
        "the GGUF architecture 'llama' is LlamaForCausalLM here, but also MistralForCausalLM"
    )


@pytest.mark.parametrize(
    ("changes", "architecture"),
    [
        ({"llama.expert_count": 8, "llama.expert_used_count": 2}, "MixtralForCausalLM"),
        ({"general.architecture": "llama"}, "LlamaForCausalLM"),
    ],
)
def test_what_the_file_decides_is_not_ambiguous(
    tmp_path: Path, changes: dict[str, Any], architecture: str
) -> None:
    found = read(tmp_path, changes)
    assert found.architecture == architecture
    assert any("but also" in note for note in found.notes) == (architecture == "LlamaForCausalLM")


@pytest.mark.parametrize("name", ["bert", "llama5", "\x1b[2J", "x" * 300, ""])
def test_an_architecture_that_is_not_known_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownArchitecture) as caught:
        read(tmp_path, {"general.architecture": name})
    said = str(caught.value)
    assert "is not known to Ferrum; give the model's config.json" in said
    assert ": byte " in said
    assert said.isprintable()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"general.architecture": None}, "general.architecture: is missing"),
        ({"general.architecture": 7}, "general.architecture: expected a short text, found 7"),
        ({"llama.block_count": None}, "llama.block_count: is missing"),
        ({"llama.block_count": 4097}, "llama.block_count: 4,097 layers, the most is 4,096"),
        ({"llama.block_count": 2**32 - 1}, "llama.block_count: expected 1 to 2147483648"),
        ({"llama.nextn_predict_layers": 2}, "llama.nextn_predict_layers: 2 of 2 layers"),
        ({"llama.attention.head_count": 0}, "llama.attention.key_length: is missing, and the"),
        ({"llama.attention.head_count": [4, 0]}, "llama.attention.head_count: no heads beside 2"),
        ({"llama.attention.head_count": 128}, "llama.attention.head_count: 128 heads in 64"),
        ({"llama.attention.head_count_kv": 3}, "llama.attention.head_count_kv: "),
        ({"llama.attention.head_count_kv": [2, 2, 2]}, "llama.attention.head_count_kv: 3 entries"),
        ({"llama.attention.head_count_kv": [0, 0]}, "llama.attention.head_count_kv: "),
        ({"llama.expert_count": 2, "llama.expert_used_count": 3}, "llama.expert_used_count: "),
    ],
)
def test_sizes_that_contradict_each_other_are_refused_at_their_key(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(DescriptionError) as caught:
        read(tmp_path, changes)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", MODELS)
def test_every_computed_model_is_described(tmp_path: Path, name: str) -> None:
    found = gguf_file.read(write_model(tmp_path / "m.gguf", MODELS[name]))
    architecture = MODELS[name]["general.architecture"]
    stated = MODELS[name][f"{architecture}.block_count"]
    drafts = MODELS[name].get(f"{architecture}.nextn_predict_layers", 0)
    assert found.num_layers == stated - drafts
    assert found.max_context == MODELS[name][f"{architecture}.context_length"]
