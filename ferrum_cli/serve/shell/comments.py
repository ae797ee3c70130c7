"""A script's comments as text of their own: commands that somebody switched off stand there.

It knows nothing about what a comment says.
"""

from __future__ import annotations

from ferrum_cli.serve.shell.lexer import tokens


def comments(text: str) -> list[str]:
    """Runs of comment lines, each without its marks."""
    runs: list[list[str]] = []
    last = -1
    for token in tokens(text):
        if token.kind != "comment":
            continue
        if token.line != last + 1:
            runs.append([])
        runs[-1].append(token.text.lstrip("#").strip())
        last = token.line
    return ["\n".join(run) for run in runs]
