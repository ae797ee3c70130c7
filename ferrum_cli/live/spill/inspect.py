"""Is this header that of a snapshot of this very state? Everything that is wrong has its own word.

It decides before any byte of the data is read, and knows nothing about how the bytes were read.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ferrum_cli.contract import RecurrentStateSpec
from ferrum_cli.errors import SnapshotRefused
from ferrum_cli.live.layout import SlotLayout
from ferrum_cli.live.spill.container import (
    ENGINE,
    FORMAT,
    LENGTH_BYTES,
    NAMES,
    NO_DIGEST,
    VERSION,
    entries,
    header_digest,
    layout_digest,
)


def digests_of(
    raw: bytes, data_bytes: int, spec: RecurrentStateSpec, layout: SlotLayout
) -> list[str]:
    """The digest of each tensor, from length and header, once all else about them is right.

    `data_bytes` is what follows the header. Raises SnapshotRefused.
    """
    fields = _parse(raw[LENGTH_BYTES:])
    metadata = fields.pop("__metadata__", None)
    _check_form(metadata)
    _check_header_digest(raw, metadata)
    _check_owner(metadata, spec)
    _check_tensors(fields, spec, layout)
    if metadata.get("layout") != layout_digest(layout):
        raise SnapshotRefused("layout", "is of other state tensors")
    _check_size(fields, data_bytes)
    digests = str(metadata.get("digests", "")).split()
    if len(digests) != len(fields):
        raise SnapshotRefused("digests", f"has {len(digests)} digests for {len(fields)} tensors")
    return digests


def _parse(text: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(text.decode("utf-8"), object_pairs_hook=_once)
    except UnicodeDecodeError:
        raise SnapshotRefused("not-utf8", "has a header that is not UTF-8") from None
    except (ValueError, RecursionError):
        raise SnapshotRefused("not-json", "has a header that is not JSON") from None
    if not isinstance(fields, dict):
        raise SnapshotRefused("not-json", "has a header that is no JSON object")
    return fields


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise SnapshotRefused("duplicate-key", "has a header that names something twice")
    return found


def _check_form(metadata: Any) -> None:
    form = metadata.get("format") if isinstance(metadata, dict) else None
    found = re.fullmatch(rf"{re.escape(FORMAT)}/([0-9]{{1,9}})", str(form))
    if found is None:
        raise SnapshotRefused("foreign", "is a safetensors file, but no snapshot of Ferrum's")
    version = int(found[1])
    if version != VERSION:
        age = "newer" if version > VERSION else "older"
        raise SnapshotRefused(
            "version", f"has form {version}, which is {age} than {VERSION}", hint="start anew"
        )
    if any(not isinstance(value, str) for value in metadata.values()):
        raise SnapshotRefused("header-damaged", "has metadata that is not text")


def _check_header_digest(raw: bytes, metadata: dict[str, str]) -> None:
    digest = metadata.get("header_digest", "")
    blank = raw.replace(digest.encode(), NO_DIGEST.encode(), 1) if digest else raw
    if header_digest(blank) != digest:
        raise SnapshotRefused("header-damaged", "has a header whose digest is wrong")


def _check_owner(metadata: dict[str, str], spec: RecurrentStateSpec) -> None:
    for problem, expected in (
        ("engine", ENGINE),
        ("request_id", str(spec.request_id)),
        ("slots", str(spec.max_batch_slots)),
    ):
        if metadata.get(problem) != expected:
            what = f"has {problem} {metadata.get(problem)!r}, not {expected!r}"
            raise SnapshotRefused(problem.replace("_", "-"), what)


def _check_tensors(fields: dict[str, Any], spec: RecurrentStateSpec, layout: SlotLayout) -> None:
    """Names (with layers), dtypes, shapes and places, in the order of the data."""
    expected = list(entries(layout, spec.max_batch_slots))
    if list(fields) != [entry.name for entry in expected]:
        raise SnapshotRefused("tensors", "has other state tensors, or in another order")
    end = 0
    for entry, found in zip(expected, fields.values(), strict=True):
        tensor = layout.tensors[entry.index]
        places = [end, end + entry.size_bytes]
        for problem, value in (
            ("dtype", NAMES[tensor.dtype]),
            ("shape", list(tensor.shape)),
            ("data_offsets", places),
        ):
            if not isinstance(found, dict) or found.get(problem) != value:
                what = f"has another {problem} for {entry.name}"
                raise SnapshotRefused(problem.replace("_", "-"), what)
        end = places[1]


def _check_size(fields: dict[str, Any], data_bytes: int) -> None:
    expected = max((found["data_offsets"][1] for found in fields.values()), default=0)
    if data_bytes < expected:
        raise SnapshotRefused("truncated-data", f"ends {expected - data_bytes} bytes too early")
    if data_bytes > expected:
        raise SnapshotRefused("trailing-bytes", f"has {data_bytes - expected} bytes too many")
