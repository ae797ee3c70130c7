"""llama.cpp: every slot's state reserved at start-up, KV in cells, layers spread over devices.

Rules are those of b11434 (0.5.0-dev, ggml 0.25.3, commit 0c1e57098), read in its source and checked
against what its library allocates. It knows nothing about files or about other engines.
"""

from __future__ import annotations

from ferrum_cli.engines.llama_cpp.answer import answer
from ferrum_cli.engines.llama_cpp.options import OPTIONS, VERSION

NAME = "llama.cpp"

__all__ = ["NAME", "OPTIONS", "VERSION", "answer"]
