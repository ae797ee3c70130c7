"""vLLM's own changes to its arguments: 0.33.0, utils/argparse_utils.py."""

from __future__ import annotations

import json

import pytest

from ferrum_cli.serve.flexible_line import prepared
from ferrum_cli.serve.shell.values import Argument

SUFFIXES = {"k": 1000, "K": 1024}


def words(*texts: str, takes_model: bool = False) -> list[str]:
    arguments = [Argument(text) for text in texts]
    return [a.text for a in prepared(arguments, SUFFIXES, takes_model=takes_model)[0]]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--max_model_len", "8"], ["--max-model-len", "8"]),
        (["--max_model_len=a_b"], ["--max-model-len=a_b"]),
        (["-O3"], ["--optimization-level", "3"]),
        (["-O=2"], ["--optimization-level", "2"]),
        (["-O", "1"], ["--optimization-level", "1"]),
        (["-O", "x"], ["-O", "x"]),
        (["x_y", "-t_p"], ["x_y", "-t_p"]),
        (["--a=1.5"], ["--a=1.5"]),
    ],
)
def test_names_are_spelled_as_argparse_knows_them(given: list[str], expected: list[str]) -> None:
    assert words(*given) == expected


@pytest.mark.parametrize(
    ("given", "flag", "value"),
    [
        (["--c.method", "mtp"], "--c", {"method": "mtp"}),
        (["--c.n=2", "--c.m", "x"], "--c", {"n": 2, "m": "x"}),
        (["--c.a.b", "1", "--c.a.c", "true"], "--c", {"a": {"b": 1, "c": True}}),
        (["--c.l+", "a,b", "--c.l+=c"], "--c", {"l": ["a", "b", "c"]}),
        (["--c_d.key_k", "1K"], "--c-d", {"key_k": 1024}),
        (["--c.a", "1", "--c.a", "2"], "--c", {"a": 2}),
        (["-sc.a", "1"], "-sc", {"a": 1}),
    ],
)
def test_keys_set_one_by_one_become_json(
    given: list[str], flag: str, value: dict[str, object]
) -> None:
    found = words("m", *given, "--x")
    assert found[:2] == ["m", "--x"]
    assert (found[2], json.loads(found[3])) == (flag, value)


def test_the_model_of_serve_moves_to_the_front() -> None:
    assert words("-tp", "2", "--model", "A/B", takes_model=True) == ["A/B", "-tp", "2"]
    assert words("-tp", "2", "--model=A/B", takes_model=True) == ["A/B", "-tp", "2"]
    assert words("-tp", "2", "--model", "A/B") == ["-tp", "2", "--model", "A/B"]


def test_a_served_name_needs_a_model_before_it() -> None:
    arguments = [Argument("--served-model-name"), Argument("x")]
    assert prepared(arguments, {}, takes_model=True)[1]
    assert not prepared([Argument("m"), *arguments], {}, takes_model=True)[1]
    config = [Argument("--config"), Argument("c.yaml")]
    assert not prepared([*arguments, *config], {}, takes_model=True)[1]


def test_a_key_without_a_value_and_keys_without_end_are_refused() -> None:
    assert prepared([Argument("--c.a")], {}, takes_model=False)[1]
    assert prepared([Argument("--c" + ".a" * 5000 + "=1")], {}, takes_model=False)[1]
