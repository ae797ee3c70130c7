"""One start of a server, read by its engine's own rules.

It knows nothing about where the start was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ferrum_cli.discover import nearest
from ferrum_cli.engines._command_line import CommandLine, Flag
from ferrum_cli.serve import argparse_line, exact_line, flexible_line
from ferrum_cli.serve.command import Command
from ferrum_cli.serve.invocation import Invocation
from ferrum_cli.serve.parsed import Parsed, Problem
from ferrum_cli.serve.shell.values import Argument


def understood(
    invocation: Invocation, line: CommandLine, version: str, read: frozenset[str]
) -> Command:
    """What the engine makes of its arguments.

    `version` is the one whose flags are asked; `read` holds the variables that the engine reads.
    """
    flags = line.flags(invocation.version or version, invocation.program)
    parsed = _parsed(invocation, line, flags)
    known = dict(parsed.values)
    model = next((str(known[name]) for name in line.model if known.get(name)), None)
    ignored = [name for name, flag in parsed.flags.items() if flag.ignored]
    unresolved = _unresolved(invocation, line, parsed, model, read)
    return Command(
        engine=invocation.engine,
        version=invocation.version,
        model=model,
        options={name: value for name, value in known.items() if name not in ignored},
        environment={name: value.text for name, value in invocation.environment.items()},
        ignored=tuple(ignored),
        unknown=tuple(parsed.unknown),
        unresolved=tuple(dict.fromkeys(unresolved)),
        problems=tuple(_problems(invocation, line, parsed, flags, model)),
    )


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
    invocation: Invocation,
    line: CommandLine,
    parsed: Parsed,
    model: str | None,
    read: frozenset[str],
) -> list[str]:
    names = [name for _, argument in parsed.missing for name in argument.missing]
    for variable, value in invocation.environment.items():
        names += value.missing if variable in read else ()
    given = {name for name, _ in parsed.missing}
    file = parsed.values.get(line.config_file or "")
    if file is not None:
        names.append(f"{file}: the options that stand in it")
    if model is None and invocation.is_whole and not given & set(line.model):
        names.append(_absent_model(invocation, line, file))
    return names


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
    model: str | None,
) -> list[Problem]:
    hints = [hint for word in parsed.unknown if (hint := _hint(word, line, flags))]
    found = [
        replace(problem, hint="; ".join(hints)) if _is_of_unknown(problem) and hints else problem
        for problem in parsed.problems
    ]
    given = {name for name, _ in parsed.missing}
    needs_model = invocation.program in line.model_required and model is None
    if needs_model and invocation.is_whole and not given & set(line.model):
        found.append(Problem(_required(line, flags)))
    return found


def _is_of_unknown(problem: Problem) -> bool:
    return problem.message.startswith(("unrecognized arguments", "error: invalid argument"))


def _required(line: CommandLine, flags: Sequence[Flag]) -> str:
    """The engine's words where no model is named."""
    if line.parser == "exact":
        return "error: --model is required"
    spellings = [s for flag in flags if flag.option == line.model[0] for s in flag.spellings]
    return f"the following arguments are required: {'/'.join(sorted(spellings, reverse=True))}"


def _hint(word: str, line: CommandLine, flags: Sequence[Flag]) -> str | None:
    """What was probably meant by a flag that is not known."""
    name = word.lstrip("-").partition(".")[0].replace("-", "_")
    if name in line.replaced:
        return f"{word} is {line.replaced[name]} now"
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
