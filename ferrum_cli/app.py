"""The Typer application; the one place that turns errors into exit codes.

    0  holds                    3  a defect in Ferrum
    1  a budget, verification   4  the environment: no GPU, out of memory, a missing extra
       or drill failed        130  interrupted
    2  bad input or usage

It knows nothing about what commands do.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ferrum_cli import __version__, discover
from ferrum_cli.errors import EnvironmentFailure, FerrumError

_INTERRUPTED, _DEFECT, _PIPE_CLOSED = 130, 3, 0


class _Group(TyperGroup):
    """A group whose `main` maps errors to exit codes, for the shell and for test runners alike."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line and exit with its code."""

        def run() -> Any:
            return TyperGroup.main(
                self, args, prog_name, complete_var, False, windows_expand_args, **extra
            )

        if not standalone_mode:
            return run()
        sys.exit(_code(run))


def _code(run: Callable[[], Any]) -> int:
    """The exit code of a run; every error has become a line on stderr."""
    try:
        result = run()
        if sys.stdout is not None:
            sys.stdout.flush()
    except FerrumError as error:
        if isinstance(error, EnvironmentFailure):
            _drop_stdout()
        return _say(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _say("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        return _reader_gone()
    except Exception as error:  # noqa: BLE001 - whatever is left is a defect, and is reported
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            return _say(_usage(error), int(error.exit_code))
        return _defect(error)
    return result if isinstance(result, int) else 0


def _usage(error: Any) -> str:
    """One line for the parser's own errors, with the way to the help."""
    context = getattr(error, "ctx", None)
    hint = f"; see '{context.command_path} --help'" if context is not None else ""
    return f"{error.format_message().rstrip('.')}{hint}"


def _say(message: str, code: int) -> int:
    line = "".join(c if c.isprintable() else "�" for c in message)
    sys.stderr.write(f"ferrum: {line}\n")
    return code


def _reader_gone() -> int:
    """Whoever read stdout has left (`| head`): that is no error."""
    _drop_stdout()
    return _PIPE_CLOSED


def _drop_stdout() -> None:
    """What could not be written is dropped, or the interpreter would try again at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _defect(error: Exception) -> int:
    """A short line on the screen, the traceback in a file."""
    import platform  # noqa: PLC0415 - only for a defect
    import tempfile  # noqa: PLC0415 - only for a defect
    import traceback  # noqa: PLC0415 - only for a defect

    with tempfile.NamedTemporaryFile(
        "w", prefix="ferrum-", suffix=".log", delete=False, encoding="utf-8"
    ) as log:
        log.write(f"ferrum {__version__}, Python {platform.python_version()}\n{sys.argv}\n")
        traceback.print_exception(error, file=log)
    what = f"{type(error).__name__}: {error}"
    return _say(f"a defect in ferrum ({what}); please report {log.name}", _DEFECT)


app = typer.Typer(
    cls=_Group,
    name="ferrum",
    help="Capacity planner and inspector for language models that keep recurrent state.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"ferrum {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    del version


def _register() -> None:
    """Every module of `commands` is a command: a function, or a group of its own."""
    package = "ferrum_cli.commands"
    for name in discover.names(package):
        module: Any = discover.load(package, name)
        if isinstance(module.command, typer.Typer):
            app.add_typer(module.command, name=name)
        else:
            app.command(name)(module.command)


_register()


def main() -> None:
    """The `ferrum` command."""
    gc.freeze()  # what is imported by now lives to the end: collections need not walk it again
    app()
