"""Words that vLLM's parser accepts where the table of options names none, or others.

Facts of vLLM 0.33.0, engine/arg_utils.py and the Literal types of vllm/config. It knows nothing
about flags or versions.
"""

from __future__ import annotations

_CHOICES = {
    "all2all_backend": """
        allgather_reducescatter deepep_high_throughput deepep_low_latency deepep_v2
        flashinfer_all2allv flashinfer_nvlink_one_sided flashinfer_nvlink_two_sided moonep
        mori_high_throughput mori_low_latency naive nixl_ep pplx
    """,
    "anthropic_disabled_thinking_effort": "auto high low max medium none xhigh",
    "chat_template_content_format": "auto openai string",
    "collect_detailed_traces": "all model worker",
    "convert": "auto classify embed none",
    "dcp_comm_backend": "a2a ag_rs",
    "expert_placement_strategy": "linear round_robin",
    "fingerprint_mode": "custom full hash none",
    "gdn_prefill_backend": "flashinfer triton cutedsl aiter_flydsl sycl",
    "jit_monitor_mode": "error warn",
    "kda_decode_backend": "auto native flashinfer triton",
    "kda_prefill_backend": "auto triton flashkda flashinfer fused",
    "kv_offloading_backend": "lmcache native",
    "linear_backend": """
        aiter auto b12x conch cutlass deep_gemm emulation exllama fbgemm flashinfer_b12x
        flashinfer_cudnn flashinfer_cutedsl flashinfer_cutlass flashinfer_trtllm humming
        machete marlin torch triton xpu xpu_woq
    """,
    "log_level": "CRITICAL ERROR WARNING INFO DEBUG NOTSET",
    "logprobs_mode": "processed_logits processed_logprobs raw_logits raw_logprobs",
    "lora_dtype": "auto bfloat16 float16",
    "mamba_cache_mode": "align none",
    "mamba_ssu_algorithm": "auto horizontal simple vertical",
    "max_lora_rank": "1 8 16 32 64 128 256 320 512",
    "mm_encoder_attn_dtype": "fp8",
    "mm_encoder_tp_mode": "data weights",
    "mm_hasher_algorithm": "blake3 sha256 sha512",
    "mm_processor_cache_type": "lru shm",
    "mm_processor_device": "auto cpu",
    "mm_tensor_ipc": "direct_rpc torch_shm",
    "moe_backend": """
        aiter aiter_mega_moe aiter_triton_mxfp4_bf16 aiter_triton_mxfp4_mxfp4 auto b12x
        batched_triton cutlass deep_gemm deep_gemm_mega_moe emulation flashinfer_b12x
        flashinfer_cutedsl flashinfer_cutlass flashinfer_moe_ep_cutedsl
        flashinfer_moe_ep_mega_deep_gemm flashinfer_trtllm flydsl hpc humming marlin rdna3
        triton triton_unfused
    """,
    "offload_backend": "auto prefetch uva",
    "per_request_spec_decode_metrics": "detailed none summary",
    "prefix_caching_hash_algo": "sha256 sha256_cbor xxhash xxhash_cbor",
    "runner": "auto draft generate pooling",
    "safetensors_load_strategy": "eager lazy prefetch torchao",
    "scheduling_policy": "fcfs priority",
    "sparse_indexer_topk_backend": """
        aiter auto cooperative deep_select flashinfer per_row persistent torch
    """,
    "spec_method": """
        bailing_hybrid_mtp bailing_hybrid_v3_mtp custom_class deepseek_mtp dflash
        dots3_note_mtp draft_model dspark eagle eagle3 ernie_mtp exaone4_5_mtp
        exaone_moe_mtp extract_hidden_states gemma4_mtp glm4_moe_lite_mtp glm4_moe_mtp
        glm5_next_mtp glm_ocr_mtp hy_v3_mtp hy_v4_mtp inkling_mtp kimi_k3_mtp
        longcat_flash_mtp mimo_mtp mimo_v2_mtp minimax_m3_mtp mtp nemotron_h_mtp ngram
        ngram_gpu pangu_ultra_moe_mtp qwen3_5_mtp qwen3_next_mtp qwen4_exp_mtp step3p5_mtp
        step5_mtp suffix
    """,
    "tool_strict_level": "auto function parameter",
    "uvicorn_log_level": "critical debug error info trace warning",
    "video_pruning_method": "evs vidcom2",
}
CHOICES = {option: tuple(text.split()) for option, text in _CHOICES.items()}
"""Choices by option."""
