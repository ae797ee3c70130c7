"""The command line that starts an engine as a plan has it, to copy into a shell.

It is written from the same table that reads such lines, so that its engine's parser takes it. It
knows nothing about which options are worth setting, nor about a particular engine.
"""

from __future__ import annotations

import itertools
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ferrum_cli import discover
from ferrum_cli.describe.description import Description
from ferrum_cli.engines import Question, Setting
from ferrum_cli.engines._command_line import CommandLine, EntryPoint, Flag, Takes

_PACKAGE = "ferrum_cli.engines"
_HUB_ID = re.compile(r"[^/\s.~][^/\s]*/[^/\s]+\Z")
_SEVERAL = (Takes.SOME, Takes.ANY, Takes.TWO)


def grammar(engine: str) -> CommandLine | None:
    """How an engine's command line is written; None for one that is started by no command line."""
    module = discover.load(f"{_PACKAGE}.{engine.replace('.', '_')}", "command_line")
    return None if module is None else cast(CommandLine, module.COMMAND_LINE)


@dataclass(frozen=True, slots=True)
class Written:
    """A command line that a plan was read from: the engine's name, and shell words."""

    engine: str
    words: tuple[str, ...]


def command(
    engine: str, question: Question, advised: Mapping[str, Any], written: Written | None = None
) -> str | None:
    """The whole line: variables, program, model, what the question says, and what is advised.

    A line that was written before is kept but for the options that change.
    """
    line = grammar(engine)
    if line is None:
        return None
    if written is not None and written.engine == engine:
        options = {**_said(line, question), **advised}
        return " ".join(_edited(line, question, options, written.words))
    entry = line.entry_points[0]
    given = {n: s for n, s in question.settings.given().items() if n not in advised}
    variables = [f"{n}={shlex.quote(_text(s.value))}" for n, s in given.items() if _variable(s)]
    own = {n: s.value for n, s in given.items() if not _variable(s)}
    options = {**own, **_said(line, question), **advised}
    program = ("python", "-m", *entry.words) if entry.module else entry.words
    model = _model(line, entry, question.model.description)
    return " ".join((*variables, *program, *model, *_flags(line, question.version, options)))


def flags(engine: str, version: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Options as they are written, one text each; nothing for what is no flag of the engine."""
    line = grammar(engine) if options else None
    return () if line is None else tuple(_flags(line, version, options))


def said(engine: str, question: Question) -> dict[str, Any]:
    """Ranks and context that Ferrum's own options say, under the engine's names."""
    parallel = question.parallel
    spread = max(parallel.tp, parallel.pp, parallel.dp) > 1
    line = grammar(engine) if spread or question.context_given else None
    return {} if line is None else _said(line, question)


def ranks(line: CommandLine) -> dict[str, str]:
    """Ferrum's names of the ranks with the engine's, where it has one."""
    names = {"tp": line.tensor_parallel, "pp": line.pipeline_parallel, "dp": line.data_parallel}
    return {short: name for short, name in names.items() if name is not None}


def _flags(line: CommandLine, version: str, options: Mapping[str, Any]) -> Iterator[str]:
    """Of several flags for one option, the one that bears its name."""
    found: dict[str, Flag] = {}
    for flag in line.flags(version, line.entry_points[0].program):
        own = flag.spellings[0] == f"--{flag.option.replace('_', '-')}"
        if own or flag.option not in found:
            found[flag.option] = flag
    for name, value in options.items():
        if name in found and value is not None:
            yield from _written(found[name], value)


def _said(line: CommandLine, question: Question) -> dict[str, Any]:
    """Ranks and context, where no option of the engine says them."""
    settings = question.settings
    found = {
        name: getattr(question.parallel, short)
        for short, name in ranks(line).items()
        if getattr(question.parallel, short) > 1 and not _is_given(settings, name)
    }
    if line.context and question.context_given and not _is_given(settings, line.context):
        found[line.context] = question.context
    return found


def _is_given(settings: Mapping[str, Setting], name: str) -> bool:
    return name in settings and settings[name].source != "default"


def _edited(
    line: CommandLine, question: Question, options: Mapping[str, Any], words: Sequence[str]
) -> Iterator[str]:
    """The words without those that set any of the options, and then the options."""
    spellings = {
        spelling: flag
        for flag in line.flags(question.version, line.entry_points[0].program)
        for spelling in (*flag.spellings, *flag.negations)
    }
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, _ = word.partition("=")
        flag = _meant(line, name, spellings)
        if flag is None or flag.option not in options:
            yield word
        elif not equals:
            del left[: _values(flag, left)]
    yield from _flags(line, question.version, options)


def _meant(line: CommandLine, name: str, spellings: Mapping[str, Flag]) -> Flag | None:
    """The flag that a word is; argparse takes what is short of one, too."""
    name = name.replace("_", "-") if name.startswith("--") else name
    if name in spellings or line.parser != "argparse" or not name.startswith("--"):
        return spellings.get(name)
    meant = {flag.option: flag for s, flag in spellings.items() if s.startswith(name)}
    return next(iter(meant.values())) if len(meant) == 1 else None


def _values(flag: Flag, following: Sequence[str]) -> int:
    """How many of the words that follow belong to a flag."""
    if flag.takes in (Takes.NONE, Takes.ONE):
        return int(flag.takes is Takes.ONE)
    bare = list(itertools.takewhile(lambda word: not word.startswith("-"), following))
    most = {Takes.OPTIONAL: 1, Takes.TWO: 2}.get(flag.takes, len(bare))
    return min(most, len(bare))


def _model(line: CommandLine, entry: EntryPoint, description: Description) -> Sequence[str]:
    name = shlex.quote(_model_name(description, line.model[0] == "model_path" or entry.takes_model))
    flag = f"--{line.model[0].replace('_', '-')}"
    return (name,) if entry.takes_model else (flag, name)


def _model_name(description: Description, from_hub: bool) -> str:
    """The hub id or the file that a description says it is from; else what it is called."""
    source = (description.source or "").partition(",")[0].strip()
    if source.endswith(".gguf"):
        return source
    if not from_hub:
        return f"{description.name}.gguf"
    return source if _HUB_ID.match(source) else description.name


def _variable(setting: Setting) -> bool:
    return setting.source == "environment"


def _written(flag: Flag, value: Any) -> Iterator[str]:
    """One option; nothing where its flag cannot say the value."""
    if flag.takes is Takes.NONE:
        yield from (flag.spellings if value else flag.negations)[:1]
    elif isinstance(value, (list, tuple)) and flag.takes in _SEVERAL:
        yield " ".join((flag.spellings[0], *(shlex.quote(_text(item)) for item in value)))
    else:
        yield f"{flag.spellings[0]} {shlex.quote(_text(value))}"


def _text(value: Any) -> str:
    """A value as a command line has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, (list, tuple)):
        return ",".join(_text(item) for item in value)
    return str(value)
