"""Finding the words that start an engine's server among the words of a command.

Programs are known by the last part of their path, modules by `-m` or by the path of their file. It
knows nothing about flags, shells or containers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ferrum_cli.engines._command_line import CommandLine, EntryPoint
from ferrum_cli.engines._command_line import words as names
from ferrum_cli.serve.shell.values import Argument

CommandLines = Mapping[str, CommandLine]
"""The command lines of engines, by the engines' names."""

_TALKS = names(
    """
    apt apt-get awk brew cat cd cmake conda cp curl dnf docker-compose egrep grep git head helm
    huggingface-cli hf install journalctl kill killall less ln ls make man mkdir mv ninja pgrep pip
    pip3 pkill ps rg rm sed service sort supervisorctl systemctl tail tee test touch wc wget
    whereis which yum
    """
)
"""Programs that speak of a server but start none."""
_RUNS_THE_NEXT = ("sudo", "exec", "command")


@dataclass(frozen=True, slots=True)
class Entry:
    """An engine's program, and where its arguments begin."""

    engine: str
    point: EntryPoint
    position: int


def program(word: str) -> str:
    """The name of the program that a word names: without its path and `.exe`."""
    return word.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe")


def starts_nothing(words: Sequence[Argument]) -> bool:
    """Whether the command is one that only speaks of programs."""
    programs = [program(word.text) for word in words if word.text not in _RUNS_THE_NEXT]
    if programs[:2] in (["uv", "pip"], ["uv", "tool"], ["uv", "add"]):
        return True
    return bool(programs) and programs[0] in _TALKS


def find(words: Sequence[Argument], lines: CommandLines) -> Entry | None:
    """The first entry point in the words of a command."""
    if starts_nothing(words):
        return None
    texts = [word.text for word in words]
    for position in range(len(texts)):
        for engine, line in lines.items():
            for point in line.entry_points:
                length = _length(texts, position, point)
                if length:
                    return Entry(engine, point, position + length)
    return None


def of_image(image: str, lines: CommandLines) -> Entry | None:
    """The program that a container image runs by itself."""
    for engine, line in lines.items():
        for point in line.entry_points:
            if point.image is not None and point.image.search(image):
                return Entry(engine, point, 0)
    return None


def _length(texts: Sequence[str], position: int, point: EntryPoint) -> int:
    """How many words the entry point takes at a position; 0 where it does not stand there."""
    first, *rest = point.words
    if point.module:
        named = texts[position] == "-m" and texts[position + 1 : position + 2] == [first]
        length = 2 if named else int(_is_file_of(texts[position], first))
    else:
        length = int(program(texts[position]) == first)
    end = position + length + len(rest)
    if not length or texts[position + length : end] != rest:
        return 0
    return length + len(rest)


def _is_file_of(word: str, module: str) -> bool:
    path = module.replace(".", "/") + ".py"
    text = word.replace("\\", "/")
    return text == path or text.endswith("/" + path)
