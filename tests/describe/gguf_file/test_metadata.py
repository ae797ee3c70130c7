"""Pairs of a header: types, values, places, and what is skipped or refused."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.describe.gguf_file.metadata import MAX_PAIRS, MAX_STRINGS, Metadata, read_pairs
from ferrum_cli.errors import DescriptionError
from tests import gguf_files
from tests.describe.gguf_file.reading import cursor_over
from tests.gguf_files import Typed, pair, string


def read(content: bytes, count: int) -> Metadata:
    with cursor_over(content) as cursor:
        return read_pairs(cursor, count)


@pytest.mark.parametrize(
    ("kind", "value", "name"),
    [
        (gguf_files.UINT8, 255, "uint8"),
        (gguf_files.INT8, -128, "int8"),
        (gguf_files.UINT16, 65535, "uint16"),
        (gguf_files.INT16, -32768, "int16"),
        (gguf_files.UINT32, 2**32 - 1, "uint32"),
        (gguf_files.INT32, -(2**31), "int32"),
        (gguf_files.FLOAT32, 0.5, "float32"),
        (gguf_files.BOOL, True, "bool"),
        (gguf_files.UINT64, 2**64 - 1, "uint64"),
        (gguf_files.INT64, -(2**63), "int64"),
        (gguf_files.FLOAT64, 0.1, "float64"),
        (gguf_files.STRING, "grüße", "string"),
    ],
)
def test_every_type_is_read(kind: int, value: Any, name: str) -> None:
    found = read(pair("key", Typed(kind, value)), 1)["key"]
    assert (found.value, found.kind, found.length) == (value, name, None)


def test_a_value_knows_the_byte_where_it_stands() -> None:
    first = pair("a", 1)
    found = read(first + pair("b", 2), 2)
    assert found["b"].offset == len(first) + 8 + 1


def test_arrays_of_numbers_are_kept_up_to_a_length() -> None:
    found = read(pair("few", [1, 2, 3]) + pair("many", [0] * 65_537), 2)
    assert (found["few"].value, found["few"].length) == ((1, 2, 3), 3)
    assert (found["many"].value, found["many"].length) == (None, 65_537)


def test_a_vocabulary_is_counted_and_not_read() -> None:
    found = read(pair("tokens", ["a", "bb", ""]) + pair("last", 7), 2)
    assert (found["tokens"].kind, found["tokens"].value, found["tokens"].length) == (
        "strings",
        None,
        3,
    )
    assert found["last"].value == 7


def test_a_long_text_is_skipped() -> None:
    found = read(pair("template", "x" * 5000) + pair("last", 7), 2)
    assert found["template"].value is None
    assert found["last"].value == 7


def test_a_text_that_is_no_utf8_is_shown_as_well_as_can_be() -> None:
    assert read(pair("key", Typed(8, b"a\xff")), 1)["key"].value == "a�"


SCALAR = struct.pack("<I", gguf_files.UINT32) + struct.pack("<I", 1)


@pytest.mark.parametrize(
    ("content", "count", "message"),
    [
        (b"", MAX_PAIRS + 1, "byte 0: 65,537 key-value pairs, the most is 65,536"),
        (b"", 2**64 - 1, "byte 0: 18,446,744,073,709,551,615 key-value pairs"),
        (b"\0" * 30, 3, "byte 0: a table of 3 key-value pairs needs 42 bytes"),
        (string(b"") + SCALAR, 1, "byte 0: the name of key 0 is 0 bytes long"),
        (struct.pack("<Q", 65_536) + SCALAR * 9, 1, "byte 0: the name of key 0 is 65,536 bytes"),
        (struct.pack("<Q", 900) + SCALAR, 1, "byte 8: the name of key 0 needs 900 bytes"),
        (string(b"\xff\xfe") + SCALAR, 1, "byte 0: the name of key 0 is not UTF-8"),
        (pair("a", 1) * 2, 2, "byte 17: the key 'a' stands twice"),
        (string("a") + struct.pack("<II", 13, 0), 1, "byte 9: the value of 'a' has type 13"),
        (
            string("a") + struct.pack("<IIQ", 9, 9, 1) + b"\0" * 8,
            1,
            "byte 13: the value of 'a' is an array of arrays",
        ),
        (
            string("a") + struct.pack("<IIQ", 9, 4, 2**61),
            1,
            "byte 25: the value of 'a' needs 9,223,372,036,854,775,808 bytes",
        ),
        (
            string("a") + struct.pack("<IIQ", 9, 8, MAX_STRINGS + 1),
            1,
            "byte 25: the value of 'a' brings the strings in arrays to 1,048,577",
        ),
        (
            string("a") + struct.pack("<IIQ", 9, 8, 10) + string("x"),
            1,
            "byte 25: the value of 'a' needs 80 bytes, but the file has 9 left",
        ),
        (string("a") + struct.pack("<IQ", 8, 2**62), 1, "byte 21: the value of 'a' needs"),
    ],
)
def test_what_cannot_be_is_refused_with_its_byte(content: bytes, count: int, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        read(content, count)
    assert str(caught.value).startswith(f"m.gguf: {message}")


def test_a_key_of_control_characters_is_escaped_in_messages() -> None:
    with pytest.raises(DescriptionError) as caught:
        read(string("a\x1b[2J") + struct.pack("<II", 99, 0), 1)
    assert str(caught.value).isprintable()


_NUMBERS = st.one_of(st.booleans(), st.integers(0, 2**64 - 1), st.just(0.25), st.text(max_size=9))


@given(st.dictionaries(st.text(min_size=1, max_size=9), _NUMBERS, max_size=12))
def test_what_is_written_is_read_back(pairs: dict[str, Any]) -> None:
    content = b"".join(pair(key, value) for key, value in pairs.items())
    found = read(content, len(pairs))
    assert {key: found[key].value for key in found} == pairs
