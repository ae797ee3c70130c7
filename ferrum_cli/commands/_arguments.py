"""Options that several commands share, and how their text becomes values.

It knows nothing about what a command does with them.
"""

from __future__ import annotations

from typing import Annotated

import typer

Format = Annotated[
    str, typer.Option("--format", metavar="FORMAT", help="What goes to stdout: table, json, …")
]
Output = Annotated[
    list[str] | None,
    typer.Option(
        "--output", "-o", metavar="[FORMAT=]PATH", help="Write a further format to a file."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only the answer.")]
Color = Annotated[str, typer.Option("--color", metavar="auto|always|never", help="Colour.")]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="No progress on a terminal.")]


def whole_number(text: str | None, option: str, lowest: int = 1) -> int | None:
    """A whole number of at least `lowest`; an error names the option. None stays None."""
    from ferrum_cli.errors import UsageError

    if text is None:
        return None
    digits = text.isascii() and text.isdigit() and len(text) <= 10  # noqa: PLR2004 - 2³¹ has ten
    if not digits or not lowest <= int(text) <= 2**31:
        raise UsageError(
            f"{text!r} is no whole number from {lowest} to {2**31}",
            hint=f"write {option} {lowest}",
            where=option,
        )
    return int(text)


def amount_of_bytes(text: str | None, option: str, lowest: int = 0) -> int | None:
    """An amount such as 80GiB; an error names the option. None stays None."""
    from ferrum_cli.errors import QuantityError, UsageError
    from ferrum_cli.quantity import parse_bytes

    try:
        amount = None if text is None else parse_bytes(text)
    except QuantityError as error:
        raise error.located(option) from None
    if amount is not None and amount < lowest:
        raise UsageError(f"{text!r} is less than {lowest} bytes", hint="give more", where=option)
    return amount


def amount_of_tokens(text: str | None, option: str) -> int | None:
    """A positive number of tokens such as 128k; an error names the option. None stays None."""
    from ferrum_cli.errors import QuantityError, UsageError
    from ferrum_cli.quantity import parse_tokens

    try:
        tokens = None if text is None else parse_tokens(text)
    except QuantityError as error:
        raise error.located(option) from None
    if tokens is not None and not 1 <= tokens <= 2**40:
        raise UsageError(f"{text!r} is no context", hint="give 1 token to 2^40", where=option)
    return tokens
