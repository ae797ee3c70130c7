"""What vLLM does to its arguments before argparse reads them.

`--model` becomes the first word, underscores become dashes, `-O3` is spelled out, and
`--config.key value` becomes JSON: vLLM 0.33.0, utils/argparse_utils.py, FlexibleArgumentParser. It
knows nothing about flags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ferrum_cli.serve.parsed import Problem
from ferrum_cli.serve.shell.values import Argument
from ferrum_cli.serve.values import Suffixes, amount, loads

_MODEL = re.compile(r"--model(=.+|$)", re.DOTALL)
_SERVED_NAME = re.compile(r"--served[-_]model[-_]name(=.+|$)", re.DOTALL)
_CONFIG = re.compile(r"--config(=.+|$)", re.DOTALL)
_DEEPEST = 32
_LEVELS = ("0", "1", "2", "3")


def prepared(
    arguments: Sequence[Argument], suffixes: Suffixes, *, takes_model: bool
) -> tuple[list[Argument], list[Problem]]:
    """The arguments as argparse receives them, and why vLLM stops before."""
    problems: list[Problem] = []
    moved = list(arguments)
    if takes_model:
        moved = _with_model_first(moved)
        if _names_without_model(moved):
            message = (
                "`model` should be provided as the first positional argument when using `vllm"
                " serve`. i.e. `vllm serve <model> --<arg> <value>`."
            )
            problems.append(Problem(message))
    return _merged(_spelled_out(moved), suffixes, problems), problems


def _with_model_first(arguments: list[Argument]) -> list[Argument]:
    for position, argument in enumerate(arguments):
        if not _MODEL.match(argument.text):
            continue
        if argument.text != "--model":
            model = Argument(argument.text.removeprefix("--model="), argument.missing)
            return [model, *arguments[:position], *arguments[position + 1 :]]
        if position + 1 < len(arguments):
            rest = arguments[position + 2 :]
            return [arguments[position + 1], *arguments[:position], *rest]
        break
    return arguments


def _names_without_model(arguments: list[Argument]) -> bool:
    texts = [argument.text for argument in arguments]
    return (
        bool(texts)
        and texts[0].startswith("-")
        and not any(_CONFIG.match(text) for text in texts)
        and any(_SERVED_NAME.match(text) for text in texts)
    )


def _spelled_out(arguments: list[Argument]) -> list[Argument]:
    """Dashes for underscores in names of flags, and the optimization level by its long flag."""
    found: list[Argument] = []
    for position, argument in enumerate(arguments):
        text = argument.text
        following = arguments[position + 1].text if position + 1 < len(arguments) else ""
        if text.startswith("--"):
            name, equals, value = text.partition("=")
            head, dot, keys = name.partition(".")
            spelled = f"{head.replace('_', '-')}{dot}{keys}{equals}{value}"
            found.append(Argument(spelled, argument.missing, argument.vanishes))
        elif text.startswith("-O") and text != "-O":
            level = text[3:] if text[2] == "=" else text[2:]
            found += [Argument("--optimization-level"), Argument(level, argument.missing)]
        elif text == "-O" and following in _LEVELS:
            found.append(Argument("--optimization-level"))
        else:
            found.append(argument)
    return found


def _merged(
    arguments: list[Argument], suffixes: Suffixes, problems: list[Problem]
) -> list[Argument]:
    """Keys that are set one by one stand behind the rest, as JSON for each flag."""
    rest: list[Argument] = []
    objects: dict[str, dict[str, Any]] = {}
    missing: dict[str, tuple[str, ...]] = {}
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        position += 1
        name, equals, text = argument.text.partition("=")
        if not name.startswith("-") or "." not in name:
            rest.append(argument)
            continue
        absent = argument.missing
        if not equals:
            if position >= len(arguments):
                problems.append(Problem(f"argument {name}: expected one argument"))
                break
            text, absent = arguments[position].text, arguments[position].missing
            position += 1
        flag, *keys = name.removesuffix("+").split(".")
        if len(keys) > _DEEPEST:
            problems.append(Problem(f"argument {flag}: keys stand too deep in each other"))
            continue
        value = text.split(",") if name.endswith("+") else _value(text, suffixes)
        _update(objects.setdefault(flag, {}), _nested(keys, value))
        missing[flag] = missing.get(flag, ()) + absent
    for flag, value in objects.items():
        rest += [Argument(flag), Argument(json.dumps(value), missing[flag])]
    return rest


def _value(text: str, suffixes: Suffixes) -> Any:
    try:
        return loads(text)
    except ValueError:
        pass
    try:
        return amount(text, suffixes)
    except ValueError:
        return text


def _nested(keys: Sequence[str], value: Any) -> dict[str, Any]:
    nested = value
    for key in reversed(keys):
        nested = {key: nested}
    return dict(nested)


def _update(original: dict[str, Any], update: dict[str, Any]) -> None:
    """Objects are merged, lists are joined, other values replaced."""
    for key, value in update.items():
        before = original.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            _update(before, value)
        elif isinstance(value, list) and isinstance(before, list):
            before += value
        else:
            original[key] = value
