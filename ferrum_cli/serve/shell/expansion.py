"""Variables, defaults, substitutions and calculations: a shell's words become a command's.

What is not set is not guessed: its source stays in the word, which says what is missing. It knows
nothing about what commands do.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable

from ferrum_cli.errors import Location, UsageError
from ferrum_cli.serve.shell.arithmetic import calculate
from ferrum_cli.serve.shell.parts import double_quoted
from ferrum_cli.serve.shell.values import Argument, Scope, Value
from ferrum_cli.serve.shell.words import (
    Arithmetic,
    Parameter,
    Part,
    Placeholder,
    Substitution,
    Text,
    Word,
)

_LONGEST = 2**16
_LONGEST_CUT = 2**12
_NAME = re.compile(r"[A-Za-z_]\w*")
_DEFAULTS, _ALTERNATIVES = frozenset((":-", "-")), frozenset((":+", "+"))
_BLANKS = re.compile(r"\s+")
_ELEMENT = re.compile(r"(?P<name>\w+)\[(?P<index>[^\]]*)\]")

Capture = Callable[[str], "Argument | None"]
"""What a script prints, or None where nobody knows."""


class Expander:
    """Expands words in a scope."""

    def __init__(self, scope: Scope, capture: Capture) -> None:
        self._scope = scope
        self._capture = capture

    def words(self, words: Iterable[Word]) -> list[Argument]:
        """The words that a command receives: none, one or several for each that is written."""
        return [argument for word in words for argument in self._fields(word)]

    def text(self, word: Word) -> Argument:
        """One word as it is assigned, without splitting."""
        fields = _Fields()
        for part in word:
            values = self._values(part)
            fields.append(_joined(values), quoted=True)
        return next(iter(fields.done()), Argument(""))

    def _fields(self, word: Word, *, is_default: bool = False) -> list[Argument]:
        """The words that one word becomes; blanks separate in a default without quotes."""
        fields = _Fields()
        for part in word:
            if isinstance(part, Text):
                splits = is_default and not part.quoted
                pieces = _BLANKS.split(part.text) if splits else [part.text]
                fields.extend([Argument(piece) for piece in pieces], quoted=not splits)
                continue
            values = self._values(part) if part.quoted else self._split(part)
            fields.extend(values, quoted=part.quoted)
            if part.quoted and not values and not _is_all(part):
                fields.append(Argument(""), quoted=True)
        return fields.done()

    def _split(self, part: Part) -> list[Argument]:
        """The words of a part without quotes; what a default quotes stays together."""
        operand = self._operand(part)
        if operand is not None:
            return self._fields(operand, is_default=True)
        return [piece for value in self._values(part) for piece in _split(value)]

    def _operand(self, part: Part) -> Word | None:
        """The word of `${name:-word}` or `${name:+word}`, if it is the one that counts."""
        if not isinstance(part, Parameter) or part.operator not in _DEFAULTS | _ALTERNATIVES:
            return None
        counts = self._is_given(part) == (part.operator in _ALTERNATIVES)
        return part.word if counts else None

    def _is_given(self, part: Parameter) -> bool:
        found = self._lookup(part.name)
        if part.operator.startswith(":"):
            return bool(_joined(found or []).text)
        return found is not None

    def _values(self, part: Part) -> list[Argument]:
        match part:
            case Text():
                return [Argument(part.text)]
            case Parameter():
                return self._parameter(part)
            case Substitution():
                printed = self._capture(part.script)
                return [printed or Argument(part.source, (part.source,))]
            case Arithmetic():
                return [self._arithmetic(part)]
            case Placeholder():
                return [Argument(part.source, (part.source,))]

    def _arithmetic(self, part: Arithmetic) -> Argument:
        expression = self.text(double_quoted(part.expression))
        missing = list(expression.missing)

        def number(match: re.Match[str]) -> str:
            value = _joined(self._lookup(match[0]) or [])
            if not value.text:
                missing.append(match[0])
            return value.text

        result = None if missing else calculate(_NAME.sub(number, expression.text))
        if result is None or missing:
            return Argument(part.source, tuple(missing) or (part.source,))
        return Argument(str(result))

    def _parameter(self, part: Parameter) -> list[Argument]:
        found = self._lookup(part.name)
        given = self._is_given(part)
        match part.operator:
            case "":
                return found if found is not None else [self._missing(part)]
            case ":-" | "-" | ":=" | "=":
                return (found or []) if given else [self._default(part)]
            case ":+" | "+":
                return [self.text(part.word)] if given else []
            case ":?" | "?":
                return (found or []) if given else [self._missing(part)]
        if found is None:
            return [self._missing(part)]
        changed = [self._changed(part, value.text) for value in found]
        return [self._missing(part) if text is None else Argument(text) for text in changed]

    def _default(self, part: Parameter) -> Argument:
        default = self.text(part.word)
        if part.operator in (":=", "="):
            self._scope.set(part.name, default)
        return default

    def _missing(self, part: Parameter) -> Argument:
        name = _NAME.match(part.name)
        return Argument(part.source, (name[0] if name else part.source,))

    def _lookup(self, name: str) -> list[Argument] | None:
        """The values of a variable; several for an array, None where it is not set."""
        if name in ("@", "*"):
            return list(self._scope.positional or ())
        if name.isdigit():
            position, given = int(name), self._scope.positional
            if position == 0 or given is None:
                return None
            return [given[position - 1]] if position <= len(given) else [Argument("")]
        if name == "#":
            given = self._scope.positional
            return None if given is None else [Argument(str(len(given)))]
        element = _ELEMENT.fullmatch(name)
        value = self._scope.get(element["name"] if element else name)
        return None if value is None else self._elements(value, element)

    def _elements(self, value: Value, element: re.Match[str] | None) -> list[Argument]:
        several = list(value) if isinstance(value, tuple) else [value]
        if element is None:
            return several[:1] or [Argument("")]
        if element["index"] in ("@", "*"):
            return several
        index = calculate(element["index"])
        inside = index is not None and -len(several) <= index < len(several)
        return [several[index]] if inside and index is not None else [Argument("")]

    def _changed(self, part: Parameter, text: str) -> str | None:
        """`text` after an operator that changes it; None where the operator is not known."""
        change = _CHANGES.get(part.operator)
        return change(text, self.text(part.word).text) if change else None


class _Fields:
    """The words that one written word becomes, as they grow."""

    def __init__(self) -> None:
        self._done: list[Argument] = []
        self._text: list[str] = []
        self._missing: list[str] = []
        self._is_word = False
        self._vanishes = True

    def append(self, value: Argument, *, quoted: bool) -> None:
        """Add to the present word."""
        if not value.text and not quoted:
            return
        self._text.append(value.text)
        self._missing += value.missing
        self._is_word = True
        self._vanishes = self._vanishes and bool(value.missing) and not quoted

    def extend(self, values: Iterable[Argument], *, quoted: bool) -> None:
        """Add values, each but the first in a word of its own."""
        for position, value in enumerate(values):
            if position:
                self.break_here()
            self.append(value, quoted=quoted)

    def break_here(self) -> None:
        """End the present word."""
        if self._is_word:
            text = "".join(self._text)
            if len(text) > _LONGEST:
                raise UsageError(
                    f"a word grows beyond {_LONGEST} characters", where=Location("--serve")
                )
            missing = tuple(dict.fromkeys(self._missing))
            self._done.append(Argument(text, missing, self._vanishes))
        self._text, self._missing, self._is_word, self._vanishes = [], [], False, True

    def done(self) -> list[Argument]:
        """All words."""
        self.break_here()
        return self._done


def _joined(values: list[Argument]) -> Argument:
    missing = tuple(name for value in values for name in value.missing)
    return Argument(" ".join(value.text for value in values), missing)


def _split(value: Argument) -> list[Argument]:
    """A value without quotes becomes as many words as it has; an unknown one stays whole."""
    if value.missing:
        return [value]
    return [Argument(text) for text in value.text.split()]


def _is_all(part: Part) -> bool:
    """Whether the part is `$@` or `${name[@]}`, which is no word at all where it is empty."""
    return isinstance(part, Parameter) and part.name.removesuffix("]").endswith("@")


def _cut(text: str, pattern: str, *, longest: bool, front: bool) -> str:
    """`text` without what matches `pattern` at its front or back."""
    if len(text) > _LONGEST_CUT:
        return text
    lengths = range(len(text), -1, -1) if longest else range(len(text) + 1)
    for length in lengths:
        part = text[:length] if front else text[len(text) - length :]
        if fnmatch.fnmatchcase(part, pattern):
            return text[length:] if front else text[: len(text) - length]
    return text


def _replaced(text: str, pattern: str, count: int) -> str:
    old, _, new = pattern.partition("/")
    return text.replace(old, new, count) if old else text


def _slice(text: str, pattern: str) -> str | None:
    numbers = [calculate(number) for number in pattern.split(":")]
    if len(numbers) not in (1, 2) or None in numbers:
        return None
    start, *rest = (number for number in numbers if number is not None)
    tail = text[start:]
    return tail[: rest[0]] if rest else tail


_CHANGES: dict[str, Callable[[str, str], str | None]] = {
    "length": lambda text, _: str(len(text)),
    "#": lambda text, pattern: _cut(text, pattern, longest=False, front=True),
    "##": lambda text, pattern: _cut(text, pattern, longest=True, front=True),
    "%": lambda text, pattern: _cut(text, pattern, longest=False, front=False),
    "%%": lambda text, pattern: _cut(text, pattern, longest=True, front=False),
    "/": lambda text, pattern: _replaced(text, pattern, 1),
    "//": lambda text, pattern: _replaced(text, pattern, -1),
    "^^": lambda text, _: text.upper(),
    ",,": lambda text, _: text.lower(),
    ":": _slice,
}
"""Operators of `${name…}` that change a value."""
