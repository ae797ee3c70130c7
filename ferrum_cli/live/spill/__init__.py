"""Snapshots in files, for states that stay away longer than host memory should be theirs.

A snapshot is a valid safetensors file; any reader of those can open it. This room knows nothing
about managers.
"""

from __future__ import annotations

from ferrum_cli.live.spill.files import FailingFiles, Files
from ferrum_cli.live.spill.folder import SnapshotFolder

__all__ = ["FailingFiles", "Files", "SnapshotFolder"]
