"""A command that a script starts.

It knows nothing about how scripts are followed, or about engines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ferrum_cli.serve.shell.values import Argument


@dataclass(frozen=True, slots=True)
class Launch:
    """A command that the script starts: its words, what it inherits, what it is given to read.

    Without words and documents it is an assignment, and the environment holds what was assigned.
    """

    words: tuple[Argument, ...]
    environment: Mapping[str, Argument]
    documents: tuple[Argument, ...] = ()
    line: int = 1
    function: str | None = None
    """The function that it stands in, if nothing calls it."""
