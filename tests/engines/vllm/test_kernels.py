"""Which kernels vLLM chooses, as far as sizes hang on them (platforms/cuda.py, vLLM 0.33.0)."""

from __future__ import annotations

import pytest

from ferrum_cli.dtype import DType
from ferrum_cli.engines import Machine
from ferrum_cli.engines.vllm.kernels import (
    HOPPER,
    Device,
    attention_kernel,
    device_of,
    flashkda_prefill,
    gdn_prefill,
)

H100, A100, B200, SPARK, MI300X = (
    Device((9, 0)),
    Device((8, 0)),
    Device((10, 0)),
    Device((12, 1)),
    Device(None),
)
ALL = (9, 10, 12)


@pytest.mark.parametrize(
    ("machine", "device"),
    [
        (Machine(), Device(HOPPER, assumed=True)),
        (Machine(memory_bytes=1), Device(HOPPER, assumed=True)),
        (Machine(name="H100", compute_capability=(9, 0)), Device((9, 0))),
        (Machine(name="MI300X"), Device(None)),
    ],
)
def test_hopper_is_assumed_where_no_device_is_named(machine: Machine, device: Device) -> None:
    assert device_of(machine) == device


@pytest.mark.parametrize(
    ("device", "asked", "width", "majors", "kernel"),
    [
        (H100, "auto", 128, ALL, "flashinfer"),
        (H100, "auto", 64, ALL, "flashinfer"),
        (H100, "triton", 128, ALL, "triton"),
        (H100, "auto", 128, (), "triton"),
        (A100, "auto", 128, ALL, "triton"),
        (A100, "flashinfer", 128, ALL, "triton"),
        (B200, "auto", 128, ALL, "flashinfer"),
        (B200, "auto", 64, ALL, "triton"),
        (B200, "auto", 128, (9,), "triton"),
        (B200, "cutedsl", 128, ALL, "cutedsl"),
        (H100, "cutedsl", 128, ALL, "triton"),
        (SPARK, "auto", 128, ALL, "flashinfer"),
        (SPARK, "auto", 128, (9, 10), "triton"),
        (Device((8, 9)), "auto", 128, ALL, "triton"),
        (MI300X, "auto", 128, ALL, "triton"),
    ],
)
def test_gated_delta_nets_prefill_by_device(
    device: Device, asked: str, width: int, majors: tuple[int, ...], kernel: str
) -> None:
    assert gdn_prefill(device, asked, width, majors) == kernel


@pytest.mark.parametrize(
    ("device", "asked", "width", "dtype", "bound", "runs"),
    [
        (H100, "auto", 128, DType.BF16, -5.0, True),
        (B200, "flashkda", 128, DType.BF16, -5.0, True),
        (SPARK, "auto", 128, DType.BF16, -5.0, True),
        (A100, "auto", 128, DType.BF16, -5.0, False),
        (H100, "triton", 128, DType.BF16, -5.0, False),
        (H100, "auto", 64, DType.BF16, -5.0, False),
        (H100, "auto", 128, DType.FP16, -5.0, False),
        (H100, "auto", 128, DType.BF16, None, False),
    ],
)
def test_flashkda_needs_a_device_a_width_a_dtype_and_a_bounded_gate(
    device: Device, asked: str, width: int, dtype: DType, bound: float | None, runs: bool
) -> None:
    assert flashkda_prefill(device, asked, width, dtype, bound) == runs


@pytest.mark.parametrize(
    ("device", "latent", "sparse", "quantized", "head_dim", "name", "smallest"),
    [
        (H100, False, False, False, 128, "FLASH_ATTN", 16),
        (A100, False, False, False, 128, "FLASH_ATTN", 16),
        (B200, False, False, False, 128, "FLASHINFER", 16),
        (MI300X, False, False, False, 128, "TRITON_ATTN", 16),
        (H100, True, False, False, 576, "FLASH_ATTN_MLA", 16),
        (H100, True, False, True, 576, "FLASHMLA", 64),
        (B200, True, False, False, 576, "FLASHINFER_MLA", 32),
        (A100, True, False, False, 576, "TRITON_MLA", 1),
        (H100, True, True, False, 576, "FLASHMLA_SPARSE", 64),
        (B200, True, True, True, 576, "FLASHINFER_MLA_SPARSE", 32),
    ],
)
def test_the_attention_back_end_by_device(
    device: Device,
    latent: bool,
    sparse: bool,
    quantized: bool,
    head_dim: int,
    name: str,
    smallest: int,
) -> None:
    kernel = attention_kernel(
        device, asked=None, latent=latent, sparse=sparse, quantized=quantized, head_dim=head_dim
    )
    assert (kernel.name, kernel.smallest_block) == (name, smallest)


def test_flash_attention_reads_wide_heads_in_pages_of_128_on_blackwell() -> None:
    kernel = attention_kernel(
        B200, asked="FLASH_ATTN", latent=False, sparse=False, quantized=False, head_dim=256
    )
    assert kernel.smallest_block == 128


def test_a_back_end_that_was_asked_for_is_taken() -> None:
    kernel = attention_kernel(
        H100, asked="TRITON_MLA", latent=True, sparse=False, quantized=False, head_dim=576
    )
    assert kernel.name == "TRITON_MLA"
