"""What the guard makes of good YAML, and that it treats both of PyYAML's parsers alike."""

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrum_cli.describe.yaml_file import guard
from ferrum_cli.describe.yaml_file.guard import Document, parse
from ferrum_cli.errors import DescriptionError, FerrumError, Location


def read(text: str) -> Document:
    return parse(text.encode(), "x.yaml")


def place_of(text: str | bytes) -> Location:
    content = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(DescriptionError) as caught:
        parse(content, "x.yaml")
    assert isinstance(caught.value.where, Location)
    return caught.value.where


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: 1", {"a": 1}),
        ("a: {b: [1, -2.5, x], c: }", {"a": {"b": [1, -2.5, "x"], "c": None}}),
        ('{"a": [true, false, null], "b": "1"}', {"a": [True, False, None], "b": "1"}),
        ("a:\n- b\n- c: d\n  e: f", {"a": ["b", {"c": "d", "e": "f"}]}),
        ("a: >-\n  two\n  lines", {"a": "two lines"}),
        ("--- # a start\na: b\n...\n", {"a": "b"}),
        ("a: x\r\nb: y\r\n", {"a": "x", "b": "y"}),
        ("no: yes", {"no": "yes"}),
        ("2026-01-01: 2026-01-02", {"2026-01-01": "2026-01-02"}),
        ("'<<': 1", {"<<": 1}),
        ("a: 'Zürich 東京'", {"a": "Zürich 東京"}),
        ("{}", {}),
    ],
)
@pytest.mark.parametrize("loader", [yaml.SafeLoader, guard._LOADER])
def test_good_yaml_becomes_plain_data(
    text: str, data: Any, loader: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_LOADER", loader)
    assert read(text).data == data


def test_every_key_and_value_has_its_line_and_column() -> None:
    document = read("a: 1\nb:\n  - {c: d}\n  - e\n")
    assert document.keys == {("a",): (1, 1), ("b",): (2, 1), ("b", 0, "c"): (3, 6)}
    assert document.values == {
        (): (1, 1),
        ("a",): (1, 4),
        ("b",): (3, 3),
        ("b", 0): (3, 5),
        ("b", 0, "c"): (3, 9),
        ("b", 1): (4, 5),
    }


def test_columns_count_characters_and_not_bytes() -> None:
    assert read("a: {ü: x, b: y}").values["a", "b"] == (1, 14)


def test_what_is_not_in_the_file_is_placed_at_what_encloses_it() -> None:
    document = read("a: 1\nb:\n  - {c: d}\n")
    assert document.where(("b", 0, "missing")) == Location("x.yaml", 3, 5)
    assert document.where(("b", 0, "c"), key=True) == Location("x.yaml", 3, 6)
    assert document.where(("z", "y"), key=True) == Location("x.yaml", 1, 1)


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        ("a: 1\nb: \t2", 2, 4),
        ("a: 1\r\nb: \x07", 2, 4),
        ("a: 1\rb: \x85", 2, 4),
        ("a: ü\x7f", 1, 5),
        ("é: 1\nb: é".encode()[:-1], 2, 4),
        (b"a: 1\nb: \xff", 2, 4),
        ("a: 1\na: 2", 2, 1),
        ("a:\n  - &x 1", 2, 5),
    ],
)
def test_a_refusal_names_the_very_character(content: str | bytes, line: int, column: int) -> None:
    assert place_of(content) == Location("x.yaml", line, column)


def test_both_places_of_a_duplicate_key_are_named() -> None:
    with pytest.raises(DescriptionError) as caught:
        read("a:\n  b: 1\n  c: 2\n  b: 3\n")
    assert str(caught.value) == (
        "x.yaml:4:3: duplicate key 'b', first at line 2, column 3; remove one of the two"
    )


def test_the_same_key_in_two_mappings_is_no_duplicate() -> None:
    assert read("a: {b: 1}\nc: {b: 1}").data == {"a": {"b": 1}, "c": {"b": 1}}


@pytest.mark.parametrize("escape", [r"\U00110000", r"\ud800", r"\xzz", r"\q"])
@pytest.mark.parametrize("loader", [yaml.SafeLoader, guard._LOADER])
def test_escapes_that_are_no_characters_are_refused(
    escape: str, loader: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_LOADER", loader)
    assert place_of(f'a: 1\nb: "{escape}"').line in (1, 2)


SNIPPETS = st.sampled_from(
    [
        *("a: ", "b:", "- ", "[", "]", "{", "}", ", ", "\n", "  ", "'", '"', "&x ", "*x", "!t "),
        *("<<: ", "---\n", "...\n", "%YAML 1.1\n", "# c", "|\n", ">-\n", "? ", "1e9", ".inf"),
        *("~", "\r\n"),
    ]
)
YAML_LIKE = st.lists(SNIPPETS | st.text(max_size=4), max_size=40).map("".join)


def outcome(content: bytes, loader: Any = guard._LOADER) -> Document | FerrumError:
    """What comes of it; any other exception fails the test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "_LOADER", loader)
        try:
            return parse(content, "x.yaml")
        except FerrumError as error:
            return error


@settings(deadline=None)
@given(YAML_LIKE | st.text(), st.sampled_from([yaml.SafeLoader, guard._LOADER]))
def test_any_text_is_read_or_refused_with_a_place(text: str, loader: Any) -> None:
    found = outcome(text.encode("utf-8", "replace"), loader)
    if isinstance(found, FerrumError):
        assert isinstance(found.where, Location)
        assert found.where.line
        assert found.where.column
        assert str(found).isprintable()


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    found = outcome(content)
    assert isinstance(found, Document) or str(found).startswith("x.yaml:")


@settings(deadline=None)
@given(YAML_LIKE)
def test_both_parsers_of_pyyaml_agree_on_what_they_both_read(text: str) -> None:
    content = text.encode("utf-8", "replace")
    pure, fast = outcome(content, yaml.SafeLoader), outcome(content)
    if isinstance(pure, Document) and isinstance(fast, Document):
        # Where an empty value stands, they do not always agree.
        assert (pure.data, pure.keys) == (fast.data, fast.keys)
