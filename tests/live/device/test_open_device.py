"""Devices by their names."""

from __future__ import annotations

import pytest
import torch

from ferrum_cli.errors import EnvironmentFailure, UsageError
from ferrum_cli.live.device import open_device


@pytest.mark.parametrize(("name", "shown"), [("cpu", "cpu"), ("simulated", "cuda:0")])
def test_a_device_is_opened_by_its_name(name: str, shown: str) -> None:
    device = open_device(name)
    assert device.kind == name
    assert str(device.where()) == shown


def test_the_simulated_device_can_do_without_memory() -> None:
    assert not open_device("simulated", backed=False).backed


@pytest.mark.parametrize("name", ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "CPU", "cuda:1000"])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="--device: unknown device"):
        open_device(name)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_missing_gpu_is_said_not_simulated() -> None:
    with pytest.raises(EnvironmentFailure, match=r"--device: there is no CUDA device: torch"):
        open_device("cuda:0")
