"""What one token's keys and values cost in each dtype that --kv-cache-dtype may name.

config/cache.py, v1/kv_cache_interface.py and customize_spec of the attention backends, vLLM 0.33.0.
It knows nothing about blocks or layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ferrum_cli.discover import suggestion
from ferrum_cli.dtype import DType
from ferrum_cli.errors import UsageError

_SCALE_BYTES = 4
"""One fp32 scale for keys, and one for values, of each token and head."""

_LATENT_ROWS: Mapping[str, int] = {"fp8_ds_mla": 656, "nvfp4_ds_mla": 352}
"""Bytes of one token's row in the packed layouts of sparse latent attention."""

Packing = Literal["plain", "scaled", "half_scaled", "nvfp4"]
_PACKINGS: Mapping[str, Packing] = {
    "fp8": "plain",
    "fp8_e4m3": "plain",
    "fp8_e5m2": "plain",
    "fp8_inc": "plain",
    "fp8_ds_mla": "plain",
    "nvfp4_ds_mla": "plain",
    "int8_per_token_head": "scaled",
    "fp8_per_token_head": "scaled",
    "int4_per_token_head": "half_scaled",
    "nvfp4": "nvfp4",
    "nvfp4_4over6": "nvfp4",
}
_PACKED_BY_BACKEND = (
    *("turboquant_k8v4", "turboquant_4bit_nc", "turboquant_k3v4_nc", "turboquant_3bit_nc"),
    *("octave_k3v4", "octave_k3v3", "octave_k3v3_compact", "ultraquant_4bit"),
)


@dataclass(frozen=True, slots=True)
class CacheDType:
    """A dtype of keys and values: its name in vLLM, element width and packing."""

    name: str
    element_bytes: int
    packing: Packing = "plain"

    @property
    def quantized(self) -> bool:
        """Whether it is narrower than any dtype a model computes in."""
        return self.element_bytes == 1

    def head_bytes(self, key_dim: int, value_dim: int) -> int:
        """Bytes of one token's key and value in one head."""
        match self.packing:
            case "plain":
                return (key_dim + value_dim) * self.element_bytes
            case "scaled":
                return key_dim + value_dim + 2 * _SCALE_BYTES
            case "half_scaled":
                return key_dim // 2 + value_dim // 2 + 2 * _SCALE_BYTES
            case "nvfp4":
                return sum(dim // 2 + dim // 16 for dim in (key_dim, value_dim))

    def row_bytes(self, width: int) -> int:
        """Bytes of one token's latent row of `width` elements."""
        if self.name in _LATENT_ROWS:
            return _LATENT_ROWS[self.name]
        return self.head_bytes(width, 0)


def cache_dtype(name: str, model_dtype: DType) -> CacheDType:
    """The dtype called `name`, `auto` being the model's.

    Raises UsageError for a name vLLM does not know, and for one whose packing only its backend
    knows.
    """
    if name == "auto":
        return CacheDType("auto", model_dtype.size_bytes)
    if name in ("float16", "bfloat16"):
        return CacheDType(name, 2)
    if name in _PACKINGS:
        return CacheDType(name, 1, _PACKINGS[name])
    known = ("auto", "float16", "bfloat16", *_PACKINGS)
    if name in _PACKED_BY_BACKEND:
        raise UsageError(
            f"how vLLM packs {name!r} is not known to Ferrum",
            hint="plan with " + ", ".join(known),
            where="--set kv_cache_dtype",
        )
    raise UsageError(
        f"kv_cache_dtype: invalid choice {name!r}",
        hint=suggestion(name, known),
        where="--set kv_cache_dtype",
    )
