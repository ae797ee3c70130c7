"""What `quantization_config` says about the dtype of KV cache and the format of weights.

Field names are those of modelopt and compressed-tensors checkpoints as vLLM 0.33.0 reads them
(model_executor/layers/quantization/modelopt.py, compressed_tensors/compressed_tensors.py). It
knows nothing about what an engine makes of them.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.describe.huggingface._fields import Fields


def quantization_hints(*configs: Fields) -> dict[str, Any]:
    """The hints that the first `quantization_config` gives; none where there is none."""
    for config in configs:
        found = config.optional_child("quantization_config")
        if found is not None:
            # hf_quant_config.json, which some copy into config.json, nests everything once more.
            inner = found.optional_child("quantization") or found
            return {
                "kv_cache_dtype": _kv_cache_dtype(inner),
                "quantization_method": _word(found, "quant_method"),
                "quantization_format": _word(inner, "quant_algo", "format", "fmt"),
            }
    return {}


def _kv_cache_dtype(found: Fields) -> str | None:
    """The `kv_cache_quant_algo` of modelopt, or the `kv_cache_scheme` of either tool."""
    algorithm = _word(found, "kv_cache_quant_algo")
    scheme = found.optional_child("kv_cache_scheme")
    if algorithm is not None or scheme is None:
        return algorithm
    kind = scheme.choice("type", ("float", "int"), "float")
    return f"{'fp' if kind == 'float' else 'int'}{scheme.size('num_bits', 8)}"


def _word(found: Fields, *names: str) -> str | None:
    texts = (found.text(name, None, null=True) for name in names)
    return next((text.lower() for text in texts if text is not None), None)
