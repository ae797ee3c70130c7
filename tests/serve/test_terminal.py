"""What stands around a command on a terminal or a page is taken away."""

from __future__ import annotations

import pytest

from ferrum_cli.serve.terminal import pasted


@pytest.mark.parametrize(
    "prompt",
    [
        "$ ",
        "❯ ",
        "user@host:~/dir$ ",
        "root@3f2c:/workspace# ",
        "(base) user@host-1: ",
        "(.venv312) user@WS-1:~/py312$ ",
        "[user@host dir]$ ",
        "me@mac models % ",
        "PS C:\\Users\\me> ",
        "C:\\models> ",
        "(venv) ",
    ],
)
def test_a_prompt_is_no_part_of_the_command(prompt: str) -> None:
    assert pasted(f"{prompt}vllm serve A/B") == "vllm serve A/B"


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve A/B",
        "export A=1\nvllm serve $A",
        "(cd x && vllm serve A/B)",
        "# a comment",
        "a: b",
        "X=`pwd`; vllm serve `cat model`",
    ],
)
def test_a_text_without_decoration_stays(text: str) -> None:
    assert pasted(text) == text


def test_continuations_lose_their_mark_only_behind_a_prompt() -> None:
    assert pasted("$ a \\\n> b") == "a \\\nb"
    assert pasted("a \\\n> b") == "a \\\n> b"


def test_lines_keep_their_numbers_when_fences_go() -> None:
    assert pasted("```sh\nvllm serve A/B\n```\n") == "\nvllm serve A/B\n\n"


def test_a_mark_of_byte_order_and_carriage_returns_go() -> None:
    assert pasted("\ufeffa \\\r\n b\r\n") == "a \\\n b\n"
