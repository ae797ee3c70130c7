"""How `vllm serve` and the older API server are started, and what their parser makes of a line.

Facts of vLLM 0.33.0, engine/arg_utils.py, entrypoints/common/cli_args.py and
utils/argparse_utils.py. It knows nothing about shells, or about what an option decides.
"""

from __future__ import annotations

import functools
import re

from ferrum_cli.engines._command_line import (
    CommandLine,
    Details,
    EntryPoint,
    Flag,
    Reads,
    Takes,
    argparse_flags,
    ordered,
    words,
)
from ferrum_cli.engines._options import Kind, Option
from ferrum_cli.engines.vllm.command_line_choices import CHOICES
from ferrum_cli.engines.vllm.options import OPTIONS, OTHER_OPTIONS

_READ = (0, 33)
"""The release whose choices are known."""

_ENTRY_POINTS = (
    EntryPoint(
        words=("vllm", "serve"),
        program="serve",
        image=re.compile(r"(^|/)vllm-(openai|cpu|tpu|xpu|rocm)[^/]*$"),
        takes_model=True,
    ),
    EntryPoint(
        words=("vllm.entrypoints.cli.main", "serve"),
        program="serve",
        module=True,
        takes_model=True,
    ),
    EntryPoint(words=("vllm", "serve"), program="serve", module=True, takes_model=True),
    EntryPoint(words=("vllm.entrypoints.openai.api_server",), program="api_server", module=True),
    EntryPoint(words=("vllm.entrypoints.api_server",), program="api_server", module=True),
    EntryPoint(words=("dynamo.vllm",), program="api_server", module=True),
)

_MORE = (
    Option(name="grpc", kind=Kind.FLAG, meaning="the Python gRPC server"),
    Option(name="h11_max_header_count", kind=Kind.INTEGER, meaning="a limit of the HTTP server"),
    Option(
        name="h11_max_incomplete_event_size",
        kind=Kind.INTEGER,
        meaning="a limit of the HTTP server",
    ),
)
_INTEGERS = words(
    """
    api_server_count cp_kv_cache_interleave_size cpu_distributed_timeout_seconds
    cudagraph_capture_sizes data_parallel_rank data_parallel_rpc_port data_parallel_size_local
    data_parallel_start_rank data_parallel_supervisor_port dbo_decode_token_threshold
    dbo_prefill_token_threshold dcp_kv_cache_interleave_size distributed_timeout_seconds
    dp_supervisor_probe_failure_threshold dp_sync_interval elastic_ep_max_dp_size grpc_port
    long_prefill_token_threshold mamba_cache_philox_rounds master_port max_cpu_loras
    max_cudagraph_capture_size max_log_len max_logprobs max_lora_cls_labels max_lora_rank
    max_loras max_num_queued_reqs max_parallel_loading_workers mm_shm_cache_max_object_size_mb
    nnodes node_rank numa_bind_nodes offload_group_size offload_num_in_group
    offload_prefetch_step port prefill_context_parallel_size prefill_schedule_interval
    prefix_cache_retention_interval renderer_num_workers safetensors_prefetch_num_threads seed
    shutdown_timeout sse_keep_alive_interval ssl_cert_reqs stream_interval ubatch_size
    """
)
_NUMBERS = words(
    """
    dp_supervisor_probe_interval_s dp_supervisor_probe_timeout_s kv_cache_metrics_sample
    kv_offloading_size mm_encoder_fp8_scale_save_margin mm_ipc_gpu_memory_gb
    mm_processor_cache_gb swap_space video_pruning_rate watermark
    """
)
_AMOUNTS = words("max_num_queued_tokens max_num_scheduled_tokens safetensors_prefetch_block_size")
_JSON = words(
    """
    allowed_headers allowed_methods allowed_origins custom_histogram_buckets
    default_chat_template_kwargs default_mm_loras diffusion_config limit_mm_per_prompt
    media_io_kwargs mm_processor_kwargs model_class_overrides override_generation_config
    reasoning_effort_map watermark_config
    """
)
_JSON_OBJECTS = words(
    """
    attention_config aux_output_config compilation_config ec_manager_config ec_transfer_config
    engram_config eplb_config fault_tolerance_config ir_op_priority kernel_config
    kv_events_config kv_transfer_config logging_config pooler_config profiler_config
    quantization_config reasoning_config structured_outputs_config watchdog_config
    weight_transfer_config
    """
)
_JSON_OR_TEXT = words(
    "additional_config hf_overrides model_loader_extra_config pt_load_map_location"
)
_SEVERAL = words(
    """
    allowed_media_domains api_key collect_detailed_traces cpu_offload_params cuda_graph_sizes
    cudagraph_capture_sizes ignore_patterns kv_cache_dtype_skip_layers logits_processors
    lora_modules lora_target_modules numa_bind_cpus numa_bind_nodes offload_params
    served_model_name sleep_preserve_parameter_names
    """
)
_NULLABLE = words(
    """
    api_key allowed_media_domains attention_backend chat_template code_revision
    collect_detailed_traces cpu_distributed_timeout_seconds custom_histogram_buckets
    dcp_comm_backend default_mm_loras diffusion_config disable_access_log_for_endpoints
    distributed_executor_backend distributed_timeout_seconds download_dir ec_transfer_config
    engram_config fingerprint_value grpc_port hf_config_path host io_processor_plugin
    kv_cache_memory_bytes kv_events_config kv_offloading_size kv_transfer_config
    logits_processors lora_modules lora_target_modules mamba_block_size mamba_ssu_algorithm
    max_cpu_loras max_log_len max_lora_cls_labels max_num_active_seqs max_num_queued_reqs
    max_num_queued_tokens max_num_scheduled_tokens max_parallel_loading_workers
    mm_encoder_attn_backend mm_encoder_attn_dtype mm_encoder_fp8_scale_path
    mm_encoder_fp8_scale_save_path mm_processor_kwargs num_gpu_blocks_override numa_bind_cpus
    numa_bind_nodes otlp_traces_endpoint pooler_config prefix_cache_retention_interval
    prefix_match_unit quantization quantization_config reasoning_config revision root_path
    safetensors_load_strategy scheduler_cls served_model_name show_hidden_metrics_for_version
    spec_method spec_model speculative_config ssl_ca_certs ssl_certfile ssl_ciphers ssl_keyfile
    tokenizer_revision tool_call_parser tool_server tool_strict_level uds video_pruning_rate
    watermark_config weight_transfer_config
    """
)
_SHORTS = {
    "api_server_count": ("-asc",),
    "attention_config": ("-ac",),
    "compilation_config": ("-cc",),
    "data_parallel_address": ("-dpa",),
    "data_parallel_backend": ("-dpb",),
    "data_parallel_external_lb": ("-dpe",),
    "data_parallel_hybrid_lb": ("-dph",),
    "data_parallel_multi_port_external_lb": ("-dpm",),
    "data_parallel_rank": ("-dpn",),
    "data_parallel_rpc_port": ("-dpp",),
    "data_parallel_size": ("-dp",),
    "data_parallel_size_local": ("-dpl",),
    "data_parallel_start_rank": ("-dpr",),
    "decode_context_parallel_size": ("-dcp",),
    "diffusion_config": ("-dc",),
    "enable_expert_parallel": ("-ep",),
    "nnodes": ("-n",),
    "node_rank": ("-r",),
    "pipeline_parallel_size": ("-pp",),
    "prefill_context_parallel_size": ("-pcp",),
    "quantization": ("-q",),
    "speculative_config": ("-sc",),
    "tensor_parallel_size": ("-tp",),
}

_UNRELATED_GROUPS = (
    "the HTTP server and its answers",
    "tokenizer, chat and sampling",
    "logs, metrics and checks",
)
_UNRELATED = words(
    """
    allow_deprecated_quantization allowed_local_media_path allowed_media_domains code_revision
    config_format disable_mm_preprocessor_cache download_dir grpc h11_max_header_count
    h11_max_incomplete_event_size hf_config_path hf_token ignore_patterns load_format
    max_parallel_loading_workers media_io_kwargs mm_hasher_algorithm mm_processor_device
    mm_tensor_ipc revision safetensors_load_strategy safetensors_prefetch_block_size
    safetensors_prefetch_num_threads tokenizer_revision trust_remote_code use_tqdm_on_load
    """
)
_NAMES_THE_MODEL = words("served_model_name model")

DETAILS = Details(
    more=_MORE,
    shorts=_SHORTS,
    aliases={"device_memory_utilization": "gpu_memory_utilization"},
    takes={Takes.SOME: _SEVERAL, Takes.OPTIONAL: words("hf_token")},
    reads={
        Reads.INTEGER: _INTEGERS,
        Reads.NUMBER: _NUMBERS,
        Reads.AMOUNT: _AMOUNTS,
        Reads.AUTO_AMOUNT: words("max_model_len"),
        Reads.JSON: _JSON,
        Reads.JSON_OBJECT: _JSON_OBJECTS,
        Reads.JSON_OR_TEXT: _JSON_OR_TEXT,
        Reads.IDENTIFIER: words("linear_backend moe_backend sparse_indexer_topk_backend"),
        Reads.TEXT: words("kv_cache_dtype_skip_layers"),
    },
    nullable=_NULLABLE,
    one_way=words(
        """
        aggregate_engine_logging data_parallel_multi_port_external_lb disable_log_stats grpc
        headless
        """
    ),
    inverses={"enable_": "disable_", "disable_": "enable_"},
    choices=CHOICES,
    ignored=(
        frozenset(o.name for o in OTHER_OPTIONS if o.meaning in _UNRELATED_GROUPS) | _UNRELATED
    )
    - _NAMES_THE_MODEL,
    decides_nothing=frozenset(option.name for option in OTHER_OPTIONS),
)


@functools.lru_cache(maxsize=8)
def _flags(version: str, program: str) -> tuple[Flag, ...]:
    del program  # both programs share one parser
    return argparse_flags(OPTIONS, DETAILS, version, read_version=ordered(version)[:2] == _READ)


COMMAND_LINE = CommandLine(
    title="vLLM",
    entry_points=_ENTRY_POINTS,
    flags=_flags,
    parser="argparse",
    underscores=True,
    dotted=True,
    version_image=re.compile(r"(^|/)vllm/vllm-openai:v(?P<version>\d+\.\d+(\.\d+)?)"),
    suffixes={
        "k": 10**3,
        "m": 10**6,
        "g": 10**9,
        "t": 10**12,
        "K": 2**10,
        "M": 2**20,
        "G": 2**30,
        "T": 2**40,
    },
    model=("model",),
    without_model="vLLM serves Qwen/Qwen3-0.6B then",
    tensor_parallel="tensor_parallel_size",
    pipeline_parallel="pipeline_parallel_size",
    data_parallel="data_parallel_size",
    context="max_model_len",
    config_file="config",
    replaced={
        "cuda_graph_sizes": "--cudagraph-capture-sizes",
        "disable_log_requests": "--no-enable-log-requests",
        "disable_mm_preprocessor_cache": "--mm-processor-cache-gb 0",
        "enable_multimodal_encoder_data_parallel": "--mm-encoder-tp-mode data",
        "enable_reasoning": "--reasoning-parser",
        "eplb_log_balancedness": "--eplb-config.log_balancedness",
        "eplb_step_interval": "--eplb-config.step_interval",
        "eplb_window_size": "--eplb-config.window_size",
        "guided_decoding_backend": "--structured-outputs-config.backend",
        "max_seq_len_to_capture": "--max-cudagraph-capture-size",
        "num_redundant_experts": "--eplb-config.num_redundant_experts",
        "num_speculative_tokens": "--speculative-config",
        "override_pooler_config": "--pooler-config",
        "rope_scaling": "--hf-overrides",
        "rope_theta": "--hf-overrides",
        "speculative_model": "--speculative-config",
        "task": "--runner",
        "worker_use_ray": "--distributed-executor-backend ray",
    },
)
