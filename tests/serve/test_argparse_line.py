"""Arguments read as argparse reads them; expectations are argparse's own, asked in the test."""

from __future__ import annotations

import argparse
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines._command_line import Flag, Reads, Takes
from ferrum_cli.serve.argparse_line import parse
from ferrum_cli.serve.parsed import Parsed
from ferrum_cli.serve.shell.values import Argument

FLAGS = (
    Flag(option="model", spellings=("--model",)),
    Flag(option="size", spellings=("--size", "-s"), reads=Reads.INTEGER),
    Flag(option="sizes", spellings=("--many-sizes",), reads=Reads.INTEGER, takes=Takes.SOME),
    Flag(option="any", spellings=("--any-words",), takes=Takes.ANY),
    Flag(option="maybe", spellings=("--maybe",), takes=Takes.OPTIONAL),
    Flag(option="fast", spellings=("--fast",), negations=("--no-fast",), takes=Takes.NONE),
    Flag(option="kind", spellings=("--kind", "-k"), choices=("a", "b")),
    Flag(option="long_name", spellings=("--long-name", "-ln")),
)


class _Refused(Exception):
    pass


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise _Refused(message)


def _argparse() -> _Parser:
    parser = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    parser.add_argument("model", nargs="?")
    parser.add_argument("--model", dest="model")
    parser.add_argument("--size", "-s", type=int)
    parser.add_argument("--many-sizes", dest="sizes", type=int, nargs="+")
    parser.add_argument("--any-words", dest="any", nargs="*")
    parser.add_argument("--maybe", nargs="?", const=True)
    parser.add_argument("--fast", action=argparse.BooleanOptionalAction)
    parser.add_argument("--kind", "-k", choices=["a", "b"])
    parser.add_argument("--long-name", "-ln", dest="long_name")
    return parser


def read(*words: str) -> Parsed:
    return parse([Argument(word) for word in words], FLAGS, {}, "model")


WORDS = st.sampled_from(
    [
        *("m", "a", "7", "-7", "-1.5", "x y", "", "-", "--size", "--size=7", "-s", "-s7", "-k"),
        *("--many-sizes", "--any-words", "--maybe", "--fast", "--no-fast", "--fast=1", "--ma"),
        *("--man", "--ki", "--kind=b", "-ln", "-l", "--lo=z", "--unknown", "-x", "--no"),
    ]
)


@given(st.lists(WORDS, max_size=6))
def test_argparse_accepts_the_same_lines_with_the_same_values(words: list[str]) -> None:
    found = read(*words)
    try:
        expected = vars(_argparse().parse_args(words))
    except _Refused:
        assert found.problems
        return
    assert found.problems == []
    expected = {name: v for name, v in expected.items() if v is not None or name != "model"}
    assert found.values == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--size", "x"], "argument --size/-s: invalid int value: 'x'"),
        (["--kind", "c"], "argument --kind/-k: invalid choice: 'c'"),
        (["--size"], "argument --size/-s: expected one argument"),
        (["--many-sizes"], "argument --many-sizes: expected at least one argument"),
        (["--fast=1"], "argument --fast: ignored explicit argument '1'"),
        (["m", "--new", "3"], "unrecognized arguments: --new 3"),
        (["--ma"], "ambiguous option: --ma could match --many-sizes, --maybe"),
    ],
)
def test_a_refusal_is_in_argparses_words(words: list[str], message: str) -> None:
    assert [problem.message for problem in read(*words).problems] == [message]


def test_reading_goes_on_behind_an_error() -> None:
    found = read("m", "--size", "x", "--new", "--kind", "a")
    assert found.values == {"model": "m", "kind": "a"}
    assert found.unknown == ["--new"]
    assert len(found.problems) == 2


def test_a_refused_value_of_an_ignored_flag_does_not_matter() -> None:
    flags = (Flag(option="port", spellings=("--port",), reads=Reads.INTEGER, ignored=True),)
    (problem,) = parse([Argument("--port"), Argument("80X")], flags, {}, None).problems
    assert not problem.matters


def test_a_flag_that_older_versions_knew_is_read_past_with_its_words() -> None:
    old = Flag(option="old", spellings=("--old",), takes=Takes.SOME, dropped=True)
    found = parse([Argument(w) for w in ("--old", "1", "2", "-s", "3")], (*FLAGS, old), {}, None)
    assert (found.unknown, found.values, found.problems) == (["--old"], {"size": 3}, [])


def test_what_is_not_set_is_named_with_the_option_it_would_set() -> None:
    words = [Argument("$M", ("M",)), Argument("--size"), Argument("$S", ("S",), vanishes=True)]
    found = parse(words, FLAGS, {}, "model")
    assert [(option, argument.missing) for option, argument in found.missing] == [
        ("model", ("M",)),
        ("size", ("S",)),
    ]
