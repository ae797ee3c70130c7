"""One file: magic, version, alignment, and whether the data it speaks of are there."""

from __future__ import annotations

import resource
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from ferrum_cli.describe.gguf_file.container import read_file
from ferrum_cli.errors import DescriptionError
from tests import gguf_files
from tests.gguf_files import Typed, header, model_bytes, pair, size_of, tensor, write_model

METADATA = {"general.architecture": "llama", "llama.block_count": 2}
TENSORS = {"a": ("F32", (5, 3)), "b": ("Q8_0", (64, 2)), "c": ("F16", (7,))}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.gguf"


def refusal(path: Path) -> str:
    with pytest.raises(DescriptionError) as caught:
        read_file(path)
    return str(caught.value).replace(f"{path}: ", "")


@pytest.mark.parametrize("version", [2, 3])
def test_both_living_versions_are_read(path: Path, version: int) -> None:
    path.write_bytes(header([pair("k", 1)], version=version))
    assert read_file(path).metadata["k"].value == 1


def test_tensors_are_measured_and_data_are_not_read(path: Path) -> None:
    found = read_file(write_model(path, METADATA, TENSORS))
    sizes = {tensor.name: tensor.size_bytes for tensor in found.tensors}
    assert sizes == {name: size_of(*row) for name, row in TENSORS.items()}


@pytest.mark.parametrize("alignment", [1, 8, 32, 64, 2**20])
def test_data_begin_at_multiples_of_the_alignment(path: Path, alignment: int) -> None:
    stated = METADATA | {"general.alignment": Typed(gguf_files.UINT32, alignment)}
    assert len(read_file(write_model(path, stated, TENSORS)).tensors) == 3


def test_a_file_of_the_gguf_librarys_own_writer_is_read(path: Path) -> None:
    """Another hand wrote it: `gguf.GGUFWriter`."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint32("llama.block_count", 2)
    writer.add_array("llama.attention.head_count_kv", [0, 8])
    writer.add_token_list(["a", "b"])
    writer.add_tensor("token_embd.weight", np.zeros((3, 64), dtype=np.float16))
    writer.add_tensor("output_norm.weight", np.zeros(64, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    found = read_file(path)
    assert found.metadata["llama.attention.head_count_kv"].value == (0, 8)
    assert found.metadata["tokenizer.ggml.tokens"].length == 2
    assert [(t.name, t.shape, t.type_name, t.size_bytes) for t in found.tensors] == [
        ("token_embd.weight", (64, 3), "F16", 384),
        ("output_norm.weight", (64,), "F32", 256),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "byte 0: the file is empty"),
        (b"GG", "byte 0: this is no GGUF file: it begins with b'GG'"),
        (b"FUGG" + b"\0" * 30, "byte 0: the magic is byte-swapped"),
        (b"ggml" + b"\0" * 30, "byte 0: a GGML file, the format before GGUF"),
        (b"tjgg" + b"\0" * 30, "byte 0: a GGJT file, the format before GGUF"),
        (b"version https://git-lfs.github.com/spec/v1\n", "byte 0: a Git LFS pointer"),
        (b"<!DOCTYPE html>", "byte 0: HTML instead of a GGUF file"),
        (b"PK\x03\x04zip", "byte 0: a ZIP archive instead of a GGUF file"),
        (b"\x7fELF" + b"\0" * 30, "byte 0: this is no GGUF file: it begins with b'\\x7fELF'"),
        (b"GGUF", "byte 4: the header needs 20 bytes, but the file has 0 left"),
        (b"GGUF" + struct.pack("<IQ", 3, 0), "byte 4: the header needs 20 bytes"),
        (header([], version=0), "byte 4: version 0 of GGUF, known are 2 and 3"),
        (header([], version=1), "byte 4: version 1 of GGUF, from August 2023"),
        (header([], version=4), "byte 4: version 4 of GGUF"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "byte 4: a big-endian GGUF file"),
        (b"GGUF" + struct.pack(">IQQ", 2, 0, 0), "byte 4: a big-endian GGUF file"),
    ],
)
def test_what_is_no_gguf_file_is_called_by_its_name(
    path: Path, content: bytes, message: str
) -> None:
    path.write_bytes(content)
    assert refusal(path).startswith(message)


@pytest.mark.parametrize(
    "alignment",
    [
        Typed(gguf_files.UINT32, 0),
        Typed(gguf_files.UINT32, 24),
        Typed(gguf_files.UINT32, 2**21),
        Typed(gguf_files.UINT64, 32),
        Typed(gguf_files.STRING, "32"),
        [32],
    ],
)
def test_an_alignment_that_is_no_power_of_two_is_refused(path: Path, alignment: Any) -> None:
    path.write_bytes(header([pair("general.alignment", alignment)], [tensor("t", (4,))]))
    assert refusal(path).startswith("byte 49: general.alignment is ")


def test_the_last_tensors_padding_may_be_missing(path: Path) -> None:
    size = model_bytes(METADATA, TENSORS)[1]
    padding = size_of(*TENSORS["c"]) % 32
    write_model(path, METADATA, TENSORS)
    with path.open("r+b") as file:
        file.truncate(size - (32 - padding))
    assert len(read_file(path).tensors) == 3


def test_every_truncation_is_refused(path: Path) -> None:
    """Wherever a file ends before the last byte of its last tensor."""
    start, size = model_bytes(METADATA, TENSORS)
    whole = start + b"\0" * (size - len(start))
    end = size - (32 - size_of(*TENSORS["c"]) % 32)
    for length in range(end):
        path.write_bytes(whole[:length])
        assert refusal(path).startswith("byte "), length
    path.write_bytes(whole[:end])
    read_file(path)


def test_a_file_that_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    assert "this is a folder" in refusal(tmp_path)


def test_a_file_of_four_hundred_gigabytes_is_read_in_little_memory(path: Path) -> None:
    """Its data are a hole; a process that mapped or read them would not get through."""
    layers = {f"blk.{i}.ffn_up_exps.weight": ("Q8_0", (2048, 768, 512)) for i in range(470)}
    write_model(path, METADATA, layers)
    assert path.stat().st_size > 400 * 10**9
    code = (
        "import sys\n"
        "from ferrum_cli.describe.gguf_file.container import read_file\n"
        "print(len(read_file(sys.argv[1]).tensors))\n"
    )

    def _limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (400 * 2**20,) * 2)

    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=_limit)
    assert done.stdout == "470\n"
