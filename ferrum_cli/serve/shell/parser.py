"""From tokens to statements. What is no shell is read past, not refused: people paste fragments.

It knows nothing about variables or about what a command does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ferrum_cli.errors import Location, UsageError
from ferrum_cli.serve.shell.parts import DEEPEST
from ferrum_cli.serve.shell.statements import (
    Assignment,
    Branch,
    Choice,
    Command,
    Function,
    Group,
    Loop,
    Script,
    Statement,
)
from ferrum_cli.serve.shell.words import Text, Token, Word, keyword

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?(\+?)=")
_REDIRECTIONS = frozenset(("<", ">", ">>", "<&", ">&", "<>", ">|", "&>", "&>>", "<<<"))
_SEPARATORS = frozenset((";", "&", "&&", "||", "|", "|&"))
_CLOSING = frozenset(("then", "elif", "else", "fi", "do", "done", "esac", "}", ")"))
_NOTHING = frozenset(("while", "until", "!", "time", "coproc"))
"""Words whose body stands as it is."""
_DECLARES = frozenset(("export", "declare", "local", "readonly", "typeset"))


def parse(tokens: Sequence[Token]) -> Script:
    """The statements of a script, in order."""
    parser = _Parser([t for t in tokens if t.kind != "comment"])
    found: list[Statement] = []
    while not parser.at_end():
        found += parser.statements(lambda: False)
        parser.skip()  # a closing word that opens nothing
    return tuple(found)


class _Parser:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self._depth = 0

    def at_end(self) -> bool:
        return self._position >= len(self._tokens)

    def skip(self) -> None:
        self._position += 1

    def _peek(self, ahead: int = 0) -> Token | None:
        position = self._position + ahead
        return self._tokens[position] if position < len(self._tokens) else None

    def _keyword(self) -> str | None:
        token = self._peek()
        if token is None or token.kind == "newline":
            return None
        return token.text if token.kind == "operator" else keyword(token.parts)

    def _is(self, *texts: str) -> bool:
        return self._keyword() in texts

    def statements(self, ends: Callable[[], bool]) -> list[Statement]:
        """Statements up to where `ends` says so, or a word that closes something."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise UsageError("brackets stand too deep in each other", where=Location("--serve"))
        found: list[Statement] = []
        while not self.at_end() and not ends():
            if self._keyword() in _CLOSING:
                break
            found += self._statement()
        self._depth -= 1
        return found

    def _body(self, *closing: str) -> Script:
        """Statements up to one of the closing words, which is left for the caller."""
        found: list[Statement] = []
        while not self.at_end():
            found += self.statements(lambda: self._is(*closing))
            if self.at_end() or self._is(*closing):
                break
            self.skip()
        return tuple(found)

    def _statement(self) -> list[Statement]:
        word = self._keyword()
        if word in _NOTHING:
            self.skip()
            return []
        if word in ("(", "{"):
            return self._group(")" if word == "(" else "}")
        if word == "function" or self._begins_function():
            return [self._function()]
        compound = {
            "if": self._branch,
            "for": self._loop,
            "select": self._loop,
            "case": self._choice,
        }.get(word or "")
        return [compound()] if compound is not None else self._command()

    def _group(self, closing: str) -> list[Statement]:
        following = self._peek(1)
        doubled = following is not None and following.text == "(" and not following.spaced
        if closing == ")" and doubled:
            self._skip_arithmetic()
            return []
        self.skip()
        body = self._body(closing)
        self.skip()
        return [Group(body)]

    def _skip_arithmetic(self) -> None:
        depth = 0
        while not self.at_end():
            depth += {"(": 1, ")": -1}.get(self._tokens[self._position].text, 0)
            self.skip()
            if depth == 0:
                return

    def _branch(self) -> Statement:
        arms: list[tuple[Script, Script]] = []
        otherwise: Script = ()
        while self._is("if", "elif"):
            self.skip()
            condition = self._body("then", "fi")
            if self._is("then"):
                self.skip()
            arms.append((condition, self._body("elif", "else", "fi")))
        if self._is("else"):
            self.skip()
            otherwise = self._body("fi")
        self.skip()
        return Branch(tuple(arms), otherwise)

    def _loop(self) -> Statement:
        self.skip()
        name, words = "", None
        if self._is("("):
            self._skip_arithmetic()
        else:
            token = self._peek()
            name = (keyword(token.parts) or "") if token else ""
            self.skip()
            if self._is("in"):
                self.skip()
                words = self._words_of_line()
        self._skip_separators()
        if self._is("do", "{"):
            self.skip()
        body = self._body("done")
        self.skip()
        return Loop(name, words, body)

    def _words_of_line(self) -> tuple[Word, ...]:
        found: list[Word] = []
        while (token := self._peek()) is not None and token.kind == "word":
            found.append(token.parts)
            self.skip()
        return tuple(found)

    def _skip_separators(self) -> None:
        while (token := self._peek()) is not None:
            if token.kind != "newline" and token.text != ";":
                return
            self.skip()

    def _choice(self) -> Statement:
        self.skip()
        token = self._peek()
        subject = token.parts if token is not None else ()
        self.skip()
        self._skip_separators()
        if self._is("in"):
            self.skip()
        arms: list[tuple[tuple[Word, ...], Script]] = []
        while not self.at_end() and not self._is("esac"):
            self._skip_separators()
            if self._is("esac"):
                break
            arms.append((self._patterns(), self._arm()))
        self.skip()
        return Choice(subject, tuple(arms))

    def _patterns(self) -> tuple[Word, ...]:
        found: list[Word] = []
        while (token := self._peek()) is not None and token.text != ")":
            if token.kind == "word":
                found.append(token.parts)
            self.skip()
        self.skip()
        return tuple(found)

    def _arm(self) -> Script:
        body = self._body(";;", ";&", ";;&", "esac")
        if not self._is("esac"):
            self.skip()
        return body

    def _begins_function(self) -> bool:
        token, opening, closing = self._peek(), self._peek(1), self._peek(2)
        if token is None or opening is None or closing is None:
            return False
        return token.kind == "word" and opening.text == "(" and closing.text == ")"

    def _function(self) -> Statement:
        if self._is("function"):
            self.skip()
        token = self._peek()
        name = (keyword(token.parts) or "") if token else ""
        self.skip()
        while self._is("(", ")"):
            self.skip()
        self._skip_separators()
        closing = {"{": "}", "(": ")"}.get(self._keyword() or "", "}")
        self.skip()
        body = self._body(closing)
        self.skip()
        return Function(name, body)

    def _command(self) -> list[Statement]:
        start = self._position
        negated = start > 0 and keyword(self._tokens[start - 1].parts) == "!"
        assignments: list[Assignment] = []
        words: list[Word] = []
        documents: list[Word] = []
        operator = ""
        while (token := self._peek()) is not None and token.kind != "newline":
            first = keyword(words[0]) if words else None
            if first == "[[" and keyword(words[-1]) != "]]":
                words.append(token.parts or (Text(token.text),))
            elif token.kind == "heredoc":
                documents.append(token.parts)
            elif token.text in _REDIRECTIONS and token.kind == "operator":
                self._redirection(words, token)
            elif token.kind == "operator":
                operator = token.text if token.text in _SEPARATORS else ""
                break
            elif (not words or first in _DECLARES) and (assignment := self._assignment(token)):
                assignments.append(assignment)
                continue
            else:
                words.append(token.parts)
            self.skip()
        line = self._tokens[start].line
        ends_line = token is None or token.kind == "newline" or token.text in _SEPARATORS
        if ends_line or self._position == start:  # or a bracket that closes nothing
            self.skip()
        if not (assignments or words or documents) and operator not in ("&&", "||"):
            return []
        parts = (tuple(assignments), tuple(words), tuple(documents))
        return [Command(*parts, line, operator, negated)]

    def _redirection(self, words: list[Word], token: Token) -> None:
        """Drop the number before a redirection and move to its target."""
        previous = self._peek(-1) if self._position else None
        number = words and previous is not None and previous.kind == "word" and not token.spaced
        if number and (keyword(words[-1]) or "").isdigit():
            words.pop()
        following = self._peek(1)
        if following is not None and following.kind == "word":
            self.skip()

    def _assignment(self, token: Token) -> Assignment | None:
        """The assignment at the position, moved past it; None where there is none."""
        head = token.parts[0] if token.parts else None
        if not isinstance(head, Text) or head.quoted:
            return None
        match = _ASSIGNMENT.match(head.text)
        if match is None:
            return None
        self.skip()
        rest = Text(head.text[match.end() :])
        value = ((rest,) if rest.text else ()) + token.parts[1:]
        array = None
        following = self._peek()
        if not value and following is not None and following.text == "(" and not following.spaced:
            array = self._array()
        return Assignment(match[1], value, array, adds=bool(match[2]))

    def _array(self) -> tuple[Word, ...]:
        self.skip()
        found: list[Word] = []
        while (token := self._peek()) is not None and token.text != ")":
            if token.kind == "word":
                found.append(token.parts)
            self.skip()
        self.skip()
        return tuple(found)
