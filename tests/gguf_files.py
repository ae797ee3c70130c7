"""GGUF files for tests, put together byte by byte so that each part can be broken on purpose."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_DATA = Path(__file__).parent / "data"

MODELS: dict[str, dict[str, Any]] = json.loads(
    (_DATA / "engines" / "llama_cpp.json").read_text(encoding="utf-8")
)["models"]
"""Metadata of models whose numbers llama.cpp 0c1e57098 computed."""

CONVERTED: dict[str, dict[str, Any]] = json.loads(
    (_DATA / "gguf" / "converted.json").read_text(encoding="utf-8")
)["files"]
"""Metadata that the converter of llama.cpp 0c1e57098 writes for `tests/data/configs`."""

UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY, UINT64, INT64, FLOAT64 = (
    range(13)
)
_FORMS = {
    **dict(enumerate("BbHhIif?")),
    UINT64: "Q",
    INT64: "q",
    FLOAT64: "d",
}

TYPES = {
    "F32": (0, 1, 4),
    "F16": (1, 1, 2),
    "Q4_0": (2, 32, 18),
    "Q8_0": (8, 32, 34),
    "Q4_K": (12, 256, 144),
    "Q6_K": (14, 256, 210),
    "IQ2_XXS": (16, 256, 66),
    "BF16": (30, 1, 2),
    "MXFP4": (39, 32, 17),
}
"""Number, elements of a block and its bytes (ggml.c of 0c1e57098, type_traits)."""

Tensors = Mapping[str, tuple[str, tuple[int, ...]]]
"""Type and shape of each tensor, the fastest axis first."""


@dataclass(frozen=True)
class Typed:
    """A value of a stated type; of an array it is the type of the items."""

    kind: int
    value: Any


def string(text: str | bytes) -> bytes:
    """A length and as many bytes."""
    raw = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(raw)) + raw


def pair(key: str | bytes, value: Any) -> bytes:
    """A key with its value, of the type that Python's suggests unless it is `Typed`."""
    return string(key) + _value(value)


def tensor(name: str | bytes, shape: Iterable[int], kind: int = 0, offset: int = 0) -> bytes:
    """A row of the table of tensors."""
    sizes = tuple(shape)
    return string(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, offset)


def header(
    pairs: Iterable[bytes],
    tensors: Iterable[bytes] = (),
    *,
    pair_count: int | None = None,
    tensor_count: int | None = None,
    version: int = 3,
) -> bytes:
    """A whole header; counts are true unless others are given."""
    keys, rows = list(pairs), list(tensors)
    counts = (
        len(rows) if tensor_count is None else tensor_count,
        len(keys) if pair_count is None else pair_count,
    )
    return b"GGUF" + struct.pack("<IQQ", version, *counts) + b"".join(keys + rows)


def model_bytes(metadata: Mapping[str, Any], tensors: Tensors | None = None) -> tuple[bytes, int]:
    """The header of a whole model, and the size of its file with the data."""
    alignment = int(getattr(metadata.get("general.alignment"), "value", 32))
    rows, offset = [], 0
    for name, (kind, shape) in (tensors or {}).items():
        rows.append(tensor(name, shape, TYPES[kind][0], offset))
        offset += -(-size_of(kind, shape) // alignment) * alignment
    start = header((pair(key, value) for key, value in metadata.items()), rows)
    return start, -(-len(start) // alignment) * alignment + offset if rows else len(start)


def split(number: int, count: int, tensors: int = 3) -> dict[str, Any]:
    """The pairs of one part, of the types that llama-gguf-split writes."""
    return {
        "split.no": Typed(UINT16, number),
        "split.count": Typed(UINT16, count),
        "split.tensors.count": Typed(INT32, tensors),
    }


def size_of(kind: str, shape: tuple[int, ...]) -> int:
    """Bytes of a tensor's data."""
    _, block, block_bytes = TYPES[kind]
    return math.prod(shape) // block * block_bytes


def write_model(path: Path, metadata: Mapping[str, Any], tensors: Tensors | None = None) -> Path:
    """Write a model whose data are holes, however large it is."""
    start, size = model_bytes(metadata, tensors)
    with path.open("wb") as file:
        file.write(start)
        file.truncate(size)
    return path


def _value(value: Any) -> bytes:
    if isinstance(value, Typed) and not isinstance(value.value, list):
        return struct.pack("<I", value.kind) + _item(value.kind, value.value)
    items = value.value if isinstance(value, Typed) else value
    if isinstance(items, list):
        kind = value.kind if isinstance(value, Typed) else _kind_of(items[0], INT32)
        raw = b"".join(_item(kind, item) for item in items)
        return struct.pack("<IIQ", ARRAY, kind, len(items)) + raw
    kind = _kind_of(value, UINT32)
    return struct.pack("<I", kind) + _item(kind, value)


def _kind_of(value: Any, whole: int) -> int:
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        kind = INT32 if value < 0 else whole
        return kind if -(2**31) <= value < 2**32 else UINT64
    return FLOAT32 if isinstance(value, float) else STRING


def _item(kind: int, value: Any) -> bytes:
    return string(value) if kind == STRING else struct.pack("<" + _FORMS[kind], value)
