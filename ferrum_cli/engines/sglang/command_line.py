"""How SGLang's server is started, and what its parser makes of a line.

Facts of SGLang 0.5.23, srt/server_args.py, srt/arg_groups and cli/serve.py. It knows nothing about
shells, or about what an option decides.
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
from ferrum_cli.engines.sglang.command_line_choices import CHOICES
from ferrum_cli.engines.sglang.options import OPTIONS
from ferrum_cli.engines.sglang.other_options import OTHER_OPTIONS

_READ = (0, 5, 23)
"""The release whose choices are known."""

_ENTRY_POINTS = (
    EntryPoint(words=("sglang.launch_server",), program="launch_server", module=True),
    EntryPoint(words=("sglang", "serve"), program="serve", takes_model=True),
    EntryPoint(
        words=("sglang", "serve"),
        program="serve",
        module=True,
        image=re.compile(r"(^|/)sglang(-[^/:]*)?(:[^/]*)?$"),
        takes_model=True,
    ),
    EntryPoint(words=("dynamo.sglang",), program="launch_server", module=True),
)

_MEASURED = words(
    "available_gpu_memory_gib pre_model_load_memory_gib gpu_mem_gib post_capture_kv_active"
)
"""Rows of the table that are no flags."""
_NEGATABLE = words(
    """
    dcp_replicate_q_proj dllm_fdfo enable_decoder_swa_bounded_replay enable_dsa_fused_indexer
    enable_fused_qk_norm_rope enable_tf32_matmul enable_tp_lm_head_all_to_all
    experts_shared_outer_loras lora_strict_loading mm_enable_dp_encoder ple_offload_embedding
    speculative_enable_w4a4_mxfp4_megamoe
    """
)
_ALIASES = {
    "attention_context_parallel_size": "attn_cp_size",
    "attention_data_parallel_size": "attn_dp_size",
    "context_bucket": "cuda_graph_prefill_max_context",
    "data_parallel_size": "dp_size",
    "decode_context_parallel_size": "dcp_size",
    "elastic_ep_join_mode": "ep_join_mode",
    "elastic_ep_join_rank_offset": "ep_join_rank_offset",
    "enable_hicache": "enable_hierarchical_cache",
    "ep": "ep_size",
    "expert_parallel_size": "ep_size",
    "fp4_gemm_backend": "fp4_gemm_runner_backend",
    "fp8_gemm_backend": "fp8_gemm_runner_backend",
    "grpc_http_sidecar_port": "smg_http_sidecar_port",
    "hierarchical_sparse_attention_extra_config": "hisparse_config",
    "model": "model_path",
    "moe_data_parallel_size": "moe_dp_size",
    "monokernel_backend": "enable_amd_monokernel",
    "nccl_init_addr": "dist_init_addr",
    "pipeline_parallel_size": "pp_size",
    "speculative_draft_model": "speculative_draft_model_path",
    "tensor_parallel_size": "tp_size",
}
_SEVERAL = words(
    """
    allowed_media_domains bucket_e2e_request_latency bucket_inter_token_latency
    bucket_time_to_first_token cuda_graph_bs_decode cuda_graph_bs_prefill
    debug_tensor_dump_layers encoder_register_urls encoder_urls flashinfer_autotune_skip_ops
    gc_threshold generation_tokens_buckets log_requests_target numa_node
    prefill_delayer_forward_passes_buckets prefill_delayer_wait_seconds_buckets
    prompt_tokens_buckets return_aux_hidden_state_layer_ids
    tokenizer_metrics_allowed_custom_labels
    """
)
_ANY_NUMBER = words(
    "custom_weight_loader lora_paths lora_target_modules uvicorn_access_log_exclude_prefixes"
)
_RELATED = words(
    """
    cpu_offload_gb cuda_graph_config disaggregation_decode_enable_offload_kvcache
    dp_size elastic_ep_initial_size enable_dp_lm_head enable_draft_weights_cpu_backup
    enable_eplb enable_hisparse enable_layernorm_sp enable_lmcache enable_lora
    enable_memory_saver enable_mixed_chunk enable_multi_layer_eagle enable_page_major_kv_layout
    enable_paged_experts enable_pdmux enable_single_batch_overlap enable_symm_mem
    enable_torch_compile enable_two_batch_overlap enable_weights_cpu_backup
    ep_num_redundant_experts hisparse_config is_embedding json_model_override_args
    kt_num_gpu_experts kt_weight_path load_format lora_paths lora_target_modules
    mamba_backend max_loaded_loras max_lora_rank max_loras_per_batch max_queued_requests
    mm_attention_backend model_path moe_a2a_backend moe_dense_tp_size moe_dp_size
    moe_runner_backend nnodes node_rank offload_group_size offload_mode offload_num_in_group
    offload_prefetch_step ple_offload_embedding prefill_only_disable_kv_cache
    prefill_attention_backend decode_attention_backend quantization_param_path
    radix_cache_backend schedule_conservativeness served_model_name shared_experts_tp_size
    speculative_attention_mode speculative_draft_kv_cache_dtype speculative_draft_load_format
    speculative_draft_model_quantization speculative_dspark_block_size
    speculative_dflash_block_size speculative_draft_sink_size speculative_draft_window_size
    speculative_ngram_capacity swa_prefix_tails torch_compile_max_bs
    """
)
"""Flags beside the deciding ones that bear on memory, capacity or placement."""

DETAILS = Details(
    aliases=_ALIASES,
    takes={
        Takes.SOME: _SEVERAL,
        Takes.ANY: _ANY_NUMBER,
        Takes.OPTIONAL: words("model_checksum"),
        Takes.ONE: words("monokernel_backend"),
    },
    reads={
        Reads.AMOUNT: words("cuda_graph_prefill_max_context context_bucket"),
        Reads.JSON_OBJECT: words("cuda_graph_config"),
    },
    nullable=words("quantization_param_path"),
    negatable=_NEGATABLE,
    choices={**CHOICES, "monokernel_backend": ("amd",)},
    constants={"monokernel_backend": True},
    ignored=frozenset(_ALIASES.get(o.name, o.name) for o in OTHER_OPTIONS)
    - _RELATED
    - {o.name for o in OPTIONS if o not in OTHER_OPTIONS},
    decides_nothing=frozenset(option.name for option in OTHER_OPTIONS),
)


@functools.lru_cache(maxsize=8)
def _flags(version: str, program: str) -> tuple[Flag, ...]:
    del program  # both programs share one parser
    no = "no_"
    table = [
        o
        for o in OPTIONS
        if o.name not in _MEASURED and o.name.removeprefix(no) not in _NEGATABLE - {o.name}
    ]
    return argparse_flags(table, DETAILS, version, read_version=ordered(version) == _READ)


COMMAND_LINE = CommandLine(
    title="SGLang",
    entry_points=_ENTRY_POINTS,
    flags=_flags,
    parser="argparse",
    underscores=False,
    version_image=re.compile(r"(^|/)lmsysorg/sglang:v(?P<version>\d+\.\d+(\.\d+)?)"),
    suffixes={
        "k": 10**3,
        "M": 10**6,
        "G": 10**9,
        "T": 10**12,
        "Ki": 2**10,
        "Mi": 2**20,
        "Gi": 2**30,
        "Ti": 2**40,
    },
    model=("model_path",),
    model_required=("serve", "launch_server"),
    without_model="SGLang needs --model-path",
    tensor_parallel="tp_size",
    pipeline_parallel="pp_size",
    data_parallel="dp_size",
    context="context_length",
    config_file="config",
    replaced={
        "cuda_graph_bs": "--cuda-graph-bs-decode",
        "cuda_graph_max_bs": "--cuda-graph-max-bs-decode",
        "enable_deepep_moe": "--moe-a2a-backend deepep",
        "enable_ep_moe": "--ep-size",
        "mamba_scheduler_strategy": "--mamba-radix-cache-strategy",
    },
)
