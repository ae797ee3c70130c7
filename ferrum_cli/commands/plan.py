"""`ferrum plan`: how many requests fit, what stops the next one, and which flags to start with.

It parses, calls, and hands over a report; it knows no engine's rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ferrum_cli.commands import _arguments as arguments

if TYPE_CHECKING:
    from ferrum_cli.engines import Machine
    from ferrum_cli.plan import Plan, Wanted


def command(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL...",
            help="A shipped name, a YAML description, a config.json or its folder, or a hub id.",
        ),
    ],
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="Whose rules.")
    ] = "native",
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="An option of the engine, by its flag."),
    ] = None,
    engine_version: Annotated[
        str | None, typer.Option("--engine-version", metavar="V", help="The engine's version.")
    ] = None,
    gpu: Annotated[
        str | None,
        typer.Option("--gpu", metavar="NAME", help="The accelerator, such as h100; see 'gpus'."),
    ] = None,
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="80GiB", help="Memory of one device.")
    ] = None,
    overhead: Annotated[
        str | None,
        typer.Option("--overhead", metavar="3GiB", help="What else a device must hold."),
    ] = None,
    tp: Annotated[str, typer.Option("--tp", metavar="N", help="Tensor-parallel ranks.")] = "1",
    pp: Annotated[str, typer.Option("--pp", metavar="N", help="Pipeline stages.")] = "1",
    dp: Annotated[str, typer.Option("--dp", metavar="N", help="Replicas.")] = "1",
    context: Annotated[
        str | None,
        typer.Option("--context", metavar="128k", help="Tokens of one request [model's limit]."),
    ] = None,
    requests: Annotated[
        str | None, typer.Option("--requests", metavar="N", help="Requests that must fit.")
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="40GiB", help="Limit for weights, state and KV; exit 1."),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option("--explain", metavar="FIGURE", help="Formula and source of a figure, or all."),
    ] = None,
    format_: arguments.Format = "table",
    output: arguments.Output = None,
    quiet: arguments.Quiet = False,
    color: arguments.Color = "auto",
    no_progress: arguments.NoProgress = False,
) -> int:
    """Say how many requests fit, what stops the next one, and what each byte is for."""
    from ferrum_cli.commands._output import Output, emit  # noqa: PLC0415 - `--help` stays light
    from ferrum_cli.plan.presentation import present  # noqa: PLC0415 - as above

    del no_progress  # planning takes milliseconds
    out = Output(format_, tuple(output or ()), quiet, color)
    out.check()
    machine = _machine(gpu, memory, overhead)
    wanted = _wanted(tp, pp, dp, context, requests, budget, machine)
    plans = _plans(models, engine, engine_version, set_ or [], wanted)
    emit(present(plans, explain), out)
    return int(any(plan.budget is not None and not _holds(plan) for plan in plans))


def _wanted(
    tp: str,
    pp: str,
    dp: str,
    context: str | None,
    requests: str | None,
    budget: str | None,
    machine: Machine,
) -> Wanted:
    from ferrum_cli.expand import Parallel  # noqa: PLC0415 - `--help` stays light
    from ferrum_cli.plan import Wanted  # noqa: PLC0415 - as above

    number = arguments.whole_number
    return Wanted(
        parallel=Parallel(
            number(tp, "--tp") or 1, number(pp, "--pp") or 1, number(dp, "--dp") or 1
        ),
        requests=number(requests, "--requests"),
        context=arguments.amount_of_tokens(context, "--context"),
        machine=machine,
        budget_bytes=arguments.amount_of_bytes(budget, "--budget"),
    )


def _machine(gpu: str | None, memory: str | None, overhead: str | None) -> Machine:
    """The accelerator's own memory, unless another amount is given (a share of it, or a MIG)."""
    from ferrum_cli.engines import Machine  # noqa: PLC0415 - `--help` stays light
    from ferrum_cli.errors import UsageError  # noqa: PLC0415 - as above

    given = arguments.amount_of_bytes(memory, "--memory")
    rest = arguments.amount_of_bytes(overhead, "--overhead") or 0
    if gpu is None:
        return Machine(memory_bytes=given, overhead_bytes=rest)
    from ferrum_cli.hardware import accelerator  # noqa: PLC0415 - only where one is named

    found = accelerator(gpu)
    if given is None and found.memory_bytes is None:
        raise UsageError(
            f"the memory of {found.name} depends on the machine",
            hint="give it with --memory",
            where="--gpu",
        )
    return Machine(
        memory_bytes=given or found.memory_bytes,
        name=found.name,
        compute_capability=found.compute_capability,
        overhead_bytes=rest,
    )


def _plans(
    models: list[str], engine_name: str, version: str | None, assignments: list[str], wanted: Wanted
) -> list[Plan]:
    """Every model with every combination of swept options."""
    from ferrum_cli.describe.source import read_model  # noqa: PLC0415 - as above
    from ferrum_cli.engines import engine  # noqa: PLC0415 - as above
    from ferrum_cli.plan import plan  # noqa: PLC0415 - as above
    from ferrum_cli.plan.sweep import sweep  # noqa: PLC0415 - as above

    chosen = engine(engine_name)
    combinations = sweep(chosen.OPTIONS, assignments)
    return [
        plan(description, chosen, wanted, settings, version)
        for description in map(read_model, models)
        for settings in combinations
    ]


def _holds(plan: Plan) -> bool:
    return plan.budget is not None and plan.budget.holds and plan.answer.refusal is None
