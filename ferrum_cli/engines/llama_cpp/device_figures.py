"""Figures of what every device and the host hold, with formula and source.

It knows nothing about how much memory they have.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.engines._engine import Figure
from ferrum_cli.engines._formula import by_rank, summed
from ferrum_cli.engines.llama_cpp.devices import device_count, splits_tensors
from ferrum_cli.engines.llama_cpp.placement import HOST
from ferrum_cli.engines.llama_cpp.requirement import Deployment


def device_figures(deployment: Deployment, version: str) -> Iterator[Figure]:
    """Weights, state and KV of each device, and all that lies on the host."""
    shares = deployment.shares(deployment.launch.sizes())
    devices = sorted(device for device in shares if device != HOST)
    source = f"{version}, load_tensors and the layers' devices"
    weights = [shares[device].weights for device in devices]
    formulas = [f"{size} B of tensors on the device" for size in weights]
    yield from by_rank("weights_bytes_per_rank", weights, formulas, source)
    state = [shares[device].state for device in devices]
    formulas = [_state(deployment, device) for device in devices]
    yield from by_rank("rs_bytes_per_rank", state, formulas, source)
    kv = [shares[device].kv for device in devices]
    formulas = [_kv(deployment, device) for device in devices]
    yield from by_rank("kv_bytes_per_rank", kv, formulas, source)
    host = shares[HOST]
    formula = f"{host.weights} B of weights + {host.state} B of state + {host.kv} B of KV"
    yield Figure("host_bytes", host.total, formula, source)


def _state(deployment: Deployment, device: int) -> str:
    sizes = [
        (layer, sum(parts))
        for context in deployment.contexts(deployment.launch.sizes())
        for layer, *parts in context.state_layers
    ]
    return _on(deployment, device, sizes)


def _kv(deployment: Deployment, device: int) -> str:
    sizes = [
        (layer, k + v)
        for context in deployment.contexts(deployment.launch.sizes())
        for cache in context.caches
        for layer, k, v in cache.layers
    ]
    return _on(deployment, device, sizes)


def _on(deployment: Deployment, device: int, sizes: list[tuple[int, int]]) -> str:
    """The layers of a device, or its part of all where tensors are split."""
    split = splits_tensors(deployment.question)
    place = 0 if split else device
    mine = [size for layer, size in sizes if deployment.placement.caches_of(layer) == place]
    if not split:
        return summed(mine, "layers", "B")
    return f"⌈{sum(mine)} B / {device_count(deployment.question)} devices⌉"
