"""`ferrum gpus`: the accelerators whose memory and capability Ferrum knows.

It parses, calls, and hands over a report; it knows nothing about models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ferrum_cli.commands import _arguments as arguments

if TYPE_CHECKING:
    from ferrum_cli.hardware import Accelerator
    from ferrum_cli.report import Cell, Report


def command(
    format_: arguments.Format = "table",
    output: arguments.Output = None,
    quiet: arguments.Quiet = False,
    color: arguments.Color = "auto",
) -> None:
    """List the accelerators, with the memory that a driver really reports."""
    from ferrum_cli.commands._output import Output, emit
    from ferrum_cli.hardware import accelerator_names, load

    out = Output(format_, tuple(output or ()), quiet, color)
    out.check()
    emit(_report([load(name) for name in accelerator_names()]), out)


def _report(accelerators: list[Accelerator]) -> Report:
    from ferrum_cli.report import Report, table

    headings = ("name", "accelerator", "memory", "capability", "also", "memory from")
    return Report(
        answer=f"{len(accelerators)} accelerators are known; any other can be given as --memory.",
        data=[_facts(one) for one in accelerators],
        tables=(table("Accelerators", headings, [_row(one) for one in accelerators]),),
    )


def _facts(one: Accelerator) -> dict[str, object]:
    return {
        "schema": "ferrum.gpus/1",
        "name": one.id,
        "full_name": one.name,
        "vendor": one.vendor,
        "memory_bytes": one.memory_bytes,
        "memory_source": one.memory_source,
        "compute_capability": one.compute_capability,
        "aliases": one.aliases,
        "bandwidth_gbps": one.bandwidth_gbps,
        "bf16_dense_tflops": one.bf16_dense_tflops,
    }


def _row(one: Accelerator) -> tuple[Cell, ...]:
    from ferrum_cli.report import Unit, cell

    capability = ".".join(map(str, one.compute_capability or ())) or one.architecture
    return (
        cell(one.id),
        cell(one.name),
        cell(one.memory_bytes, Unit.BYTES),
        cell(capability),
        cell(", ".join(one.aliases)),
        cell(one.memory_source),
    )
