"""Which kernels vLLM chooses on a device, as far as the cache's layout hangs on the choice.

platforms/cuda.py (order of attention backends), get_supported_kernel_block_sizes of each backend,
layers/mamba/gdn/qwen_gdn_linear_attn.py and models/kimi_k3/nvidia/kda.py, vLLM 0.33.0. It knows
nothing about bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import Machine

HOPPER = (9, 0)
_DATACENTRE_BLACKWELL, _THOR, _CONSUMER_BLACKWELL = 10, 11, 12
_BLACKWELLS = (_DATACENTRE_BLACKWELL, _CONSUMER_BLACKWELL)
DEFAULT_BLOCK_SIZE = 16

_SMALLEST_BLOCKS: Mapping[str, int] = {
    "FLASH_ATTN": 16,
    "FLASHINFER": 16,
    "TRITON_ATTN": 16,
    "FLEX_ATTENTION": 16,
    "ROCM_ATTN": 16,
    "ROCM_AITER_FA": 16,
    "FLASH_ATTN_MLA": 16,
    "FLASHMLA": 64,
    "FLASHINFER_MLA": 32,
    "CUTLASS_MLA": 128,
    "TRITON_MLA": 1,
    "FLASHMLA_SPARSE": 64,
    "FLASHINFER_MLA_SPARSE": 32,
}
"""Tokens of the smallest block each attention backend takes; others are taken for 16."""

_WIDE_HEAD = 256
_WIDE_HEAD_BLOCK = 128
"""FlashAttention 4 reads heads of 256 in pages of 128 tokens (SM100 and SM110)."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device by its CUDA compute capability; None is another vendor's."""

    capability: tuple[int, int] | None
    assumed: bool = False
    """Whether nothing was said about the device, so that Hopper is assumed."""

    @property
    def major(self) -> int:
        """The capability's first number, 0 where there is none."""
        return self.capability[0] if self.capability else 0


def device_of(machine: Machine) -> Device:
    """The device that was given; Hopper where none was."""
    if machine.compute_capability is not None:
        return Device(machine.compute_capability)
    return Device(None) if machine.name is not None else Device(HOPPER, assumed=True)


@dataclass(frozen=True, slots=True)
class AttentionKernel:
    """An attention backend and the tokens of its smallest block."""

    name: str
    smallest_block: int

    @property
    def preferred_block(self) -> int:
        """The block size where the user gives none: 16 if the backend takes it."""
        if DEFAULT_BLOCK_SIZE % self.smallest_block == 0:
            return DEFAULT_BLOCK_SIZE
        return self.smallest_block


def attention_kernel(
    device: Device,
    *,
    asked: str | None,
    latent: bool,
    sparse: bool,
    quantized: bool,
    head_dim: int,
) -> AttentionKernel:
    """The backend that was asked for, or the device's first."""
    name = asked or _first(device, latent=latent, sparse=sparse, quantized=quantized)
    block = _SMALLEST_BLOCKS.get(name, DEFAULT_BLOCK_SIZE)
    wide = head_dim == _WIDE_HEAD and device.major in (_DATACENTRE_BLACKWELL, _THOR)
    if name == "FLASH_ATTN" and wide:
        block = _WIDE_HEAD_BLOCK
    return AttentionKernel(name, block)


def _first(device: Device, *, latent: bool, sparse: bool, quantized: bool) -> str:
    if sparse:
        flashinfer = device.major == _DATACENTRE_BLACKWELL and quantized
        return "FLASHINFER_MLA_SPARSE" if flashinfer else "FLASHMLA_SPARSE"
    if latent:
        return _first_latent(device, quantized)
    if device.capability is None:
        return "TRITON_ATTN"
    return "FLASHINFER" if device.major == _DATACENTRE_BLACKWELL else "FLASH_ATTN"


def _first_latent(device: Device, quantized: bool) -> str:
    if device.major == _DATACENTRE_BLACKWELL:
        return "FLASHINFER_MLA"
    if device.major == HOPPER[0]:
        return "FLASHMLA" if quantized else "FLASH_ATTN_MLA"
    return "TRITON_MLA"


def gdn_prefill(
    device: Device, asked: str, key_head_dim: int, majors: tuple[int, ...]
) -> Literal["flashinfer", "cutedsl", "triton"]:
    """The kernel of Gated DeltaNet's prefill; a CUDA runtime of 13 or newer is assumed.

    `majors` are those of the compute capabilities on which a version runs FlashInfer's.
    """
    wide = key_head_dim == 128  # noqa: PLR2004 - the only width the kernels take on Blackwell
    capable = device.capability == HOPPER or (wide and device.major in _BLACKWELLS)
    if asked in ("auto", "flashinfer") and capable and device.major in majors:
        return "flashinfer"
    if asked == "cutedsl" and device.major == _DATACENTRE_BLACKWELL and wide:
        return "cutedsl"
    return "triton"


def flashkda_prefill(
    device: Device, asked: str, head_dim: int, model_dtype: DType, gate_lower_bound: float | None
) -> bool:
    """Whether FlashKDA runs KDA's prefill: Hopper or Blackwell, BF16, 128 a head, bounded gate."""
    return (
        asked in ("auto", "flashkda")
        and device.major in (HOPPER[0], _DATACENTRE_BLACKWELL, _CONSUMER_BLACKWELL)
        and head_dim == 128  # noqa: PLR2004 - the only width the kernel takes
        and model_dtype is DType.BF16
        and gate_lower_bound is not None
    )
