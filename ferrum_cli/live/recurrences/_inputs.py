"""What the projections of a layer would compute for a token, without weights: numbers from a hash.

They are small multiples of powers of two, exact in every float type, so that the state alone is
rounded. It knows nothing about blocks.
"""

from __future__ import annotations

import math

import torch

_STEP = 0x9E3779B1


class Draw:
    """Numbers for one token in one layer: each call draws the next ones, always in one order."""

    def __init__(self, seed: int, token: int, device: torch.device) -> None:
        self.token = token
        self._seed = seed
        self._device = device

    def values(self, *shape: int) -> torch.Tensor:
        """Inputs: multiples of 1/128 from -1 to 1."""
        return (self._integers(shape, 256) - 128) / 128

    def unit(self, *shape: int) -> torch.Tensor:
        """Keys: vectors along the last axis, none longer than 1, as normalised keys are."""
        scale = 2.0 ** math.ceil(math.log2(max(1, shape[-1])) / 2)
        return self.values(*shape) / scale

    def decay(self, *shape: int) -> torch.Tensor:
        """Forget gates: from 15/16 to just below 1."""
        return 1 - (self._integers(shape, 64) + 1) / 1024

    def gate(self, *shape: int) -> torch.Tensor:
        """Write gates: from 1/256 to 1."""
        return (self._integers(shape, 256) + 1) / 256

    def _integers(self, shape: tuple[int, ...], below: int) -> torch.Tensor:
        """float64 numbers from 0 to below - 1; `below` is a power of two up to 256."""
        self._seed = (self._seed * 0x5851F42D + 0x14057B7E) % 2**31
        places = torch.arange(math.prod(shape), device=self._device)
        words = ((places + self._seed) * _STEP) % 2**32
        words = ((words ^ (words >> 15)) * 0x2C1B3C6D) % 2**32
        return (words >> 16).bitwise_and(below - 1).to(torch.float64).view(shape)
