"""What engines make of words: their own readings, which are not always Ferrum's."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.engines._command_line import Flag, Reads
from ferrum_cli.serve.engine_lines import engine_line
from ferrum_cli.serve.values import value


def read(reads: Reads, word: str, engine: str = "vllm", **more: Any) -> Any:
    line = engine_line(engine)
    assert line is not None
    return value(
        Flag(option="x", spellings=("--x",), reads=reads, **more), word, line.line.suffixes
    )


# vLLM 0.33.0, utils/argparse_utils.py; SGLang 0.5.23, srt/utils/common.py.
AMOUNTS = [
    ("vllm", "12K", 12_288),
    ("vllm", "12k", 12_000),
    ("vllm", "25.6k", 25_600),
    ("vllm", "1M", 1_048_576),
    ("vllm", "2g", 2 * 10**9),
    ("vllm", "4096", 4096),
    ("sglang", "1k", 1000),
    ("sglang", "1Ki", 1024),
    ("sglang", "1.5M", 1_500_000),
]


@pytest.mark.parametrize(("engine", "word", "expected"), AMOUNTS)
def test_suffixes_are_the_engines_own(engine: str, word: str, expected: int) -> None:
    assert read(Reads.AMOUNT, word, engine) == expected


@pytest.mark.parametrize(
    ("engine", "word"), [("vllm", "1.5K"), ("vllm", "1Ki"), ("sglang", "1K"), ("vllm", "k")]
)
def test_other_suffixes_and_decimals_of_binary_ones_are_refused(engine: str, word: str) -> None:
    with pytest.raises(ValueError, match=r"invalid int value|decimals"):
        read(Reads.AMOUNT, word, engine)


READ = [
    (Reads.AUTO_AMOUNT, "auto", -1),
    (Reads.AUTO_AMOUNT, "-1", -1),
    (Reads.AUTO_AMOUNT, "8K", 8192),
    (Reads.INTEGER, " 5 ", 5),
    (Reads.INTEGER, "1_000", 1000),
    (Reads.NUMBER, ".9", 0.9),
    (Reads.LEADING_INTEGER, "8k", 8),
    (Reads.LEADING_INTEGER, "-1", -1),
    (Reads.LEADING_NUMBER, "0.90x", "0.90x"),
    (Reads.LEADING_NUMBERS, "12,10/3", "12,10/3"),
    (Reads.PAIRS, "a=CPU,b=CUDA0", "a=CPU,b=CUDA0"),
    (Reads.NONZERO, "-1", -1),
    (Reads.LAYERS, "99", "99"),
    (Reads.LAYERS, "all", "all"),
    (Reads.JSON, '{"a": [1]}', {"a": [1]}),
    (Reads.JSON, "null", None),
    (Reads.JSON_OBJECT, '{"a": 80m, "b": "80m"}', {"a": 80_000_000, "b": "80m"}),
    (Reads.JSON_OR_TEXT, '{"a": 1}', {"a": 1}),
    (Reads.JSON_OR_TEXT, "module.function", "module.function"),
    (Reads.IDENTIFIER, "Flash-Infer", "flash_infer"),
    (Reads.TEXT, "", ""),
]


@pytest.mark.parametrize(("reads", "word", "expected"), READ)
def test_a_word_is_read_as_the_parser_reads_it(reads: Reads, word: str, expected: Any) -> None:
    found = read(reads, word)
    assert found == expected
    assert type(found) is type(expected)


REFUSED = [
    (Reads.INTEGER, "800X"),
    (Reads.INTEGER, "1.0"),
    (Reads.INTEGER, ""),
    (Reads.INTEGER, "9" * 5000),
    (Reads.NUMBER, "0,9"),
    (Reads.LEADING_INTEGER, "abc"),
    (Reads.LEADING_INTEGER, "99999999999"),
    (Reads.LEADING_NUMBER, "on"),
    (Reads.LEADING_NUMBERS, "12,x"),
    (Reads.PAIRS, "a=CPU,b"),
    (Reads.NONZERO, "0"),
    (Reads.POSITIVE, "0"),
    (Reads.COUNT, "-1"),
    (Reads.LAYERS, "many"),
    (Reads.JSON, "{'a': 1}"),
    (Reads.JSON, "NaN"),
    (Reads.JSON, "[" * 1000),
    (Reads.JSON_OBJECT, "3"),
    (Reads.JSON_OR_TEXT, "{a}"),
]


@pytest.mark.parametrize(("reads", "word"), REFUSED)
def test_a_word_that_the_parser_refuses_is_refused(reads: Reads, word: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read(reads, word)


def test_choices_hold_for_what_was_read() -> None:
    assert read(Reads.INTEGER, "8", choices=("8", "16")) == 8
    with pytest.raises(ValueError, match="invalid choice: '9'"):
        read(Reads.INTEGER, "9", choices=("8", "16"))


def test_a_list_of_choices_is_held_item_by_item() -> None:
    assert read(Reads.TEXT, "a,b", choices=("a", "b"), listed=True) == "a,b"
    with pytest.raises(ValueError, match="invalid choice: 'c'"):
        read(Reads.TEXT, "a,c", choices=("a", "b"), listed=True)


def test_none_and_nothing_are_no_value_where_the_option_may_have_none() -> None:
    assert read(Reads.INTEGER, "None", nullable=True) is None
    assert read(Reads.TEXT, "", nullable=True) is None
    assert read(Reads.TEXT, "None") == "None"
