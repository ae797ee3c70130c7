"""Every device and adaptor that this machine can make, for the conformance suite."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ferrum_cli.live.adaptors import Failing, Limited, Logged, Tracked
from ferrum_cli.live.device import DeviceMemory
from ferrum_cli.live.device.cpu import CpuDevice
from ferrum_cli.live.device.cuda import CudaDevice
from ferrum_cli.live.device.simulated import SimulatedDevice


def _discard(_: str) -> None:
    """A log that nobody reads."""


BARE: dict[str, Callable[[], DeviceMemory]] = {
    "cpu": CpuDevice,
    "simulated": SimulatedDevice,
    **({"cuda": CudaDevice} if torch.cuda.is_available() else {}),
}
ADAPTORS: dict[str, Callable[[DeviceMemory], DeviceMemory]] = {
    "limited": lambda inner: Limited(inner, 2**30),
    "tracked": Tracked,
    "logged": lambda inner: Logged(inner, _discard),
    "failing": Failing,
    "all four": lambda inner: Limited(Tracked(Logged(Failing(inner), _discard)), 2**30),
}
DEVICES: dict[str, Callable[[], DeviceMemory]] = {
    **BARE,
    **{
        f"{adaptor} {device}": lambda wrap=wrap, make=make: wrap(make())
        for adaptor, wrap in ADAPTORS.items()
        for device, make in BARE.items()
    },
}
