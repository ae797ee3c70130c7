"""vLLM's options that decide on memory or requests, with the versions that know them.

Names are the long flags of `vllm serve` with underscores for dashes, and the variables that vLLM
reads; versions are those of engine/arg_utils.py and envs.py that were read (see `versions`). It
knows nothing about what is made of a value; flags without effect on a plan are in `other_options`.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.engines._options import Kind, Option
from ferrum_cli.engines.vllm.other_options import OTHER_OPTIONS

__all__ = [
    "AUTO_LENGTH",
    "CACHE_MODES",
    "DECIDING",
    "MODEL_DTYPES",
    "OPTIONS",
    "OTHER_OPTIONS",
    "STATE_DTYPES",
]

STATE_DTYPES = ("auto", "float32", "float16", "bfloat16")
MODEL_DTYPES = ("auto", "half", "float16", "bfloat16", "float", "float32")
CACHE_MODES = ("all", "align", "none")
AUTO_LENGTH = ("auto", "-1")
"""What stands for the longest context that memory allows."""


def _flag(
    name: str, meaning: str, default: bool | None = False, since: str | None = None
) -> Option:
    return Option(name=name, kind=Kind.FLAG, meaning=meaning, default=default, since=since)


def _count(name: str, meaning: str, default: int | None = None, **bounds: Any) -> Option:
    kinds = {"lowest": 1} | bounds
    return Option(name=name, kind=Kind.INTEGER, meaning=meaning, default=default, **kinds)


def _text(name: str, meaning: str, default: str | None, *choices: str, **versions: Any) -> Option:
    return Option(
        name=name, kind=Kind.TEXT, meaning=meaning, default=default, choices=choices, **versions
    )


def _variable(name: str, kind: Kind, meaning: str, since: str | None = None) -> Option:
    return Option(name=name, kind=kind, meaning=meaning, environment=True, since=since)


_LENGTHS_AND_MEMORY = (
    Option(
        name="max_model_len",
        kind=Kind.TOKENS,
        meaning="tokens of one request; auto takes what memory allows",
        words=AUTO_LENGTH,
        lowest=1,
    ),
    Option(
        name="gpu_memory_utilization",
        kind=Kind.NUMBER,
        meaning="share of a device's memory that vLLM may use",
        lowest=0.001,
        highest=1,
    ),
    Option(
        name="device_memory_utilization",
        kind=Kind.NUMBER,
        meaning="another name of gpu_memory_utilization",
        lowest=0.001,
        highest=1,
        since="0.31.0",
    ),
    Option(
        name="cpu_offload_gb",
        kind=Kind.NUMBER,
        meaning="GiB of each device's weights that stand in host memory",
        default=0,
        lowest=0,
    ),
    Option(
        name="kv_cache_memory_bytes",
        kind=Kind.BYTES_LIST,
        meaning="bytes of the cache pool on each device; a list where pipeline ranks differ",
    ),
    _count("num_gpu_blocks_override", "number of blocks instead of what memory gives"),
    _count("block_size", "tokens of one block; a hybrid model's may grow"),
    _count("max_num_seqs", "most requests that run at once, and the size of captured graphs"),
    _count("max_num_active_seqs", "most requests that run at once, below that", since="0.31.0"),
    Option(
        name="max_num_batched_tokens",
        kind=Kind.TOKENS,
        meaning="most tokens of one step",
        lowest=1,
    ),
)
_DTYPES = (
    _text("dtype", "dtype of the model", "auto", *MODEL_DTYPES),
    _text("kv_cache_dtype", "dtype of keys and values", "auto"),
    Option(
        name="kv_cache_dtype_skip_layers",
        kind=Kind.JSON,
        meaning="layers whose keys and values stay in the model's dtype",
        since="0.19.1",
    ),
    _text("mamba_cache_dtype", "dtype of all recurrent state", "auto", *STATE_DTYPES),
    _text("mamba_ssm_cache_dtype", "dtype of recurrent matrices", "auto", *STATE_DTYPES),
    _text("quantization", "how the weights are quantized", None),
)
_STATE = (
    _flag("enable_prefix_caching", "share blocks of equal prefixes", None),
    _text("mamba_cache_mode", "which states are cached", None, *CACHE_MODES, since="0.15.1"),
    _count("mamba_block_size", "tokens between two cached states"),
    _count("prefix_match_unit", "tokens at whose multiples prefixes match", since="0.26.0"),
    _text("mamba_backend", "kernels of Mamba decode", "triton", since="0.20.2"),
    _flag("use_replayssm", "ring buffers instead of a state update each step", since="0.28.0"),
    _count("replayssm_buffer_len", "tokens of a ring buffer", 16, since="0.28.0"),
    _text("gdn_prefill_backend", "kernels of Gated DeltaNet's prefill", None, since="0.19.1"),
    _text("kda_prefill_backend", "kernels of KDA's prefill", None, since="0.28.0"),
    _flag("disable_hybrid_kv_cache_manager", "one kind of block for all layers", None),
)
_PARALLEL = (
    _count("tensor_parallel_size", "ranks that split each layer"),
    _count("pipeline_parallel_size", "ranks that split the layers"),
    _count("data_parallel_size", "replicas"),
    _count("decode_context_parallel_size", "ranks that split the tokens of a decode", 1),
)
_EXECUTION = (
    Option(
        name="speculative_config",
        kind=Kind.JSON,
        meaning="method, num_speculative_tokens and draft of speculative decoding",
    ),
    _text("spec_method", "speculative_config.method", None, since="0.23.0"),
    _text("spec_model", "speculative_config.model", None, since="0.23.0"),
    _count("spec_tokens", "speculative_config.num_speculative_tokens", since="0.23.0"),
    _flag("enforce_eager", "no CUDA graphs"),
    Option(name="compilation_config", kind=Kind.JSON, meaning="compilation and CUDA graphs"),
    _text("attention_backend", "kernels of attention", None, since="0.13.0"),
    Option(name="additional_config", kind=Kind.JSON, meaning="settings of one platform or model"),
    _text(
        "performance_mode",
        "throughput doubles the default batch",
        "balanced",
        *("balanced", "interactivity", "throughput"),
        since="0.17.1",
    ),
    _flag("async_scheduling", "schedule a step while the last one runs", None),
    _flag("enable_chunked_prefill", "split long prefills", None),
)
_VARIABLES = (
    _variable(
        "VLLM_USE_V2_MODEL_RUNNER", Kind.FLAG, "model runner V2, or V1 when 0", since="0.13.0"
    ),
    _variable(
        "VLLM_SSM_CONV_STATE_LAYOUT", Kind.TEXT, "SD: rows first; DS: channels first", "0.20.2"
    ),
    _variable("VLLM_KV_CACHE_LAYOUT", Kind.TEXT, "order of layers, blocks, heads and tokens"),
    _variable("VLLM_PP_LAYER_PARTITION", Kind.INTEGERS, "layers on each pipeline rank"),
    _variable("VLLM_ALLOW_LONG_MAX_MODEL_LEN", Kind.FLAG, "contexts beyond the model's own"),
    Option(
        name="VLLM_ATTENTION_BACKEND",
        kind=Kind.TEXT,
        meaning="kernels of attention, before the flag",
        environment=True,
        until="0.15.1",
    ),
    _variable(
        "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS",
        Kind.FLAG,
        "whether graphs are taken off the pool's memory",
        since="0.19.1",
    ),
)

DECIDING = (
    *_LENGTHS_AND_MEMORY,
    *_DTYPES,
    *_STATE,
    *_PARALLEL,
    *_EXECUTION,
    *_VARIABLES,
)
OPTIONS = (*DECIDING, *OTHER_OPTIONS)
