"""Files that are no snapshot of this state: each refused, each in its own words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrum_cli.contract import DataType, RecurrentStateTensorSpec
from ferrum_cli.errors import SnapshotRefused
from ferrum_cli.live.layout import SlotLayout
from ferrum_cli.live.spill.container import NO_DIGEST, header_digest
from ferrum_cli.live.spill.inspect import digests_of
from tests.live.specs import CONV_AND_DELTA, Tensors, spec
from tests.live.spill.snapshots import Sample, sample


def problem_of(s: Sample) -> str:
    """Read, and say how it was refused."""
    with pytest.raises(SnapshotRefused) as refusal:
        s.read()
    return refusal.value.problem


def rewritten(path: Path, change: Callable[[dict[str, Any]], object], *, sign: bool = True) -> None:
    """Change the header, with lengths and digest right again if `sign`."""
    raw = path.read_bytes()
    count = int.from_bytes(raw[:8], "little")
    fields = json.loads(raw[8 : 8 + count])
    change(fields)
    if sign and isinstance(fields.get("__metadata__"), dict):
        fields["__metadata__"]["header_digest"] = NO_DIGEST
    text = json.dumps(fields, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    blank = len(text).to_bytes(8, "little") + text
    signed = blank.replace(NO_DIGEST.encode(), header_digest(blank).encode(), 1) if sign else blank
    path.write_bytes(signed + raw[8 + count :])


def metadata(**changes: str) -> Callable[[dict[str, Any]], object]:
    return lambda fields: fields["__metadata__"].update(changes)


def first(key: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda fields: fields["slot0.0.layer0.conv_state"].update({key: value})


def swap_entries(fields: dict[str, Any]) -> None:
    """Two tensors of one shape trade their places."""
    one, two = "slot0.0.layer0.conv_state", "slot0.2.layer1.conv_state"
    fields[one]["data_offsets"], fields[two]["data_offsets"] = (
        fields[two]["data_offsets"],
        fields[one]["data_offsets"],
    )


SIGNED = [
    ("an older form", metadata(format="ferrum.snapshot/0"), "version"),
    ("a newer form", metadata(format="ferrum.snapshot/2"), "version"),
    ("another program's form", metadata(format="pt"), "foreign"),
    ("another engine", metadata(engine="vllm"), "engine"),
    ("another request", metadata(request_id="0"), "request-id"),
    ("other slots", metadata(slots="3"), "slots"),
    ("another layout", metadata(layout="0"), "layout"),
    ("too few digests", metadata(digests="0 1"), "digests"),
    ("another dtype", first("dtype", "F16"), "dtype"),
    ("another shape", first("shape", [3, 6]), "shape"),
    ("another place", first("data_offsets", [0, 35]), "data-offsets"),
    ("an entry that is no object", lambda f: f.update({"slot0.0.layer0.conv_state": 3}), "dtype"),
    ("tensors in each other's place", swap_entries, "data-offsets"),
    ("a tensor less", lambda fields: fields.popitem(), "tensors"),
    ("a tensor more", lambda fields: fields.update(extra=fields["__metadata__"]), "tensors"),
    ("no metadata", lambda fields: fields.pop("__metadata__"), "foreign"),
    ("metadata that is no object", lambda f: f.update(__metadata__=[]), "foreign"),
    ("metadata that is no text", lambda f: f["__metadata__"].update(slots=2), "header-damaged"),
    ("no layout", lambda fields: fields["__metadata__"].pop("layout"), "layout"),
    ("no digests", lambda fields: fields["__metadata__"].pop("digests"), "digests"),
]


@pytest.mark.parametrize(("what", "change", "problem"), SIGNED)
def test_a_well_formed_file_of_something_else_is_refused(
    tmp_path: Path, what: str, change: Callable[[dict[str, Any]], object], problem: str
) -> None:
    del what  # it names the case
    with sample(tmp_path) as s:
        rewritten(s.write(), change)
        assert problem_of(s) == problem


def test_a_header_that_was_changed_without_signing_is_refused(tmp_path: Path) -> None:
    with sample(tmp_path) as s:
        rewritten(s.write(), metadata(policy="RecomputeOnResume"), sign=False)
        assert problem_of(s) == "header-damaged"


# What the file becomes, and how it is refused.
RAW = [
    ("a length alone", lambda raw: raw[:7], "truncated-length"),
    ("an endless header", lambda raw: b"\xff" * 8 + raw[8:], "header-too-large"),
    ("a header cut short", lambda raw: raw[:100], "truncated-header"),
    ("bytes that are no text", lambda raw: raw[:8] + b"\xff" + raw[9:], "not-utf8"),
    ("text that is no JSON", lambda raw: raw[:8] + b"[" + raw[9:], "not-json"),
    ("JSON that is no object", lambda _: (2).to_bytes(8, "little") + b"[]", "not-json"),
    (
        "a key twice",
        lambda _: (16).to_bytes(8, "little") + b'{"a": 1, "a": 2}',
        "duplicate-key",
    ),
    ("nesting without end", lambda _: (2**17).to_bytes(8, "little") + b"[" * 2**17, "not-json"),
    ("data cut short", lambda raw: raw[:-1], "truncated-data"),
    ("a byte too many", lambda raw: raw + b"\0", "trailing-bytes"),
    ("another safetensors file", lambda _: (8).to_bytes(8, "little") + b"{}      ", "foreign"),
]


@pytest.mark.parametrize(("what", "change", "problem"), RAW)
def test_a_file_that_is_torn_or_foreign_is_refused(
    tmp_path: Path, what: str, change: Callable[[bytes], bytes], problem: str
) -> None:
    del what  # it names the case
    with sample(tmp_path) as s:
        path = s.write()
        path.write_bytes(change(path.read_bytes()))
        assert problem_of(s) == problem


def test_swapped_contents_of_two_tensors_are_refused(tmp_path: Path) -> None:
    with sample(tmp_path) as s:
        path = s.write()
        raw = bytearray(path.read_bytes())
        data = 8 + int.from_bytes(raw[:8], "little")
        # conv_state of layers 0 and 1, 36 bytes each
        raw[data : data + 72] = raw[data + 36 : data + 72] + raw[data : data + 36]
        path.write_bytes(raw)
        assert problem_of(s) == "data-damaged"


# What is expected instead of CONV_AND_DELTA in two slots, field by field.
def other(position: int, **changes: Any) -> Tensors:
    """The tensors with one field of one of them changed."""
    tensor = CONV_AND_DELTA[position]
    fields = {
        "layer_index": tensor.layer_index,
        "name": tensor.name,
        "shape": tensor.shape,
        "dtype": tensor.dtype,
        **changes,
    }
    changed = RecurrentStateTensorSpec(**fields)
    return (*CONV_AND_DELTA[:position], changed, *CONV_AND_DELTA[position + 1 :])


EXPECTED = [
    ("dtype of the same width", other(1, dtype=DataType.INT32), 2, {"dtype", "tensors"}),
    ("unsigned for floating", other(1, dtype=DataType.UINT32), 2, {"dtype", "tensors"}),
    ("shape of the same size", other(1, shape=(4, 4, 2)), 2, {"shape", "tensors"}),
    ("layer", other(4, layer_index=7), 2, {"tensors"}),
    ("name", other(4, name="conv"), 2, {"tensors"}),
    ("slots", CONV_AND_DELTA, 1, {"slots"}),
]


@pytest.mark.parametrize(("what", "tensors", "slots", "problems"), EXPECTED)
def test_a_snapshot_of_another_spec_is_refused(
    tmp_path: Path, what: str, tensors: Tensors, slots: int, problems: set[str]
) -> None:
    del what  # it names the case
    with sample(tmp_path) as s:
        s.write()
        s.spec = spec(7, tensors, slots)
        s.layout = SlotLayout.of(tensors)
        assert problem_of(s) in problems


def test_types_of_one_width_that_safetensors_does_not_tell_apart_are_told_apart(
    tmp_path: Path,
) -> None:
    int8 = (RecurrentStateTensorSpec.new(0, "x", (8,), DataType.INT8),)
    int4 = (RecurrentStateTensorSpec.new(0, "x", (8,), DataType.INT4),)
    with sample(tmp_path, int8, slots=1) as s:
        s.write()
        s.spec, s.layout = spec(7, int4), SlotLayout.of(int4)
        assert problem_of(s) == "layout"


@settings(max_examples=300)
@given(st.binary(max_size=200), st.integers(0, 400))
def test_any_bytes_are_refused_and_nothing_else_happens(content: bytes, data: int) -> None:
    raw = len(content).to_bytes(8, "little") + content
    with pytest.raises(SnapshotRefused):
        digests_of(raw, data, spec(7), SlotLayout.of(CONV_AND_DELTA))
