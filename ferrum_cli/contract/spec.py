"""What one request asks for: the Rust `RecurrentStateSpec`.

It knows nothing about budgets; whether the bytes fit is `ferrum_cli.quantity.fits`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ferrum_cli.contract.device import Device
from ferrum_cli.contract.request_id import RequestId
from ferrum_cli.contract.strict import instance, record, sequence, usize
from ferrum_cli.contract.tensor import RecurrentStateTensorSpec
from ferrum_cli.quantity import saturating_add, saturating_mul


@dataclass(frozen=True, slots=True, init=False)
class RecurrentStateSpec:
    """An allocation request for recurrent state."""

    request_id: RequestId
    """The request this allocation is for."""
    num_layers: int
    """Model layers that may carry recurrent state."""
    tensors: tuple[RecurrentStateTensorSpec, ...]
    """The state tensors to allocate, each once per slot."""
    device: Device
    """Where to allocate them."""
    max_batch_slots: int
    """Request or batch slots that the handle reserves."""
    _estimate: int = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        *,
        request_id: RequestId,
        num_layers: int,
        tensors: Sequence[RecurrentStateTensorSpec],
        device: Device,
        max_batch_slots: int,
    ) -> None:
        put = object.__setattr__
        put(self, "request_id", instance(request_id, RequestId, "request_id"))
        put(self, "num_layers", usize(num_layers, "num_layers"))
        put(self, "tensors", _tensors(tensors))
        put(self, "device", instance(device, Device, "device"))
        put(self, "max_batch_slots", usize(max_batch_slots, "max_batch_slots"))
        # Summed once: managers and policies ask for it at every decision.
        put(self, "_estimate", saturating_mul(_bytes_per_slot(self.tensors), self.max_batch_slots))

    def estimated_memory_bytes(self) -> int:
        """Bytes of all tensors in all slots; 2⁶⁴-1 says that the sum overflowed."""
        return self._estimate

    def to_json(self) -> dict[str, object]:
        """Serde's form."""
        return {
            "request_id": self.request_id.to_json(),
            "num_layers": self.num_layers,
            "tensors": [tensor.to_json() for tensor in self.tensors],
            "device": self.device.to_json(),
            "max_batch_slots": self.max_batch_slots,
        }

    @classmethod
    def from_json(cls, obj: object, path: str = "") -> RecurrentStateSpec:
        """Read serde's form; missing and unknown fields are refused."""
        names = ("request_id", "num_layers", "tensors", "device", "max_batch_slots")
        fields = record(obj, path, names)
        items, at = fields["tensors"]
        return cls(
            request_id=RequestId.from_json(*fields["request_id"]),
            num_layers=usize(*fields["num_layers"]),
            tensors=[
                RecurrentStateTensorSpec.from_json(item, f"{at}[{i}]")
                for i, item in enumerate(sequence(items, at))
            ],
            device=Device.from_json(*fields["device"]),
            max_batch_slots=usize(*fields["max_batch_slots"]),
        )


def _tensors(tensors: object) -> tuple[RecurrentStateTensorSpec, ...]:
    checked = tuple(
        instance(tensor, RecurrentStateTensorSpec, f"tensors[{i}]")
        for i, tensor in enumerate(sequence(tensors, "tensors"))
    )
    # A tuple stays itself: the specs of one model share it, and a manager knows them by it.
    return tensors if isinstance(tensors, tuple) else checked


def _bytes_per_slot(tensors: tuple[RecurrentStateTensorSpec, ...]) -> int:
    total = 0
    for tensor in tensors:
        size = saturating_mul(tensor.num_elements(), tensor.dtype.size_bytes())
        total = saturating_add(total, size)
    return total
