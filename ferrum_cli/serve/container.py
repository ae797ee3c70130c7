"""`docker run` and `docker exec`, and their like: what is set, which image, what follows it.

It knows nothing about engines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ferrum_cli.engines._command_line import words as names
from ferrum_cli.serve.entry import program
from ferrum_cli.serve.shell.values import Argument

_PROGRAMS = frozenset(("docker", "podman", "nerdctl", "lima"))
_MOST_BEFORE = 6
"""Words among which `run` is looked for."""
_OTHERS = frozenset(("apptainer", "kubectl", "oc", "singularity"))
_SWITCHES = names(
    """
    --detach --disable-content-trust --help --init --interactive --no-healthcheck
    --oom-kill-disable --privileged --publish-all --quiet --read-only --replace --rm --sig-proxy
    --tty
    """
)
"""Long options without a value; short ones are below."""
_SHORT_SWITCHES = frozenset("ditPq")


@dataclass(frozen=True, slots=True)
class Container:
    """What a container is given."""

    image: str
    words: tuple[Argument, ...]
    environment: dict[str, Argument] = field(default_factory=dict)


def container(words: Sequence[Argument]) -> Container | None:
    """The container that a command starts or enters, if it does."""
    start = _start(words)
    if start is None:
        return None
    environment: dict[str, Argument] = {}
    entry: list[Argument] = []
    position = start
    while position < len(words) and words[position].text.startswith("-"):
        name, value, length = _option(words, position)
        position += length
        if name in ("-e", "--env") and value is not None:
            variable, equals, text = value.text.partition("=")
            if equals:
                environment[variable] = Argument(text, value.missing)
        elif name == "--entrypoint" and value is not None and value.text:
            entry = [value]
    if position >= len(words):
        return None
    rest = (*entry, *words[position + 1 :])
    return Container(words[position].text, rest, environment)


def named_image(
    words: Sequence[Argument], runs_by_itself: Callable[[str], bool]
) -> Container | None:
    """The container of `kubectl run` or `apptainer run`, if its image starts something by itself.

    Their options are not read: the image is the word that `runs_by_itself` knows.
    """
    if not words or program(words[0].text) not in _OTHERS or "run" not in _texts(words):
        return None
    for position, word in enumerate(words):
        image = word.text.removeprefix("--image=").removeprefix("docker://")
        if runs_by_itself(image):
            rest = words[position + 1 :]
            marks = [place for place, following in enumerate(rest) if following.text == "--"]
            return Container(image, tuple(rest[marks[0] + 1 :] if marks else rest))
    return None


def _texts(words: Sequence[Argument]) -> list[str]:
    return [word.text for word in words]


def _start(words: Sequence[Argument]) -> int | None:
    """Where the options of `docker run` begin; docker's own may stand before."""
    for position, word in enumerate(words[:-1]):
        if program(word.text) not in _PROGRAMS:
            continue
        for following in range(position + 1, min(position + _MOST_BEFORE, len(words))):
            if words[following].text in ("run", "exec", "create"):
                return following + 1
        return None
    return None


def _option(words: Sequence[Argument], position: int) -> tuple[str, Argument | None, int]:
    """An option's name, its value, and how many words both take."""
    word = words[position]
    name, equals, value = word.text.partition("=")
    following = words[position + 1] if position + 1 < len(words) else None
    if name.startswith("--"):
        if equals:
            return name, Argument(value, word.missing), 1
        return (name, None, 1) if name in _SWITCHES else (name, following, 2)
    if set(word.text[1:]) <= _SHORT_SWITCHES:
        return word.text, None, 1
    letters = word.text[1:].lstrip("".join(_SHORT_SWITCHES))
    if len(letters) > 1:
        return f"-{letters[0]}", Argument(letters[1:].removeprefix("="), word.missing), 1
    return f"-{letters}", following, 2
