"""`ferrum allocate`: real state on a device, verified, drilled and measured.

It parses, calls, and hands over a report; it knows nothing about memory.
"""

from __future__ import annotations

from ferrum_cli.commands import _allocate_options as options
from ferrum_cli.commands import _arguments as arguments

_RESUME, _RECURRENCE = ("snapshot", "recompute", "auto"), ("exact", "mixer")


def command(
    model: options.Model,
    requests: options.Requests = "1",
    slots: options.Slots = "1",
    device: options.DeviceName = None,
    tp: options.TensorParallel = "1",
    pp: options.PipelineParallel = "1",
    budget: options.Budget = None,
    layout: options.Layout = "arena",
    drill: options.Drill = None,
    policy: options.Policy = "none",
    resume: options.Resume = "snapshot",
    recurrence: options.RecurrenceName = "exact",
    measure: options.Measure = False,
    full: options.Full = False,
    seed: options.Seed = "0",
    format_: arguments.Format = "table",
    output: arguments.Output = None,
    quiet: arguments.Quiet = False,
    color: arguments.Color = "auto",
    no_progress: arguments.NoProgress = False,
) -> int:
    """Allocate a model's state for real, prove what a plan says of it, and drill its manager."""
    from ferrum_cli.commands._output import Output, emit
    from ferrum_cli.commands._progress import Progress

    out = Output(format_, tuple(output or ()), quiet, color)
    out.check()
    from ferrum_cli.live.loading import load_torch

    load_torch()
    from ferrum_cli.commands._state_model import state_model
    from ferrum_cli.describe.source import read_model
    from ferrum_cli.live.device import check_device_name, default_device
    from ferrum_cli.live.drills import chosen_drills
    from ferrum_cli.live.layout import check_layout
    from ferrum_cli.live.policies import policy as check_policy
    from ferrum_cli.live.run import Wanted, run
    from ferrum_cli.live.run_report import report

    wanted = Wanted(
        device=check_device_name(device) if device is not None else default_device(),
        requests=_number(requests, "--requests"),
        slots=_number(slots, "--slots"),
        budget_bytes=arguments.amount_of_bytes(budget, "--budget"),
        layout=check_layout(layout),
        policy=policy,
        resume=_one_of(resume, _RESUME, "--resume"),
        recurrence=_one_of(recurrence, _RECURRENCE, "--recurrence"),
        drills=chosen_drills(drill or ()),
        measure=measure,
        full=full,
        seed=_number(seed, "--seed", lowest=0),
    )
    check_policy(policy)
    state = state_model(read_model(model), _number(tp, "--tp"), _number(pp, "--pp"))
    with Progress(wanted=not (no_progress or quiet)) as tell:
        result = run(state, wanted, tell)
    emit(report(result), out)
    return int(not result.holds)


def _number(text: str, option: str, lowest: int = 1) -> int:
    return arguments.whole_number(text, option, lowest) or 0


def _one_of(text: str, known: tuple[str, ...], option: str) -> str:
    from ferrum_cli.discover import suggestion
    from ferrum_cli.errors import UsageError

    if text not in known:
        raise UsageError(
            f"{text!r} is none of {', '.join(known)}", hint=suggestion(text, known), where=option
        )
    return text
