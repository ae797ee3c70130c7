"""Scripts of a site's own that build an engine's flags from variables: a guess, and named as one.

`MAX_RUNNING_REQUESTS=72` is taken for the option of that name, `…_ARGS='--flag value'` for flags,
and `…MODEL=` for the model. It knows nothing about what a particular script does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ferrum_cli.engines._command_line import CommandLine, Flag, Takes
from ferrum_cli.serve.entry import CommandLines
from ferrum_cli.serve.finder import Stranger
from ferrum_cli.serve.invocation import Invocation
from ferrum_cli.serve.shell.interpreter import launches
from ferrum_cli.serve.shell.values import Argument

_NAMES_ENGINE = ("--engine", "--backend", "--runtime")
_ARGUMENTS = ("_ARGS", "_ARGUMENTS", "_FLAGS")
_NAMES_MODEL = ("model", "model_id", "model_name", "model_path", "hf_model", "hf_model_id")


def guessed(
    stranger: Stranger, lines: CommandLines, versions: Mapping[str, str]
) -> Invocation | None:
    """The start that a wrapper probably makes; None where nothing says which engine or option."""
    engine = _engine(stranger, lines)
    if engine is None:
        return None
    program = lines[engine].entry_points[0].program
    flags = lines[engine].flags(versions[engine], program)
    taken = {
        name: _arguments(name, value, flags, lines[engine], _prefix(engine))
        for name, value in stranger.environment.items()
    }
    arguments = [word for words in taken.values() for word in words]
    read_by_engine = any(f.environment in stranger.environment for f in flags if f.environment)
    if not arguments and not read_by_engine:
        return None
    return Invocation(
        engine=engine,
        program=program,
        takes_model=False,
        arguments=tuple(arguments),
        environment={n: v for n, v in stranger.environment.items() if taken[n] or read_by_engine},
        is_whole=False,
    )


def _engine(stranger: Stranger, lines: CommandLines) -> str | None:
    """The engine that a word or the beginning of a variable's name gives."""
    texts = [word.text for word in stranger.words]
    for position, text in enumerate(texts):
        name, equals, value = text.partition("=")
        if name in _NAMES_ENGINE:
            value = value if equals else "".join(texts[position + 1 : position + 2])
            return value if value in lines else None
    for engine in lines:
        if any(name.startswith(_prefix(engine)) for name in stranger.environment):
            return engine
    return None


def _prefix(engine: str) -> str:
    return engine.replace(".cpp", "").upper() + "_"


def _arguments(
    name: str, value: Argument, flags: Sequence[Flag], line: CommandLine, prefix: str
) -> list[Argument]:
    if name.endswith(_ARGUMENTS) and value.text.lstrip().startswith("-"):
        return [word for launch in launches(value.text, {}) for word in launch.words]
    option = name.removeprefix(prefix).lower()
    if option in _NAMES_MODEL:
        option = line.model[0]
    flag = next((f for f in flags if f.option == option and f.takes is Takes.ONE), None)
    return [] if flag is None else [Argument(flag.spellings[0]), value]
