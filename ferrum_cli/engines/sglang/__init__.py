"""SGLang's rules: state slots, KV tokens and the requests that are really left to run.

The rules are those of SGLang 0.5.23, read in its own code; rows with versions stand where an older
one differs. It knows nothing about other engines.
"""

from __future__ import annotations

from ferrum_cli.engines.sglang.answer import answer
from ferrum_cli.engines.sglang.options import OPTIONS

NAME = "sglang"
VERSION = "0.5.23"

__all__ = ["NAME", "OPTIONS", "VERSION", "answer"]
