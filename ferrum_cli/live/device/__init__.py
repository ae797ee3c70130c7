"""Devices by the names that users give them.

Each is a file of this folder; it knows nothing about what is kept on them.
"""

from __future__ import annotations

import re

from ferrum_cli.errors import UsageError
from ferrum_cli.live.device.port import (
    Buffer,
    DeviceMemory,
    Event,
    MemoryLimits,
    MemoryStats,
    Region,
    Stream,
)

__all__ = [
    "Buffer",
    "DeviceMemory",
    "Event",
    "MemoryLimits",
    "MemoryStats",
    "Region",
    "Stream",
    "open_device",
]


def open_device(name: str, *, backed: bool = True) -> DeviceMemory:
    """`cpu`, `simulated` or `cuda:N`. `backed=False` asks the simulated one for sizes alone.

    Raises UsageError for another name and EnvironmentFailure where the device is missing.
    """
    if name == "cpu":
        from ferrum_cli.live.device.cpu import CpuDevice  # noqa: PLC0415 - one device is enough

        return CpuDevice()
    if name == "simulated":
        from ferrum_cli.live.device.simulated import SimulatedDevice  # noqa: PLC0415 - as above

        return SimulatedDevice(backed=backed)
    if found := re.fullmatch(r"cuda(?::([0-9]{1,3}))?", name):
        from ferrum_cli.live.device.cuda import CudaDevice  # noqa: PLC0415 - as above

        return CudaDevice(int(found[1] or 0))
    raise UsageError(
        f"unknown device {name!r}", hint="use cpu, simulated or cuda:0", where="--device"
    )
