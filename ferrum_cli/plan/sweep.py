"""Swept options: `--set a=1,2 --set b=x,y` is four combinations.

It knows nothing about what the options mean.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ferrum_cli.engines import Option, Setting, Settings
from ferrum_cli.engines._options import Source, parse_assignment
from ferrum_cli.errors import UsageError

_MOST_COMBINATIONS = 256


def sweep(table: Sequence[Option], assignments: Sequence[str]) -> list[Settings]:
    """Every combination of the values given. Raises UsageError; an option may be set once."""
    axes: dict[str, tuple[Setting, ...]] = {}
    for text in assignments:
        option, values = parse_assignment(table, text)
        if option.name in axes:
            raise UsageError(f"{option.name} is set twice", where=f"--set {option.name}")
        source: Source = "environment" if option.environment else "flag"
        axes[option.name] = tuple(Setting(value, source) for value in values)
    combinations = list(itertools.islice(itertools.product(*axes.values()), _MOST_COMBINATIONS + 1))
    if len(combinations) > _MOST_COMBINATIONS:
        raise UsageError(
            f"more than {_MOST_COMBINATIONS} combinations", hint="sweep fewer values", where="--set"
        )
    return [Settings(table, dict(zip(axes, values, strict=True))) for values in combinations]
