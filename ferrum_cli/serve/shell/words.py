"""The parts that a shell's word is made of, and the tokens of a script.

It knows nothing about variables' values or about commands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Text:
    """Characters that stand for themselves."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$NAME` or `${NAME…}`; `operator` and `word` are what stands behind the name."""

    name: str
    source: str
    quoted: bool
    operator: str = ""
    word: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(script)` or a script in backticks."""

    script: str
    source: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$((expression))`."""

    expression: str
    source: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Placeholder:
    """`<model>`, as instructions have it: something that the reader should put there."""

    source: str
    quoted: bool = False


Part = Text | Parameter | Substitution | Arithmetic | Placeholder
Word = tuple[Part, ...]
Kind = Literal["word", "operator", "newline", "heredoc", "comment"]


@dataclass(frozen=True, slots=True)
class Token:
    """A word, an operator, the end of a line, a here-document or a comment, with its place."""

    kind: Kind
    text: str
    line: int
    column: int
    parts: Word = ()
    spaced: bool = False
    """Whether blanks stand before it."""


def literal(word: Word) -> str | None:
    """The text of a word without expansions, else None."""
    if all(isinstance(part, Text) for part in word):
        return "".join(part.text for part in word if isinstance(part, Text))
    return None


def keyword(word: Word) -> str | None:
    """The text of a word that is written plainly, without quotes or expansions, else None."""
    plain = all(isinstance(part, Text) and not part.quoted for part in word)
    return literal(word) if plain else None
