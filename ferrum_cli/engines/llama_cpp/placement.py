"""Which device a layer lies on, and with it its weights, state and KV.

Layers are counted from the first that is offloaded; a share of 3,1 gives the first device three
quarters of them. The arithmetic is float32, as in load_tensors (src/llama-model.cpp of 0c1e57098).
It knows nothing about bytes.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

HOST = -1
"""In place of a device's number."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The device of every layer, and of the output layer behind the last."""

    layers: tuple[int, ...]
    output: int
    devices: int
    caches_on_host: bool = False

    def weights_of(self, layer: int) -> int:
        """The device of a layer's weights."""
        return self.layers[layer]

    def caches_of(self, layer: int) -> int:
        """The device of a layer's state and KV."""
        return HOST if self.caches_on_host else self.layers[layer]

    @property
    def offloaded(self) -> int:
        """Layers on devices, the output layer counted."""
        return sum(device != HOST for device in (*self.layers, self.output))


def place(
    all_layers: int, gpu_layers: int | None, shares: Sequence[float], *, caches_on_host: bool
) -> Placement:
    """Spread layers over as many devices as there are shares; None offloads every layer."""
    wanted = all_layers + 1 if gpu_layers is None else gpu_layers
    first = max(all_layers + 1 - wanted, 0)
    active = min(wanted, all_layers + 1)
    limits = _limits(shares)
    devices = [_device(layer, first, active, limits) for layer in range(all_layers + 1)]
    return Placement(tuple(devices[:-1]), devices[-1], len(shares), caches_on_host)


def _device(layer: int, first: int, active: int, limits: list[float]) -> int:
    if layer < first or layer - first >= active:
        return HOST
    return min(bisect_right(limits, _f32((layer - first) / active)), len(limits) - 1)


def _limits(shares: Sequence[float]) -> list[float]:
    """Where each device's share ends, from 0 to 1; shares that are all 0 are equal."""
    parts = [1.0] * len(shares) if not any(shares) else list(shares)
    total = 0.0
    sums = []
    for part in parts:
        total = _f32(total + _f32(part))
        sums.append(total)
    return [_f32(end / total) for end in sums]


def _f32(number: float) -> float:
    """The nearest float32."""
    rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    return rounded
