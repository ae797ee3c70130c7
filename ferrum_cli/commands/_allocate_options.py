"""The options of `ferrum allocate`.

It knows nothing about what they do.
"""

from __future__ import annotations

from typing import Annotated

import typer

Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A shipped name, a YAML description, a config.json or its folder, or a hub id.",
    ),
]
Requests = Annotated[
    str, typer.Option("--requests", metavar="N", help="Requests that hold state at once.")
]
Slots = Annotated[str, typer.Option("--slots", metavar="N", help="Slots of each request.")]
DeviceName = Annotated[
    str | None,
    typer.Option(
        "--device", metavar="NAME", help="cuda:0, cpu or simulated [a GPU if there is one]."
    ),
]
TensorParallel = Annotated[
    str, typer.Option("--tp", metavar="N", help="Take one of N tensor-parallel ranks.")
]
PipelineParallel = Annotated[
    str, typer.Option("--pp", metavar="N", help="Take the heaviest of N pipeline stages.")
]
Budget = Annotated[
    str | None,
    typer.Option("--budget", metavar="16GiB", help="Bytes for all states; exit 1 beyond."),
]
Layout = Annotated[
    str, typer.Option("--layout", metavar="NAME", help="arena, layer-major or per-tensor.")
]
Drill = Annotated[
    list[str] | None,
    typer.Option("--drill", metavar="NAME", help="A drill by its name, or all; may be repeated."),
]
Policy = Annotated[
    str,
    typer.Option("--policy", metavar="NAME", help="Whom to evict: none, lru, largest, …"),
]
Resume = Annotated[
    str,
    typer.Option("--resume", metavar="NAME", help="snapshot, recompute or auto."),
]
RecurrenceName = Annotated[
    str,
    typer.Option("--recurrence", metavar="NAME", help="exact, or mixer: the blocks' own in fp32."),
]
Measure = Annotated[bool, typer.Option("--measure", help="Time the manager and its copies.")]
Full = Annotated[bool, typer.Option("--full", help="Drill at the model's full size.")]
Seed = Annotated[str, typer.Option("--seed", metavar="N", help="What drills do at random.")]
