"""Serving engines' rules for laying out recurrent state and KV cache; one folder is one engine.

It knows nothing about files, commands or output.
"""

from __future__ import annotations

from typing import cast

from ferrum_cli import discover
from ferrum_cli.engines._engine import (
    Answer,
    Capacity,
    Change,
    Engine,
    Figure,
    KeyValueBytes,
    LimitedBy,
    LogLine,
    Machine,
    MemoryLine,
    Question,
    Reason,
    StateTensor,
    Weights,
)
from ferrum_cli.engines._options import Kind, Option, Setting, Settings
from ferrum_cli.errors import UsageError

__all__ = [
    "Answer",
    "Capacity",
    "Change",
    "Engine",
    "Figure",
    "KeyValueBytes",
    "Kind",
    "LimitedBy",
    "LogLine",
    "Machine",
    "MemoryLine",
    "Option",
    "Question",
    "Reason",
    "Setting",
    "Settings",
    "StateTensor",
    "Weights",
    "engine",
    "engine_names",
]


def engine_names() -> tuple[str, ...]:
    """Every engine as a user writes it, without importing any; `llama_cpp` is `llama.cpp`."""
    return tuple(name.replace("_cpp", ".cpp") for name in discover.names(__name__))


def engine(name: str) -> Engine:
    """The engine called `name`. Raises UsageError for one that does not exist."""
    module = discover.load(__name__, name.replace(".", "_"))
    if module is None or name not in engine_names():
        raise UsageError(
            f"unknown engine {name!r}",
            hint=discover.suggestion(name, engine_names()),
            where="--engine",
        )
    return cast(Engine, module)
