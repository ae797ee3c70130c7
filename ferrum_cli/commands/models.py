"""`ferrum models`: list, show, import and validate descriptions, and their schema for editors.

It parses, calls, and hands over; it knows nothing about how descriptions are read.
"""

from __future__ import annotations

from typing import Annotated

import typer

from ferrum_cli.commands import _arguments as arguments

command = typer.Typer(
    help="List, show, import and validate descriptions of models.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A shipped name, a YAML description, a config.json or its folder."
    ),
]


@command.command("list")
def list_models(
    format_: arguments.Format = "table",
    output: arguments.Output = None,
    quiet: arguments.Quiet = False,
    color: arguments.Color = "auto",
) -> None:
    """List the shipped models with their state, KV and parameters."""
    from ferrum_cli.commands._output import Output, emit
    from ferrum_cli.describe import shipped
    from ferrum_cli.describe.source import read_model
    from ferrum_cli.plan.models import listing

    out = Output(format_, tuple(output or ()), quiet, color)
    out.check()
    emit(listing([read_model(name) for name in shipped.names()]), out)


@command.command("show")
def show(
    model: Model,
    format_: arguments.Format = "table",
    output: arguments.Output = None,
    quiet: arguments.Quiet = False,
    color: arguments.Color = "auto",
) -> None:
    """Show a model: sizes, parameters, blocks and layers."""
    from ferrum_cli.commands._output import Output, emit
    from ferrum_cli.describe.source import read_model
    from ferrum_cli.plan.models import one_model

    out = Output(format_, tuple(output or ()), quiet, color)
    out.check()
    emit(one_model(read_model(model)), out)


@command.command("import")
def import_(
    source: Model,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="PATH", help="Write to a file.")
    ] = None,
) -> None:
    """Write the YAML description of any model that Ferrum can read."""
    from ferrum_cli.describe.source import read_model
    from ferrum_cli.describe.yaml_file.writer import to_yaml

    description = read_model(source)
    for note in description.notes:
        typer.echo(f"ferrum: {note}", err=True)
    if description.stored_weights is not None:
        lost = "the file's own weights are not written; they count as parameters × dtype"
        typer.echo(f"ferrum: {lost}", err=True)
    _write(to_yaml(description), output)


@command.command("validate")
def validate(file: Annotated[str, typer.Argument(metavar="FILE", help="A description.")]) -> None:
    """Check a description; every fault is named with its line and column."""
    from pathlib import Path

    from ferrum_cli.describe.source import read_path
    from ferrum_cli.expand import parameters

    description = read_path(Path(file).expanduser())
    total = parameters(description).total
    said = f"{description.name}, {description.num_layers} layers, {total:,} parameters"
    _write(f"{file}: valid: {said} ({description.parameters})\n", None)


@command.command("schema")
def schema(
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="PATH", help="Write to a file.")
    ] = None,
) -> None:
    """Print the JSON schema of descriptions, for editors."""
    import json

    from ferrum_cli.describe.yaml_file import schema as json_schema

    _write(json.dumps(json_schema.schema(), indent=2) + "\n", output)


def _write(text: str, output: str | None) -> None:
    from pathlib import Path

    from ferrum_cli.commands._output import write_stdout, write_whole

    if output is None:
        write_stdout(text)
    else:
        write_whole(Path(output), text)
