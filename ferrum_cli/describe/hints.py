"""Facts of a checkpoint that no size expresses, but by which an engine decides.

The list is closed: a hint that is not here is refused. Each names what it means and which engines
read it. What an engine makes of a hint is not known here.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any


def _hint(meaning: str, *engines: str) -> Any:
    """A field that is absent unless the checkpoint says so."""
    return dataclasses.field(default=None, metadata={"meaning": meaning, "engines": engines})


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """Every hint there is; None where the checkpoint says nothing."""

    full_attention_interval: int | None = _hint("every n-th layer is full attention", "sglang")
    mamba_ssm_dtype: str | None = _hint(
        "dtype of the recurrent state that the config asks for", "vllm", "sglang"
    )
    mamba_cache_dtype: str | None = _hint("mamba_ssm_cache_dtype of the config", "vllm")
    kv_cache_dtype: str | None = _hint(
        "dtype of the KV cache that the checkpoint's quantization asks for", "vllm"
    )
    chunk_size: int | None = _hint("chunk of the prefill kernel in tokens", "vllm", "sglang")
    multimodal: bool | None = _hint("a wrapper with vision or audio", "vllm", "sglang")

    def given(self) -> dict[str, Any]:
        """The hints that are present, by name."""
        pairs = ((f.name, getattr(self, f.name)) for f in dataclasses.fields(self))
        return {name: value for name, value in pairs if value is not None}
