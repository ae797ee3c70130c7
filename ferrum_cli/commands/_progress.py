"""Progress on a terminal: one line on standard error that is written over and gone at the end.

It knows nothing about what makes progress; where there is no terminal it says nothing.
"""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import Self

_EVERY_S = 0.1


class Progress:
    """A context; calling it says what is being done."""

    def __init__(self, *, wanted: bool) -> None:
        self._shown = wanted and sys.stderr.isatty()
        self._said_at = 0.0

    def __enter__(self) -> Self:
        return self

    def __call__(self, what: str) -> None:
        """Say it, unless something was said a moment ago."""
        now = time.monotonic()
        if self._shown and now - self._said_at >= _EVERY_S:
            self._said_at = now
            width = shutil.get_terminal_size().columns - 1
            self._write(what[:width])

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()
