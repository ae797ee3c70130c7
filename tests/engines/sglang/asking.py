"""Questions to the SGLang engine, as the tests of this folder ask them."""

from __future__ import annotations

from typing import Any

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import describe
from ferrum_cli.engines import Answer, Machine, Question, Setting, Settings, Weights, engine
from ferrum_cli.engines.sglang.aliases import canonical
from ferrum_cli.engines.sglang.options import OPTIONS
from ferrum_cli.engines.sglang.start import Start, start
from ferrum_cli.expand import Parallel, expand, weight_bytes_per_rank

GIB = 2**30

QWEN3_NEXT: dict[str, Any] = {
    "architectures": ["Qwen3NextForCausalLM"],
    "model_type": "qwen3_next",
    "full_attention_interval": 4,
    "head_dim": 256,
    "hidden_size": 2048,
    "intermediate_size": 5120,
    "max_position_embeddings": 262144,
    "num_attention_heads": 16,
    "num_hidden_layers": 48,
    "num_key_value_heads": 2,
    "torch_dtype": "bfloat16",
    "vocab_size": 151936,
}
"""Qwen3-Next-80B-A3B; the sizes of its mixers are the class's defaults."""

LFM2: dict[str, Any] = {
    "architectures": ["Lfm2ForCausalLM"],
    "model_type": "lfm2",
    "conv_L_cache": 3,
    "hidden_size": 2048,
    "intermediate_size": 10752,
    "block_auto_adjust_ff_dim": False,
    "layer_types": [
        "full_attention" if i in (2, 5, 9, 13, 17, 21, 25, 28) else "conv" for i in range(30)
    ],
    "max_position_embeddings": 128000,
    "num_attention_heads": 32,
    "num_hidden_layers": 30,
    "num_key_value_heads": 8,
    "torch_dtype": "bfloat16",
    "vocab_size": 65536,
}
"""LFM2-2.6B's sizes: a state of 180,224 bytes."""

FALCON_MAMBA: dict[str, Any] = {
    "architectures": ["FalconMambaForCausalLM"],
    "model_type": "falcon_mamba",
    "conv_kernel": 4,
    "hidden_size": 4096,
    "intermediate_size": 8192,
    "num_hidden_layers": 64,
    "state_size": 16,
    "time_step_rank": 256,
    "torch_dtype": "bfloat16",
    "vocab_size": 65024,
}
"""Falcon-Mamba-7B: no attention at all."""

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "max_position_embeddings": 131072,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "torch_dtype": "bfloat16",
    "vocab_size": 128256,
}
"""Llama 3.1 8B: no recurrent state at all."""

MEASURED: dict[str, Any] = {
    "gpu_mem_gib": 80.0,
    "pre_model_load_memory_gib": 79.0,
    "available_gpu_memory_gib": 60.0,
    "mem_fraction_static": 0.9,
}
"""The memory that most recorded cases were computed with."""


def question(
    model: Description | dict[str, Any],
    options: dict[str, Any] | None = None,
    *,
    parallel: Parallel | None = None,
    **changes: Any,
) -> Question:
    """A question; names in capitals are environment variables, all others flags."""
    description = model if isinstance(model, Description) else describe(model, "model")
    split = parallel or Parallel()
    given = {
        name: Setting(value, "environment" if name.isupper() else "flag")
        for name, value in (options or {}).items()
    }
    fields: dict[str, Any] = {
        "model": expand(description),
        "parallel": split,
        "settings": Settings(OPTIONS, given),
        "version": "0.5.23",
        "requests": 1,
        "context": description.max_context,
        "context_given": False,
        "requests_given": False,
        "machine": Machine(),
        "weights": Weights(weight_bytes_per_rank(description, split), "parameters × BF16"),
    }
    return Question(**(fields | changes))


def started(model: Description | dict[str, Any], **options: Any) -> Start:
    """A start on the recorded memory with further options; `parallel` is taken out."""
    parallel = options.pop("parallel", None)
    return start(canonical(question(model, MEASURED | options, parallel=parallel)))


def answered(model: Description | dict[str, Any], **options: Any) -> Answer:
    """The same as an answer; `requests` and `context` are what is asked for."""
    parallel = options.pop("parallel", None)
    changes: dict[str, Any] = {}
    for name in ("requests", "context"):
        if name in options:
            changes |= {name: options.pop(name), f"{name}_given": True}
    asked = question(model, MEASURED | options, parallel=parallel, **changes)
    return engine("sglang").answer(asked)
