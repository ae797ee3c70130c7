"""What of the CUDA device can be tested without one: its refusals, and torch's errors as ours."""

from __future__ import annotations

import pytest
import torch

from ferrum_cli.errors import DeviceLost, EnvironmentFailure, OutOfMemory
from ferrum_cli.live.device.cuda import CudaDevice, _translated

# what torch says, and what it is to us
ERRORS = [
    (
        torch.cuda.OutOfMemoryError(
            "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 80 GiB"
        ),
        OutOfMemory,
        "CUDA out of memory",
    ),
    (RuntimeError("CUDA error: out of memory\nCompile with ..."), OutOfMemory, "CUDA error"),
    (
        RuntimeError("CUDA error: an illegal memory access was encountered\nCUDA kernels ..."),
        DeviceLost,
        "the device failed while copying: CUDA error: an illegal memory access was encountered",
    ),
    (RuntimeError("HIP error: unspecified launch failure"), DeviceLost, "HIP error"),
    (RuntimeError("shape mismatch"), RuntimeError, "shape mismatch"),
]


@pytest.mark.parametrize(("error", "kind", "words"), ERRORS)
def test_torchs_errors_are_told_apart(
    error: RuntimeError, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words) as raised, _translated("copying"):
        raise error
    assert type(raised.value) is kind
    assert "\n" not in str(raised.value)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_build_for_cpus_is_named_as_the_reason() -> None:
    with pytest.raises(EnvironmentFailure, match=f"torch {torch.__version__}".replace("+", ".")):
        CudaDevice()


def test_a_device_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(EnvironmentFailure, match="there is no cuda:5: this machine has 2"):
        CudaDevice(5)


def test_an_allocator_that_counts_no_bytes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_allocator_backend", lambda: "cudaMallocAsync")
    with pytest.raises(EnvironmentFailure, match="unset PYTORCH_ALLOC_CONF"):
        CudaDevice(0)
