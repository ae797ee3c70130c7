"""A script's tokens: what ends a word, what continues a line, what is never closed."""

from __future__ import annotations

import pytest

from ferrum_cli.errors import UsageError
from ferrum_cli.serve.shell.lexer import tokens
from ferrum_cli.serve.shell.words import literal


def shown(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens(text)]


def words(text: str) -> list[str | None]:
    return [literal(token.parts) for token in tokens(text) if token.kind == "word"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b\tc", ["a", "b", "c"]),
        ("'a b' \"c d\" e\\ f", ["a b", "c d", "e f"]),
        ("a'b'\"c\"d", ["abcd"]),
        ("a \\\n  b", ["a", "b"]),
        ("a\\\nb", ["ab"]),
        ("\"a\\\nb\" 'a\\\nb'", ["ab", "a\\\nb"]),
        (r'"\$ \" \\ \. \n"', [r'$ " \ \. \n']),
        ("'' \"\"", ["", ""]),
        ("$'a\\tb' $\"c\"", ["a\tb", "c"]),
        ("a#b #c", ["a#b"]),
        ("<model> x/<repo>/y", [None, None]),
        ("a \\", ["a"]),
        ("$ 5$", ["$", "5$"]),
    ],
)
def test_words_are_what_a_shell_makes_of_them(text: str, expected: list[str | None]) -> None:
    assert words(text) == expected


def test_a_backslash_before_blanks_is_a_word_of_one_blank() -> None:
    assert words("a \\  \n  b") == ["a", " ", "b"]


def test_a_comment_ends_with_its_line_even_before_a_backslash() -> None:
    assert shown("a \\\n#b \\\nc") == [
        ("word", "a"),
        ("comment", "#b \\"),
        ("newline", "\n"),
        ("word", "c"),
    ]


def test_operators_end_words() -> None:
    assert shown("a&&b||c;d|e>f 2>&1&") == [
        *(("word", "a"), ("operator", "&&"), ("word", "b"), ("operator", "||"), ("word", "c")),
        *(("operator", ";"), ("word", "d"), ("operator", "|"), ("word", "e")),
        *(("operator", ">"), ("word", "f"), ("word", "2"), ("operator", ">&")),
        *(("word", "1"), ("operator", "&")),
    ]


@pytest.mark.parametrize(
    ("text", "bodies"),
    [
        ("cat <<A\nx\nA\ny", ["x\n"]),
        ("cat <<-A\n\tx\n\tA\ny", ["x\n"]),
        ("cat <<A <<B\nx\nA\ny\nB\n", ["x\n", "y\n"]),
        ("cat <<'A' > f\n$x\nA\n", ["$x\n"]),
        ("cat <<A\nnever closed", ["never closed\n"]),
    ],
)
def test_a_here_document_is_a_token_of_its_own(text: str, bodies: list[str]) -> None:
    assert [token.text for token in tokens(text) if token.kind == "heredoc"] == bodies


def test_only_an_unquoted_here_document_expands() -> None:
    def parts(text: str) -> int:
        return sum(len(token.parts) for token in tokens(text) if token.kind == "heredoc")

    assert parts("cat <<A\n$x\\\\\nA\n") == 2
    assert parts("cat <<'A'\n$x\\\\\nA\n") == 1


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("a 'b", "1:3", "the quote is never closed"),
        ('a\n  "b', "2:3", "the quote is never closed"),
        ("a $(b", "1:4", "'(' is never closed"),
        ("a ${b", "1:4", "'{' is never closed"),
        ("a `b", "1:3", "the backtick is never closed"),
        ("a <(b", "1:4", "'(' is never closed"),
        ("${a:-" * 100 + "}" * 100, "1:1", "brackets stand too deep in each other"),
    ],
)
def test_what_is_never_closed_has_its_place(text: str, where: str, what: str) -> None:
    with pytest.raises(UsageError) as raised:
        tokens(text)
    assert str(raised.value) == f"--serve:{where}: {what}; paste the whole command"
