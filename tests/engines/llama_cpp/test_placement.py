"""Layers over devices, and with them state, KV and weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.describe.description import Description
from ferrum_cli.engines.llama_cpp.placement import HOST, place
from ferrum_cli.engines.llama_cpp.start_lines import DeviceNames, start_lines
from ferrum_cli.errors import ShardingError
from ferrum_cli.expand import Parallel
from tests.engines.llama_cpp.asking import answered, deployed, model

QWEN35_4B = replace(model("Qwen__Qwen3.5-4B"), draft=None)
QWEN35_27B = replace(model("Qwen__Qwen3.5-27B"), draft=None)
"""As they were converted before their draft layers were."""


def counts(layers: int, gpu_layers: int | None, shares: list[float]) -> list[int]:
    """Layers on the host and on each device, the output layer among them."""
    found = place(layers, gpu_layers, shares, caches_on_host=False)
    devices = [*found.layers, found.output]
    return [devices.count(device) for device in (HOST, *range(len(shares)))]


@pytest.mark.parametrize(
    ("layers", "gpu_layers", "shares", "expected"),
    [
        (32, None, [1.0], [0, 33]),
        (32, 0, [1.0], [33, 0]),
        (32, 1, [1.0], [32, 1]),
        (32, 20, [1.0], [13, 20]),
        (32, 99, [1.0], [0, 33]),
        (32, None, [1.0, 1.0], [0, 17, 16]),
        (64, None, [1.0, 1.0, 1.0], [0, 22, 22, 21]),
        (32, None, [3.0, 1.0], [0, 25, 8]),
        (32, 16, [3.0, 1.0], [17, 12, 4]),
        (32, None, [0.0, 1.0], [0, 0, 33]),
        (32, None, [0.0, 0.0], [0, 17, 16]),
    ],
)
def test_layers_are_spread_by_their_shares(
    layers: int, gpu_layers: int | None, shares: list[float], expected: list[int]
) -> None:
    """A layer goes to the first device whose share ends behind it (upper_bound)."""
    assert counts(layers, gpu_layers, shares) == expected


@given(
    st.integers(1, 200),
    st.none() | st.integers(0, 300),
    st.lists(st.floats(0, 1e6, width=32), min_size=1, max_size=8),
)
def test_every_layer_lies_somewhere_and_devices_come_in_order(
    layers: int, gpu_layers: int | None, shares: list[float]
) -> None:
    found = place(layers, gpu_layers, shares, caches_on_host=False)
    devices = [*found.layers, found.output]
    assert devices == sorted(devices)
    wanted = layers + 1 if gpu_layers is None else gpu_layers
    assert found.offloaded == min(wanted, layers + 1)


def buffers(described: Description, options: dict[str, Any]) -> dict[tuple[str, str], str]:
    """The sizes that the log gives for state and KV on each device."""
    lines = start_lines(deployed(described, options), DeviceNames(device="Vulkan"))
    found = {}
    for line in lines:
        if line.key in {"kv_buffer", "state_buffer"}:
            words = line.text.split()
            found[words[0].strip(":"), words[1]] = words[-2]
    return found


@pytest.mark.parametrize(
    ("described", "options", "expected"),
    [
        (  # a public log: 20/33 layers offloaded, n_ctx 8192
            QWEN35_4B,
            {"n_gpu_layers": 20, "ctx_size": 8192, "parallel": 1},
            ("96.00", "160.00", "20.94", "29.31"),
        ),
        (  # a public log: 131072 cells over CPU and one device
            QWEN35_27B,
            {"n_gpu_layers": 26, "ctx_size": 131072, "parallel": 1},
            ("4608.00", "3584.00", "93.52", "56.11"),
        ),
    ],
)
def test_layers_that_are_not_offloaded_keep_their_state_on_the_host(
    described: Description, options: dict[str, Any], expected: tuple[str, ...]
) -> None:
    found = buffers(described, options)
    keys = ("llama_kv_cache", "llama_memory_recurrent")
    assert tuple(found[key, device] for key in keys for device in ("CPU", "Vulkan0")) == expected


def test_without_offload_of_kv_state_lies_on_the_host_too() -> None:
    for options in ({"no_kv_offload": True}, {"kv_offload": False}):
        layout = answered(QWEN35_4B, {"ctx_size": 8192, "parallel": 1, **options}).layout
        assert layout["rs_bytes_per_rank"] == [0]
        assert layout["kv_bytes_per_rank"] == [0]
        assert layout["host_bytes"] >= layout["rs_bytes_S"] + layout["kv_bytes"]
        assert sum(layout["weights_bytes_per_rank"]) > 0


@pytest.mark.parametrize("devices", [1, 2, 3, 5])
def test_devices_share_what_one_device_would_hold(devices: int) -> None:
    one = answered(QWEN35_4B, {"ctx_size": 8192, "parallel": 1}).layout
    many = answered(QWEN35_4B, {"ctx_size": 8192, "parallel": 1}, parallel=Parallel(pp=devices))
    for key in ("rs_bytes_per_rank", "kv_bytes_per_rank", "weights_bytes_per_rank"):
        assert len(many.layout[key]) == devices
        assert sum(many.layout[key]) == sum(one[key])


def test_a_tensor_split_names_as_many_devices_as_it_has_shares() -> None:
    options = {"tensor_split": [3.0, 1.0], "ctx_size": 8192, "parallel": 1}
    layout = answered(QWEN35_4B, options).layout
    state = layout["rs_bytes_per_rank"]
    assert len(state) == 2
    # 25 of 33 layers, the output being the last: 19 of their first 25 layers are recurrent.
    assert state[0] * 5 == state[1] * 19


def test_split_mode_none_uses_one_device() -> None:
    options = {"tensor_split": [3.0, 1.0], "split_mode": "none"}
    assert len(answered(QWEN35_4B, options).layout["rs_bytes_per_rank"]) == 1


def test_tensors_that_are_split_lie_on_all_devices_alike() -> None:
    options = {"ctx_size": 8192, "parallel": 1}
    one = answered(QWEN35_4B, options).layout
    two = answered(QWEN35_4B, options, parallel=Parallel(tp=2))
    assert two.layout["rs_bytes_per_rank"] == [sum(one["rs_bytes_per_rank"]) // 2] * 2
    assert "split-mode-not-measured" in {finding.code for finding in two.findings}


def test_layers_and_tensors_are_not_split_at_once() -> None:
    with pytest.raises(ShardingError, match="splits tensors or layers"):
        answered(QWEN35_4B, parallel=Parallel(tp=2, pp=2))
