"""`ferrum plan`: how many requests fit, what stops the next one, and which flags to start with.

It parses, calls, and hands over a report; it knows no engine's rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ferrum_cli.commands import _arguments as arguments
from ferrum_cli.commands import _plan_options as options

if TYPE_CHECKING:
    from ferrum_cli.engines import Machine
    from ferrum_cli.plan import Plan, Wanted
    from ferrum_cli.report import Finding, Report


def command(
    models: options.Models,
    engine: options.Engine = "native",
    set_: options.Set = None,
    engine_version: options.EngineVersion = None,
    gpu: options.Gpu = None,
    memory: options.Memory = None,
    overhead: options.Overhead = None,
    tp: options.TensorParallel = "1",
    pp: options.PipelineParallel = "1",
    dp: options.DataParallel = "1",
    context: options.Context = None,
    requests: options.Requests = None,
    budget: options.Budget = None,
    explain: options.Explain = None,
    diff: options.Diff = False,
    format_: arguments.Format = "table",
    output: arguments.Output = None,
    quiet: arguments.Quiet = False,
    color: arguments.Color = "auto",
    no_progress: arguments.NoProgress = False,
) -> int:
    """Say how many requests fit, what stops the next one, and what each byte is for."""
    from ferrum_cli.commands._output import Output, emit
    from ferrum_cli.describe.source import read_model
    from ferrum_cli.plan.several import cases, plan_cases

    del no_progress  # planning takes milliseconds
    out = Output(format_, tuple(output or ()), quiet, color)
    out.check()
    machine = _machine(gpu, memory, overhead)
    wanted = _wanted(tp, pp, dp, context, requests, budget, machine)
    asked = cases(engine, engine_version, set_ or [])
    plans, left_out = plan_cases([read_model(model) for model in models], asked, wanted)
    emit(_report(plans, left_out, explain, diff=diff), out)
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
    from ferrum_cli.expand import Parallel
    from ferrum_cli.plan import Wanted

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
    from ferrum_cli.engines import Machine
    from ferrum_cli.errors import UsageError

    given = arguments.amount_of_bytes(memory, "--memory")
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
    from ferrum_cli.plan.difference import differ, two
    from ferrum_cli.plan.presentation import present

    if diff:
        return differ(*two(plans))
    report = present(plans, explain)
    return replace(report, findings=(*report.findings, *left_out))


def _holds(plan: Plan) -> bool:
    return plan.budget is not None and plan.budget.holds and plan.answer.refusal is None
