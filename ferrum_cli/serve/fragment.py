"""Flags without a command, as pages list them: the names tell which engine they belong to.

It knows nothing about a particular engine's flags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ferrum_cli.serve.entry import CommandLines
from ferrum_cli.serve.finder import Stranger
from ferrum_cli.serve.invocation import Invocation
from ferrum_cli.serve.shell.values import Argument


def fragment(
    strangers: Sequence[Stranger],
    assigned: Mapping[str, Argument],
    lines: CommandLines,
    versions: Mapping[str, str],
) -> Invocation | None:
    """All lines of flags as the arguments of one engine; None where there are none.

    `assigned` holds the variables that stand beside the flags.
    """
    lines_of_flags = [s.words for s in strangers if s.words and s.words[0].text.startswith("-")]
    words = [word for line in lines_of_flags for word in line]
    if not words:
        return None
    names = {w.text.partition("=")[0] for w in words if w.text.startswith("-")}
    known = {engine: _known(names, engine, lines, versions) for engine in lines}
    engine = max(known, key=lambda name: known[name])
    if not known[engine]:
        return None
    return Invocation(
        engine=engine,
        program=lines[engine].entry_points[0].program,
        takes_model=False,
        arguments=tuple(words),
        environment=assigned,
        is_whole=False,
    )


def _known(names: set[str], engine: str, lines: CommandLines, versions: Mapping[str, str]) -> int:
    """How many of the names the engine knows."""
    line = lines[engine]
    flags = line.flags(versions[engine], line.entry_points[0].program)
    spellings = {s for flag in flags for s in (*flag.spellings, *flag.negations)}
    replaced = {f"--{name.replace('_', '-')}" for name in line.replaced}
    return sum(
        (n.replace("_", "-") if line.underscores else n) in spellings | replaced for n in names
    )
