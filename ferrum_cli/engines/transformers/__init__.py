"""transformers: one process, one cache object for a batch, nothing reserved but what it holds.

Every rule was measured on 5.24.0 with torch 2.13.0 on CPU (small models run, real configurations on
torch's meta device). It knows nothing about serving engines' pools, pages and schedulers.
"""

from __future__ import annotations

from ferrum_cli.engines.transformers.capacity import answer
from ferrum_cli.engines.transformers.options import OPTIONS, VERSION

NAME = "transformers"

__all__ = ["NAME", "OPTIONS", "VERSION", "answer"]
