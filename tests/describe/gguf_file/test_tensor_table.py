"""The table of tensors: sizes by type, and what a row cannot say."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.describe.gguf_file.tensor_table import (
    MAX_TENSORS,
    Tensor,
    measured,
    read_entries,
    tensor_types,
)
from ferrum_cli.errors import DescriptionError, MissingExtra
from tests.describe.gguf_file.reading import cursor_over
from tests.gguf_files import TYPES, size_of, string, tensor


def table(*rows: bytes, count: int | None = None, alignment: int = 32) -> tuple[Tensor, ...]:
    content = b"".join(rows)
    with cursor_over(content) as cursor:
        entries = read_entries(cursor, len(rows) if count is None else count)
        return measured(cursor, entries, alignment)[0]


@pytest.mark.parametrize("kind", TYPES)
def test_a_tensor_weighs_what_its_type_weighs(kind: str) -> None:
    """512 × 3 numbers; the block sizes are those of ggml.c."""
    found = table(tensor("t", (512, 3), TYPES[kind][0]))
    assert found == (Tensor("t", (512, 3), kind, size_of(kind, (512, 3))),)
    assert found[0].elements == 1536


def test_types_are_those_of_the_gguf_library() -> None:
    types = tensor_types()
    for name, (number, block, block_bytes) in TYPES.items():
        assert types[number] == (name, block, block_bytes)


@given(st.lists(st.tuples(st.sampled_from(list(TYPES)), st.integers(1, 9)), max_size=8))
def test_data_follow_each_other_with_padding(shapes: list[tuple[str, int]]) -> None:
    rows, offset, sizes = [], 0, []
    for number, (kind, width) in enumerate(shapes):
        shape = (256 * width,)
        rows.append(tensor(f"t{number}", shape, TYPES[kind][0], offset))
        sizes.append(size_of(kind, shape))
        offset += -(-sizes[-1] // 32) * 32
    assert [found.size_bytes for found in table(*rows)] == sizes


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([tensor("", (1,)) + b"\0"], "byte 0: the name of tensor 0 is 0 bytes long"),
        ([tensor("n" * 64, (1,))], "byte 0: the name of tensor 0 is 64 bytes long"),
        ([tensor("naïve", (1,))], "byte 0: the name of tensor 0 is not ASCII"),
        ([tensor("t", ()) + b"\0" * 8], "byte 9: tensor 't' has 0 dimensions"),
        ([tensor("t", (1,) * 5)], "byte 9: tensor 't' has 5 dimensions"),
        ([tensor("t", (4, 0))], "byte 0: tensor 't' has the impossible shape [4, 0]"),
        ([tensor("t", (2**62, 4))], "byte 0: tensor 't' has the impossible shape"),
        ([tensor("t", (2**64 - 1,))], "byte 0: tensor 't' has the impossible shape"),
        ([tensor("t", (1,)), tensor("t", (1,))], "byte 33: the tensor 't' stands twice"),
        ([tensor("t", (1,), 4)], "byte 0: tensor 't' has type 4, which the gguf library"),
        ([tensor("t", (1,), 2**32 - 1)], "byte 0: tensor 't' has type 4294967295"),
        ([tensor("t", (33,), 8)], "byte 0: rows of 33 in tensor 't' are no multiple of 32"),
        ([tensor("t", (4,), 0, 32)], "byte 0: the data of tensor 't' begins at 32, not at 0"),
        (
            [tensor("a", (4,)), tensor("b", (4,), 0, 16)],
            "byte 33: the data of tensor 'b' begins at 16, not at 32, where those before it end",
        ),
        ([tensor("a", (4,), 0, 2**64 - 32)], "byte 0: the data of tensor 'a' begins at"),
    ],
)
def test_a_row_that_cannot_be_is_refused_with_its_byte(rows: list[bytes], message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        table(*rows)
    assert str(caught.value).startswith(f"m.gguf: {message}")


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (MAX_TENSORS + 1, "byte 0: 65,537 tensors, the most is 65,536"),
        (2**64 - 1, "byte 0: 18,446,744,073,709,551,615 tensors"),
        (65_536, "byte 0: a table of 65,536 tensors needs 2,162,688 bytes"),
        (2, "byte 0: a table of 2 tensors needs 66 bytes, but the file has 33 left"),
    ],
)
def test_a_count_that_the_file_has_no_room_for_is_refused(count: int, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        table(tensor("t", (1,)), count=count)
    assert str(caught.value).startswith(f"m.gguf: {message}")


def test_the_library_is_not_needed_for_a_broken_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(DescriptionError):
        table(string("t") + b"\xff" * 30)
    assert table() == ()
    with pytest.raises(MissingExtra, match=r"gguf"):
        table(tensor("t", (1,)))
