"""One state tensor of one layer and slot: the Rust `RecurrentStateTensorSpec`.

It knows nothing about what the tensor is for, and sets no limit on sizes beyond `usize`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ferrum_cli.contract.datatype import DataType
from ferrum_cli.contract.strict import instance, record, text, usize, usizes
from ferrum_cli.dtype import DType
from ferrum_cli.quantity import MAX_USIZE, checked_product, saturating_mul


@dataclass(frozen=True, slots=True, init=False)
class RecurrentStateTensorSpec:
    """A state tensor owned by a model layer."""

    layer_index: int
    """The layer that owns it."""
    name: str
    """The backend's or model's name for it, such as `delta_state`."""
    shape: tuple[int, ...]
    """Without any request or slot dimension; an empty shape is a scalar."""
    dtype: DataType
    """How it is stored."""

    def __init__(
        self, *, layer_index: int, name: str, shape: Sequence[int], dtype: DataType
    ) -> None:
        put = object.__setattr__
        put(self, "layer_index", usize(layer_index, "layer_index"))
        put(self, "name", text(name, "name"))
        put(self, "shape", usizes(shape, "shape"))
        put(self, "dtype", instance(dtype, DataType, "dtype"))

    @classmethod
    def new(
        cls, layer_index: int, name: str, shape: Sequence[int], dtype: DataType
    ) -> RecurrentStateTensorSpec:
        """Rust's constructor, whose arguments go by position."""
        return cls(layer_index=layer_index, name=name, shape=shape, dtype=dtype)

    def checked_num_elements(self) -> int | None:
        """Elements of the shape, or None where the product leaves `usize` on the way."""
        return checked_product(self.shape)

    def num_elements(self) -> int:
        """Elements of the shape, 2⁶⁴-1 where the product overflows."""
        elements = self.checked_num_elements()
        return MAX_USIZE if elements is None else elements

    def to_json(self) -> dict[str, object]:
        """Serde's form."""
        return {
            "layer_index": self.layer_index,
            "name": self.name,
            "shape": list(self.shape),
            "dtype": self.dtype.to_json(),
        }

    @classmethod
    def from_json(cls, obj: object, path: str = "") -> RecurrentStateTensorSpec:
        """Read serde's form; missing and unknown fields are refused."""
        fields = record(obj, path, ("layer_index", "name", "shape", "dtype"))
        return cls(
            layer_index=usize(*fields["layer_index"]),
            name=text(*fields["name"]),
            shape=usizes(*fields["shape"]),
            dtype=DataType.from_json(*fields["dtype"]),
        )


def contract_tensor(
    layer_index: int, name: str, shape: Sequence[int], dtype: DType
) -> RecurrentStateTensorSpec:
    """A tensor that an engine holds, as the contract can say it.

    The contract has no 64-bit type: an INT64 tensor is UINT32 with its last dimension doubled, and
    a scalar becomes two elements. The doubling saturates, so that bytes which overflow still do.
    """
    if dtype is not DType.INT64:
        return RecurrentStateTensorSpec.new(layer_index, name, shape, DataType[dtype.name])
    *leading, last = usizes(shape, "shape") or (1,)
    halves = (*leading, saturating_mul(last, 2))
    return RecurrentStateTensorSpec.new(layer_index, name, halves, DataType.UINT32)
