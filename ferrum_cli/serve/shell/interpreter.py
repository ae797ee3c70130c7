"""A script carried out as far as it says what is launched: nothing is run.

Variables, functions, loops and branches are followed; a branch that nobody can decide is followed
both ways. It knows nothing about engines.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ferrum_cli.errors import Location, UsageError
from ferrum_cli.serve.shell.builtins import BUILTINS, Builtin
from ferrum_cli.serve.shell.conditions import holds, is_test
from ferrum_cli.serve.shell.expansion import Expander
from ferrum_cli.serve.shell.launch import Launch
from ferrum_cli.serve.shell.lexer import tokens
from ferrum_cli.serve.shell.parser import parse
from ferrum_cli.serve.shell.statements import (
    Assignment,
    Branch,
    Choice,
    Command,
    Function,
    Group,
    Loop,
    Script,
    Statement,
)
from ferrum_cli.serve.shell.values import Argument, Scope, Value
from ferrum_cli.serve.shell.words import Word

_MOST_STATEMENTS = 4000
_MOST_TURNS = 16
_DEEPEST = 12
_PRINT_OPTIONS = ("-n", "-e", "-E", "-ne", "-en", "--")


def launches(
    text: str,
    surroundings: Mapping[str, str],
    inherited: Mapping[str, Argument] | None = None,
    positional: Sequence[Argument] | None = None,
) -> list[Launch]:
    """Every command that a script starts, and every assignment, in order.

    Raises UsageError for a text that breaks off, or does too much to be followed.
    """
    given: dict[str, Value] = dict(inherited or {})
    scope = Scope(
        surroundings,
        given,
        dict.fromkeys(given),
        None if positional is None else tuple(positional),
    )
    run = _Run(scope)
    run.script(parse(tokens(text)))
    run.uncalled()
    return run.launches


class _Stopped(Exception):
    """`exit` or `return`."""

    def __init__(self, *, whole: bool) -> None:
        self.whole = whole


class _Run:
    def __init__(self, scope: Scope, depth: int = 0) -> None:
        self.launches: list[Launch] = []
        self._scope = scope
        self._functions: dict[str, Script] = {}
        self._called: set[str] = set()
        self._depth = depth
        self._statements = 0
        self._uncertain = 0
        self._printed: list[Argument] | None = None
        self._expander = Expander(scope, self._capture)

    def script(self, script: Script) -> None:
        """Carry out a whole script."""
        try:
            self._body(script)
        except _Stopped:
            return

    def uncalled(self) -> None:
        """What stands in functions that nothing calls."""
        for name, body in list(self._functions.items()):
            if name in self._called:
                continue
            count = len(self.launches)
            self.script(body)
            inside = [replace(launch, function=name) for launch in self.launches[count:]]
            self.launches[count:] = inside

    # Statements

    def _body(self, script: Script) -> None:
        status: bool | None = True
        operator = ""
        for statement in script:
            self._statements += 1
            if self._statements > _MOST_STATEMENTS:
                raise UsageError("the script does too much to be read", where=Location("--serve"))
            skips = (operator == "&&" and status is False) or (operator == "||" and status is True)
            if not skips:
                doubtful = operator in ("&&", "||") and status is None
                status = self._doubtful(statement) if doubtful else self._statement(statement)
            operator = statement.operator if isinstance(statement, Command) else ""

    def _doubtful(self, statement: Statement) -> bool | None:
        """Carry out what may not be reached: it cannot end the script."""
        self._uncertain += 1
        try:
            self._statement(statement)
        except _Stopped:
            pass
        finally:
            self._uncertain -= 1
        return None

    def _statement(self, statement: Statement) -> bool | None:
        match statement:
            case Command():
                return self._command(statement)
            case Group():
                self._body(statement.body)
            case Function():
                self._functions[statement.name] = statement.body
            case Loop():
                self._loop(statement)
            case Branch():
                self._branch(statement)
            case Choice():
                self._choice(statement)
        return None

    def _loop(self, loop: Loop) -> None:
        if loop.words is None:
            if loop.name:
                self._scope.variables.pop(loop.name, None)
            self._body(loop.body)
            return
        for word in self._expander.words(loop.words)[:_MOST_TURNS]:
            self._scope.set(loop.name, word)
            self._body(loop.body)

    def _branch(self, branch: Branch) -> None:
        for condition, body in branch.arms:
            known = self._condition(condition)
            if known:
                self._body(body)
                return
            if known is None:
                self._doubtful(Group(body))
        self._body(branch.otherwise)

    def _condition(self, script: Script) -> bool | None:
        if len(script) == 1 and isinstance(script[0], Command) and self._tests(script[0]):
            return self._command(script[0])
        self._doubtful(Group(script))
        return None

    def _tests(self, command: Command) -> bool:
        names = self._expander.words(command.words[:1])
        return bool(names) and is_test(names[0].text)

    def _choice(self, choice: Choice) -> None:
        subject = self._expander.text(choice.subject)
        for patterns, body in choice.arms:
            if subject.missing:
                self._doubtful(Group(body))
            elif any(self._matches(subject.text, pattern) for pattern in patterns):
                self._body(body)
                return

    def _matches(self, text: str, pattern: Word) -> bool:
        return fnmatch.fnmatchcase(text, self._expander.text(pattern).text)

    # Commands

    def _command(self, command: Command) -> bool | None:
        words = self._expander.words(command.words)
        if not words:
            for assignment in command.assignments:
                self._assign(assignment)
            own = {a.name: self._scope.get(a.name) for a in command.assignments}
            self._launch(command, words, own)
            return True if command.assignments and not command.words else None
        builtin = BUILTINS.get(words[0].text)
        if builtin is not None:
            self._builtin(builtin, command, words)
            return None
        if words[0].text in self._functions and self._depth < _DEEPEST:
            self._call(words)
            return None
        status = holds(words)
        if status is not None or is_test(words[0].text):
            return status if status is None or not command.negated else not status
        self._launch(command, words, {a.name: self._value(a) for a in command.assignments})
        return None

    def _launch(
        self, command: Command, words: list[Argument], own: Mapping[str, Value | None]
    ) -> None:
        documents = tuple(self._expander.text(document) for document in command.documents)
        if not (words or documents or own):
            return
        texts = {name: value for name, value in own.items() if isinstance(value, Argument)}
        environment = self._scope.environment() | texts if words or documents else texts
        self.launches.append(Launch(tuple(words), environment, documents, command.line))

    def _assign(self, assignment: Assignment, *, export: bool = False) -> None:
        self._scope.set(assignment.name, self._value(assignment), export=export)

    def _value(self, assignment: Assignment) -> Value:
        before = self._scope.get(assignment.name) if assignment.adds else None
        if assignment.array is not None:
            present = before if isinstance(before, tuple) else ()
            return (*present, *self._expander.words(assignment.array))
        value = self._expander.text(assignment.value)
        if isinstance(before, Argument):
            return Argument(before.text + value.text, before.missing + value.missing)
        return value

    def _builtin(self, builtin: Builtin, command: Command, words: list[Argument]) -> None:
        match builtin:
            case Builtin.DECLARE:
                self._declare(command, words)
            case Builtin.SET:
                self._set(words[1:])
            case Builtin.UNSET:
                for word in words[1:]:
                    self._scope.unset(word.text)
            case Builtin.SHIFT:
                self._scope.positional = (self._scope.positional or ())[1:]
            case Builtin.STOP:
                self._stop(whole=words[0].text == "exit")
            case Builtin.EVALUATE:
                self._evaluate(" ".join(word.text for word in words[1:]))
            case Builtin.PRINT:
                self._print(words)
            case Builtin.NOTHING:
                pass

    def _declare(self, command: Command, words: Sequence[Argument]) -> None:
        export = words[0].text == "export" or any(word.text == "-x" for word in words)
        for assignment in command.assignments:
            self._assign(assignment, export=export)
        for word in words[1:] if export else ():
            self._scope.exported.setdefault(word.text)

    def _stop(self, *, whole: bool) -> None:
        """`exit` and `return` count where it is certain that they are reached."""
        if not self._uncertain:
            raise _Stopped(whole=whole)

    def _set(self, words: Sequence[Argument]) -> None:
        texts = [word.text for word in words]
        if texts[:1] in (["-a"], ["+a"]) or texts[:2] == ["-o", "allexport"]:
            self._scope.exports_all = texts[0] != "+a"
        if "--" in texts:
            self._scope.positional = tuple(words[texts.index("--") + 1 :])

    def _evaluate(self, text: str) -> None:
        if self._depth >= _DEEPEST:
            return
        self._depth += 1
        try:
            self._body(parse(tokens(text)))
        finally:
            self._depth -= 1

    def _print(self, words: Sequence[Argument]) -> None:
        shown = list(words[1:])
        while shown and shown[0].text in _PRINT_OPTIONS:
            shown.pop(0)
        if words[0].text == "printf" and shown and "%" in shown[0].text:
            shown.pop(0)
        if self._printed is not None:
            self._printed += shown

    def _call(self, words: Sequence[Argument]) -> None:
        name = words[0].text
        self._called.add(name)
        outer, self._scope.positional = self._scope.positional, tuple(words[1:])
        self._depth += 1
        try:
            self._body(self._functions[name])
        except _Stopped as stop:
            if stop.whole:
                raise
        finally:
            self._scope.positional = outer
            self._depth -= 1

    def _capture(self, text: str) -> Argument | None:
        """What a substituted script prints, if it only prints."""
        if self._depth >= _DEEPEST:
            return None
        inner = _Run(self._copy(), self._depth + 1)
        inner._functions = dict(self._functions)
        inner._statements = self._statements
        inner._printed = []
        inner.script(parse(tokens(text)))
        self._statements = inner._statements
        self._called |= inner._called
        if any(launch.words or launch.documents for launch in inner.launches):
            return None
        missing = tuple(name for word in inner._printed for name in word.missing)
        return Argument(" ".join(word.text for word in inner._printed), missing)

    def _copy(self) -> Scope:
        scope = self._scope
        return replace(scope, variables=dict(scope.variables), exported=dict(scope.exported))
