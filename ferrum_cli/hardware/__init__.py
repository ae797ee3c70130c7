"""Accelerators as data, found by the names that people and drivers write.

It knows nothing about models or engines.
"""

from __future__ import annotations

from ferrum_cli.hardware.catalogue import Accelerator, accelerator, accelerator_names, load

__all__ = ["Accelerator", "accelerator", "accelerator_names", "load"]
