"""The check for a GPU, run where there is one; elsewhere its steps run on the simulated device."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("needs the extra 'live'", allow_module_level=True)

import torch

from ferrum_cli.live.check import Check, Verdict
from ferrum_cli.live.device.simulated import SimulatedDevice
from tests.gpu import check

if TYPE_CHECKING:
    from ferrum_cli.live.device import DeviceMemory


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_everything_that_only_a_gpu_can_show() -> None:
    assert check.main() == 0


@pytest.mark.parametrize(
    "step", [check.layouts_take_what_is_predicted, check.copies_and_streams_are_in_order]
)
def test_the_steps_that_need_no_gpu_hold_on_the_simulated_device(
    step: Callable[[DeviceMemory], Iterator[Check]],
) -> None:
    backed = step is check.copies_and_streams_are_in_order
    found = list(step(SimulatedDevice(backed=backed)))
    assert found
    assert [check.name for check in found if check.verdict is Verdict.FAILS] == []


def test_the_models_state_is_that_of_qwen3_next() -> None:
    assert check.qwen3_next().slot_bytes == 77_266_944
