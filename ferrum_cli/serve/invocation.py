"""A server's start as it was found in a text: the program, its arguments, its environment.

It knows nothing about what the arguments mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ferrum_cli.serve.shell.values import Argument


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One start of one engine."""

    engine: str
    program: str
    """The program's name among the engine's entry points."""
    takes_model: bool
    """Whether the first bare word is the model."""
    arguments: tuple[Argument, ...]
    environment: Mapping[str, Argument] = field(default_factory=dict)
    version: str | None = None
    """The engine's version, if an image says it."""
    function: str | None = None
    """The shell function that it stands in, if nothing calls it."""
    is_whole: bool = True
    """Whether it is a command, and not flags that stand alone or are guessed."""
