"""Broken GGUF files: what each holds, and the one line that it must give, after its own name.

They are made when a test asks for them; one that would be large is a hole with a few bytes in it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import gguf_files
from tests.gguf_files import Typed, header, pair, string, tensor

_TRUNCATED = "; the file is truncated or damaged: download it again"
_LLAMA: dict[str, Any] = {
    "general.architecture": "llama",
    "llama.block_count": 2,
    "llama.context_length": 4096,
    "llama.embedding_length": 64,
    "llama.feed_forward_length": 128,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "llama.vocab_size": 1000,
}


@dataclass(frozen=True)
class Broken:
    """The bytes of a file, the size that it is stretched to, and what is said of it."""

    content: bytes
    said: str
    size: int = 0

    def write(self, path: Path) -> Path:
        """Write it; a hole takes no room."""
        with path.open("wb") as file:
            file.write(self.content)
            file.truncate(max(self.size, len(self.content)))
        return path


def _model(**changes: Any) -> bytes:
    """A small Llama with other values; `a__b` is the key `llama.a.b`, None leaves it out."""
    keys = {f"llama.{name.replace('__', '.')}": value for name, value in changes.items()}
    metadata = {key: value for key, value in (_LLAMA | keys).items() if value is not None}
    return header(pair(key, value) for key, value in metadata.items())


def _place(key: str, **changes: Any) -> str:
    """The byte where the value of `llama.key` stands in `_model` with the same changes."""
    name = f"llama.{key}".encode()
    return f"byte {_model(**changes).index(name) + len(name)}: llama.{key}: "


def _with(*tensors: bytes, count: int | None = None) -> bytes:
    return header([pair("a", 1)], tensors, tensor_count=count)


def _keys(*pairs: bytes, count: int | None = None) -> bytes:
    return header(pairs, pair_count=count)


def _array(kind: int, length: int, raw: bytes = b"") -> bytes:
    return string("a") + struct.pack("<IIQ", gguf_files.ARRAY, kind, length) + raw


_HALF = _model()[:-3]

BROKEN: Mapping[str, Broken] = {
    # What it is instead.
    "empty": Broken(b"", "byte 0: the file is empty; download it again"),
    "zeros": Broken(
        b"",
        "byte 0: this is no GGUF file: it begins with b'\\x00\\x00\\x00\\x00'; check the file",
        size=2**32,
    ),
    "two_bytes": Broken(
        b"GG", "byte 0: this is no GGUF file: it begins with b'GG'; check the file"
    ),
    "swapped_magic": Broken(
        b"FUGG" + bytes(60), "byte 0: the magic is byte-swapped; convert the model again"
    ),
    "ggml": Broken(
        b"lmgg" + bytes(60),
        "byte 0: a GGML file, the format before GGUF; convert the model again",
    ),
    "git_lfs": Broken(
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        "byte 0: a Git LFS pointer instead of the file; run 'git lfs pull'",
    ),
    "html": Broken(
        b"<!DOCTYPE html><title>Not found</title>",
        "byte 0: HTML instead of a GGUF file; download the file itself, not the page about it",
    ),
    "zip": Broken(
        b"PK\x03\x04" + bytes(60), "byte 0: a ZIP archive instead of a GGUF file; unpack it first"
    ),
    "safetensors": Broken(
        b'\x10\0\0\0\0\0\0\0{"a":1}',
        "byte 0: this is no GGUF file: it begins with b'\\x10\\x00\\x00\\x00'; check the file",
    ),
    # The header.
    "magic_alone": Broken(
        b"GGUF", f"byte 4: the header needs 20 bytes, but the file has 0 left{_TRUNCATED}"
    ),
    "header_cut": Broken(
        b"GGUF\3\0\0\0\1", f"byte 4: the header needs 20 bytes, but the file has 5 left{_TRUNCATED}"
    ),
    "version_1": Broken(
        header([], version=1),
        "byte 4: version 1 of GGUF, from August 2023; convert the model again",
    ),
    "version_4": Broken(
        header([], version=4), "byte 4: version 4 of GGUF, known are 2 and 3; check the file"
    ),
    "big_endian": Broken(
        b"GGUF" + struct.pack(">IQQ", 3, 0, 1),
        "byte 4: a big-endian GGUF file; convert the model to little-endian",
    ),
    "pairs_2_64": Broken(
        _keys(count=2**64 - 1),
        "byte 24: 18,446,744,073,709,551,615 key-value pairs, the most is 65,536",
    ),
    "pairs_in_a_hole": Broken(
        _keys(count=2**40),
        "byte 24: 1,099,511,627,776 key-value pairs, the most is 65,536",
        size=2**40,
    ),
    "pairs_beyond_the_end": Broken(
        _keys(pair("a", 1), count=9),
        "byte 24: a table of 9 key-value pairs needs 126 bytes, but the file has 17 left"
        + _TRUNCATED,
    ),
    # Keys and values.
    "key_empty": Broken(_keys(string("") + bytes(9)), "byte 24: the name of key 0 is 0 bytes long"),
    "key_2_64": Broken(
        _keys(struct.pack("<Q", 2**64 - 1) + bytes(9)),
        "byte 24: the name of key 0 is 18,446,744,073,709,551,615 bytes long",
    ),
    "key_in_a_hole": Broken(
        _keys(count=1), "byte 24: the name of key 0 is 0 bytes long", size=2**33
    ),
    "key_not_utf8": Broken(
        _keys(string(b"\xc3\x28") + bytes(9)), "byte 24: the name of key 0 is not UTF-8"
    ),
    "key_twice": Broken(_keys(pair("a", 1), pair("a", 2)), "byte 41: the key 'a' stands twice"),
    "key_of_escapes": Broken(
        _keys(string("\x1b[2J") + struct.pack("<II", 77, 0)),
        r"byte 36: the value of '\x1b[2J' has type 77, which GGUF does not have",
    ),
    "type_13": Broken(
        _keys(string("a") + struct.pack("<II", 13, 0)),
        "byte 33: the value of 'a' has type 13, which GGUF does not have",
    ),
    "value_cut": Broken(
        _HALF,
        f"byte {len(_HALF) - 1}: the value of 'llama.vocab_size' needs 4 bytes, but the file has 1"
        f" left{_TRUNCATED}",
    ),
    "string_2_64": Broken(
        _keys(string("a") + struct.pack("<IQ", 8, 2**64 - 1)),
        "byte 45: the value of 'a' needs 18,446,744,073,709,551,615 bytes, but the file has 0 left"
        + _TRUNCATED,
    ),
    "string_of_a_hole": Broken(
        _keys(string("a") + struct.pack("<IQ", 8, 2**34)),
        "byte 45: the value of 'a' reaches beyond 268,435,456 bytes, the longest header that is"
        " read",
        size=2**35,
    ),
    "array_2_64": Broken(
        _keys(_array(gguf_files.UINT8, 2**64 - 1)),
        "byte 49: the value of 'a' needs 18,446,744,073,709,551,615 bytes, but the file has 0 left"
        + _TRUNCATED,
    ),
    "array_that_overflows": Broken(
        _keys(_array(gguf_files.UINT64, 2**61)),
        "byte 49: the value of 'a' needs 18,446,744,073,709,551,616 bytes, but the file has 0 left"
        + _TRUNCATED,
    ),
    "array_in_an_array": Broken(
        _keys(_array(gguf_files.ARRAY, 2**40)), "byte 37: the value of 'a' is an array of arrays"
    ),
    "array_of_no_type": Broken(
        _keys(_array(99, 1)), "byte 37: the value of 'a' has type 99, which GGUF does not have"
    ),
    "strings_2_32": Broken(
        _keys(_array(gguf_files.STRING, 2**32)),
        "byte 49: the value of 'a' brings the strings in arrays to 4,294,967,296, the most is"
        " 1,048,576",
        size=2**36,
    ),
    "strings_over_all_arrays": Broken(
        _keys(
            _array(gguf_files.STRING, 2**19, bytes(2**22)),
            pair("b", Typed(gguf_files.STRING, [])),
            _array(gguf_files.STRING, 2**19 + 1, bytes(2**10)).replace(b"a", b"c", 1),
        ),
        "byte 4194403: the value of 'c' brings the strings in arrays to 1,048,577, the most is"
        " 1,048,576",
    ),
    "string_in_an_array_2_63": Broken(
        _keys(_array(gguf_files.STRING, 2, string("ok") + struct.pack("<Q", 2**63))),
        "byte 67: the value of 'a' needs 9,223,372,036,854,775,808 bytes, but the file has 0 left"
        + _TRUNCATED,
    ),
    # Tensors.
    "tensors_2_64": Broken(
        _with(count=2**64 - 1),
        "byte 41: 18,446,744,073,709,551,615 tensors, the most is 65,536",
    ),
    "tensors_beyond_the_end": Broken(
        _with(count=9),
        f"byte 41: a table of 9 tensors needs 297 bytes, but the file has 0 left{_TRUNCATED}",
    ),
    "tensor_without_a_name": Broken(
        _with(tensor("", (4,)) + bytes(9)), "byte 41: the name of tensor 0 is 0 bytes long"
    ),
    "tensor_name_2_62": Broken(
        _with(struct.pack("<Q", 2**62) + bytes(40)),
        "byte 41: the name of tensor 0 is 4,611,686,018,427,387,904 bytes long",
    ),
    "tensor_twice": Broken(
        _with(tensor("t", (4,)), tensor("t", (4,), 0, 32)), "byte 74: the tensor 't' stands twice"
    ),
    "dimensions_0": Broken(
        _with(tensor("t", ()) + bytes(8)), "byte 50: tensor 't' has 0 dimensions"
    ),
    "dimensions_2_31": Broken(
        _with(string("t") + struct.pack("<I", 2**31) + bytes(40)),
        "byte 50: tensor 't' has 2147483648 dimensions",
    ),
    "shape_zero": Broken(
        _with(tensor("t", (4, 0))), "byte 41: tensor 't' has the impossible shape [4, 0]"
    ),
    "shape_that_overflows": Broken(
        _with(tensor("t", (2**32, 2**32))),
        "byte 41: tensor 't' has the impossible shape [4294967296, 4294967296]",
    ),
    "tensor_of_no_type": Broken(
        _with(tensor("t", (4,), 4242)),
        "byte 41: tensor 't' has type 4242, which the gguf library does not know; try a newer"
        " version of the gguf library",
    ),
    "tensor_of_half_a_block": Broken(
        _with(tensor("t", (31,), 8)),
        "byte 41: rows of 31 in tensor 't' are no multiple of 32, a block of Q8_0",
    ),
    "tensor_far_away": Broken(
        _with(tensor("t", (4,), 0, 2**64 - 32)),
        "byte 41: the data of tensor 't' begins at 18,446,744,073,709,551,584, not at 0, where"
        " those before it end",
    ),
    "tensors_that_overlap": Broken(
        _with(tensor("a", (64,)), tensor("b", (64,), 0, 32)),
        "byte 74: the data of tensor 'b' begins at 32, not at 256, where those before it end",
        size=4096,
    ),
    "data_missing": Broken(
        _with(tensor("t", (2**20,))),
        "byte 74: the tensors need 4,194,400 bytes, but the file has 74; the file is truncated:"
        " download it again",
    ),
    "data_one_byte_short": Broken(
        _with(tensor("t", (64,))),
        "byte 74: the tensors need 352 bytes, but the file has 351; the file is truncated: download"
        " it again",
        size=351,
    ),
    "alignment_zero": Broken(
        _keys(pair("general.alignment", 0)),
        "byte 49: general.alignment is 0 of type uint32; it must be a power of two, uint32",
    ),
    "alignment_of_text": Broken(
        _keys(pair("general.alignment", "32")),
        "byte 49: general.alignment is '32' of type string; it must be a power of two, uint32",
    ),
    # The model.
    "no_architecture": Broken(
        _keys(pair("a", 1)),
        "general.architecture: is missing; convert the model again, or describe it in YAML",
    ),
    "architecture_unknown": Broken(
        _keys(pair("general.architecture", "bert")),
        "byte 52: the GGUF architecture 'bert' is not known to Ferrum; give the model's"
        " config.json, or describe it in YAML with blocks of kind: custom",
    ),
    "architecture_a_number": Broken(
        _keys(pair("general.architecture", 7)),
        "byte 52: general.architecture: expected a short text, found 7 of type uint32",
    ),
    "layers_2_31": Broken(
        _model(block_count=2**31 - 1),
        _place("block_count") + "2,147,483,647 layers, the most is 4,096",
    ),
    "drafts_alone": Broken(
        _model(nextn_predict_layers=2),
        _place("nextn_predict_layers", nextn_predict_layers=2) + "2 of 2 layers",
    ),
    "size_negative": Broken(
        _model(embedding_length=-64),
        _place("embedding_length") + "expected 1 to 2147483648, found -64",
    ),
    "size_infinite": Broken(
        _model(embedding_length=float("inf")),
        _place("embedding_length") + "expected a whole number, found inf of type float32",
    ),
    "heads_for_other_layers": Broken(
        _model(attention__head_count_kv=[2] * 5),
        _place("attention.head_count_kv") + "5 entries for 2 layers",
    ),
    # Splits.
    "split_renamed": Broken(
        _keys(pair("split.count", 3), pair("split.no", 0)),
        "byte 43: split.count: one of 3 parts, whose name does not say which; name the files"
        " NAME-00001-of-00002.gguf as they were",
    ),
}
