"""What Ferrum's own options say beside a command line.

It knows nothing about command lines: every plan has these, pasted or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """None where an option says nothing."""

    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    data_parallel: int | None = None
    context: int | None = None
    assigned: Mapping[str, str] = field(default_factory=dict)
    """What `--set` gives, by the option's name."""
