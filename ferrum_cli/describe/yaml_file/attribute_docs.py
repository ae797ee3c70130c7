"""The docstrings that stand under a class's attributes, which Python itself throws away.

They describe the keys of a block in the JSON schema. It knows nothing about schemas.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from itertools import pairwise
from typing import Any


def attribute_docs(cls: type[Any]) -> dict[str, str]:
    """Docstrings by attribute, those of base classes included."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        found |= _own_docs(base)
    return found


def _own_docs(cls: type[Any]) -> dict[str, str]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    except (OSError, TypeError):  # no source at hand, as in a frozen program
        return {}
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        target: inspect.cleandoc(text)
        for statement, following in pairwise(body)
        if (target := _target(statement)) and (text := _text(following))
    }


def _target(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return None


def _text(statement: ast.stmt) -> str | None:
    value = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    return None
