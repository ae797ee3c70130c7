"""Plans: an engine asked about a model on a machine, judged against what was wanted.

It knows nothing about files, command lines or output formats.
"""

from __future__ import annotations

from ferrum_cli.plan.asking import Wanted, plan
from ferrum_cli.plan.result import Plan, Verdict

__all__ = ["Plan", "Verdict", "Wanted", "plan"]
