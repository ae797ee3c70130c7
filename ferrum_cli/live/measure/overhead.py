"""What each layout takes on torch's allocator beyond the estimate.

It is computed, not timed. It knows nothing about this machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.layout import layouts, open_storage
from ferrum_cli.live.measure._measurement import Measurement
from ferrum_cli.live.model import StateModel

_LARGE_ENOUGH = 2**60


def overhead(model: StateModel, slots: int) -> Iterator[Measurement]:
    """Reserved bytes beyond the estimate of so many slots, against the estimate."""
    estimate = model.slot_bytes * slots
    for layout in layouts():
        device = SimulatedDevice(_LARGE_ENOUGH, backed=False)
        open_storage(layout, device, model.tensors, slots).take(slots)
        reserved = device.stats().reserved_bytes or 0
        name = f"overhead_{layout.replace('-', '_')}"
        yield Measurement(name, reserved - estimate, "bytes", estimate)
