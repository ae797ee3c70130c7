"""One start of a server, read by its engine's own rules.

It knows nothing about where the start was found.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ferrum_cli.discover import nearest
from ferrum_cli.engines._command_line import CommandLine, EntryPoint, Flag, is_dropped
from ferrum_cli.engines._options import find
from ferrum_cli.serve import argparse_line, exact_line, flexible_line
from ferrum_cli.serve.command import Command, Unknown
from ferrum_cli.serve.engine_lines import EngineLine
from ferrum_cli.serve.invocation import Invocation
from ferrum_cli.serve.parsed import Parsed, Problem
from ferrum_cli.serve.shell.values import Argument

_DASHES = ("–", "—", "−")
_NO_HYPHEN = "{} begins with a dash that is no hyphen, so it is no flag: write --"


def understood(invocation: Invocation, engine: EngineLine, version: str) -> Command:
    """What the engine makes of its arguments, in a version of it."""
    line = engine.line
    flags = line.flags(version, invocation.program)
    parsed = _parsed(invocation, line, flags)
    known = dict(parsed.values)
    model = next((str(known[name]) for name in line.model if known.get(name)), None)
    ignored = [name for name, flag in parsed.flags.items() if flag.ignored]
    unknown = [Unknown(word, _hint(word, engine, flags, version)) for word in parsed.unknown]
    unresolved = _unresolved(invocation, engine, parsed, model)
    notes = [_NO_HYPHEN.format(a.text) for a in invocation.arguments if a.text[:1] in _DASHES]
    return Command(
        engine=invocation.engine,
        version=invocation.version,
        model=model,
        words=_words(invocation, line),
        options={name: value for name, value in known.items() if name not in ignored},
        by_variable=frozenset(parsed.by_variable),
        environment={name: value.text for name, value in invocation.environment.items()},
        ignored=tuple(ignored),
        unknown=tuple(unknown),
        unresolved=tuple(dict.fromkeys(unresolved)),
        problems=tuple(_problems(invocation, line, parsed, flags, unknown)),
        notes=tuple(notes),
    )


def _words(invocation: Invocation, line: CommandLine) -> tuple[str, ...]:
    """The start as it stands, what is not set left as it is written."""
    entry = next((e for e in line.entry_points if _is_entry(e, invocation)), None)
    if entry is None or not invocation.is_whole:
        return ()
    program = ("python", "-m", *entry.words) if entry.module else entry.words
    arguments = (a for a in invocation.arguments if not a.vanishes)
    return (*program, *(a.text if a.missing else shlex.quote(a.text) for a in arguments))


def _is_entry(entry: EntryPoint, invocation: Invocation) -> bool:
    started = (invocation.program, invocation.takes_model)
    return (entry.program, entry.takes_model) == started


def _parsed(invocation: Invocation, line: CommandLine, flags: Sequence[Flag]) -> Parsed:
    arguments: Sequence[Argument] = invocation.arguments
    if line.parser == "exact":
        return exact_line.parse(arguments, flags, line.suffixes, invocation.environment)
    first_word = line.model[0] if invocation.takes_model else None
    problems: list[Problem] = []
    if line.dotted:
        arguments, problems = flexible_line.prepared(
            arguments, line.suffixes, takes_model=invocation.takes_model
        )
    elif not arguments or arguments[0].text.startswith("-"):
        first_word = None  # SGLang's first word is the model only where nothing stands before it
    parsed = argparse_line.parse(arguments, flags, line.suffixes, first_word)
    parsed.problems[:0] = problems
    return parsed


def _unresolved(
    invocation: Invocation, engine: EngineLine, parsed: Parsed, model: str | None
) -> list[str]:
    line = engine.line
    names = [name for _, argument in parsed.missing for name in argument.missing]
    for variable, value in invocation.environment.items():
        names += value.missing if variable in engine.variables else ()
    file = parsed.values.get(line.config_file or "")
    if file is not None:
        names.append(f"{file}: the options that stand in it")
    if model is None and invocation.is_whole and not _model_is_missing(parsed, line):
        names.append(_absent_model(invocation, line, file))
    last = invocation.arguments[-1].text if invocation.arguments else ""
    if last in parsed.unknown and any(last in problem.message for problem in parsed.ambiguous):
        names.append(f"what follows {last}: the text breaks off there")
    return names


def _model_is_missing(parsed: Parsed, line: CommandLine) -> bool:
    """Whether a model is named by something that is not set."""
    return any(name in line.model for name, _ in parsed.missing)


def _absent_model(invocation: Invocation, line: CommandLine, file: Any) -> str:
    name = line.model[0]
    if file is not None:
        return f"{name}: it may stand in {file}"
    if invocation.program in line.model_required:
        return f"{name}: not named"
    return f"{name}: not named; {line.without_model}"


def _problems(
    invocation: Invocation,
    line: CommandLine,
    parsed: Parsed,
    flags: Sequence[Flag],
    unknown: Sequence[Unknown],
) -> list[Problem]:
    found = [
        replace(problem, hint=_hints(problem, unknown)) if problem.is_unknown else problem
        for problem in parsed.problems
    ]
    needs_model = invocation.is_whole and invocation.program in line.model_required
    is_named = any(parsed.values.get(name) for name in line.model)
    if needs_model and not is_named and not _model_is_missing(parsed, line):
        found.append(Problem(_required(line, flags), matters=False))
    return found


def _hints(problem: Problem, unknown: Sequence[Unknown]) -> str | None:
    """What was meant by the flags that a refusal names."""
    named = problem.message.split()
    hints = [u for u in unknown if u.hint and any(word.startswith(u.flag) for word in named)]
    if len(hints) == 1:
        return hints[0].hint
    return "; ".join(f"{u.flag}: {u.hint}" for u in hints) or None


def _required(line: CommandLine, flags: Sequence[Flag]) -> str:
    """The engine's words where no model is named."""
    if line.parser == "exact":
        return "error: --model is required"
    spellings = [s for flag in flags if flag.option == line.model[0] for s in flag.spellings]
    return f"the following arguments are required: {'/'.join(sorted(spellings, reverse=True))}"


def _hint(word: str, engine: EngineLine, flags: Sequence[Flag], version: str) -> str | None:
    """What was probably meant by a flag that is not known, or which versions know it."""
    name = word.lstrip("-").partition(".")[0].replace("-", "_")
    if name in engine.line.replaced:
        return f"now {engine.line.replaced[name]}"
    option = find(engine.options, name)
    if option is not None and is_dropped(option, version):
        return f"known before {option.until} alone"
    if option is not None and option.since is not None:
        return f"known from {option.since} on"
    spellings = [s for flag in flags for s in (*flag.spellings, *flag.negations)]
    close = nearest(word.replace("_", "-"), spellings) if word.startswith("--") else None
    return f"did you mean {close}?" if close else None


def equal_starts(first: Command, second: Command) -> bool:
    """Whether two commands start the same thing; ranks of one server differ in their numbers."""
    return (first.engine, first.model, _described(first.options), first.version) == (
        *(second.engine, second.model),
        *(_described(second.options), second.version),
    )


def _described(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in _RANKS}


_RANKS = frozenset(
    ("node_rank", "data_parallel_rank", "data_parallel_start_rank", "dist_init_addr")
)
