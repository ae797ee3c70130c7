"""vLLM's versions, and which of them a rule was read in.

It knows nothing about the rules themselves; they are the table in `rules`.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from ferrum_cli.errors import UsageError

_FORM = re.compile(
    r"v?([0-9]{1,4})\.([0-9]{1,4})(?:\.([0-9]{1,4}))?(?:\.?(?:a|b|rc|dev|post)[0-9]*)*(?:\+[\w.]+)?"
)


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A release; suffixes such as rc1, .dev3 or +cu129 are read past."""

    major: int
    minor: int
    patch: int = 0

    @classmethod
    def of(cls, text: str) -> Version:
        """The release that a table names, such as `0.33.0`."""
        major, minor, patch = (int(number) for number in text.split("."))
        return cls(major, minor, patch)

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


OLDEST = Version(0, 11)
"""The oldest version that is accepted: the first with V1 alone for hybrid models."""

READ = tuple(
    Version(0, minor, patch)
    for minor, patch in (
        *((11, 2), (13, 0), (15, 1), (17, 1), (19, 1), (20, 2), (23, 0)),
        *((26, 0), (28, 0), (30, 0), (31, 0), (32, 0), (33, 0)),
    )
)
"""The releases whose Python sources were read; between two of them a rule may have changed."""


def parse_version(text: str) -> Version:
    """Read `0.33.0`, `v0.33` or `0.29.1rc2.dev3+g1234`.

    Raises UsageError for other text and for versions before the oldest one accepted.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"{text!r} is no version of vLLM",
            hint=f"write it as {READ[-1]}",
            where="--engine-version",
        )
    version = Version(*(int(number or 0) for number in match.groups()))
    if version < OLDEST:
        raise UsageError(
            f"vLLM {version} is older than {OLDEST}, the oldest version Ferrum knows",
            hint=f"use {OLDEST} or newer",
            where="--engine-version",
        )
    return version


def has_appeared(since: str | None, version: Version) -> bool | None:
    """Whether `version` has what was first read in `since`; None if that may be."""
    if since is None or version >= Version.of(since):
        return True
    position = READ.index(Version.of(since))
    return False if position and version <= READ[position - 1] else None


def neighbours(version: Version) -> tuple[Version, Version]:
    """The last version read that is no newer, and the first that is no older, than `version`.

    Both are the same where the version itself was read, or where it lies outside all of them.
    """
    position = bisect.bisect_left(READ, version)
    if position == len(READ):
        return READ[-1], READ[-1]
    if position == 0 or READ[position] == version:
        return READ[position], READ[position]
    return READ[position - 1], READ[position]
