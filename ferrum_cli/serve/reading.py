"""From a text to the one command that it holds, or to why there is none.

It knows nothing about what a plan makes of a command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ferrum_cli.errors import FerrumError
from ferrum_cli.serve import dotenv
from ferrum_cli.serve.command import Command
from ferrum_cli.serve.engine_lines import EngineLine, engine_lines
from ferrum_cli.serve.finder import Finder, Stranger
from ferrum_cli.serve.fragment import fragment
from ferrum_cli.serve.invocation import Invocation
from ferrum_cli.serve.parsed import Problem
from ferrum_cli.serve.shell.comments import comments
from ferrum_cli.serve.shell.values import Argument
from ferrum_cli.serve.terminal import pasted
from ferrum_cli.serve.understanding import equal_starts, understood
from ferrum_cli.serve.wrapper import guessed

_LONGEST = 2**18
_MOST_COMMANDS, _MOST_NAMED = 16, 4


def read(text: str, surroundings: Mapping[str, str], version: str | None = None) -> Command:
    """The command that a text holds; `surroundings` are the variables that are set around it.

    `version` is the engine's, if it is known; else an image's or the engine's default is taken.
    Never raises: what cannot be read is the command's error.
    """
    if len(text) > _LONGEST:
        return _nothing(f"the text is longer than {_LONGEST // 1024} KiB")
    try:
        bare = pasted(text)
        named = _Reading(bare, surroundings, version, engine_lines(bare)).command()
        return named or _Reading(bare, surroundings, version, engine_lines()).any_command()
    except FerrumError as error:
        return Command(problems=(Problem(error.message, hint=error.hint, where=error.where),))


class _Reading:
    def __init__(
        self,
        text: str,
        surroundings: Mapping[str, str],
        version: str | None,
        engines: Mapping[str, EngineLine],
    ) -> None:
        self._text = text
        self._surroundings = surroundings
        self._version = version
        self._engines = engines
        self._lines = {name: engine.line for name, engine in self._engines.items()}
        self._versions = {name: version or e.version for name, e in self._engines.items()}

    def command(self) -> Command | None:
        """The one command of the text; None where there is none."""
        return self._command(self._find(self._text)) if self._engines else None

    def any_command(self) -> Command:
        """The command of the text, or what can be made of a text without one."""
        finder = self._find(self._text)
        return self._command(finder) or self._without_command(finder)

    def _command(self, finder: Finder) -> Command | None:
        commands = self._distinct(finder.found)
        if len(commands) == 1:
            return self._with_notes(commands[0], finder.strangers)
        return _several(commands, finder.found) if commands else None

    def _find(self, text: str) -> Finder:
        finder = Finder(self._lines, self._surroundings)
        finder.text(text)
        return finder

    def _understood(self, invocation: Invocation) -> Command:
        engine = self._engines[invocation.engine]
        version = self._version or invocation.version or engine.version
        return understood(invocation, engine, version)

    def _distinct(self, found: Sequence[Invocation]) -> list[Command]:
        """The starts that differ; those in functions that nothing calls count where no other is."""
        reached = [invocation for invocation in found if invocation.function is None]
        first: dict[tuple[str, str, tuple[Argument, ...]], Invocation] = {}
        for invocation in reached or found:
            words = (invocation.engine, invocation.program, invocation.arguments)
            first.setdefault(words, invocation)
        distinct: list[Command] = []
        for command in map(self._understood, list(first.values())[:_MOST_COMMANDS]):
            if not any(equal_starts(command, other) for other in distinct):
                distinct.append(command)
        return distinct

    def _with_notes(self, command: Command, strangers: Sequence[Stranger]) -> Command:
        lost = [s.words[0].text for s in strangers if s.words[0].text.startswith("-")]
        if not lost:
            return command
        note = (
            f"lines that begin with {', '.join(lost)} are not part of the command: the line before"
            " does not end in a backslash, or blanks follow it"
        )
        return replace(command, notes=(*command.notes, note))

    # Texts without a command

    def _without_command(self, finder: Finder) -> Command:
        variables = dotenv.variables(self._text) or {}
        if len(variables) > 1:  # one line may as well be variables before a command
            given = {name: Argument(value) for name, value in variables.items()}
            finder.strangers = [Stranger((), given)]
        alone = fragment(finder.strangers, finder.assigned, self._lines, self._versions)
        if alone is not None:
            return self._fragment(alone)
        for stranger in finder.strangers:
            invocation = guessed(stranger, self._lines, self._versions)
            if invocation is not None:
                return self._guess(invocation, stranger)
        return self._commented() or _nothing(
            "no command that starts vLLM, SGLang or llama.cpp",
            "paste a line such as 'vllm serve MODEL', 'python -m sglang.launch_server …' or"
            " 'llama-server -m FILE'; --serve - reads a script from standard input",
        )

    def _fragment(self, invocation: Invocation) -> Command:
        command = self._understood(invocation)
        absent = [f"engine: only the names of the flags tell {command.engine}"]
        if command.model is None:
            absent.insert(0, f"{self._lines[invocation.engine].model[0]}: not in the text")
        return replace(command, unresolved=(*command.unresolved, *absent))

    def _guess(self, invocation: Invocation, stranger: Stranger) -> Command:
        command = self._understood(invocation)
        script = stranger.words[0].text if stranger.words else "whatever reads the variables"
        absent = [f"flags: {script} builds them; these are guessed from variables"]
        if command.model is None:
            absent.insert(0, f"{self._lines[invocation.engine].model[0]}: {script} chooses it")
        return replace(command, unresolved=(*command.unresolved, *absent))

    def _commented(self) -> Command | None:
        """A command that is switched off, to be named in the error."""
        for text in comments(self._text):
            commands = self._distinct(self._find(text).found)
            if commands:
                first = commands[0]
                return Command(
                    engine=first.engine,
                    unresolved=("the command is commented out",),
                    problems=(Problem(_commented_out(first)),),
                )
        return None


def _commented_out(command: Command) -> str:
    return f"no command: the only one stands in a comment, {_named(command)}"


def _several(commands: Sequence[Command], found: Sequence[Invocation]) -> Command:
    """Nothing is chosen where several servers are started."""
    engines = {command.engine for command in commands}
    functions = [f.function for f in found if f.function is not None]
    all_uncalled = len(functions) == len(found)
    unresolved = (
        (f"{len(commands)} servers stand in functions that nothing calls: {', '.join(functions)}",)
        if all_uncalled
        else ()
    )
    candidates = "; ".join(_named(command) for command in commands[:_MOST_NAMED])
    message = f"{len(commands)} commands start a server, which one is not said: {candidates}"
    return Command(
        engine=engines.pop() if len(engines) == 1 else None,
        unresolved=unresolved,
        problems=(Problem(message, hint="paste one of them"),),
    )


def _named(command: Command) -> str:
    return f"{command.engine} with {command.model or 'no model'}"


def _nothing(message: str, hint: str | None = None) -> Command:
    return Command(problems=(Problem(message, hint=hint),))
