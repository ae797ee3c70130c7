"""Layouts of slots in memory; one file is one layout, found by its name.

They know nothing about requests, budgets or eviction.
"""

from __future__ import annotations

from ferrum_cli import discover
from ferrum_cli.contract import RecurrentStateTensorSpec
from ferrum_cli.errors import OutOfMemory, UsageError
from ferrum_cli.live.device import DeviceMemory
from ferrum_cli.live.layout._slot import Group, SlotLayout
from ferrum_cli.live.layout._storage import Piece, Slots, Storage

__all__ = [
    "Group",
    "Piece",
    "SlotLayout",
    "Slots",
    "Storage",
    "check_layout",
    "layouts",
    "open_storage",
]

# Sizes beyond a signed 64-bit integer are no sizes to torch.
_LARGEST = 2**63


def layouts() -> tuple[str, ...]:
    """Every layout, as a user writes it; none is imported."""
    return tuple(name.replace("_", "-") for name in discover.names(__name__))


def check_layout(name: str) -> str:
    """The name itself. Raises UsageError for what is no layout's name."""
    if name not in layouts():
        raise UsageError(
            f"unknown layout {name!r}",
            hint=discover.suggestion(name, layouts()),
            where="--layout",
        )
    return name


def open_storage(
    name: str, device: DeviceMemory, tensors: tuple[RecurrentStateTensorSpec, ...], slots: int
) -> Storage:
    """`slots` slots for these tensors. Raises UsageError for the name, or OutOfMemory."""
    module = discover.load(__name__, check_layout(name).replace("-", "_"))
    assert module is not None  # noqa: S101 - the name was checked
    layout = SlotLayout.of(tensors)
    if layout.stride_bytes * slots >= _LARGEST:
        raise OutOfMemory(f"{slots} slots of {layout.stride_bytes} bytes fit no device")
    storage: Storage = module.STORAGE(device, layout, slots)
    return storage
