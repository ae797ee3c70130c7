"""One GGUF file: magic, version, counts, key-value pairs, table of tensors, and room for the data.

Everything is held against the file's size, from the first byte on; the data is never touched. It
knows nothing about architectures or about files that belong together.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path

from ferrum_cli.describe.gguf_file.cursor import Cursor
from ferrum_cli.describe.gguf_file.metadata import Metadata, read_pairs
from ferrum_cli.describe.gguf_file.tensor_table import Tensor, measured, read_entries
from ferrum_cli.describe.regular_file import opened, shown_path

MAGIC = b"GGUF"
VERSIONS = (2, 3)
_HEADER = struct.Struct("<IQQ")
_DEFAULT_ALIGNMENT = 32
_LARGEST_ALIGNMENT = 2**20

_OTHERS = (
    (b"FUGG", "the magic is byte-swapped", "convert the model again"),
    (b"ggml", "a GGML file, the format before GGUF", "convert the model again"),
    (b"lmgg", "a GGML file, the format before GGUF", "convert the model again"),
    (b"tjgg", "a GGJT file, the format before GGUF", "convert the model again"),
    (b"fmgg", "a GGMF file, the format before GGUF", "convert the model again"),
    (b"vers", "a Git LFS pointer instead of the file", "run 'git lfs pull'"),
    (b"<!DO", "HTML instead of a GGUF file", "download the file itself, not the page about it"),
    (b"<htm", "HTML instead of a GGUF file", "download the file itself, not the page about it"),
    (b"PK\x03\x04", "a ZIP archive instead of a GGUF file", "unpack it first"),
)


@dataclass(frozen=True, slots=True)
class GgufFile:
    """What one file's header says, held against the file."""

    path: Path
    metadata: Metadata
    tensors: tuple[Tensor, ...]
    identity: tuple[int, int]
    """Device and inode, by which two names of one file are told."""


def read_file(path: Path) -> GgufFile:
    """Read one file's header. Raises DescriptionError with the byte of whatever is wrong."""
    with opened(path) as file:
        status = os.fstat(file.fileno())
        cursor = Cursor(file.fileno(), status.st_size, shown_path(path))
        tensor_count, pair_count = _counts(cursor)
        metadata = read_pairs(cursor, pair_count)
        alignment = _alignment(cursor, metadata)
        entries = read_entries(cursor, tensor_count)
        tensors, data_bytes = measured(cursor, entries, alignment)
        _check_data(cursor, alignment, tensors, data_bytes)
    return GgufFile(path, metadata, tensors, (status.st_dev, status.st_ino))


def _counts(cursor: Cursor) -> tuple[int, int]:
    """Tensors and pairs, after the magic and the version."""
    if cursor.size == 0:
        cursor.fail("the file is empty", "download it again")
    magic = cursor.take(min(len(MAGIC), cursor.size), "the magic")
    if magic != MAGIC:
        what, hint = next(
            ((what, hint) for start, what, hint in _OTHERS if magic == start),
            (f"this is no GGUF file: it begins with {magic!r}", "check the file"),
        )
        cursor.fail(what, hint, at=0)
    at = cursor.position
    version, tensors, pairs = _HEADER.unpack(cursor.take(_HEADER.size, "the header"))
    if version not in VERSIONS:
        cursor.fail(*_wrong_version(version), at=at)
    return tensors, pairs


def _wrong_version(version: int) -> tuple[str, str]:
    if version.to_bytes(4, "little")[::-1] in (v.to_bytes(4, "little") for v in VERSIONS):
        return "a big-endian GGUF file", "convert the model to little-endian"
    if version == 1:
        return "version 1 of GGUF, from August 2023", "convert the model again"
    known = " and ".join(str(v) for v in VERSIONS)
    return f"version {version} of GGUF, known are {known}", "check the file"


def _alignment(cursor: Cursor, metadata: Metadata) -> int:
    """`general.alignment`: where the data of each tensor may begin."""
    found = metadata.get("general.alignment")
    if found is None:
        return _DEFAULT_ALIGNMENT
    value = found.value
    is_power = isinstance(value, int) and value > 0 and value & (value - 1) == 0
    if found.kind != "uint32" or not is_power or not 1 <= int(value) <= _LARGEST_ALIGNMENT:  # type: ignore[arg-type]
        cursor.fail(
            f"general.alignment is {_shown(value)} of type {found.kind}",
            "it must be a power of two, uint32",
            at=found.offset,
        )
    return int(value)  # type: ignore[arg-type]


def _shown(value: object) -> str:
    return "too long" if value is None else ascii(value)[:60]


def _check_data(
    cursor: Cursor, alignment: int, tensors: tuple[Tensor, ...], data_bytes: int
) -> None:
    """Refuse a file that ends before its data; padding after the last tensor may be missing."""
    if not tensors:
        return
    start = -(-cursor.position // alignment) * alignment
    last = tensors[-1].size_bytes
    needed = start + data_bytes - (-(-last // alignment) * alignment - last)
    if needed > cursor.size:
        cursor.fail(
            f"the tensors need {needed:,} bytes, but the file has {cursor.size:,}",
            "the file is truncated: download it again",
        )
