"""SGLang's gauges on /metrics that say something about state and KV.

Names are those of SGLang 0.5.23, observability/metrics_collector.py. It knows nothing about reading
them.
"""

from __future__ import annotations

from collections.abc import Mapping

METRICS: Mapping[str, str] = {
    "sglang:mamba_usage": "share of state slots in use: used / max_mamba_cache_size",
    "sglang:mamba_used_tokens": "state slots in use (slots, despite the name)",
    "sglang:mamba_available_tokens": "free state slots (slots, despite the name)",
    "sglang:mamba_evictable_tokens": "state slots of cached prefixes (slots, despite the name)",
    "sglang:token_usage": "the fullest of all pools, that of states among them",
    "sglang:full_token_usage": "share of max_total_num_tokens in use",
    "sglang:swa_token_usage": "share of the sliding-window pool in use",
    "sglang:max_total_num_tokens": "KV tokens of one worker",
    "sglang:kv_cache_memory_usage_gb": "GiB of the KV pool",
    "sglang:num_running_reqs": "running requests",
    "sglang:hicache_host_mamba_used_states": "states in host memory",
    "sglang:hicache_host_mamba_total_states": "room for states in host memory",
}
"""Each gauge and what it counts; used = slots - available - evictable."""
