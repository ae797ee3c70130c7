"""Element types of weights, state and KV cache: names, spellings and widths in bytes.

It is wider than the contract's `DataType`, because engines hold types that the contract has no
name for (int64 in Qwen4Exp's n-gram context). It knows nothing about models or engines.
"""

from __future__ import annotations

from enum import Enum

from ferrum_cli.errors import InputError


class DType(Enum):
    """An element type; the value is torch's name and the width in bytes."""

    FP32 = ("float32", 4)
    FP16 = ("float16", 2)
    BF16 = ("bfloat16", 2)
    FP8 = ("float8_e4m3fn", 1)
    INT64 = ("int64", 8)
    INT32 = ("int32", 4)
    UINT32 = ("uint32", 4)
    INT16 = ("int16", 2)
    UINT16 = ("uint16", 2)
    INT8 = ("int8", 1)
    UINT8 = ("uint8", 1)
    BOOL = ("bool", 1)

    @property
    def torch_name(self) -> str:
        """The name as torch and the engines print it, such as `bfloat16`."""
        return self.value[0]

    @property
    def size_bytes(self) -> int:
        """Bytes of one element."""
        return self.value[1]

    @classmethod
    def parse(cls, text: str) -> DType:
        """Read `BF16`, `bf16`, `bfloat16`, `torch.bfloat16`, `half` and the like.

        Raises InputError for any other text.
        """
        found = _SPELLINGS.get(text.lower().removeprefix("torch."))
        if found is None:
            known = ", ".join(d.name for d in cls)
            raise InputError(f"unknown dtype {text[:40]!r}", hint=f"use one of {known}")
        return found


_SPELLINGS = (
    {d.torch_name: d for d in DType}
    | {d.name.lower(): d for d in DType}
    | {
        "float": DType.FP32,
        "half": DType.FP16,
        "f32": DType.FP32,
        "f16": DType.FP16,
        "fp8_e4m3": DType.FP8,
        "fp8_e5m2": DType.FP8,
        "float8_e4m3": DType.FP8,
        "float8_e5m2": DType.FP8,
    }
)
