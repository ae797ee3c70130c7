"""What a shell's script consists of: commands, functions, loops, branches.

It knows nothing about how they are read or carried out.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.serve.shell.words import Word


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name=value`, `name+=value`, or `name=(…)`, whose value is a tuple of words."""

    name: str
    value: Word
    array: tuple[Word, ...] | None = None
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """Assignments and words of one command, and the here-documents that it reads."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    documents: tuple[Word, ...]
    line: int
    operator: str = ""
    """What stands behind it: `&&`, `||`, `|`, or nothing that matters."""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """`{ … }` or `( … )`."""

    body: Script


@dataclass(frozen=True, slots=True)
class Function:
    """`name() { … }`."""

    name: str
    body: Script


@dataclass(frozen=True, slots=True)
class Loop:
    """`for name in words; do … done`. Other loops run their body once and stand as it alone."""

    name: str
    words: tuple[Word, ...] | None
    body: Script


@dataclass(frozen=True, slots=True)
class Branch:
    """`if … then … elif … then … else … fi`: conditions with their bodies, and the rest."""

    arms: tuple[tuple[Script, Script], ...]
    otherwise: Script


@dataclass(frozen=True, slots=True)
class Choice:
    """`case subject in pattern) … ;; esac`."""

    subject: Word
    arms: tuple[tuple[tuple[Word, ...], Script], ...]


Statement = Command | Group | Function | Loop | Branch | Choice
Script = tuple[Statement, ...]
