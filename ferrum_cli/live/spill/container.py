"""The form of a snapshot's file: a safetensors file whose header vouches for itself and its data.

    8 bytes     length of the header, little-endian
    header      JSON: one entry for each tensor of each slot, and `__metadata__`
    data        the tensors, without gaps, slot after slot, grouped as in a packed slot

The metadata holds the version of the form, whose state it is, a digest of the layout, a digest of
each tensor, and a digest of the header itself (in which that digest counts as zeros). It knows
nothing about files; see safetensors 0.4 `tensor.rs` for the form it keeps to.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ferrum_cli.contract import DataType, RecurrentStateSpec
from ferrum_cli.live.layout import SlotLayout

FORMAT, VERSION = "ferrum.snapshot", 1
ENGINE = "native"
LENGTH_BYTES = 8
LARGEST_HEADER = 16 * 2**20
NO_DIGEST = "0" * 64

NAMES = {
    DataType.FP32: "F32",
    DataType.FP16: "F16",
    DataType.BF16: "BF16",
    DataType.FP8: "F8_E4M3",
    DataType.INT32: "I32",
    DataType.INT16: "I16",
    DataType.INT8: "I8",
    DataType.INT4: "I8",
    DataType.UINT32: "U32",
    DataType.UINT16: "U16",
    DataType.UINT8: "U8",
    DataType.UINT4: "U8",
    DataType.BOOL: "BOOL",
}
"""safetensors' names. It packs no 4-bit types; the layout's digest tells them from bytes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A tensor of a slot: its name in the file, and where its bytes lie in the packed slot."""

    name: str
    slot: int
    index: int
    offset: int
    size_bytes: int


def entries(layout: SlotLayout, slots: int) -> Iterator[Entry]:
    """Every tensor of every slot, in the order of the data."""
    for slot in range(slots):
        for group in layout.groups:
            for index in group.members:
                tensor = layout.tensors[index]
                yield Entry(
                    f"slot{slot}.{index}.layer{tensor.layer_index}.{tensor.name}",
                    slot,
                    index,
                    layout.offsets[index],
                    group.tensor_bytes,
                )


def layout_digest(layout: SlotLayout) -> str:
    """SHA-256 of the tensors in the contract's JSON."""
    text = json.dumps([tensor.to_json() for tensor in layout.tensors], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def header(spec: RecurrentStateSpec, layout: SlotLayout, digests: Sequence[str]) -> bytes:
    """The length and the header, ready to be written before the data."""
    fields: dict[str, Any] = {
        "__metadata__": {
            "format": f"{FORMAT}/{VERSION}",
            "engine": ENGINE,
            "request_id": str(spec.request_id),
            "policy": "SnapshotOnPreempt",
            "slots": str(spec.max_batch_slots),
            "layout": layout_digest(layout),
            "digest": "xxh3_128",
            "digests": " ".join(digests),
            "header_digest": NO_DIGEST,
        }
    }
    end = 0
    for entry in entries(layout, spec.max_batch_slots):
        tensor = layout.tensors[entry.index]
        fields[entry.name] = {
            "dtype": NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [end, end + entry.size_bytes],
        }
        end += entry.size_bytes
    text = json.dumps(fields, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    blank = len(text).to_bytes(LENGTH_BYTES, "little") + text
    return blank.replace(NO_DIGEST.encode(), header_digest(blank).encode(), 1)


def header_digest(blank: bytes) -> str:
    """SHA-256 of length and header, in which the header's own digest is zeros."""
    return hashlib.sha256(blank).hexdigest()
