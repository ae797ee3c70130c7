"""The contract itself as an engine: what its state costs and how many requests memory holds.

No padding, no pools, nothing reserved: the figures are content. It knows nothing about the serving
engines beside it.
"""

from __future__ import annotations

from ferrum_cli.engines._options import Option
from ferrum_cli.engines.native.capacity import answer

NAME = "native"
VERSION = "1"
OPTIONS: tuple[Option, ...] = ()

__all__ = ["NAME", "OPTIONS", "VERSION", "answer"]
