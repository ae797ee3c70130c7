"""R8: snapshots flipped, cut, extended and replaced: not one is accepted in silence."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from ferrum_cli.contract import DataType
from ferrum_cli.errors import SnapshotRefused
from ferrum_cli.live.spill import SnapshotFolder
from tests.live.kinds import KINDS
from tests.live.specs import CONV_AND_DELTA, Tensors, tensors_of
from tests.live.spill.snapshots import Sample, sample

PAYLOAD_FLIPS = 1000
SHORT = tensors_of(("conv_state", (6, 3), DataType.BF16), ("delta_state", (2, 4, 4), DataType.FP32))
"""Two tensors, so that the header is short enough to damage at every byte."""


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Sample]:
    with sample(tmp_path, SHORT, slots=1) as s:
        s.write()
        yield s


def header_end(raw: bytes) -> int:
    return 8 + int.from_bytes(raw[:8], "little")


def problem(s: Sample, raw: bytes) -> str | None:
    """How a file with these bytes is refused; None if it is accepted."""
    s.path.write_bytes(raw)
    try:
        s.read()
    except SnapshotRefused as error:
        return error.problem
    return None


def flipped(raw: bytes, bit: int) -> bytes:
    content = bytearray(raw)
    content[bit // 8] ^= 1 << bit % 8
    return bytes(content)


def test_two_bits_of_every_byte_of_the_header(written: Sample) -> None:
    good = written.path.read_bytes()
    bits = [8 * place + bit for place in range(header_end(good)) for bit in (0, place % 7 + 1)]
    refused = Counter(problem(written, flipped(good, bit)) for bit in bits)
    assert None not in refused
    assert sum(refused.values()) == 2 * header_end(good)
    # Length, form, text, digest: each kind of damage has its own word.
    assert set(refused) >= {"header-damaged", "header-too-large", "not-json", "foreign", "version"}


def test_a_thousand_bits_of_the_payload(written: Sample) -> None:
    good = written.path.read_bytes()
    rng = random.Random(0)  # noqa: S311 - replayable, not secret
    first, end = 8 * header_end(good), 8 * len(good)
    refused = {
        problem(written, flipped(good, rng.randrange(first, end))) for _ in range(PAYLOAD_FLIPS)
    }
    assert refused == {"data-damaged"}


def test_every_length_up_to_the_whole(written: Sample) -> None:
    good = written.path.read_bytes()
    refused = Counter(problem(written, good[:length]) for length in range(len(good)))
    assert None not in refused
    assert set(refused) == {"empty", "truncated-length", "truncated-header", "truncated-data"}
    assert problem(written, good + b"\0") == "trailing-bytes"
    assert problem(written, good + good) == "trailing-bytes"


def test_every_pair_of_tensors_exchanged(tmp_path: Path) -> None:
    """Tensors of one shape, whose bytes alone tell them apart."""
    with sample(tmp_path, CONV_AND_DELTA, slots=1) as s:
        good = s.write().read_bytes()
        start = header_end(good)
        # Three windows of 36 bytes, then three matrices of 128.
        for size, base in ((36, start), (128, start + 3 * 36)):
            for one, two in itertools.combinations(range(3), 2):
                a, b = base + one * size, base + two * size
                content = bytearray(good)
                content[a : a + size] = good[b : b + size]
                content[b : b + size] = good[a : a + size]
                assert problem(s, bytes(content)) == "data-damaged"


def test_the_good_file_is_read_after_every_refusal(written: Sample) -> None:
    good = written.path.read_bytes()
    for bit in range(0, 8 * len(good), 97):
        assert problem(written, flipped(good, bit)) is not None
        assert problem(written, good) is None
        assert written.is_equal()


def test_large_payloads_cut_at_every_four_kilobytes(tmp_path: Path) -> None:
    large = tensors_of(("state", (64, 1024), DataType.FP32), layers=2)
    with sample(tmp_path, large, slots=1) as s:
        good = s.write().read_bytes()
        for length in range(header_end(good), len(good), 4096):
            assert problem(s, good[:length]) == "truncated-data"
        assert problem(s, good) is None


@pytest.mark.parametrize("kind", KINDS)
def test_states_of_every_kind_of_block_are_refused_as_any_other(kind: str, tmp_path: Path) -> None:
    contents: dict[str, bytes] = {}
    for other, spec in KINDS.items():
        with sample(tmp_path, spec.tensors, slots=1) as s:
            contents[other] = s.write().read_bytes()
    same = {other for other, spec in KINDS.items() if spec.tensors == KINDS[kind].tensors}
    with sample(tmp_path, KINDS[kind].tensors, slots=1) as s:
        accepted = {other for other, raw in contents.items() if problem(s, raw) is None}
    assert accepted == same


def patterns() -> Tensors:
    return tensors_of(("state", (6,), DataType.FP32), ("half", (6,), DataType.BF16))


def test_nans_and_negative_zeros_come_back_bit_for_bit(tmp_path: Path) -> None:
    odd = [math.nan, -math.nan, -0.0, 0.0, math.inf, -math.inf]
    with sample(tmp_path, patterns(), slots=1) as s:
        region = s.regions[0].tensor
        for offset, size, dtype in zip(
            s.layout.offsets, s.layout.sizes, (torch.float32, torch.bfloat16), strict=True
        ):
            region[offset : offset + size].view(dtype).copy_(torch.tensor(odd))
        s.write()
        s.read()
        assert s.is_equal()


def test_a_read_only_folder_is_read_from(written: Sample) -> None:
    written.folder.path.chmod(0o500)
    try:
        SnapshotFolder(written.folder.path)
        written.read()
        assert written.is_equal()
    finally:
        written.folder.path.chmod(0o700)
