"""vLLM's gauges on /metrics that say something about blocks and requests.

Names are those of vLLM 0.33.0, v1/metrics/loggers.py and config/cache.py. It knows nothing about
reading them.
"""

from __future__ import annotations

from collections.abc import Mapping

METRICS: Mapping[str, str] = {
    "vllm:cache_config_info": "the cache's configuration, as labels of a gauge that is always 1",
    "vllm:kv_cache_usage_perc": "share of the pool's blocks in use, state among them, from 0 to 1",
    "vllm:num_requests_running": "requests that run",
    "vllm:num_requests_waiting": "requests that wait for blocks or for max_num_seqs",
    "vllm:num_preemptions": "requests that lost their blocks and begin anew (a counter)",
    "vllm:prefix_cache_queries": "tokens looked up in the prefix cache (a counter)",
    "vllm:prefix_cache_hits": "tokens found there, at multiples of the unit (a counter)",
}
"""Each gauge and what it counts."""

LABELS: Mapping[str, str] = {
    "num_gpu_blocks": "num_gpu_blocks",
    "block_size": "block_size",
    "mamba_cache_mode": "mamba_cache_mode",
    "mamba_page_size_padded": "state_page_bytes_per_layer",
    "kv_cache_size_tokens": "kv_cache_size_tokens",
    "kv_cache_max_concurrency": "max_concurrency",
}
"""Labels of cache_config_info, and the key of a plan's layout that each is held against."""
