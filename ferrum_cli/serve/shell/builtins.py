"""A shell's own commands, by what they mean for what is launched later.

It knows nothing about how they are carried out.
"""

from __future__ import annotations

from enum import Enum


class Builtin(Enum):
    """What a shell does itself."""

    DECLARE = "declare"
    SET = "set"
    UNSET = "unset"
    SHIFT = "shift"
    STOP = "stop"
    EVALUATE = "evaluate"
    PRINT = "print"
    NOTHING = "nothing"


_NAMES = {
    Builtin.DECLARE: "export declare local readonly typeset",
    Builtin.SET: "set",
    Builtin.UNSET: "unset",
    Builtin.SHIFT: "shift",
    Builtin.STOP: "exit return",
    Builtin.EVALUATE: "eval",
    Builtin.PRINT: "echo printf",
    Builtin.NOTHING: (
        "alias bg bind break cd continue dirs disown fg getopts hash jobs let popd pushd pwd read"
        " shopt source . times trap type ulimit umask unalias wait"
    ),
}
BUILTINS = {name: builtin for builtin, names in _NAMES.items() for name in names.split()}
