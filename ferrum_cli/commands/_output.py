"""Where a report goes: stdout in one format, files in others.

Nothing is written before everything is rendered, and a file appears whole or not at all. It knows
nothing about what is reported.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from ferrum_cli.errors import EnvironmentFailure, UsageError
from ferrum_cli.render import Style, format_of_path, formats, render
from ferrum_cli.report import Report

_NARROWEST, _WIDEST_UNSET = 20, 140
_PLAIN = str.maketrans(
    {"×": "x", "·": "*", "–": "-", "−": "-", "─": "-", "→": ">", "Σ": "sum", "²": "^2"}
)


@dataclass(frozen=True, slots=True)
class Output:
    """What the shared options ask for."""

    format: str = "table"
    files: tuple[str, ...] = ()
    quiet: bool = False
    color: str = "auto"

    def check(self) -> None:
        """Refuse formats and colours that do not exist, before any work is done."""
        if self.color not in ("auto", "always", "never"):
            raise UsageError(f"{self.color!r} is not auto, always or never", where="--color")
        _known_format(self.format, "--format")
        for text in self.files:
            _destination(text)


def emit(report: Report, output: Output) -> None:
    """Render everything, then write the files, then stdout."""
    style = Style(_width(), _wants_color(output.color), output.quiet)
    plain = Style(_WIDEST_UNSET, color=False, quiet=output.quiet)
    texts = [(path, render(report, name, plain)) for name, path in map(_destination, output.files)]
    on_stdout = render(report, output.format, style)
    for path, text in texts:
        write_whole(path, text)
    write_stdout(on_stdout)


def write_stdout(text: str) -> None:
    """Write all of `text` now. Raises EnvironmentFailure where stdout takes no more.

    A terminal that lacks a character gets the nearest one it has.
    """
    encoding = sys.stdout.encoding or "utf-8"
    if not encoding.lower().replace("-", "").startswith("utf"):
        text = text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise EnvironmentFailure(
            f"cannot write: {error.strerror or error}", where="stdout"
        ) from None


def write_whole(path: Path, text: str) -> None:
    """Write a file under a temporary name and rename it. Raises EnvironmentFailure."""
    import tempfile  # only where a file is asked for, and start-up counts

    temporary = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
        ) as file:
            temporary = Path(file.name)
            file.write(text)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise EnvironmentFailure(
            f"cannot write: {error.strerror or error}",
            hint="check the folder and the space left",
            where=str(path),
        ) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _destination(text: str) -> tuple[str, Path]:
    """`markdown=plan.md` or `plan.md` → format and path."""
    name, equals, path = text.partition("=")
    if equals and name in formats():
        return name, _checked_path(path, text)
    found = format_of_path(text)
    if found is None:
        raise UsageError(
            f"cannot tell the format of {text!r}",
            hint=f"write FORMAT=PATH with one of {', '.join(formats())}",
            where="-o",
        )
    return found, _checked_path(text, text)


def _checked_path(text: str, whole: str) -> Path:
    path = Path(text)
    if not text or path.is_dir():
        raise UsageError(f"{whole!r} names no file", where="-o")
    return path


def _known_format(name: str, option: str) -> None:
    if name not in formats():
        raise UsageError(
            f"unknown format {name!r}", hint=f"one of {', '.join(formats())}", where=option
        )


def _width() -> int:
    """The terminal's width; in a pipe wide enough that nothing is cut."""
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        return _WIDEST_UNSET
    return max(_NARROWEST, shutil.get_terminal_size().columns)


def _wants_color(choice: str) -> bool:
    if choice == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return choice == "always"
