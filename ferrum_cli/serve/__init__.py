"""Whole command lines as people paste them, read by the rules of the engine that they start.

It knows nothing about models, machines or plans.
"""

from __future__ import annotations

from ferrum_cli.serve.command import SCHEMA, Command, document
from ferrum_cli.serve.reading import read

__all__ = ["SCHEMA", "Command", "document", "read"]
