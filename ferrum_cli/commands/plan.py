"""`ferrum plan`: how many requests fit, what stops the next one, and which flags to start with.

It parses, calls, and hands over a report; it knows no engine's rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ferrum_cli.commands import _arguments as arguments
from ferrum_cli.commands import _plan_options as options
from ferrum_cli.commands import _serve

if TYPE_CHECKING:
    from ferrum_cli.engines import Machine
    from ferrum_cli.plan import Plan, Wanted
    from ferrum_cli.report import Finding, Report
    from ferrum_cli.serve.beside import Beside
    from ferrum_cli.serve.planning import Served


def command(
    models: options.Models = None,
    engine: options.Engine = None,
    serve: options.Serve = None,
    set_: options.Set = None,
    engine_version: options.EngineVersion = None,
    gpu: options.Gpu = None,
    memory: options.Memory = None,
    overhead: options.Overhead = None,
    tp: options.TensorParallel = None,
    pp: options.PipelineParallel = None,
    dp: options.DataParallel = None,
    context: options.Context = None,
    requests: options.Requests = None,
    budget: options.Budget = None,
    explain: options.Explain = None,
    diff: options.Diff = False,
    dry_run: options.DryRun = False,
    format_: arguments.Format = "table",
    output: arguments.Output = None,
    quiet: arguments.Quiet = False,
    color: arguments.Color = "auto",
    no_progress: arguments.NoProgress = False,
) -> int:
    """Say how many requests fit, what stops the next one, and what each byte is for."""
    from ferrum_cli.commands._output import Output, emit
    from ferrum_cli.plan.several import cases, plan_cases

    del no_progress  # planning takes milliseconds
    out = Output(format_, tuple(output or ()), quiet, color)
    out.check()
    pasted = _serve.command_line(serve, engine, engine_version)
    if dry_run:
        return _serve.show(pasted, out)
    beside = _beside(tp, pp, dp, context, set_ or [])
    line = _serve.taken(pasted, beside)
    wanted = _wanted(beside, line, requests, budget, _machine(gpu, memory, overhead))
    chosen = engine or (line.engine if line is not None else "native")
    asked = _serve.under(cases(chosen, engine_version, set_ or []), line)
    plans, left_out = plan_cases(_serve.descriptions(models, line), asked, wanted)
    plans = _serve.annotated(plans, line)
    emit(_report(plans, left_out, explain, diff=diff), out)
    return int(any(plan.budget is not None and not _holds(plan) for plan in plans))


def _beside(
    tp: str | None, pp: str | None, dp: str | None, context: str | None, assignments: list[str]
) -> Beside:
    """What Ferrum's own options say, whether there is a command line or not."""
    from ferrum_cli.serve.beside import Beside

    number = arguments.whole_number
    return Beside(
        tensor_parallel=number(tp, "--tp"),
        pipeline_parallel=number(pp, "--pp"),
        data_parallel=number(dp, "--dp"),
        context=arguments.amount_of_tokens(context, "--context"),
        assigned={
            name.replace("-", "_"): value
            for name, _, value in (text.partition("=") for text in assignments)
        },
    )


def _wanted(
    beside: Beside,
    line: Served | None,
    requests: str | None,
    budget: str | None,
    machine: Machine,
) -> Wanted:
    from ferrum_cli.expand import Parallel
    from ferrum_cli.plan import Wanted
    from ferrum_cli.plan.command import Written

    ranks = line or beside
    return Wanted(
        parallel=Parallel(
            ranks.tensor_parallel or 1, ranks.pipeline_parallel or 1, ranks.data_parallel or 1
        ),
        requests=arguments.whole_number(requests, "--requests"),
        context=beside.context,
        machine=machine,
        budget_bytes=arguments.amount_of_bytes(budget, "--budget"),
        written=Written(line.engine, line.words) if line is not None and line.words else None,
    )


def _machine(gpu: str | None, memory: str | None, overhead: str | None) -> Machine:
    """The accelerator's own memory, unless another amount is given (a share of it, or a MIG)."""
    from ferrum_cli.engines import Machine
    from ferrum_cli.errors import UsageError

    given = arguments.amount_of_bytes(memory, "--memory", lowest=1)
    rest = arguments.amount_of_bytes(overhead, "--overhead") or 0
    if gpu is None:
        return Machine(memory_bytes=given, overhead_bytes=rest)
    from ferrum_cli.hardware import accelerator

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


def _report(
    plans: list[Plan], left_out: tuple[Finding, ...], explain: str | None, *, diff: bool
) -> Report:
    """One plan in full, several side by side, or two held against each other."""
    from ferrum_cli.plan.presentation import present

    if diff:
        from ferrum_cli.plan.difference import differ, two

        return differ(*two(plans))
    report = present(plans, explain)
    return replace(report, findings=(*report.findings, *left_out))


def _holds(plan: Plan) -> bool:
    return plan.budget is not None and plan.budget.holds and plan.answer.refusal is None
