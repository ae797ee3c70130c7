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

    full_attention_interval: int | None = _hint(
        "every n-th layer is full attention", "sglang", "llama.cpp"
    )
    layer_group_size: int | None = _hint(
        "the last layer of every group of n is full attention; engines differ on a partial group",
        "vllm",
        "sglang",
    )
    class_inner_size: int | None = _hint(
        "inner width by the configuration class where the heads make another, which it refuses",
        "transformers",
        "vllm",
        "sglang",
    )
    cached_layers: int | None = _hint(
        "layers that the cache is made for, where it is more than are built", "transformers"
    )
    conv_dim: int | None = _hint("conv_dim where it is not hidden_size", "vllm")
    group_norm_size: int | None = _hint("groups of the norm in lightning attention", "vllm")
    mamba_ssm_dtype: str | None = _hint(
        "mamba_ssm_dtype: the dtype the configuration asks for in recurrent state", "vllm", "sglang"
    )
    mamba_ssm_cache_dtype: str | None = _hint(
        "mamba_ssm_cache_dtype: the same for Nemotron-H", "vllm"
    )
    mamba_cache_dtype: str | None = _hint("mamba_cache_dtype: the same for ZAYA", "vllm")
    kv_cache_dtype: str | None = _hint(
        "dtype of the KV cache that the checkpoint's quantization asks for", "vllm", "sglang"
    )
    quantization_method: str | None = _hint("the tool that quantized the weights", "vllm", "sglang")
    quantization_format: str | None = _hint("the format of the quantized weights", "vllm")
    chunk_size: int | None = _hint("chunk of the prefill kernel in tokens", "vllm", "sglang")
    gate_lower_bound: float | None = _hint(
        "lower bound of the decay gate, which FlashKDA needs", "vllm"
    )
    legacy_layers: bool | None = _hint(
        "attention and experts are layers of their own in the configuration", "sglang"
    )
    unlimited_context: bool | None = _hint(
        "the configuration gives no length; vLLM and SGLang take 2,048 tokens", "vllm", "sglang"
    )
    multimodal: bool | None = _hint("a wrapper with vision or audio", "vllm", "sglang")
    vision_layers: int | None = _hint(
        "num_hidden_layers of vision_config, which many towers name otherwise", "sglang"
    )
    vision_hidden_size: int | None = _hint("hidden_size of vision_config", "sglang")
    index_compress_ratio: int | None = _hint(
        "indexer_compress_ratio: tokens whose index keys are kept as one", "vllm", "sglang"
    )
    gguf_architecture: str | None = _hint(
        "general.architecture of the GGUF file that the description was read from", "llama.cpp"
    )
    token_shift_count: int | None = _hint(
        "past inputs that each layer of an RWKV model keeps", "llama.cpp"
    )

    def given(self) -> dict[str, Any]:
        """The hints that are present, by name."""
        pairs = ((f.name, getattr(self, f.name)) for f in dataclasses.fields(self))
        return {name: value for name, value in pairs if value is not None}
