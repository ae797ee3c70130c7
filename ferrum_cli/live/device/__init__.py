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
    "check_device_name",
    "default_device",
    "open_device",
]


_CUDA = re.compile(r"cuda(?::([0-9]{1,3}))?")


def check_device_name(name: str) -> str:
    """The name itself. Raises UsageError for what is no device's name."""
    if name not in ("cpu", "simulated") and not _CUDA.fullmatch(name):
        raise UsageError(
            f"unknown device {name!r}", hint="use cpu, simulated or cuda:0", where="--device"
        )
    return name


def default_device() -> str:
    """The first GPU, or the host where there is none."""
    import torch  # noqa: PLC0415 - only where nobody has said which

    return "cuda:0" if torch.cuda.is_available() else "cpu"


def open_device(name: str, *, backed: bool = True) -> DeviceMemory:
    """`cpu`, `simulated` or `cuda:N`. `backed=False` asks the simulated one for sizes alone.

    Raises UsageError for another name and EnvironmentFailure where the device is missing.
    """
    check_device_name(name)
    if name == "cpu":
        from ferrum_cli.live.device.cpu import CpuDevice  # noqa: PLC0415 - one device is enough

        return CpuDevice()
    if name == "simulated":
        from ferrum_cli.live.device.simulated import SimulatedDevice  # noqa: PLC0415 - as above

        return SimulatedDevice(backed=backed)
    from ferrum_cli.live.device.cuda import CudaDevice  # noqa: PLC0415 - as above

    found = _CUDA.fullmatch(name)
    return CudaDevice(int(found[1] or 0) if found else 0)
