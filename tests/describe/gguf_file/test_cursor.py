"""Reading a header: nothing is read, skipped or allocated that the file does not have."""

from __future__ import annotations

import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.describe.gguf_file.cursor import MAX_HEADER_BYTES
from ferrum_cli.errors import DescriptionError
from tests.describe.gguf_file.reading import cursor_over
from tests.gguf_files import string

WINDOW = 1024 * 1024


def test_bytes_come_in_the_order_of_the_file() -> None:
    with cursor_over(b"abcdef") as cursor:
        assert (cursor.take(2, "x"), cursor.take(3, "x")) == (b"ab", b"cde")
        assert (cursor.position, cursor.remaining) == (5, 1)


def test_bytes_beyond_the_window_are_the_files_own() -> None:
    content = bytes(range(256)) * (WINDOW // 128)
    with cursor_over(content) as cursor:
        cursor.skip(WINDOW - 3, "x")
        assert cursor.take(9, "x") == content[WINDOW - 3 : WINDOW + 6]
        assert cursor.take(WINDOW // 2, "x") == content[WINDOW + 6 : WINDOW + 6 + WINDOW // 2]


@pytest.mark.parametrize("wanted", [7, 2**63, 2**64 - 1])
def test_more_than_the_file_has_is_refused_where_it_stands(wanted: int) -> None:
    with cursor_over(b"abcdef") as cursor:
        cursor.take(2, "x")
        with pytest.raises(DescriptionError) as caught:
            cursor.take(wanted, "the value of 'key'")
    assert str(caught.value) == (
        f"m.gguf: byte 2: the value of 'key' needs {wanted:,} bytes, but the file has 4 left;"
        " the file is truncated or damaged: download it again"
    )


def test_a_refused_length_allocates_nothing() -> None:
    with cursor_over(b"abcdef") as cursor:
        tracemalloc.start()
        with pytest.raises(DescriptionError):
            cursor.take(2**40, "x")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < WINDOW


def test_no_header_is_longer_than_the_longest() -> None:
    """Even where the file has more: data follow the header."""
    with cursor_over(b"", size=2**40) as cursor:
        cursor.skip(MAX_HEADER_BYTES, "x")
        with pytest.raises(DescriptionError, match="reaches beyond 268,435,456 bytes"):
            cursor.skip(1, "x")


def test_a_file_that_shrinks_while_it_is_read_is_refused() -> None:
    refused = pytest.raises(DescriptionError, match="became shorter while it was read")
    with cursor_over(b"abc", size=100) as cursor, refused:
        cursor.take(50, "x")


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(0, 5))
def test_skipping_strings_ends_where_they_end(lengths: list[int], extra: int) -> None:
    content = b"".join(string(b"s" * length) for length in lengths)
    with cursor_over(content + b"e" * extra) as cursor:
        cursor.skip_strings(len(lengths), "x")
    assert (cursor.position, cursor.remaining) == (len(content), extra)


def test_strings_may_cross_and_exceed_the_window() -> None:
    content = b"".join(string(b"s" * n) for n in (WINDOW - 12, 5, 3 * WINDOW, 0, 7))
    with cursor_over(content) as cursor:
        cursor.skip_strings(5, "x")
        assert cursor.remaining == 0


@pytest.mark.parametrize("length", [4, 2**31, 2**64 - 1, 2**64 - 8])
def test_a_string_that_is_longer_than_the_file_is_refused(length: int) -> None:
    content = string("ok") + struct.pack("<Q", length) + b"abc"
    refused = pytest.raises(DescriptionError, match=f"needs {length:,} bytes")
    with cursor_over(content) as cursor, refused:
        cursor.skip_strings(2, "tokens")
