"""The options of `ferrum plan`, declared apart so that the command reads at a glance.

It knows nothing about what is made of them.
"""

from __future__ import annotations

from typing import Annotated

import typer

Models = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="MODEL...",
        help="A shipped name, a YAML description, a config.json or its folder, or a hub id.",
    ),
]
Engine = Annotated[
    str | None,
    typer.Option("--engine", metavar="NAME", help="Whose rules; 'all' compares [native]."),
]
EngineVersion = Annotated[
    str | None, typer.Option("--engine-version", metavar="V,…", help="The engine's version.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="An option of the engine, by its flag."),
]
Serve = Annotated[
    str | None,
    typer.Option("--serve", metavar="TEXT", help="The command that starts the server; - is stdin."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only what is understood of --serve.")]
Gpu = Annotated[
    str | None,
    typer.Option("--gpu", metavar="NAME", help="The accelerator, such as h100; see 'gpus'."),
]
Memory = Annotated[
    str | None, typer.Option("--memory", metavar="80GiB", help="Memory of one device.")
]
Overhead = Annotated[
    str | None, typer.Option("--overhead", metavar="3GiB", help="What else a device must hold.")
]
TensorParallel = Annotated[
    str | None, typer.Option("--tp", metavar="N", help="Tensor-parallel ranks [1].")
]
PipelineParallel = Annotated[
    str | None, typer.Option("--pp", metavar="N", help="Pipeline stages [1].")
]
DataParallel = Annotated[str | None, typer.Option("--dp", metavar="N", help="Replicas [1].")]
Context = Annotated[
    str | None,
    typer.Option("--context", metavar="128k", help="Tokens of one request [model's limit]."),
]
Requests = Annotated[
    str | None, typer.Option("--requests", metavar="N", help="Requests that must fit.")
]
Budget = Annotated[
    str | None,
    typer.Option("--budget", metavar="40GiB", help="Limit for weights, state and KV; exit 1."),
]
Explain = Annotated[
    str | None,
    typer.Option("--explain", metavar="FIGURE", help="Formula and source of a figure, or all."),
]
Diff = Annotated[bool, typer.Option("--diff", help="Only what differs between two plans, and why.")]
