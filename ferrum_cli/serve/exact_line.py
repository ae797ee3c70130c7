"""Arguments read as llama.cpp reads them: a flag is known by its whole spelling alone.

Long flags may have underscores for dashes, and a variable sets what no flag does: b11434,
common/arg.cpp, common_params_parse_ex. Where it stops at the first error, reading goes on. It knows
nothing about particular flags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ferrum_cli.engines._command_line import Flag, Takes
from ferrum_cli.serve.parsed import Parsed, Problem
from ferrum_cli.serve.shell.values import Argument
from ferrum_cli.serve.values import Suffixes, value

_TRUE = ("on", "enabled", "true", "1")
_WORDS = {Takes.NONE: 0, Takes.TWO: 2}
_PREFIX, _NEGATED = "LLAMA_ARG_", "LLAMA_ARG_NO_"


def parse(
    arguments: Sequence[Argument],
    flags: Sequence[Flag],
    suffixes: Suffixes,
    environment: Mapping[str, Argument],
) -> Parsed:
    """Read variables, then arguments, which are stronger."""
    parsed = Parsed()
    for flag in flags:
        _from_environment(parsed, flag, environment, suffixes)
    parsed.by_variable = set(parsed.values)
    spellings = {s: (flag, True) for flag in flags for s in flag.spellings}
    spellings |= {s: (flag, False) for flag in flags for s in flag.negations}
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        position += 1
        text = argument.text
        name = text.replace("_", "-") if text.startswith("--") else text
        if name in spellings:
            flag, positive = spellings[name]
            if flag.option in parsed.by_variable:
                parsed.by_variable.discard(flag.option)
                del parsed.values[flag.option]
            position = _flag(parsed, flag, positive, name, arguments, position, suffixes)
        elif argument.missing:
            parsed.missing.append((None, argument))
        else:
            parsed.leftover.append(text)
            message = f"error: invalid argument: {name}"
            parsed.problems.append(Problem(message, matters=False, is_unknown=True))
            if text.startswith("-"):
                parsed.unknown.append(text)
                position += _value_of_unknown(arguments, position, spellings)
    return parsed


def _flag(
    parsed: Parsed,
    flag: Flag,
    positive: bool,
    name: str,
    arguments: Sequence[Argument],
    position: int,
    suffixes: Suffixes,
) -> int:
    """Store what a flag sets, or why it cannot; gives the position behind it."""
    count = _WORDS.get(flag.takes, 1)
    words = arguments[position : position + count]
    after = position + len(words)
    missing = [word for word in words if word.missing]
    if flag.refusal is not None:
        parsed.unknown.append(name)
        parsed.refuse(f'error while handling argument "{name}": {flag.refusal}', flag)
    elif len(words) < count:
        parsed.refuse("expected value for argument", flag, f"{name} stands at the end")
    elif missing:
        parsed.missing += [(flag.option, word) for word in missing]
    elif count == 0:
        parsed.store(flag, positive)
    else:
        try:
            values = [value(flag, word.text, suffixes) for word in words]
            parsed.store(flag, values[0] if count == 1 else values)
        except ValueError as error:
            parsed.refuse(f'error while handling argument "{name}": {error}', flag)
    return after


def _value_of_unknown(
    arguments: Sequence[Argument], position: int, spellings: Mapping[str, object]
) -> int:
    """Whether the word behind an unknown flag seems to be its value: 1 or 0."""
    if position >= len(arguments):
        return 0
    following = arguments[position].text
    return int(not following.startswith("-") and following not in spellings)


def _from_environment(
    parsed: Parsed, flag: Flag, environment: Mapping[str, Argument], suffixes: Suffixes
) -> None:
    if flag.environment is None:
        return
    negated = flag.environment.replace(_PREFIX, _NEGATED, 1)
    if flag.negations and negated in environment:
        parsed.store(flag, False)
        return
    given = environment.get(flag.environment)
    if given is None:
        return
    if given.missing:
        parsed.missing.append((flag.option, given))
        return
    try:
        if flag.takes is not Takes.NONE:
            parsed.store(flag, value(flag, given.text, suffixes))
        elif flag.negations or given.text in _TRUE:
            parsed.store(flag, given.text in _TRUE)
    except ValueError as error:
        message = f'error while handling environment variable "{flag.environment}": {error}'
        parsed.refuse(message, flag)
