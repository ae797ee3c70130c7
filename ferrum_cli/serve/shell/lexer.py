"""A shell's text as tokens: words, operators, continued lines, comments, here-documents.

It knows nothing about what a command means.
"""

from __future__ import annotations

from ferrum_cli.serve.shell.parts import PartReader, double_quoted
from ferrum_cli.serve.shell.words import Kind, Text, Token, Word

_OPERATORS = (
    *("<<<", "<<-", "&>>", ";;&"),
    *("&&", "||", ";;", ";&", "|&", "&>", "<<", ">>", "<&", ">&", "<>", ">|"),
    *("&", "|", ";", "<", ">", "(", ")"),
)


def tokens(text: str) -> list[Token]:
    """Every token of a script. Raises UsageError where a quote or a bracket is never closed."""
    return _Lexer(text).run()


class _Lexer(PartReader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._tokens: list[Token] = []
        self._awaited: list[_Awaited] = []

    def run(self) -> list[Token]:
        while self.position < len(self.text):
            self._next()
        self._read_heredocs()
        return self._tokens

    def _next(self) -> None:
        spaced = self._skip_blanks()
        start = self.position
        if start >= len(self.text):
            return
        if self.text[start] == "\n":
            self.position += 1
            self._token("newline", start, spaced)
            self._read_heredocs()
        elif self.text[start] == "#":
            self.position = self._line_end()
            self._token("comment", start, spaced)
        elif operator := self._operator():
            self.position += len(operator)
            if operator in ("<<", "<<-"):
                self._await_heredoc(strips=operator == "<<-")
            else:
                self._token("operator", start, spaced)
        else:
            self._word(spaced)

    def _token(self, kind: Kind, start: int, spaced: bool, parts: Word = ()) -> None:
        text = self.text[start : self.position]
        self._tokens.append(Token(kind, text, *self.place(start), parts, spaced))

    def _word(self, spaced: bool) -> Word:
        start = self.position
        parts = self.word_parts() or (Text("", quoted=True),)
        self._token("word", start, spaced, parts)
        return parts

    def _skip_blanks(self) -> bool:
        """Move past blanks and continued lines; whether a word may begin a comment here."""
        start = self.position
        while self.position < len(self.text):
            if self.text[self.position] in " \t\r":
                self.position += 1
            elif self.text[self.position : self.position + 2] in (
                "\\\n",
                "\\",
            ):  # the text may break off there
                self.position += 2
            else:
                break
        return self.position > start

    def _line_end(self) -> int:
        end = self.text.find("\n", self.position)
        return len(self.text) if end < 0 else end

    def _operator(self) -> str | None:
        if self.begins_word():
            return None
        return next((o for o in _OPERATORS if self.text.startswith(o, self.position)), None)

    def _await_heredoc(self, *, strips: bool) -> None:
        self._skip_blanks()
        if self.position >= len(self.text) or self.text[self.position] in "\n&|;<>()":
            return
        parts = self._word(spaced=False)
        word = self._tokens.pop()
        quoted = any(not isinstance(part, Text) or part.quoted for part in parts)
        delimiter = "".join(part.text for part in parts if isinstance(part, Text))
        self._awaited.append(_Awaited(delimiter, quoted, strips, len(self._tokens)))
        self._tokens.append(Token("heredoc", "", word.line, word.column))

    def _read_heredocs(self) -> None:
        for awaited in self._awaited:
            body = self._heredoc_body(awaited)
            token = self._tokens[awaited.index]
            parts = (Text(body, quoted=True),) if awaited.quoted else double_quoted(body)
            self._tokens[awaited.index] = Token("heredoc", body, token.line, token.column, parts)
        self._awaited = []

    def _heredoc_body(self, awaited: _Awaited) -> str:
        lines: list[str] = []
        while self.position < len(self.text):
            end = self._line_end()
            line = self.text[self.position : end]
            self.position = min(end + 1, len(self.text))
            line = line.lstrip("\t") if awaited.strips else line
            if line.rstrip() == awaited.delimiter:
                break
            lines.append(f"{line}\n")
        return "".join(lines)


class _Awaited:
    """A here-document whose body begins with the next line."""

    __slots__ = ("delimiter", "index", "quoted", "strips")

    def __init__(self, delimiter: str, quoted: bool, strips: bool, index: int) -> None:
        self.delimiter = delimiter
        self.quoted = quoted
        self.strips = strips
        self.index = index
