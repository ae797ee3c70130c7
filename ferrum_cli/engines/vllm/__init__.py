"""vLLM's rules: aligned blocks, groups that share one pool, and the requests that really run.

The rules are those of vLLM 0.33.0, read in its own code; rows with versions stand where an older
one from 0.11 on differs. It knows nothing about other engines.
"""

from __future__ import annotations

from ferrum_cli.engines.vllm.answer import answer
from ferrum_cli.engines.vllm.options import OPTIONS

NAME = "vllm"
VERSION = "0.33.0"

__all__ = ["NAME", "OPTIONS", "VERSION", "answer"]
