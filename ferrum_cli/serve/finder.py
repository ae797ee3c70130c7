"""From a text in any of the forms that people have to the servers that it starts.

It knows how the forms lie within each other: a unit in a here-document, a script in a manifest. It
knows nothing about what an engine's arguments mean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ferrum_cli.serve import dockerfile, manifest, systemd, windows
from ferrum_cli.serve.carriers import carried
from ferrum_cli.serve.container import Container, container, named_image
from ferrum_cli.serve.entry import CommandLines, Entry, find, of_image, starts_nothing
from ferrum_cli.serve.invocation import Invocation
from ferrum_cli.serve.shell.expansion import Expander
from ferrum_cli.serve.shell.interpreter import launches
from ferrum_cli.serve.shell.lexer import tokens
from ferrum_cli.serve.shell.parts import double_quoted
from ferrum_cli.serve.shell.values import Argument, Scope
from ferrum_cli.serve.shell.words import Text

_DEEPEST = 6
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=(?!=)")
_PINNED = re.compile(r"(?P<engine>vllm|sglang)(?:\[[\w,-]*\])?==(?P<version>[0-9][\w.]*)")
_COMPOSE = re.compile(r"\$(?:\$|\{[^}]*\}|[A-Za-z_]\w*)")
Environment = Mapping[str, Argument]


@dataclass(frozen=True, slots=True)
class Stranger:
    """A command that starts no engine that is known, or a line of flags alone."""

    words: tuple[Argument, ...]
    environment: Environment


@dataclass(slots=True)
class Finder:
    """What a text starts: servers, and commands that may be of use where none was found."""

    lines: CommandLines
    surroundings: Mapping[str, str]
    found: list[Invocation] = field(default_factory=list)
    strangers: list[Stranger] = field(default_factory=list)
    assigned: dict[str, Argument] = field(default_factory=dict)
    """What stands in assignments of its own."""
    _pinned: dict[str, str] = field(default_factory=dict)
    """Versions of engines that the text installs."""
    _depth: int = 0
    _image: str = ""
    """The image of the container that is being read."""

    def text(self, text: str, environment: Environment | None = None) -> None:
        """Read a text of any form. Raises UsageError where it breaks off."""
        if self._depth > _DEEPEST:
            return
        self._depth += 1
        inherited = dict(environment or {})
        first = _first_line(text)
        if systemd.is_unit(first):
            self._unit(text, inherited)
        elif dockerfile.is_dockerfile(text):
            self._dockerfile(text, inherited)
        elif not (manifest.is_manifest(first) and self._manifest(text, inherited)):
            self._script(text, inherited)
        self._depth -= 1

    # Forms

    def _unit(self, text: str, inherited: dict[str, Argument]) -> None:
        unit = systemd.unit(text)
        for line in unit.environment:
            inherited |= self._assignments(line)
        for start in unit.starts:
            self._shell(start, inherited)

    def _dockerfile(self, text: str, inherited: dict[str, Argument]) -> None:
        built = dockerfile.built(text)
        environment = inherited | {name: Argument(v) for name, v in built.environment.items()}
        words = tuple(Argument(word) for word in built.words)
        if built.script is not None:
            self._shell(built.script, environment)
        else:
            self._container(Container(built.image, words, {}), environment)

    def _manifest(self, text: str, inherited: dict[str, Argument]) -> bool:
        services = manifest.services(text)
        for service in services or ():
            environment = dict(inherited)
            for name, value in service.environment.items():
                environment[name] = self._composed(value, environment)
            words: list[Argument] = []
            for given in service.words:
                if isinstance(given, str):
                    words += _words(self._composed(given, environment))
                else:
                    words += [self._composed(word, environment) for word in given]
            for script in service.scripts:
                self._shell(script, environment)
            self._container(Container(service.image or "", tuple(words), {}), environment)
        if services == []:
            flags = tuple(Argument(word) for word in manifest.options(text))
            self.strangers += [Stranger(flags, inherited)] if flags else []
        return services is not None

    def _script(self, text: str, inherited: dict[str, Argument]) -> None:
        if windows.is_windows(text):
            for words, environment in windows.commands(text, self.surroundings):
                self._command(words, inherited | environment)
        else:
            self._shell(text, inherited)

    def _shell(
        self, text: str, inherited: Environment, positional: Sequence[Argument] | None = None
    ) -> None:
        if self._depth > _DEEPEST:
            return
        self._depth += 1
        for launch in launches(text, self.surroundings, inherited, positional):
            if not (launch.words or launch.documents):
                self.assigned |= launch.environment
                continue
            self._command(launch.words, launch.environment, launch.function)
            for document in launch.documents:
                self.text(document.text, launch.environment)
        self._depth -= 1

    # Commands

    def _command(
        self, words: Sequence[Argument], environment: Environment, function: str | None = None
    ) -> None:
        for pin in filter(None, (_PINNED.fullmatch(word.text) for word in words)):
            self._pinned[pin["engine"]] = pin["version"]
        box = container(words) or named_image(words, self._runs_by_itself)
        if box is not None:
            self._container(box, environment, function)
        elif (entry := find(words, self.lines)) is not None:
            before = words[: entry.position]
            own = dict(_assigned(word) for word in before if _ASSIGNMENT.match(word.text))
            self._start(entry, words, {**environment, **own}, function=function)
        else:
            self._carried(words, environment)

    def _carried(self, words: Sequence[Argument], environment: Environment) -> None:
        scripts = [] if starts_nothing(words) else carried(words)
        for script, positional in scripts:
            self._shell(script.text, environment, positional)
        if words and not scripts:
            self.strangers.append(Stranger(tuple(words), environment))

    def _container(
        self, box: Container, environment: Environment, function: str | None = None
    ) -> None:
        outer, self._image = self._image, box.image
        given = {**environment, **box.environment}
        entry = find(box.words, self.lines)
        scripts = carried(box.words) if entry is None else []
        for script, positional in scripts:
            self._shell(script.text, given, positional)
        if not scripts:
            entry = entry or of_image(box.image, self.lines)
            if entry is not None:
                self._start(entry, box.words, given, function=function)
            elif box.words:
                self.strangers.append(Stranger(box.words, given))
        self._image = outer

    def _start(
        self,
        entry: Entry,
        words: Sequence[Argument],
        environment: Environment,
        *,
        function: str | None = None,
    ) -> None:
        pattern = self.lines[entry.engine].version_image
        image = pattern.search(self._image) if pattern is not None else None
        version = image["version"] if image else self._pinned.get(entry.engine)
        self.found.append(
            Invocation(
                engine=entry.engine,
                program=entry.point.program,
                takes_model=entry.point.takes_model,
                arguments=tuple(words[entry.position :]),
                environment=environment,
                version=version,
                function=function,
            )
        )

    def _runs_by_itself(self, image: str) -> bool:
        return of_image(image, self.lines) is not None

    # Words

    def _expander(self, environment: Environment) -> Expander:
        return Expander(Scope(self.surroundings, dict(environment)), lambda _: None)

    def _assignments(self, line: str) -> dict[str, Argument]:
        return dict(_assigned(w) for w in _words(Argument(line)) if _ASSIGNMENT.match(w.text))

    def _composed(self, text: str, environment: Environment) -> Argument:
        """A word of a manifest: Compose's `${NAME:-default}` and Kubernetes' `$(NAME)`."""
        expander = self._expander(environment)
        missing: list[str] = []

        def value(match: re.Match[str]) -> str:
            if match[0] == "$$":
                return "$"
            argument = expander.text(double_quoted(match[0]))
            missing.extend(argument.missing)
            return argument.text

        known = manifest.references(text, environment)
        return Argument(_COMPOSE.sub(value, known.text), (*known.missing, *missing))


def _assigned(word: Argument) -> tuple[str, Argument]:
    name, _, value = word.text.partition("=")
    return name, Argument(value, word.missing)


def _words(text: Argument) -> list[Argument]:
    """The words of a text in which quotes count, but nothing is expanded any more."""
    found = []
    for token in tokens(text.text):
        if token.kind == "word":
            parts = (p.text if isinstance(p, Text) else p.source for p in token.parts)
            word = "".join(parts)
            missing = tuple(name for name in text.missing if "$" in word and name in word)
            found.append(Argument(word, missing))
    return found


def _first_line(text: str) -> str:
    """The first line that says something."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and not line.startswith(("#", "---"))), "")
