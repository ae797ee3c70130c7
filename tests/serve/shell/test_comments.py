"""Comments as text: commands that somebody switched off."""

from __future__ import annotations

from ferrum_cli.serve.shell.comments import comments


def test_comments_that_follow_each_other_are_one_text() -> None:
    text = "# a \\\n#   b\nx # c\n\n## d\n"
    assert comments(text) == ["a \\\nb\nc", "d"]


def test_a_mark_within_a_word_or_a_quote_is_no_comment() -> None:
    assert comments("a#b '# c' \"# d\"") == []
