"""`ferrum stats`: what a manager and its handles said of themselves.

It parses, calls, and hands over a report; it knows nothing about where the figures come from.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ferrum_cli.commands import _arguments as arguments


def command(
    source: Annotated[
        str,
        typer.Argument(metavar="SOURCE", help="A run report: 'ferrum allocate … -o run.json'."),
    ],
    format_: arguments.Format = "table",
    output: arguments.Output = None,
    quiet: arguments.Quiet = False,
    color: arguments.Color = "auto",
) -> None:
    """Show every field of the contract for the manager and the handles of a run."""
    from ferrum_cli.commands._output import Output, emit
    from ferrum_cli.live.run_file import read

    out = Output(format_, tuple(output or ()), quiet, color)
    out.check()
    emit(read(Path(source).expanduser()), out)
