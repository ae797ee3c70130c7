"""Specs that tests of real memory use: small ones, Qwen3-Next, and every shipped model."""

from __future__ import annotations

from functools import cache

from ferrum_cli.contract import (
    DataType,
    Device,
    RecurrentStateSpec,
    RecurrentStateTensorSpec,
    RequestId,
    contract_tensor,
)
from ferrum_cli.describe import shipped
from ferrum_cli.describe.source import read_model
from ferrum_cli.engines.native.layout import state_tensors
from ferrum_cli.expand import expand

Tensors = tuple[RecurrentStateTensorSpec, ...]


def tensors_of(*shapes: tuple[str, tuple[int, ...], DataType], layers: int = 1) -> Tensors:
    """The same tensors in each of `layers` layers."""
    return tuple(
        RecurrentStateTensorSpec.new(layer, name, shape, dtype)
        for layer in range(layers)
        for name, shape, dtype in shapes
    )


CONV_AND_DELTA = tensors_of(
    ("conv_state", (6, 3), DataType.BF16), ("delta_state", (2, 4, 4), DataType.FP32), layers=3
)
"""Three layers of a small Gated DeltaNet: 3 x (36 + 128) bytes."""
OTHER = tensors_of(("ssm_state", (8, 16), DataType.FP32), layers=2)
"""Another layout: 2 x 512 bytes."""
QWEN3_NEXT = tensors_of(
    ("conv_state", (8192, 3), DataType.BF16),
    ("delta_state", (32, 128, 128), DataType.FP32),
    layers=36,
)
"""77,266,944 bytes in 72 tensors."""
EVERY_DTYPE = tuple(
    RecurrentStateTensorSpec.new(0, dtype.value.lower(), (3, 5), dtype) for dtype in DataType
)
ODD = tensors_of(
    ("scalar", (), DataType.FP32),
    ("none", (0, 4), DataType.FP32),
    ("bytes", (7,), DataType.UINT8),
    ("halves", (5, 3), DataType.FP16),
)
"""A scalar, a tensor without elements, and sizes that align to nothing."""


def request(number: int) -> RequestId:
    """The request of this number, the same in every run."""
    return RequestId(f"00000000-0000-4000-8000-{number:012x}")


def spec(
    number: int, tensors: Tensors = CONV_AND_DELTA, slots: int = 1, device: Device | None = None
) -> RecurrentStateSpec:
    """What request `number` asks for."""
    return RecurrentStateSpec(
        request_id=request(number),
        num_layers=1 + max((t.layer_index for t in tensors), default=0),
        tensors=tensors,
        device=device or Device.cuda(0),
        max_batch_slots=slots,
    )


@cache
def shipped_tensors(name: str) -> Tensors:
    """The state of one slot of a shipped model, by the contract's rules."""
    description = read_model(name)
    found = state_tensors(expand(description).layers, 1, description.dtype)
    return tuple(contract_tensor(t.layer_index, t.name, t.shape, t.dtype) for t in found)


def shipped_models() -> list[str]:
    """Shipped models that keep recurrent state."""
    return [name for name in shipped.names() if shipped_tensors(name)]
