"""Typed reading of an architecture's keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ferrum_cli.describe.gguf_file.fields import GgufFields
from ferrum_cli.describe.gguf_file.metadata import read_pairs
from ferrum_cli.errors import DescriptionError
from tests import gguf_files
from tests.describe.gguf_file.reading import cursor_over
from tests.gguf_files import Typed, pair

PAIRS: dict[str, Any] = {
    "general.name": "Small",
    "x.size": 64,
    "x.wide": Typed(gguf_files.UINT64, 7),
    "x.narrow": Typed(gguf_files.INT8, 7),
    "x.zero": 0,
    "x.negative": -1,
    "x.huge": Typed(gguf_files.UINT64, 2**63),
    "x.scale": 0.5,
    "x.nan": float("nan"),
    "x.infinite": float("inf"),
    "x.flag": True,
    "x.text": "sixty-four",
    "x.long": "x" * 5000,
    "x.sizes": [4, 0, 4],
    "x.flags": [True, False, True],
    "x.fractions": [0.5],
    "x.words": ["a", "b"],
    "x.endless": [1] * 70_000,
}


def fields() -> GgufFields:
    content = b"".join(pair(key, value) for key, value in PAIRS.items())
    with cursor_over(content) as cursor:
        return GgufFields(read_pairs(cursor, len(PAIRS)), "x")


Read = Callable[[GgufFields], Any]


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (lambda f: f.size("size"), 64),
        (lambda f: f.size("wide"), 7),
        (lambda f: f.size("narrow"), 7),
        (lambda f: f.size("absent", None), None),
        (lambda f: f.size("absent", 5), 5),
        (lambda f: f.count("zero"), 0),
        (lambda f: f.number("scale"), 0.5),
        (lambda f: f.number("size"), 64.0),
        (lambda f: f.number("absent"), None),
        (lambda f: f.flag("flag"), True),
        (lambda f: f.flag("absent", default=True), True),
        (lambda f: f.text("text"), "sixty-four"),
        (lambda f: f.text("general.name"), "Small"),
        (lambda f: f.text("absent", None), None),
        (lambda f: f.length("words"), 2),
        (lambda f: f.length("absent"), None),
        (lambda f: f.per_layer("sizes", 3), (4, 0, 4)),
        (lambda f: f.per_layer("size", 3), (64, 64, 64)),
        (lambda f: f.per_layer("absent", 2, 9), (9, 9)),
        (lambda f: f.flags("flags", 3), (True, False, True)),
        (lambda f: f.flags("absent", 3), None),
        (lambda f: f.counts("sizes"), (4, 0, 4)),
        (lambda f: f.counts("absent"), ()),
        (lambda f: "size" in f, True),
        (lambda f: "absent" in f, False),
    ],
)
def test_a_key_is_read_as_what_it_is_asked_for(read: Read, value: Any) -> None:
    assert read(fields()) == value


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda f: f.size("absent"), "x.absent: is missing"),
        (lambda f: f.size("zero"), "x.zero: expected 1 to"),
        (lambda f: f.count("negative"), "x.negative: expected 0 to"),
        (lambda f: f.size("huge"), "x.huge: expected 1 to"),
        (lambda f: f.size("flag"), "x.flag: expected a whole number, found True of type bool"),
        (lambda f: f.size("scale"), "x.scale: expected a whole number, found 0.5 of type float32"),
        (lambda f: f.size("text"), "x.text: expected a whole number, found 'sixty-four'"),
        (lambda f: f.size("sizes"), "x.sizes: expected a whole number, found an array of 3 int32"),
        (lambda f: f.size("long"), "x.long: expected a whole number, found a string of great"),
        (lambda f: f.number("nan"), "x.nan: expected an ordinary number"),
        (lambda f: f.number("infinite"), "x.infinite: expected an ordinary number"),
        (lambda f: f.number("text"), "x.text: expected a number"),
        (lambda f: f.flag("size"), "x.size: expected true or false, found 64 of type uint32"),
        (lambda f: f.text("size"), "x.size: expected a short text"),
        (lambda f: f.text("long"), "x.long: expected a short text"),
        (lambda f: f.length("size"), "x.size: expected an array"),
        (lambda f: f.per_layer("sizes", 4), "x.sizes: "),
        (lambda f: f.per_layer("fractions", 1), "x.fractions: expected an array of whole numbers"),
        (lambda f: f.per_layer("words", 2), "x.words: expected an array of whole numbers"),
        (lambda f: f.per_layer("endless", 3), "x.endless: "),
        (lambda f: f.flags("flags", 2), "x.flags: "),
        (lambda f: f.flags("size", 2), "x.size: no array for 2 layers"),
        (lambda f: f.counts("fractions"), "x.fractions: expected an array of whole numbers"),
    ],
)
def test_anything_else_is_refused_by_key_and_byte(read: Read, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        read(fields())
    said = str(caught.value)
    place, _, problem = said.removeprefix("m.gguf: ").partition(": ")
    assert (problem if place.startswith("byte ") else f"{place}: {problem}").startswith(message)
    assert place.startswith("byte ") or "absent" in said
