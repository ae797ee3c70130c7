"""Command lines of Windows: backslashes are part of paths, a caret or a backtick continues a line.

Batch files and PowerShell are read alike, as far as a server's start needs it. It knows nothing
about engines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ferrum_cli.errors import Location, UsageError
from ferrum_cli.serve.shell.values import Argument

_SIGNS = re.compile(
    r"\^[ \t]*$|(?<=[ \t])`[ \t]*$|(?<![\w/])[A-Za-z]:\\|\.(?:exe|bat|cmd|ps1)\b"
    r"|%[A-Za-z_]\w*%|^[ \t]*(?:@echo\b|REM\b|set[ \t]+\w+=)|\$env:\w+",
    re.MULTILINE,
)
_SHELL = re.compile(r"^#!|\\[ \t]*$|\$\{|\$\(", re.MULTILINE)
"""What only a POSIX shell's text has."""
_CONTINUED = re.compile(r"[ \t]*[\^`][ \t]*\n")
_COMMENT = re.compile(r"^[ \t]*(?:REM\b|::|#).*$", re.MULTILINE | re.IGNORECASE)
_SET = re.compile(r"[ \t]*set[ \t]+\"?(?P<name>\w+)=(?P<value>[^\"\n]*)\"?[ \t]*$", re.IGNORECASE)
_ENV = re.compile(
    r"[ \t]*\$env:(?P<name>\w+)\s*=\s*[\"']?(?P<value>[^\"'\n]*)[\"']?[ \t]*$", re.IGNORECASE
)
_VARIABLE = re.compile(r"%(?P<name>[A-Za-z_]\w*)%|\$env:(?P<env>\w+)")
_REDIRECTION = re.compile(r"\s[0-9]?>>?[ \t]*(?:&[0-9]|\"[^\"\n]*\"|[^\s&|]+)")
_ENDS = frozenset("&|;")

Commands = list[tuple[list[Argument], dict[str, Argument]]]


def is_windows(text: str) -> bool:
    """Whether a text was written for Windows."""
    return bool(_SIGNS.search(text)) and not _SHELL.search(text)


def commands(text: str, surroundings: Mapping[str, str]) -> Commands:
    """Every command with the variables set before it. Raises UsageError for an open quote."""
    joined = _CONTINUED.sub(" ", _COMMENT.sub("", text))
    variables: dict[str, Argument] = {}
    found: Commands = []
    for number, line in enumerate(joined.split("\n"), 1):
        assignment = _SET.fullmatch(line) or _ENV.fullmatch(line)
        if assignment:
            value = assignment["value"].strip()
            variables[assignment["name"]] = _expanded(value, variables, surroundings)
            continue
        for words in _split(line, number):
            expanded = [_expanded(word, variables, surroundings) for word in words]
            found.append((expanded, dict(variables)))
    return found


def _expanded(
    text: str, variables: Mapping[str, Argument], surroundings: Mapping[str, str]
) -> Argument:
    missing: list[str] = []

    def value(match: re.Match[str]) -> str:
        name = match["name"] or match["env"]
        known = variables.get(name)
        if known is not None:
            missing.extend(known.missing)
            return known.text
        if name not in surroundings:
            missing.append(name)
        return surroundings.get(name, match[0])

    return Argument(_VARIABLE.sub(value, text), tuple(missing))


def _split(line: str, number: int) -> list[list[str]]:
    r"""The commands of a line, each as words. `\"` within quotes is a quote."""
    text = _REDIRECTION.sub("", line)
    found: list[list[str]] = [[]]
    word: list[str] | None = None
    quote = ""
    position = 0
    while position < len(text):
        character = text[position]
        escaped = text.startswith('\\"', position)
        position += 2 if escaped else 1
        if escaped or (quote and character != quote):
            word = word or []
            word.append('"' if escaped else character)
        elif quote:
            quote = ""
        elif character == '"' or (character == "'" and not word):
            quote, word = character, word or []
        elif character.isspace() or character in _ENDS:
            found[-1] += ["".join(word)] if word is not None else []
            found += [[]] if character in _ENDS else []
            word = None
        else:
            word = word or []
            word.append(character)
    if quote:
        raise UsageError(
            "the quote is never closed",
            hint="paste the whole command",
            where=Location("--serve", number, line.rfind(quote) + 1),
        )
    found[-1] += ["".join(word)] if word is not None else []
    return [words for words in found if words]
