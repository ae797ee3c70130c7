"""Rooms find their newcomers by file name, and import only what is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ferrum_cli import discover


def test_furniture_with_an_underscore_is_never_listed() -> None:
    names = discover.names("ferrum_cli.blocks")
    assert "gated_delta_net" in names
    assert not [name for name in names if name.startswith("_")]


def test_listing_imports_nothing() -> None:
    code = (
        "import sys; from ferrum_cli import discover; discover.names('ferrum_cli.engines');"
        "assert 'ferrum_cli.engines.native' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["", "_parts", "../errors", "os.path", "nothing", "Attention"])
def test_what_is_no_public_module_is_not_loaded(name: str) -> None:
    assert discover.load("ferrum_cli.blocks", name) is None


@pytest.mark.parametrize(
    ("word", "expected"), [("atention", "attention"), ("zzz", None), ("mamba", "mamba2")]
)
def test_the_nearest_word_is_suggested(word: str, expected: str | None) -> None:
    assert discover.nearest(word, ["attention", "mamba2"]) == expected


def test_without_a_near_word_all_are_named() -> None:
    assert discover.suggestion("zzz", ["a", "b"]) == "known: a, b"
