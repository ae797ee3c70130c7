"""vLLM's flags that decide nothing about a plan's sizes, so that a command line is read whole.

Each group says what its flags are about. A name may carry the versions that know it: `@since` or
`@since-until`, the first that does and the first that does not; `!` marks those that are true or
false. It knows nothing about values.
"""

from __future__ import annotations

from ferrum_cli.engines._options import Kind, Option

_GROUPS = {
    "the HTTP server and its answers": """
        allow_credentials! allowed_headers allowed_methods allowed_origins
        anthropic_disabled_thinking_effort api_key api_server_count chat_template
        chat_template_content_format cohere_format cohere_is_reasoning_model! config
        data_parallel_supervisor_port default_chat_template_kwargs
        disable_access_log_for_endpoints disable_fastapi_docs! disable_uvicorn_access_log!
        dp_supervisor_probe_failure_threshold dp_supervisor_probe_interval_s
        dp_supervisor_probe_timeout_s enable_auto_tool_choice!
        enable_flash_late_interaction! enable_force_include_usage! enable_log_deltas!
        enable_log_outputs! enable_offline_docs! enable_per_request_metrics!
        enable_prompt_tokens_details! enable_request_id_headers! enable_scale_out!
        enable_server_load_tracking! enable_ssl_refresh! enable_tokenizer_info_endpoint!
        exclude_tools_when_tool_choice_none! fingerprint_mode fingerprint_value grpc_port
        headless! host log_error_stack! lora_modules max_log_len middleware port
        reasoning_effort_map response_role return_tokens_as_token_ids! root_path
        sse_keep_alive_interval ssl_ca_certs ssl_cert_reqs ssl_certfile ssl_ciphers
        ssl_keyfile tokens_only! tool_call_parser tool_parser_plugin tool_server
        tool_strict_level trust_request_chat_template! trust_request_mm_kwargs! uds
        uvicorn_log_level
    """,
    "multimodal inputs and their encoder": """
        allowed_local_media_path allowed_media_domains default_mm_loras
        disable_chunked_mm_input! disable_mm_preprocessor_cache!@-0.13.0 enable_mm_embeds!
        enable_multimodal_encoder_data_parallel!@-0.13.0 enable_prompt_embeds!
        interleave_mm_strings! language_model_only!@0.17.1 limit_mm_per_prompt
        media_io_kwargs mm_device_do_normalize!@0.28.0 mm_encoder_attn_backend
        mm_encoder_attn_dtype@0.23.0 mm_encoder_fp8_scale_path@0.23.0
        mm_encoder_fp8_scale_save_margin@0.23.0 mm_encoder_fp8_scale_save_path@0.23.0
        mm_encoder_only!@0.15.1 mm_encoder_tp_mode mm_hasher_algorithm@0.28.0
        mm_ipc_gpu_memory_gb@0.26.0 mm_processor_cache_gb mm_processor_cache_type
        mm_processor_device@0.28.0 mm_processor_kwargs mm_shm_cache_max_object_size_mb
        mm_tensor_ipc@0.19.1 skip_mm_profiling! video_pruning_method@0.28.0
        video_pruning_rate
    """,
    "low-rank adapters": """
        enable_lora! enable_mixed_moe_lora_format!@0.23.0 enable_moe_shared_loras!@0.26.0
        enable_tower_connector_lora!@0.15.1 fully_sharded_loras! lora_dtype
        lora_extra_vocab_size@-0.13.0 lora_target_modules@0.19.1 max_cpu_loras
        max_lora_cls_labels@0.31.0 max_lora_rank max_loras specialize_active_lora!@0.17.1
    """,
    "where and how weights are loaded": """
        allow_deprecated_quantization!@0.15.1 code_revision config_format convert
        cpu_offload_params@0.17.1 download_dir enable_cumem_allocator!@0.23.0
        hf_config_path hf_overrides hf_token ignore_patterns kv_offloading_backend
        kv_offloading_size load_format max_parallel_loading_workers model
        model_class_overrides@0.26.0 model_impl model_loader_extra_config
        offload_backend@0.17.1 offload_group_size@0.17.1 offload_num_in_group@0.17.1
        offload_params@0.17.1 offload_prefetch_step@0.17.1
        override_attention_dtype@-0.28.0 pt_load_map_location quantization_config@0.23.0
        revision runner safetensors_load_strategy safetensors_prefetch_block_size@0.23.0
        safetensors_prefetch_num_threads@0.23.0 sleep_mode_offload_cudagraph!@0.32.0
        task@-0.13.0 tokenizer_revision trust_remote_code! use_tqdm_on_load!
        weight_transfer_config@0.17.1
    """,
    "tokenizer, chat and sampling": """
        enable_batch_sharded_sampling!@0.30.0 generation_config
        guided_decoding_backend@-0.13.0
        guided_decoding_disable_additional_properties!@-0.13.0
        guided_decoding_disable_any_whitespace!@-0.13.0
        guided_decoding_disable_fallback!@-0.13.0 io_processor_plugin
        logits_processor_pattern@-0.17.1 logits_processors logprobs_mode max_logprobs
        override_generation_config override_pooler_config@-0.13.0 pooler_config
        reasoning_config@0.19.1 reasoning_parser reasoning_parser_plugin
        return_sampling_mask!@0.28.0 seed served_model_name skip_tokenizer_init!
        stream_interval structured_outputs_config tokenizer tokenizer_mode
        use_fp64_gumbel!@0.23.0 watermark_config@0.30.0
    """,
    "experts and their balance": """
        all2all_backend elastic_ep_max_dp_size@0.30.0 enable_elastic_ep!@0.17.1
        enable_ep_weight_filter!@0.19.1 enable_eplb! enable_expert_parallel!
        enable_hc_sp!@0.32.0 enable_return_routed_experts!@0.15.1 eplb_config
        eplb_log_balancedness!@-0.13.0 eplb_step_interval@-0.13.0 eplb_window_size@-0.13.0
        expert_placement_strategy moe_backend@0.17.1 num_redundant_experts@-0.13.0
    """,
    "how ranks and replicas find and reach each other": """
        cp_kv_cache_interleave_size@0.13.0 cpu_distributed_timeout_seconds@0.23.0
        data_parallel_address data_parallel_backend data_parallel_external_lb!
        data_parallel_hybrid_lb! data_parallel_multi_port_external_lb!@0.23.0
        data_parallel_rank data_parallel_rpc_port data_parallel_size_local
        data_parallel_start_rank dcp_comm_backend@0.19.1 dcp_kv_cache_interleave_size
        dcp_q_replicate!@0.30.0 device_ids@0.26.0 disable_custom_all_reduce!
        disable_nccl_for_dp_synchronization! distributed_executor_backend
        distributed_timeout_seconds@0.19.1 dp_sync_interval@0.30.0
        enable_fault_tolerance!@0.28.0 enable_nccl_comm_suspend!@0.30.0
        enable_shm_tensor_arena!@0.32.0 fault_tolerance_config@0.28.0 master_addr
        master_port nnodes node_rank numa_bind!@0.20.2 numa_bind_cpus@0.20.2
        numa_bind_nodes@0.20.2 prefill_context_parallel_size@0.13.0
        ray_workers_use_nsight! renderer_num_workers@0.19.1 shutdown_timeout@0.19.1
        worker_cls worker_extension_cls
    """,
    "memory outside the cache pool: offload, transfer, sleep": """
        ec_manager_config@0.28.0 ec_transfer_config enable_sleep_mode! kv_events_config
        kv_sharing_fast_prefill! kv_transfer_config per_request_spec_decode_metrics@0.30.0
        sleep_mode_backend@0.33.0 sleep_preserve_parameter_names@0.31.0 swap_space@-0.19.1
    """,
    "graphs, kernels and compilation": """
        attention_config@0.13.0 cuda_graph_sizes@-0.13.0 cudagraph_capture_sizes
        cudagraph_metrics!@0.13.0 dbo_decode_token_threshold dbo_prefill_token_threshold
        disable_cascade_attn! enable_dbo! enable_flashinfer_autotune!@0.17.1
        enable_mamba_cache_stochastic_rounding!@0.20.2 engram_config@0.30.0
        ir_op_priority@0.20.2 jit_monitor_mode@0.26.0 jit_monitor_verbose!@0.26.0
        kda_decode_backend@0.30.0 kernel_config@0.17.1 linear_backend@0.23.0
        mamba_cache_philox_rounds@0.20.2 mamba_ssu_algorithm@0.28.0
        max_cudagraph_capture_size monokernel!@0.33.0 optimization_level@0.13.0
        sparse_indexer_topk_backend@0.30.0 ubatch_size@0.15.1
    """,
    "what is scheduled when": """
        calculate_kv_scales!@-0.28.0 diffusion_config@0.26.0 disable_sliding_window!
        enable_mamba_fine_grained_prefix_cache!@0.30.0-0.31.0
        enable_mamba_shared_prefix_checkpoint!@0.31.0 long_prefill_token_threshold
        long_prefill_token_threshold_adaptive!@0.31.0 max_long_partial_prefills@-0.28.0
        max_num_partial_prefills@-0.28.0 max_num_queued_reqs@0.30.0
        max_num_queued_tokens@0.30.0 max_num_scheduled_tokens@0.26.0
        num_lookahead_slots@-0.13.0 prefill_schedule_interval@0.26.0
        prefix_cache_retention_interval@0.30.0 prefix_caching_hash_algo scheduler_cls
        scheduler_reserve_full_isl!@0.19.1 scheduling_policy swa_bounded_replay!@0.31.0
        watermark@0.26.0
    """,
    "logs, metrics and checks": """
        aggregate_engine_logging! aux_output_config@0.31.0 collect_detailed_traces
        custom_histogram_buckets@0.32.0 disable_log_requests!@-0.17.1 disable_log_stats!
        enable_bf16x3_router_gemm!@0.26.0-0.30.0 enable_layerwise_nvtx_tracing!@0.13.0
        enable_log_requests! enable_logging_iteration_details!@0.15.1
        enable_mfu_metrics!@0.15.1 enable_trace_replay!@0.30.0
        fail_on_environ_validation!@0.17.1 kv_cache_metrics!@0.13.0
        kv_cache_metrics_sample@0.13.0 log_config_file@0.31.0 log_level@0.31.0
        logging_config@0.31.0 otlp_traces_endpoint profiler_config@0.13.0
        show_hidden_metrics_for_version watchdog_config@0.33.0
    """,
}


def _option(word: str, meaning: str) -> Option:
    name, _, versions = word.partition("@")
    since, _, until = versions.partition("-")
    return Option(
        name=name.removesuffix("!"),
        kind=Kind.FLAG if name.endswith("!") else Kind.TEXT,
        meaning=meaning,
        since=since or None,
        until=until or None,
    )


OTHER_OPTIONS = tuple(
    _option(word, meaning) for meaning, words in _GROUPS.items() for word in words.split()
)
