"""One report with everything that a renderer must cope with."""

from __future__ import annotations

from ferrum_cli.report import Finding, Level, Report, Unit, cell, table

SAMPLE = Report(
    answer="12 requests of 128k tokens fit; KV cache stops the next one.",
    data={"schema": "ferrum.plan/1", "verdict": "fits", "shape": (3, 8192), "name": "Größe"},
    tables=(
        table(
            "Memory of one device",
            ("line", "bytes", "token", "share", "count", "how"),
            [
                (
                    cell("weights"),
                    cell(159_348_782_592, Unit.BYTES),
                    cell(24_576, Unit.EXACT_BYTES),
                    cell(0.961, Unit.PERCENT),
                    cell(79_674_391_296, Unit.COUNT),
                    cell("parameters × BF16"),
                ),
                (
                    cell("a|b *c* [red]x[/red] <script>"),
                    cell(0, Unit.BYTES),
                    cell(None),
                    cell(0.0, Unit.PERCENT),
                    cell(131_072, Unit.TOKENS),
                    cell("=1+1\x1b[31m\nnext"),
                ),
            ],
        ),
        table("Empty", ("nothing",), []),
    ),
    findings=(
        Finding(Level.INFO, "assumed", "bfloat16 is assumed"),
        Finding(Level.WARNING, "padding", "12 % are lost", "set block_size"),
        Finding(Level.ERROR, "refused", "it exits"),
    ),
    notes=("native 1",),
)
