"""Bytes seen as elements: the contract's dtypes in torch's names, and views over flat bytes.

It knows nothing about slots.
"""

from __future__ import annotations

import math

import torch

from ferrum_cli.contract import DataType

TORCH_DTYPES = {
    DataType.FP32: torch.float32,
    DataType.FP16: torch.float16,
    DataType.BF16: torch.bfloat16,
    DataType.FP8: torch.float8_e4m3fn,
    DataType.INT32: torch.int32,
    DataType.INT16: torch.int16,
    DataType.INT8: torch.int8,
    DataType.INT4: torch.int8,
    DataType.UINT32: torch.uint32,
    DataType.UINT16: torch.uint16,
    DataType.UINT8: torch.uint8,
    DataType.UINT4: torch.uint8,
    DataType.BOOL: torch.bool,
}
"""4-bit types count one byte at least in the contract, so that each element has its own."""


def typed(
    flat: torch.Tensor, dtype: DataType, shape: tuple[int, ...], start: int = 0
) -> torch.Tensor:
    """A contiguous tensor over `flat` (uint8, one dimension) from byte `start` on."""
    size = math.prod(shape) * dtype.size_bytes()
    return flat.narrow(0, start, size).view(TORCH_DTYPES[dtype]).view(shape)


def strided(
    flat: torch.Tensor,
    dtype: DataType,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    start: int,
) -> torch.Tensor:
    """A view over `flat` whose strides and start, in bytes, are multiples of the element's size."""
    width = dtype.size_bytes()
    elements = flat.view(TORCH_DTYPES[dtype])
    return torch.as_strided(elements, shape, [s // width for s in strides], start // width)


def contiguous_strides(shape: tuple[int, ...], dtype: DataType) -> tuple[int, ...]:
    """Strides in bytes of a contiguous tensor."""
    strides, step = [], dtype.size_bytes()
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
