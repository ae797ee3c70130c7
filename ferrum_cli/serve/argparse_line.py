"""Arguments read as Python's argparse reads them: abbreviations, `--flag=value`, greedy lists.

Where argparse stops at the first error, reading goes on, so that all errors are known and what is
right is used. It knows nothing about a particular engine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ferrum_cli.engines._command_line import Flag, Takes
from ferrum_cli.serve.parsed import Parsed, Problem
from ferrum_cli.serve.shell.values import Argument
from ferrum_cli.serve.values import Suffixes, value

_NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")
_FEWEST = {Takes.ONE: 1, Takes.SOME: 1}
_MOST = {Takes.NONE: 0, Takes.ONE: 1, Takes.OPTIONAL: 1}


def parse(
    arguments: Sequence[Argument], flags: Sequence[Flag], suffixes: Suffixes, first_word: str | None
) -> Parsed:
    """Read arguments; `first_word` names the option that the first bare word sets, if any."""
    reading = _Reading(arguments, flags, suffixes, first_word)
    reading.run()
    return reading.parsed


class _Reading:
    def __init__(
        self,
        arguments: Sequence[Argument],
        flags: Sequence[Flag],
        suffixes: Suffixes,
        first_word: str | None,
    ) -> None:
        self.parsed = Parsed()
        self._arguments = arguments
        self._suffixes = suffixes
        self._first_word = next((f for f in flags if f.option == first_word), None)
        self._positive = {spelling: flag for flag in flags for spelling in flag.spellings}
        self._negative = {spelling: flag for flag in flags for spelling in flag.negations}
        self._spellings = [s for f in flags if not f.dropped for s in (*f.spellings, *f.negations)]
        self._position = 0
        self._only_words = False

    def run(self) -> None:
        """Read every argument."""
        while self._position < len(self._arguments):
            argument = self._arguments[self._position]
            self._position += 1
            if argument.text == "--" and not self._only_words:
                self._only_words = True
            elif self._is_word(argument):
                self._bare_word(argument)
            else:
                self._flag(argument)
        self._refuse_leftover()

    def _is_word(self, argument: Argument) -> bool:
        text = argument.text
        if self._only_words or not text.startswith("-") or text == "-":
            return True
        if text in self._positive or text in self._negative:
            return False
        head = text.partition("=")[0]
        if head in self._positive or head in self._negative:
            return False
        if self._candidates(text):
            return False
        return bool(_NEGATIVE_NUMBER.fullmatch(text)) or " " in text

    def _bare_word(self, argument: Argument) -> None:
        if self._first_word is not None and self._first_word.option not in self._seen:
            self._store(self._first_word, [argument])
        elif argument.missing:
            self.parsed.missing.append((None, argument))
        else:
            self.parsed.leftover.append(argument.text)

    @property
    def _seen(self) -> set[str]:
        return {*self.parsed.values, *(name for name, _ in self.parsed.missing if name)}

    # Flags

    def _candidates(self, text: str) -> list[tuple[str, str | None]]:
        """The spellings that a word may abbreviate, each with what stands behind it."""
        if text.startswith("--"):
            head, equals, rest = text.partition("=")
            tail = rest if equals else None
            return [(s, tail) for s in self._spellings if s.startswith(head)]
        short, rest = text[:2], text[2:]
        found: list[tuple[str, str | None]] = []
        for spelling in self._spellings:
            if spelling == short:
                found.append((spelling, rest))
            elif spelling.startswith(text):
                found.append((spelling, None))
        return found

    def _spelled(self, argument: Argument) -> tuple[str, str | None] | None:
        """The spelling that a word stands for, and the value in it; refusals are noted."""
        text = argument.text
        if text in self._positive or text in self._negative:
            return text, None
        head, equals, rest = text.partition("=")
        if equals and (head in self._positive or head in self._negative):
            return head, rest
        candidates = self._candidates(text)
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            names = ", ".join(spelling for spelling, _ in candidates)
            matters = any(not self._named(s).ignored for s, _ in candidates)
            flag = None if matters else self._named(candidates[0][0])
            self.parsed.unknown.append(head)
            self.parsed.refuse(f"ambiguous option: {head} could match {names}", flag)
            self.parsed.ambiguous.append(self.parsed.problems[-1])
        else:
            self.parsed.unknown.append(head)
            self.parsed.leftover.append(text)
        return None

    def _named(self, spelling: str) -> Flag:
        return self._positive.get(spelling) or self._negative[spelling]

    def _flag(self, argument: Argument) -> None:
        spelled = self._spelled(argument)
        if spelled is None:
            return
        spelling, inline = spelled
        flag = self._named(spelling)
        if flag.dropped:
            self.parsed.unknown.append(spelling)
            self._words(flag, argument, inline)
            return
        if flag.takes is Takes.NONE:
            self._switch(flag, spelling, inline)
            return
        words = self._words(flag, argument, inline)
        if len(words) < _FEWEST.get(flag.takes, 0):
            expected = "one argument" if flag.takes is Takes.ONE else "at least one argument"
            self.parsed.refuse(f"argument {_title(flag)}: expected {expected}", flag)
            return
        self._store(flag, words)

    def _switch(self, flag: Flag, spelling: str, inline: str | None) -> None:
        if inline is not None:
            self.parsed.refuse(
                f"argument {_title(flag)}: ignored explicit argument {inline!r}",
                flag,
                f"write {spelling} alone",
            )
            return
        self.parsed.store(flag, spelling in self._positive)

    def _words(self, flag: Flag, argument: Argument, inline: str | None) -> list[Argument]:
        if inline is not None:
            return [Argument(inline, argument.missing)]
        most = _MOST.get(flag.takes, len(self._arguments))
        words: list[Argument] = []
        while self._position < len(self._arguments) and len(words) < most:
            following = self._arguments[self._position]
            if following.text == "--" or not self._is_word(following):
                break
            words.append(following)
            self._position += 1
        return words

    def _store(self, flag: Flag, words: list[Argument]) -> None:
        missing = [word for word in words if word.missing]
        if missing:
            self.parsed.missing += [(flag.option, word) for word in missing]
            return
        try:
            values = [value(flag, word.text, self._suffixes) for word in words]
        except ValueError as error:
            self.parsed.refuse(f"argument {_title(flag)}: {error}", flag)
            self.parsed.flags.setdefault(flag.option, flag)
            return
        if flag.takes in (Takes.SOME, Takes.ANY):
            self.parsed.store(flag, values)
        else:
            self.parsed.store(flag, values[0] if values else True)

    def _refuse_leftover(self) -> None:
        if self.parsed.leftover:
            words = " ".join(self.parsed.leftover)
            message = f"unrecognized arguments: {words}"
            self.parsed.problems.append(Problem(message, matters=False, is_unknown=True))


def _title(flag: Flag) -> str:
    """A flag's name in a message: argparse joins its spellings with slashes."""
    return "/".join(flag.spellings)
