"""What a terminal, a page or a chat puts around a command: prompts, fences, marks of other systems.

It knows nothing about shells or engines.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w.+-]*[ \t]*$", re.MULTILINE)
_PROMPT = re.compile(
    r"^[ \t]*(?:\([\w.+-]+\)[ \t]+)?"
    r"(?:"
    r"[\w.-]+@[\w.-]+(?:[:\s][^$#%>❯\n]*?[$#%>❯][ \t]+|:[ \t]+)"  # user@host:~/dir$
    r"|\[[^\]\n]*@[^\]\n]*\][$#%][ \t]+"  # [user@host dir]$
    r"|[$%❯➜][ \t]+"
    r"|PS [A-Z]:[^>\n]*>[ \t]*"
    r"|[A-Z]:\\[^>\n]*>[ \t]*"
    r")",
    re.MULTILINE,
)
_ENVIRONMENT = re.compile(r"^[ \t]*\([\w.+-]+\)[ \t]+(?=[\w./~])", re.MULTILINE)
"""The name of a Python environment, as shells show it before a prompt."""
_CONTINUED = re.compile(r"^>[ \t]", re.MULTILINE)


def pasted(text: str) -> str:
    """The text without prompts, fences and carriage returns; lines keep their numbers."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _FENCE.sub("", text)
    text = _without_backticks(text)
    shorter = _PROMPT.sub("", text)
    if shorter != text:
        shorter = _CONTINUED.sub("", shorter)
    return _ENVIRONMENT.sub("", shorter)


def _without_backticks(text: str) -> str:
    """A command in one pair of backticks, as prose has it."""
    inner = text.strip()
    is_code = len(inner) > 1 and inner[0] == inner[-1] == "`" and "`" not in inner[1:-1]
    return inner[1:-1] if is_code else text
