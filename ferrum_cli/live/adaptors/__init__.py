"""Adaptors around any device, each adding one property; they nest in any order.

They know nothing about which device is inside.
"""

from __future__ import annotations

from ferrum_cli.live.adaptors.failing import Failing, Fault
from ferrum_cli.live.adaptors.limit import Limited
from ferrum_cli.live.adaptors.log import Logged, replay
from ferrum_cli.live.adaptors.tracking import Tracked

__all__ = ["Failing", "Fault", "Limited", "Logged", "Tracked", "replay"]
