"""Element types of state tensors: the variants of the Rust `DataType`.

It knows nothing about the wider types that engines hold; those are `ferrum_cli.dtype`.
"""

from __future__ import annotations

from enum import Enum

from ferrum_cli.contract.strict import variant


class DataType(Enum):
    """An element type; the value is the variant's name, which is also its JSON."""

    FP32 = "FP32"
    FP16 = "FP16"
    BF16 = "BF16"
    FP8 = "FP8"
    INT32 = "INT32"
    INT16 = "INT16"
    INT8 = "INT8"
    INT4 = "INT4"
    UINT32 = "UINT32"
    UINT16 = "UINT16"
    UINT8 = "UINT8"
    UINT4 = "UINT4"
    BOOL = "BOOL"

    def size_bytes(self) -> int:
        """Bytes of one element; packed types count one byte at least."""
        return _SIZE_BYTES[self]

    def is_float(self) -> bool:
        """Whether it is a floating-point type, FP8 included."""
        return self in _FLOATS

    def is_integer(self) -> bool:
        """Whether it is a signed or unsigned integer type; BOOL is none."""
        return self in _INTEGERS

    def is_quantized(self) -> bool:
        """Whether it is a type of reduced precision; the contract does not count UINT8."""
        return self in _QUANTIZED

    def __str__(self) -> str:
        return self.value.lower()

    def to_json(self) -> str:
        """The variant's name, such as `"BF16"`."""
        return self.value

    @classmethod
    def from_json(cls, obj: object, path: str = "") -> DataType:
        """Read a variant's name."""
        return variant(obj, cls, path)


_SIZE_BYTES = {
    DataType.FP32: 4,
    DataType.FP16: 2,
    DataType.BF16: 2,
    DataType.FP8: 1,
    DataType.INT32: 4,
    DataType.INT16: 2,
    DataType.INT8: 1,
    DataType.INT4: 1,
    DataType.UINT32: 4,
    DataType.UINT16: 2,
    DataType.UINT8: 1,
    DataType.UINT4: 1,
    DataType.BOOL: 1,
}
_FLOATS = frozenset({DataType.FP32, DataType.FP16, DataType.BF16, DataType.FP8})
_INTEGERS = frozenset(DataType) - _FLOATS - {DataType.BOOL}
_QUANTIZED = frozenset({DataType.FP8, DataType.INT8, DataType.INT4, DataType.UINT4})
