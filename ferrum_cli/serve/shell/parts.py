"""Reading the parts of a shell's words from characters: quotes, escapes, expansions.

Bash's words are read too: `$'…'`, process substitutions. A `<placeholder>` as people write it in
instructions is no redirection. It knows nothing about where a command begins or ends.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable
from typing import NoReturn

from ferrum_cli.errors import Location, UsageError
from ferrum_cli.serve.shell.words import (
    Arithmetic,
    Parameter,
    Part,
    Placeholder,
    Substitution,
    Text,
    Word,
)

ENDS_WORD = frozenset(" \t\n&|;<>()")
DEEPEST = 24
"""Brackets within brackets; more is no command line."""
_PLACEHOLDER = re.compile(r"<[A-Za-z][\w./:-]*(?: [\w./:-]+){0,5}>")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]|[@*#?$!-]")
_BRACED = re.compile(
    r"(?P<length>#(?=[A-Za-z_@*]))?!?(?P<name>[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])"
    r"(?P<index>\[[^\]]*\])?(?P<operator>:?[-=+?]|##?|%%?|//?|\^\^?|,,?|:|@)?"
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "0": ""}


def double_quoted(text: str) -> Word:
    """Text as it is read between double quotes or in a here-document: expansions, no splitting."""
    reader = PartReader(text)
    return tuple(reader.quoted_parts(lambda: reader.position >= len(text), escapes="$`\\\n"))


class PartReader:
    """A position in a text, and the parts that are read from there."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.position = 0
        self.depth = depth
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, position: int) -> tuple[int, int]:
        """Line and column of a position, from 1."""
        line = bisect.bisect_right(self._lines, position)
        return line, position - self._lines[line - 1] + 1

    def fail(self, message: str, position: int) -> NoReturn:
        """Raise UsageError at a position."""
        raise UsageError(
            message,
            hint="paste the whole command",
            where=Location("--serve", *self.place(position)),
        )

    def word_parts(self) -> Word:
        """The parts of one word; none where an operator stands."""
        parts: list[Part] = []
        while self.position < len(self.text) and not self._at_word_end():
            parts += self._part()
        return tuple(parts)

    def begins_word(self) -> bool:
        """Whether `<` or `>` here is no redirection but part of a word."""
        return self.text.startswith(("<(", ">("), self.position) or self._placeholder() is not None

    def _at_word_end(self) -> bool:
        return self.text[self.position] in ENDS_WORD and not self.begins_word()

    def _placeholder(self) -> str | None:
        match = _PLACEHOLDER.match(self.text, self.position)
        return match[0] if match else None

    def _part(self) -> list[Part]:
        match self.text[self.position]:
            case "\\":
                parts = self._escaped()
            case "'":
                parts = [Text(self._until("'", "the quote"), quoted=True)]
            case '"':
                parts = self._double_quotes()
            case "$":
                parts = self._dollar(quoted=False)
            case "`":
                parts = [self._backticks(quoted=False)]
            case "<" | ">":
                parts = [self._angle()]
            case _:
                parts = [self._plain()]
        return parts

    def _escaped(self) -> list[Part]:
        following = self.text[self.position + 1 : self.position + 2]
        self.position += 1 + len(following)
        return [] if following in ("\n", "") else [Text(following, quoted=True)]

    def _until(self, close: str, what: str) -> str:
        start = self.position
        end = self.text.find(close, start + 1)
        if end < 0:
            self.fail(f"{what} is never closed", start)
        self.position = end + 1
        return self.text[start + 1 : end]

    def _double_quotes(self) -> list[Part]:
        start = self.position
        self.position += 1

        def closed() -> bool:
            if self.position >= len(self.text):
                self.fail("the quote is never closed", start)
            return self.text[self.position] == '"'

        parts = self.quoted_parts(closed, escapes='$`"\\\n')
        self.position += 1
        return parts or [Text("", quoted=True)]

    def quoted_parts(self, closed: Callable[[], bool], escapes: str) -> list[Part]:
        """Parts up to where `closed` says so; a backslash counts before `escapes` alone."""
        parts: list[Part] = []
        text: list[str] = []
        while not closed():
            character = self.text[self.position]
            following = self.text[self.position + 1 : self.position + 2]
            if character == "\\" and following and following in escapes:
                text.append("" if following == "\n" else following)
                self.position += 2
            elif character in "$`":
                parts += [Text("".join(text), quoted=True)] if text else []
                text = []
                parts += self._dollar(quoted=True) if character == "$" else [self._backticks(True)]
            else:
                text.append(character)
                self.position += 1
        return parts + ([Text("".join(text), quoted=True)] if text else [])

    def _plain(self) -> Part:
        start = self.position
        while self.position < len(self.text):
            character = self.text[self.position]
            if character in ENDS_WORD or character in "\\'\"$`":
                break
            self.position += 1
        return Text(self.text[start : self.position])

    def _angle(self) -> Part:
        """A placeholder, or a process substitution, which is text to us."""
        start = self.position
        placeholder = self._placeholder()
        if placeholder is not None:
            self.position += len(placeholder)
            return Placeholder(placeholder)
        self.position += 1
        self._bracketed("(", ")")
        return Text(self.text[start : self.position])

    def _dollar(self, quoted: bool) -> list[Part]:
        start = self.position
        following = self.text[start + 1 : start + 2]
        if following == "(":
            return [self._parenthesis(quoted)]
        if following == "{":
            return [self._brace(quoted)]
        if following in ("'", '"') and following and not quoted:
            self.position += 1
            if following == '"':
                return self._double_quotes()
            return [Text(self._ansi_quotes(), quoted=True)]
        match = _NAME.match(self.text, start + 1)
        if match is None:
            self.position += 1
            return [Text("$", quoted=quoted)]
        self.position = match.end()
        return [Parameter(match[0], self.text[start : match.end()], quoted)]

    def _ansi_quotes(self) -> str:
        start = self.position
        self.position += 1
        text: list[str] = []
        while self.text[self.position : self.position + 1] != "'":
            if self.position >= len(self.text):
                self.fail("the quote is never closed", start)
            character = self.text[self.position]
            if character == "\\":
                self.position += 1
                escape = self.text[self.position : self.position + 1]
                character = _ESCAPES.get(escape, f"\\{escape}")
            text.append(character)
            self.position += 1
        self.position += 1
        return "".join(text)

    def _parenthesis(self, quoted: bool) -> Part:
        start = self.position
        self.position += 1
        inner = self._bracketed("(", ")")
        source = self.text[start : self.position]
        if inner.startswith("(") and inner.endswith(")"):
            return Arithmetic(inner[1:-1], source, quoted)
        return Substitution(inner, source, quoted)

    def _backticks(self, quoted: bool) -> Part:
        start = self.position
        script = self._until("`", "the backtick")
        return Substitution(script.replace("\\$", "$"), self.text[start : self.position], quoted)

    def _bracketed(self, opening: str, closing: str) -> str:
        """What stands between brackets at the position, quotes and inner brackets included."""
        start, depth = self.position, 0
        while depth or self.position == start:
            if self.position >= len(self.text):
                self.fail(f"{opening!r} is never closed", start)
            character = self.text[self.position]
            if character == '"':
                self._skip_double_quotes()
            elif character == "'" and opening != "{":
                self._until("'", "the quote")
            else:
                depth += {opening: 1, closing: -1}.get(character, 0)
                self.position += 2 if character == "\\" else 1
        return self.text[start + 1 : self.position - 1]

    def _skip_double_quotes(self) -> None:
        start = self.position
        self.position += 1
        while self.text[self.position : self.position + 1] != '"':
            if self.position >= len(self.text):
                self.fail("the quote is never closed", start)
            self.position += 2 if self.text[self.position] == "\\" else 1
        self.position += 1

    def _brace(self, quoted: bool) -> Part:
        start = self.position
        self.position += 1
        inner = self._bracketed("{", "}")
        source = self.text[start : self.position]
        match = _BRACED.match(inner)
        if match is None:
            return Parameter(inner, source, quoted, operator="bad")
        name = match["name"] + (match["index"] or "")
        if match["length"]:
            return Parameter(name, source, quoted, operator="length")
        rest = inner[match.end() :]
        return Parameter(name, source, quoted, match["operator"] or "", self._operand(rest))

    def _operand(self, text: str) -> Word:
        """The word behind an operator of `${…}`: quotes and expansions, blanks belong to it."""
        if self.depth >= DEEPEST:
            self.fail("brackets stand too deep in each other", 0)
        inner = PartReader(text, self.depth + 1)
        parts: list[Part] = []
        while inner.position < len(text):
            if text[inner.position] in ENDS_WORD:
                parts.append(Text(text[inner.position]))
                inner.position += 1
            else:
                parts += inner.word_parts()
        return tuple(parts)
