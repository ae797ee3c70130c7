"""Reports as JSON: the machine-readable data and nothing else.

It knows nothing about tables.
"""

from __future__ import annotations

import json

from ferrum_cli.render import Style
from ferrum_cli.report import Report

SUFFIXES = (".json",)


def render(report: Report, style: Style) -> str:
    """The report's data, indented, in ASCII so that no pipe can damage it."""
    del style
    return json.dumps(report.data, indent=2, default=list) + "\n"
