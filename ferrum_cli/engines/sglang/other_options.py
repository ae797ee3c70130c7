"""Flags that SGLang's command line takes without any effect on a memory plan.

The names are those of SGLang 0.5.23, `ServerArgs.add_cli_args`; they are known so that a command
line can be checked. It knows nothing about what they do.
"""

from __future__ import annotations

from ferrum_cli.engines._options import Kind, Option

_NAMES: dict[Kind, str] = {
    Kind.FLAG: """
        abort_on_priority_when_disabled allow_auto_truncate
        checkpoint_engine_wait_weights_before_ready constrained_json_disable_any_whitespace
        dcp_replicate_q_proj debug_cuda_graph delete_ckpt_after_loading
        disable_aiter_allreduce_fusion_in_decode disable_aiter_allreduce_fusion_in_prefill
        disable_attn_tp_gather disable_chunked_prefix_cache disable_cuda_graph_padding
        disable_custom_all_reduce disable_fast_image_processor disable_flashinfer_autotune
        disable_flashinfer_cutlass_moe_fp4_allgather disable_outlines_disk_cache
        disable_priority_preemption disable_shared_experts_fusion disable_tokenizer_batch_decode
        disaggregation_decode_enable_offload_kvcache disaggregation_enable_kv_checksum dllm_fdfo
        enable_adaptive_dispatch_to_encoder enable_aiter_allreduce_fusion enable_amd_monokernel
        enable_attn_tp_input_scattered enable_broadcast_mm_inputs_process enable_cache_report
        enable_cp_decode_attn_tp enable_cudagraph_gc enable_custom_logit_processor
        enable_decoder_swa_bounded_replay enable_deepseek_v4_fp4_indexer
        enable_dense_mlp_attn_tp enable_deterministic_inference
        enable_dp_attention_local_control_broadcast enable_dp_lm_head
        enable_draft_weights_cpu_backup enable_dsa_cache_layer_split enable_dsa_fused_indexer
        enable_dynamic_batch_tokenizer enable_dynamic_chunking enable_elastic_expert_backup
        enable_encoder_swa_bounded_replay enable_eplb enable_flashinfer_allreduce_fusion
        enable_flexkv enable_forward_pass_metrics enable_fp32_lm_head
        enable_fused_moe_sum_all_reduce enable_fused_qk_norm_rope enable_hicache enable_hisparse
        enable_http2 enable_http_worker_reuseport enable_kv_cache_sharding enable_layernorm_sp
        enable_layerwise_nvtx_marker enable_lean_attention enable_linker_mla_dedup
        enable_lmcache enable_lora enable_lora_overlap_loading
        enable_mamba_cache_stochastic_rounding enable_megamoe_for_layernorm_sp
        enable_memory_saver enable_metrics enable_metrics_for_all_schedulers enable_mfu_metrics
        enable_mis enable_mixed_chunk enable_mm_global_cache enable_mscclpp
        enable_multi_layer_eagle enable_nccl_nvls enable_nvidia_megakernel enable_p2p_check
        enable_page_major_kv_layout enable_paged_experts enable_pd_role_switch enable_pdmux
        enable_precise_embedding_interpolation enable_prefill_cp enable_prefill_delayer
        enable_prefix_mm_cache enable_priority_scheduling enable_profile_cuda_graph
        enable_quant_communications enable_request_time_stats_logging enable_response_store
        enable_return_aux_hidden_states enable_return_hidden_states enable_return_indexer_topk
        enable_return_routed_experts enable_session_radix_cache enable_shared_experts_attn_tp
        enable_single_batch_overlap enable_ssl_refresh enable_streaming_session
        enable_strict_thinking enable_symm_mem enable_tf32_matmul enable_tokenizer_batch_encode
        enable_torch_compile enable_torch_compile_debug_mode enable_torch_symm_mem
        enable_tp_lm_head_all_to_all enable_trace enable_two_batch_overlap
        enable_unified_cache_external_linker enable_w4a4_mxfp4_megamoe enable_waterfill
        enable_watermark enable_weights_cpu_backup encoder_only
        enforce_disable_flashinfer_allreduce_fusion enforce_shared_experts_fusion
        experts_shared_outer_loras export_metrics_to_file flashinfer_mla_disable_ragged
        grpc_mode incremental_streaming_output is_embedding language_only log_requests
        lora_strict_loading lora_use_virtual_experts mlx_enable_sampling mm_enable_dp_encoder
        monokernel_backend no_dcp_replicate_q_proj no_dllm_fdfo
        no_enable_decoder_swa_bounded_replay no_enable_dsa_fused_indexer
        no_enable_fused_qk_norm_rope no_enable_tf32_matmul no_enable_tp_lm_head_all_to_all
        no_experts_shared_outer_loras no_lora_strict_loading no_mm_enable_dp_encoder
        no_ple_offload_embedding no_speculative_enable_w4a4_mxfp4_megamoe ple_offload_embedding
        pre_warm_nccl prefill_only_disable_kv_cache quantize_and_serve
        remote_instance_weight_loader_start_seed_via_transfer_engine return_input_ids
        return_output_ids schedule_low_priority_values_first show_time_cost skip_server_warmup
        skip_tokenizer_init sleep_on_idle smg_grpc_mode
        speculative_dspark_align_verify_tokens_to_graph_tier
        speculative_enable_w4a4_mxfp4_megamoe speculative_use_block_verification
        speculative_use_rejection_sampling stream_response_default_include_usage
        strip_thinking_cache triton_attention_reduce_in_fp32 trust_mm_content_hashes
        trust_remote_code trust_request_chat_template use_ray weight_loader_disable_mmap
        weight_loader_drop_cache_after_load weight_loader_prefetch_checkpoints
    """,
    Kind.INTEGER: """
        asr_max_buffer_seconds asr_max_concurrent_sessions attention_context_parallel_size
        attention_data_parallel_size base_gpu_id batch_notify_size c128_page_size
        constrained_json_max_whitespace_cnt context_bucket cpu_offload_gb
        cuda_graph_max_seq_len_prefill cuda_graph_prefill_max_context data_parallel_size
        decode_context_parallel_size decode_log_interval decoupled_spec_rank
        default_priority_value detokenizer_worker_num disaggregation_bootstrap_port
        disaggregation_decode_polling_interval dist_timeout dsa_triton_union dwdp_size
        dynamic_batch_tokenizer_batch_size elastic_ep_initial_size elastic_ep_join_rank_offset
        encoder_bootstrap_port engine_info_bootstrap_port ep ep_num_redundant_experts
        eplb_rebalance_layers_per_chunk eplb_rebalance_num_iterations
        expert_distribution_recorder_buffer_size expert_parallel_size fuseep_mode
        gated_launch_port gpu_id_step grpc_http_sidecar_port grpc_port
        grpc_response_timeout_secs hicache_storage_prefetch_retry_max_attempts
        hicache_storage_prefetch_retry_poll_interval http2_initial_connection_window_size
        http2_max_concurrent_streams kt_cpuinfer kt_max_deferred_experts_per_token
        kt_num_gpu_experts kt_threadpool_count kv_canary_sweep_interval
        load_snapshot_publish_interval log_requests_level mamba_cache_philox_rounds max_ep_size
        max_loaded_loras max_lora_chunk_size max_lora_rank max_loras_per_batch
        max_queued_requests media_url_max_file_size_mb min_free_slots_delay mm_io_worker_num
        mm_preprocess_cache_size_mb mm_processor_worker_num moe_data_parallel_size
        moe_dense_tp_size moe_dp_size nccl_port nnodes node_rank num_continuous_decode_steps
        num_reserved_decode_tokens offload_group_size offload_num_in_group offload_prefetch_step
        optimistic_prefill_attempts paged_experts_num_resident pipeline_parallel_size port
        pp_async_batch_depth pp_max_micro_batch_size prefill_decode_interval
        prefill_decode_interval_min_bs prefill_delayer_max_delay_passes prefill_max_requests
        priority_scheduling_preemption_threshold random_seed
        remote_instance_weight_loader_seed_instance_service_port sampling_mask_max_tokens
        scheduler_recv_interval shared_experts_tp_size sm_group_num smg_http_sidecar_port
        speculative_dflash_block_size speculative_domino_candidate_pool_size
        speculative_draft_sink_size speculative_draft_window_size speculative_dspark_block_size
        speculative_ngram_capacity speculative_ngram_external_corpus_max_tokens
        speculative_ngram_external_sam_budget speculative_ngram_max_trie_depth
        speculative_ngram_min_bfs_breadth stream_interval swa_prefix_tails tensor_parallel_size
        tokenizer_worker_num torch_compile_max_bs triton_attention_num_kv_splits
        triton_attention_split_tile_size weight_cache_timeout weight_loader_prefetch_num_threads
    """,
    Kind.NUMBER: """
        disaggregation_decode_host_receive_threshold dynamic_batch_tokenizer_batch_timeout
        elastic_ep_scale_timeout eplb_min_rebalancing_utilization_threshold
        gc_warning_threshold_secs hicache_host_memory_fraction lora_drain_wait_threshold
        prefill_delayer_max_delay_ms prefill_delayer_queue_min_ratio
        prefill_delayer_token_usage_low_watermark schedule_conservativeness
        soft_watchdog_timeout speculative_accept_threshold_acc
        speculative_accept_threshold_single tbo_token_distribution_threshold watchdog_timeout
    """,
    Kind.TEXT: """
        admin_api_key allowed_media_domains api_key bf16_gemm_backend boundary_reduction
        chat_template completion_template config constrained_json_whitespace_pattern cp_strategy
        crash_dump_folder custom_weight_loader dcp_comm_backend debug_tensor_dump_input_file
        debug_tensor_dump_output_folder decode_attention_backend decoupled_spec_bind_endpoint
        decoupled_spec_role decrypted_config_file decrypted_draft_config_file deepep_config
        deepep_dispatcher_output_dtype deepep_mode deepep_v2_mode device
        disaggregation_decode_allocation_policy disaggregation_decode_retraction_backup
        disaggregation_ib_device disaggregation_transfer_backend dist_init_addr dllm_algorithm
        dllm_algorithm_config download_dir dsa_decode_backend dsa_paged_mqa_logits_backend
        dsa_prefill_backend dsa_topk_backend dsv4_attn_backend dsv4_prefill_backend
        elastic_ep_backend elastic_ep_join_mode encoder_register_urls encoder_transfer_backend
        encoder_urls ep_dispatch_algorithm eplb_algorithm expert_balancedness_report_mode
        expert_distribution_recorder_mode export_metrics_to_file_dir fastapi_root_path
        file_storage_path flashinfer_a2a_dispatch_type flashinfer_allreduce_fusion_backend
        flashinfer_autotune_skip_ops flashinfer_mxfp4_moe_precision flexkv_config_file
        forward_pass_metrics_ipc_name forward_pass_metrics_worker_id fp4_gemm_backend
        fp8_gemm_backend generation_tokens_buckets grammar_backend hf_chat_template_name
        hicache_host_memory_mode hicache_io_backend hicache_storage_backend
        hicache_storage_backend_extra_config hicache_storage_prefetch_policy
        hicache_write_policy hierarchical_sparse_attention_extra_config hisparse_config host
        image_processor_backend init_expert_location json_model_override_args kt_method
        kt_weight_path kv_canary kv_canary_real_data kv_events_config
        linear_attn_prefill_backend linear_attn_verify_backend lmcache_config_file
        load_balance_method load_format load_publish_endpoint log_level log_level_http
        log_requests_format log_requests_target lora_backend lora_eviction_policy lora_paths
        lora_target_modules mamba_backend mm_attention_backend mm_global_cache_backend model
        model_checksum model_config_parser model_impl model_loader_extra_config model_path
        modelexpress_config modelopt_checkpoint_restore_path modelopt_checkpoint_save_path
        modelopt_export_path modelopt_quant moe_a2a_backend moe_runner_backend
        mooncake_ib_device msprobe_dump_config nccl_init_addr offload_mode otlp_service_name
        otlp_traces_endpoint pdmux_config_path ple_offload_backend ple_offload_dir
        prefill_attention_backend prefill_kv_cache_dequant_dtype prompt_tokens_buckets
        quantization_param_path radix_cache_backend radix_eviction_policy reasoning_parser
        remote_instance_weight_loader_backend remote_instance_weight_loader_seed_instance_ip
        retraction_policy return_hidden_states_mode revision rl_on_policy_target
        rl_quant_profile sampling_backend sampling_defaults schedule_policy served_model_name
        sidecar spec_trace_dir speculative_adaptive_config speculative_attention_mode
        speculative_draft_attention_backend speculative_draft_kv_cache_dtype
        speculative_draft_load_format speculative_draft_model
        speculative_draft_model_quantization speculative_draft_model_revision
        speculative_dsa_topk_backend speculative_dspark_confidence_sts_path
        speculative_dspark_sps_table_path speculative_moe_a2a_backend
        speculative_moe_runner_backend speculative_ngram_external_corpus_path
        speculative_ngram_match_type speculative_token_map ssl_ca_certs ssl_certfile ssl_keyfile
        ssl_keyfile_password startup_weight_load_mode tokenizer_backend
        tokenizer_metrics_allowed_custom_labels tokenizer_metrics_custom_labels_header
        tokenizer_mode tokenizer_path tool_call_parser tool_server trace_modules
        unified_cache_external_linker_backend uno_lora_path uvicorn_access_log_exclude_prefixes
        warmups watermark_config weight_cache_mode weight_cache_socket weight_version
    """,
    Kind.JSON: """
        cuda_graph_config decoupled_spec_connect_endpoints default_chat_template_kwargs
        extra_metric_labels forward_hooks limit_mm_data_per_request mm_process_config
        preferred_sampling_params radix_eviction_policy_config
        remote_instance_weight_loader_send_weights_group_ports sidecar_args
        unified_cache_external_linker_config
    """,
    Kind.INTEGERS: """
        cuda_graph_bs_decode cuda_graph_bs_prefill debug_tensor_dump_layers gc_threshold
        numa_node return_aux_hidden_state_layer_ids
    """,
    Kind.NUMBERS: """
        bucket_e2e_request_latency bucket_inter_token_latency bucket_time_to_first_token
        prefill_delayer_forward_passes_buckets prefill_delayer_wait_seconds_buckets
    """,
}

OTHER_OPTIONS: tuple[Option, ...] = tuple(
    Option(name=name, kind=kind, meaning="changes nothing in a memory plan")
    for kind, names in _NAMES.items()
    for name in names.split()
)
