"""Versions as users write them, and which of the versions read stand around one."""

from __future__ import annotations

import pytest

from ferrum_cli.engines.vllm.versions import (
    READ,
    Version,
    has_appeared,
    neighbours,
    parse_version,
)
from ferrum_cli.errors import UsageError


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("0.33.0", Version(0, 33, 0)),
        ("v0.33", Version(0, 33, 0)),
        (" 0.11.1rc2 ", Version(0, 11, 1)),
        ("0.29.1rc2.dev3+g1234", Version(0, 29, 1)),
        ("0.24.0.post1", Version(0, 24, 0)),
        ("0.20.2+cu129", Version(0, 20, 2)),
        ("1.0.0", Version(1, 0, 0)),
    ],
)
def test_versions_are_read_as_they_are_published(text: str, version: Version) -> None:
    assert parse_version(text) == version


@pytest.mark.parametrize("text", ["", "latest", "0", "0.33.0.1", "0.33-beta", "0.99999.0", "０.33"])
def test_other_texts_are_no_versions(text: str) -> None:
    with pytest.raises(UsageError, match="is no version of vLLM") as error:
        parse_version(text)
    assert error.value.where is not None
    assert error.value.where.source == "--engine-version"


@pytest.mark.parametrize("text", ["0.10.2", "0.6", "0.0.0"])
def test_versions_before_0_11_are_refused_with_the_oldest_known(text: str) -> None:
    with pytest.raises(UsageError, match=r"older than 0\.11\.0"):
        parse_version(text)


@pytest.mark.parametrize(
    ("version", "around"),
    [
        (Version(0, 33, 0), (Version(0, 33, 0), Version(0, 33, 0))),
        (Version(0, 29, 1), (Version(0, 28, 0), Version(0, 30, 0))),
        (Version(0, 32, 1), (Version(0, 32, 0), Version(0, 33, 0))),
        (Version(0, 11, 0), (READ[0], READ[0])),
        (Version(0, 34, 0), (READ[-1], READ[-1])),
    ],
)
def test_a_version_stands_between_the_two_read_around_it(
    version: Version, around: tuple[Version, Version]
) -> None:
    assert neighbours(version) == around


@pytest.mark.parametrize(
    ("since", "version", "known"),
    [
        (None, Version(0, 11, 0), True),
        ("0.28.0", Version(0, 28, 0), True),
        ("0.28.0", Version(0, 26, 0), False),
        ("0.28.0", Version(0, 27, 1), None),
        ("0.11.2", Version(0, 11, 0), None),
    ],
)
def test_whether_something_had_appeared_may_be_unknown(
    since: str | None, version: Version, known: bool | None
) -> None:
    assert has_appeared(since, version) is known


def test_the_versions_read_are_in_order() -> None:
    assert list(READ) == sorted(set(READ))
    assert str(READ[-1]) == "0.33.0"
