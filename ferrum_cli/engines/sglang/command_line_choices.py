"""Words that SGLang's parser accepts where the table of options names none.

Facts of SGLang 0.5.23, `ServerArgs.add_cli_args`. It knows nothing about flags or versions.
"""

from __future__ import annotations

_CHOICES = {
    "attention_backend decode_attention_backend prefill_attention_backend": """
        triton torch_native flex_attention dsa nsa qsa dsv4 compressed fa3 fa4 flashinfer
        llada2_cfg_flashinfer flashmla trtllm_mla cutedsl_mla tokenspeed_mla trtllm_mha
        hpc_ops minicpm_flashattn minicpm_flashinfer aiter wave intel_amx ascend intel_xpu
    """,
    "bf16_gemm_backend": "auto cutedsl gemv torch",
    "boundary_reduction": "auto ar rs rsv rs+rsv",
    "cp_strategy": "zigzag interleave",
    "dcp_comm_backend": "ag_rs a2a fi_a2a",
    "decoupled_spec_role": "null verifier drafter",
    "deepep_dispatcher_output_dtype": "auto bf16 fp8 int8 nvfp4",
    "deepep_mode": "auto normal low_latency",
    "deepep_v2_mode": "direct hybrid",
    "disaggregation_decode_allocation_policy": "early prefill_complete",
    "disaggregation_decode_retraction_backup": "cpu_tensor host_pool none",
    "disaggregation_transfer_backend": "mooncake nixl ascend fake mori mooncake_tcp",
    "dsa_decode_backend": """
        flashmla_sparse flashmla_sparse_q8 flashmla_kv flashmla_auto flashinfer_sparse_mla
        fa3 tilelang triton aiter trtllm intel_xpu
    """,
    "dsa_paged_mqa_logits_backend": "auto deepgemm cutedsl aiter",
    "dsa_prefill_backend": """
        flashmla_sparse flashmla_sparse_q8 flashmla_kv flashmla_auto flashinfer_sparse_mla
        triton_sparse_mla fa3 tilelang triton aiter trtllm intel_xpu
    """,
    "dsa_topk_backend speculative_dsa_topk_backend": "sgl-kernel torch flashinfer",
    "dsa_triton_union": "0 2 4",
    "dsv4_attn_backend": "auto flashmla flashmla_mega trtllm",
    "dsv4_prefill_backend": "auto flashmla_sparse flashmla_sparse_q8",
    "elastic_ep_backend": "none mooncake nixl",
    "encoder_transfer_backend": "auto zmq_to_scheduler zmq_to_tokenizer mooncake",
    "ep_dispatch_algorithm": "static dynamic fake lp",
    "ep_join_mode": "scale recover",
    "expert_balancedness_report_mode": "off server_log prometheus both",
    "expert_distribution_recorder_mode": "stat stat_approx per_pass per_token",
    "flashinfer_a2a_dispatch_type": "auto bf16 nvfp4 mxfp8",
    "flashinfer_allreduce_fusion_backend": "auto trtllm mnnvl cutedsl",
    "flashinfer_mxfp4_moe_precision": "default bf16 fp8",
    "fp4_gemm_runner_backend": """
        auto flashinfer_cudnn flashinfer_cutedsl flashinfer_cutlass flashinfer_trtllm marlin
    """,
    "fp8_gemm_runner_backend": """
        auto deep_gemm flashinfer_trtllm flashinfer_cutlass flashinfer_deepgemm
        flashinfer_cutedsl cutlass triton aiter
    """,
    "fuseep_mode": "1 2",
    "grammar_backend": "xgrammar outlines llguidance none",
    "hicache_host_memory_mode": "cache buffer_only",
    "hicache_io_backend": "direct kernel kernel_ascend",
    "hicache_storage_backend": """
        file sim mooncake npu_memcache hf3fs nixl aibrix dynamic eic simm mori shm
        tensorcast seaweedfs
    """,
    "hicache_storage_prefetch_policy": "best_effort wait_complete timeout",
    "hicache_write_policy": "write_back write_through write_through_selective",
    "image_processor_backend": "auto torchvision pil",
    "kv_canary": "none log raise",
    "kv_canary_real_data": "none partial all",
    "linear_attn_prefill_backend": """
        triton cutedsl flashinfer flashkda nvidia_kda ptx_kda helion intel_xpu
    """,
    "linear_attn_verify_backend": """
        triton cutedsl flashinfer flashkda nvidia_kda ptx_kda helion intel_xpu nv_cutedsl
    """,
    "load_balance_method": "auto round_robin follow_bootstrap_room total_requests total_tokens",
    "load_format speculative_draft_load_format": """
        auto pt safetensors instanttensor npcache dummy sharded_state presharded gguf
        expert_pack bitsandbytes mistral layered flash_rl remote remote_instance
        fastsafetensors private runai_streamer
    """,
    "log_requests_format": "text json",
    "log_requests_level": "0 1 2 3",
    "lora_backend": "triton csgmv ascend torch_native triton_v2",
    "lora_eviction_policy": "lru fifo",
    "lora_target_modules": """
        q_proj k_proj v_proj o_proj q_a_proj kv_a_proj_with_mqa q_b_proj kv_b_proj wq_b wk
        weights_proj gate_proj up_proj down_proj qkv_proj gate_up_proj embed_tokens lm_head
        qkvr wo_ud all
    """,
    "mamba_backend": "triton flashinfer",
    "max_lora_chunk_size": "16 32 64 128",
    "mm_attention_backend": """
        sdpa fa3 fa4 triton_attn ascend_attn aiter_attn flashinfer_cudnn amx_attn xpu_attn
    """,
    "mm_feature_transport": "cpu cuda_ipc cuda_vmm",
    "mm_global_cache_backend": "mooncake",
    "moe_a2a_backend": """
        none deepep mooncake nixl mori ascend_fuseep flashinfer megamoe deepep_v2 pplx
        ascend_tp flashinfer_megamoe
    """,
    "moe_runner_backend speculative_moe_runner_backend": """
        auto deep_gemm triton triton_kernel flashinfer_trtllm experimental_sgl_trtllm
        flashinfer_trtllm_routed flashinfer_cutlass flashinfer_mxfp4 flashinfer_cutedsl
        flashinfer_megamoe cutlass aiter marlin humming experimental_sgl_marlin lora_cutedsl
        lora_triton lora_marlin hpc_ops megamoe intel_xpu
    """,
    "ple_offload_backend": "pinned file",
    "prefill_kv_cache_dequant_dtype": "auto nvfp4 fp8_e4m3",
    "quantization speculative_draft_model_quantization": """
        awq fp8 mxfp8 gptq gptq_marlin awq_marlin bitsandbytes gguf modelopt modelopt_fp8
        modelopt_fp4 nvfp4_online modelopt_mixed petit_nvfp4 w8a8_int8 w8a8_fp8 moe_wna16
        w4afp8 mxfp4 auto-round auto-round-int8 compressed-tensors modelslim mxfp_w4a8 quark
        quark_int4fp8_moe quark_mxfp4 mlx_q4 mlx_q8 unquant humming
    """,
    "radix_eviction_policy": "lru lfu slru priority tlru",
    "reasoning_parser": """
        auto apertus2509 beam deepseek-r1 deepseek-v3 deepseek-v4 deepseek-v41 dots glm45
        ling3 hunyuan gpt-oss k2_horizon kimi kimi_k2 kimi_k3 mimo muse poolside_v1 qwen3
        qwen3-thinking minimax minimax-append-think minimax-m3 nanbeige step3 step3p5
        mistral nemotron_3 granite_thinking_parser interns1 gemma4 inkling iquest_q1
        cohere_command4 gigachat35 response_template
    """,
    "remote_instance_weight_loader_backend": "transfer_engine nccl modelexpress",
    "retraction_policy": "length priority",
    "return_hidden_states_mode": "last full",
    "rl_on_policy_target": "fsdp",
    "sampling_backend": "flashinfer pytorch intel_xpu ascend",
    "sampling_defaults": "openai model",
    "schedule_policy": """
        lpm random fcfs dfs-weight lof priority routing-key hrrn shortest-prefill-first
    """,
    "speculative_attention_mode": "prefill decode",
    "speculative_draft_kv_cache_dtype": "auto fp8_e5m2 fp8_e4m3 bf16 bfloat16",
    "speculative_moe_a2a_backend": """
        none deepep mooncake nixl mori ascend_fuseep flashinfer megamoe deepep_v2 pplx
        ascend_tp
    """,
    "speculative_ngram_match_type": "BFS PROB",
    "startup_weight_load_mode": "serial overlap",
    "tokenizer_backend": "huggingface fastokens",
    "tokenizer_mode": "auto slow",
    "tool_call_parser": """
        auto apertus2509 beam cohere_command4 deepseekv3 deepseekv31 deepseekv32 deepseekv4
        deepseekv41 dots glm glm45 glm47 gpt-oss k2_horizon kimi_k2 kimi_k3 lfm2 ling3
        llama3 mimo minicpm5 mistral muse poolside_v1 pythonic qwen qwen25 qwen3_coder
        spark25 step3 step3p5 minimax-m2 minimax-m3 nanbeige trinity interns1 hermes hunyuan
        gigachat3 gigachat35 gemma4 inkling iquest_q1 response_template
    """,
    "unified_cache_external_linker_backend": "mooncake mori dynamic",
    "weight_cache_mode": "off daemon client",
}
CHOICES = {
    option: tuple(text.split()) for options, text in _CHOICES.items() for option in options.split()
}
"""Choices by option."""
