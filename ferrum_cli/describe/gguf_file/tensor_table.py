"""The table of tensors in a GGUF header: names, shapes, types, and where the data of each lies.

The data itself is never read or mapped. What a type is called and weighs comes from the `gguf`
library, which is looked into once the table is known to be whole. It knows nothing about what a
tensor is for.
"""

from __future__ import annotations

import importlib.util
import runpy
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ferrum_cli.describe.gguf_file.cursor import Cursor
from ferrum_cli.errors import MissingExtra

MAX_TENSORS = 65_536
"""The largest models have some 3,000, or 50,000 where each expert is a tensor of its own."""
_LONGEST_NAME = 63
"""GGML_MAX_NAME - 1."""
_MOST_DIMENSIONS = 4
_SMALLEST_ENTRY = 8 + 1 + 4 + 8 + 4 + 8
_LARGEST_COUNT = 2**63 - 1

_DIMENSIONS = {n: struct.Struct(f"<{n}QIQ") for n in range(1, _MOST_DIMENSIONS + 1)}
_RANK = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the table; `data_offset` counts from the start of the data."""

    name: str
    shape: tuple[int, ...]
    type_number: int
    data_offset: int
    position: int
    """The byte of the header where the row begins."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor's name, shape (the fastest axis first), type and bytes."""

    name: str
    shape: tuple[int, ...]
    type_name: str
    size_bytes: int

    @property
    def elements(self) -> int:
        """Numbers in the tensor."""
        total = 1
        for size in self.shape:
            total *= size
        return total


def read_entries(cursor: Cursor, count: int) -> tuple[Entry, ...]:
    """Read `count` rows. Raises DescriptionError with the byte of whatever is wrong."""
    if count > MAX_TENSORS:
        cursor.fail(f"{count:,} tensors, the most is {MAX_TENSORS:,}")
    cursor.require(count * _SMALLEST_ENTRY, f"a table of {count:,} tensors")
    entries: dict[str, Entry] = {}
    for number in range(count):
        entry = _entry(cursor, number)
        if entry.name in entries:
            cursor.fail(f"the tensor {entry.name!r} stands twice", at=entry.position)
        entries[entry.name] = entry
    return tuple(entries.values())


def _entry(cursor: Cursor, number: int) -> Entry:
    at = cursor.position
    what = f"tensor {number}"
    length = cursor.length(what)
    if not 0 < length <= _LONGEST_NAME:
        cursor.fail(f"the name of {what} is {length:,} bytes long", at=at)
    raw = cursor.take(length, what)
    if not raw.isascii():
        cursor.fail(f"the name of {what} is not ASCII", at=at)
    name = raw.decode()
    rank = int(cursor.number(_RANK, what))
    if rank not in _DIMENSIONS:
        cursor.fail(f"tensor {name!r} has {rank} dimensions", at=cursor.position - _RANK.size)
    form = _DIMENSIONS[rank]
    *shape, type_number, data_offset = form.unpack(cursor.take(form.size, what))
    entry = Entry(name, tuple(shape), type_number, data_offset, at)
    _check_shape(cursor, entry)
    return entry


def _check_shape(cursor: Cursor, entry: Entry) -> None:
    total = 1
    for size in entry.shape:
        total *= size
        if size == 0 or total > _LARGEST_COUNT:
            cursor.fail(
                f"tensor {entry.name!r} has the impossible shape {list(entry.shape)}",
                at=entry.position,
            )


def measured(
    cursor: Cursor, entries: tuple[Entry, ...], alignment: int
) -> tuple[tuple[Tensor, ...], int]:
    """The tensors with their bytes, and the bytes of all data, each tensor padded.

    Raises DescriptionError where a tensor does not begin where the one before it ends, and
    MissingExtra without the `gguf` library.
    """
    if not entries:
        return (), 0
    types = tensor_types()
    tensors, expected = [], 0
    for entry in entries:
        tensor = _measured(cursor, entry, types)
        if entry.data_offset != expected:
            cursor.fail(
                f"the data of tensor {entry.name!r} begins at {entry.data_offset:,}, not at"
                f" {expected:,}, where those before it end",
                at=entry.position,
            )
        tensors.append(tensor)
        expected += -(-tensor.size_bytes // alignment) * alignment
    return tuple(tensors), expected


def _measured(cursor: Cursor, entry: Entry, types: Mapping[int, tuple[str, int, int]]) -> Tensor:
    if entry.type_number not in types:
        cursor.fail(
            f"tensor {entry.name!r} has type {entry.type_number}, which the gguf library does not"
            " know",
            "try a newer version of the gguf library",
            at=entry.position,
        )
    name, block, block_bytes = types[entry.type_number]
    row, *others = entry.shape
    if row % block:
        cursor.fail(
            f"rows of {row} in tensor {entry.name!r} are no multiple of {block}, a block of {name}",
            at=entry.position,
        )
    size = row // block * block_bytes
    for other in others:
        size *= other
    return Tensor(entry.name, entry.shape, name, size)


def tensor_types() -> Mapping[int, tuple[str, int, int]]:
    """Name, elements of a block and its bytes for the number of every type.

    Of the `gguf` library the constants alone are run: all of it takes 0.2 s, for numpy. Raises
    MissingExtra without the library.
    """
    library = importlib.util.find_spec("gguf")
    if library is None or library.origin is None:
        raise MissingExtra("gguf", "measuring the tensors of a GGUF file")
    constants = runpy.run_path(str(Path(library.origin).with_name("constants.py")))
    return {
        int(number): (number.name, block, block_bytes)
        for number, (block, block_bytes) in constants["GGML_QUANT_SIZES"].items()
    }
