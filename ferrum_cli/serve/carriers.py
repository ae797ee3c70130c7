"""Commands that carry another command in one of their words: `bash -c`, `ssh`, `tmux`.

It knows nothing about engines or containers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ferrum_cli.engines._command_line import words as names
from ferrum_cli.serve.entry import program
from ferrum_cli.serve.shell.values import Argument

_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ash", "ksh", "fish"))
_RUN = re.compile(r"-[a-z]*c[a-z]*")
_CARRIERS = names(
    """
    cmd docker gnome-terminal kubectl nsenter podman powershell pwsh salloc screen sg srun ssh
    start su sudo systemd-run tmux watch wsl xterm
    """
)


def carried(words: Sequence[Argument]) -> list[tuple[Argument, tuple[Argument, ...]]]:
    """Scripts that the words carry, each with the arguments that it receives as `$1` onwards."""
    for position, word in enumerate(words):
        if program(word.text) in _SHELLS:
            return _given_to_shell(words[position + 1 :])
    if words and any(program(word.text) in _CARRIERS for word in words[:3]):
        return [(word, ()) for word in words[1:] if any(c.isspace() for c in word.text)]
    return []


def _given_to_shell(words: Sequence[Argument]) -> list[tuple[Argument, tuple[Argument, ...]]]:
    for position, word in enumerate(words):
        if _RUN.fullmatch(word.text):
            script = words[position + 1 : position + 2]
            return [(text, tuple(words[position + 3 :])) for text in script]
        if not word.text.startswith("-"):
            return []
    return []
