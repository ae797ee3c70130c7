"""A cursor over bytes, as the tests of this folder read headers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from ferrum_cli.describe.gguf_file.cursor import Cursor


@contextmanager
def cursor_over(content: bytes, size: int | None = None) -> Iterator[Cursor]:
    """A cursor over a file `m.gguf` of these bytes, which claims to be of `size`."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        yield Cursor(file.fileno(), len(content) if size is None else size, "m.gguf")
