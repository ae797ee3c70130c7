"""SGLang's options that decide on memory or requests, and the numbers a planner may be told.

Names, defaults and choices are those of SGLang 0.5.23, arg_groups/fields and environ.py. It knows
nothing about what is made of a value; flags without any effect on a plan are in `other_options`.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.engines._options import Kind, Option
from ferrum_cli.engines.sglang.other_options import OTHER_OPTIONS

STATE_DTYPES = ("float32", "bfloat16", "float16")
STRATEGIES = ("auto", "no_buffer", "extra_buffer", "extra_buffer_lazy")
KV_DTYPES = (
    "auto",
    "fp8_e5m2",
    "fp8_e4m3",
    "mxfp8",
    "bf16",
    "bfloat16",
    "nvfp4",
    "fp4_mx_block16",
)
_LINEAR_BACKENDS = (
    "triton",
    "cutedsl",
    "flashinfer",
    "flashkda",
    "nvidia_kda",
    "ptx_kda",
    "helion",
    "intel_xpu",
)


def _flag(name: str, meaning: str) -> Option:
    return Option(name=name, kind=Kind.FLAG, meaning=meaning, default=False)


def _integer(name: str, meaning: str, default: int | None = None, lowest: int = 1) -> Option:
    return Option(name=name, kind=Kind.INTEGER, meaning=meaning, default=default, lowest=lowest)


def _number(name: str, meaning: str, default: float | None = None, **bounds: Any) -> Option:
    return Option(name=name, kind=Kind.NUMBER, meaning=meaning, default=default, **bounds)


def _text(name: str, meaning: str, default: str | None = None, *choices: str) -> Option:
    return Option(name=name, kind=Kind.TEXT, meaning=meaning, default=default, choices=choices)


def _variable(name: str, kind: Kind, meaning: str, default: Any = None, **bounds: Any) -> Option:
    return Option(
        name=name, kind=kind, meaning=meaning, default=default, environment=True, **bounds
    )


_MEMORY = (
    _number(
        "mem_fraction_static", "share of free memory for weights and pools", lowest=0, highest=1
    ),
    _integer("max_running_requests", "most running requests, over all attention-DP workers"),
    Option(name="max_total_tokens", kind=Kind.TOKENS, meaning="most KV tokens", lowest=1),
    Option(name="context_length", kind=Kind.TOKENS, meaning="tokens of one request", lowest=1),
    _integer("page_size", "tokens of one KV page"),
    _integer("chunked_prefill_size", "tokens of one prefill chunk; -1 for none", lowest=-1),
    Option(
        name="max_prefill_tokens", kind=Kind.TOKENS, meaning="tokens of one prefill", default=16384
    ),
    _number(
        "swa_full_tokens_ratio", "sliding-window tokens for each full token", lowest=0, highest=1
    ),
    _flag("disable_hybrid_swa_memory", "one pool for windows and full attention"),
    _text("kv_cache_dtype", "dtype of the KV cache", "auto", *KV_DTYPES),
    _text(
        "dtype",
        "dtype of the model",
        "auto",
        "auto",
        "half",
        "float16",
        "bfloat16",
        "float",
        "float32",
    ),
    _text("quantization", "how the weights are quantized"),
    _text(
        "qsa_indexer_dtype",
        "dtype of the QSA indexer's keys",
        "auto",
        "auto",
        "bfloat16",
        "fp8_e4m3",
    ),
    _integer("cuda_graph_max_bs_decode", "largest batch of captured decode graphs"),
    _integer("cuda_graph_max_bs_prefill", "most tokens of captured prefill graphs"),
    _flag("disable_cuda_graph", "no CUDA graphs"),
    _flag("disable_decode_cuda_graph", "no CUDA graphs for decode"),
    _flag("disable_prefill_cuda_graph", "no CUDA graphs for prefill"),
    _text("cuda_graph_backend_prefill", "graphs of prefill", None, "full", "breakable", "disabled"),
    _text("cuda_graph_backend_decode", "graphs of decode", None, "full", "breakable", "disabled"),
)
_STATE = (
    _integer("max_mamba_cache_size", "state slots, over all attention-DP workers"),
    _number("mamba_full_memory_ratio", "memory of state slots for each byte of KV", lowest=0),
    _text("mamba_ssm_dtype", "dtype of recurrent state", None, *STATE_DTYPES),
    _text("mamba_radix_cache_strategy", "how states enter the prefix cache", "auto", *STRATEGIES),
    Option(
        name="mamba_scheduler_strategy",
        kind=Kind.TEXT,
        meaning="the older name of mamba_radix_cache_strategy",
        choices=STRATEGIES,
        until="0.5.23",
    ),
    _integer("mamba_track_interval", "tokens between two tracked states of a decode", 256),
    _integer("mamba_max_states_per_path", "states kept on one path of the radix tree", -1, -1),
    _flag("enable_int8_mamba_checkpoint", "keep cached states in an int8 pool"),
    _integer("int8_mamba_ckpt_size", "slots of the int8 pool"),
    _text("linear_attn_backend", "kernels of linear attention", "triton", *_LINEAR_BACKENDS),
    _text("linear_attn_decode_backend", "the same for decode", None, *_LINEAR_BACKENDS),
    _flag("enable_linear_replayssm", "ring buffers instead of a state update at each decode"),
    _flag("enable_linear_replayssm_spec", "ring buffers instead of states for each draft token"),
    _integer("linear_replayssm_cache_len", "tokens of a ring buffer", 16),
    _flag("enable_scattered_sconv", "Inkling's output convolutions split over ranks"),
    _flag("enable_unified_memory", "one buffer for state and KV"),
)
_RANKS = (
    _integer("tp_size", "tensor-parallel ranks, as --tp"),
    _integer("pp_size", "pipeline stages, as --pp"),
    _integer("dp_size", "replicas, or attention-DP workers, as --dp"),
)
_SCHEDULING = (
    _flag("disable_radix_cache", "no prefix cache"),
    _flag("disable_overlap_schedule", "no overlap of scheduler and device"),
    _text("attention_backend", "kernels of attention"),
    _flag("enable_dp_attention", "--dp counts attention-DP workers inside tp"),
    _integer("attn_dp_size", "attention-DP workers inside tp", 1),
    _integer("attn_cp_size", "attention-CP ranks inside tp", 1),
    _integer("dcp_size", "decode-CP ranks inside tp", 1),
    _integer("ep_size", "expert-parallel ranks", 1),
    _text(
        "disaggregation_mode",
        "role in a disaggregated deployment",
        "null",
        "null",
        "prefill",
        "decode",
    ),
    _flag("disaggregation_decode_enable_radix_cache", "keep the prefix cache of a decode server"),
    _integer(
        "disaggregation_decode_extra_slots", "requests received ahead on a decode server", lowest=0
    ),
    _flag("enable_multimodal", "serve images of models where that is off by default"),
    _flag("language_model_only", "serve text alone"),
    _text("mm_feature_transport", "how image features reach the device"),
)
_SPECULATION = (
    _text("speculative_algorithm", "EAGLE, EAGLE3, NEXTN, STANDALONE, NGRAM, DFLASH or DSPARK"),
    _text("speculative_draft_model_path", "checkpoint of the draft model"),
    _integer("speculative_num_steps", "draft steps"),
    _integer("speculative_eagle_topk", "branches at each step"),
    _integer("speculative_num_draft_tokens", "draft tokens that are verified together"),
    _integer("speculative_ngram_max_bfs_breadth", "branches of n-gram drafts", 10),
    _flag("speculative_adaptive", "change the number of draft tokens while serving"),
)
_HOST = (
    Option(
        name="enable_hierarchical_cache",
        kind=Kind.FLAG,
        meaning="a second tier of the prefix cache in host memory (HiCache)",
        default=False,
    ),
    _number("hicache_ratio", "size of the host pools for each byte of the device pools", lowest=0),
    _integer("hicache_size", "gigabytes (10^9) of host memory for each rank", 0, 0),
    _text(
        "hicache_mem_layout",
        "layout of the host pools",
        "page_first",
        "layer_first",
        "page_first",
        "page_first_direct",
        "page_first_kv_split",
        "page_head",
    ),
)
_ENVIRONMENT = (
    _variable("SGLANG_MAMBA_SSM_DTYPE", Kind.TEXT, "dtype of recurrent state"),
    _variable("SGLANG_MAMBA_CONV_DTYPE", Kind.TEXT, "dtype of convolution state", "bfloat16"),
    _variable(
        "SGLANG_OPT_MAMBA_SKIP_DECODE_LOCK",
        Kind.FLAG,
        "no lock on a decoding request's state",
        False,
    ),
    _variable("SGLANG_VLM_CACHE_SIZE_MB", Kind.INTEGER, "MiB for image embeddings", 100, lowest=0),
    _variable("SGLANG_MM_FEATURE_CACHE_MB", Kind.INTEGER, "MiB for image features", 1024, lowest=0),
    _variable("SGLANG_SWA_EVICTION_INTERVAL", Kind.INTEGER, "steps between evictions", 128),
    _variable("SGLANG_PP_LAYER_PARTITION", Kind.INTEGERS, "layers of each pipeline stage"),
    _variable(
        "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN", Kind.FLAG, "allow more than the model's", False
    ),
    _variable("SGLANG_ENABLE_POST_CAPTURE_KV_SIZING", Kind.FLAG, "size KV after the graphs", False),
)
_TOLD = (
    _number("available_gpu_memory_gib", "free memory after the weights are loaded, GiB"),
    _number(
        "pre_model_load_memory_gib", "free memory before the weights are loaded, GiB", lowest=0
    ),
    _number("gpu_mem_gib", "memory of the device, GiB", lowest=0),
    _flag("post_capture_kv_active", "whether KV is sized after the graphs"),
)
"""No flags of SGLang: what it measures at start-up, for those who know it."""

OPTIONS: tuple[Option, ...] = (
    *_MEMORY,
    *_STATE,
    *_RANKS,
    *_SCHEDULING,
    *_SPECULATION,
    *_HOST,
    *_ENVIRONMENT,
    *_TOLD,
    *OTHER_OPTIONS,
)
