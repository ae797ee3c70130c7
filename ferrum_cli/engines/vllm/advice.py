"""What sizes a start to the requests asked about, and the changes that may let more of them run.

It says what to try, not what it reaches, and knows nothing about how vLLM gets from options to
requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ferrum_cli.engines._engine import Change
from ferrum_cli.engines.vllm.memory import utilization
from ferrum_cli.engines.vllm.start import Start, retried

NO_DRAFTS: Mapping[str, None] = dict.fromkeys(
    ("speculative_config", "spec_method", "spec_model", "spec_tokens")
)
"""The options of speculation, all without a value."""
_SHARES = (0.95, 0.97)
"""Shares of a device above the default; graphs and the CUDA context must fit into the rest."""


def sizing(found: Start) -> dict[str, Any]:
    """max_num_seqs for the requests asked about, or as many of them as the pool holds.

    Nothing where the value that holds is enough and not above the pool's blocks. A step has at
    least one token for each request.
    """
    one = found if found.limits.running_limit else retried(found, max_num_seqs=1)
    running, most = one.limits.running_limit, one.limits.max_num_seqs_limit
    if not running:
        return {}
    batching = found.config.batching
    now, tokens = batching.max_num_seqs.value, batching.max_num_batched_tokens.value
    allowed = now if most is None else min(now, most)
    seqs = max(allowed, min(found.replica_requests, running))
    if seqs == now <= tokens:
        return {}
    options = {"max_num_seqs": seqs}
    if seqs > tokens:
        options["max_num_batched_tokens"] = seqs
    return options


def changes(found: Start) -> tuple[Change, ...]:
    """What else may help, cheapest first; nothing for a model that vLLM cannot run at all."""
    return tuple(_changes(found)) if found.outcome.alignment is not None else ()


def _changes(found: Start) -> Iterator[Change]:
    config, budget = found.config, found.outcome.budget
    if budget is not None and budget.requested is not None:
        now = utilization(config)
        steps = tuple({"gpu_memory_utilization": share} for share in _SHARES if share > now)
        if steps:
            yield Change(price="less room for graphs and peaks outside the share", steps=steps)
    if config.mode != "none":
        without = {"enable_prefix_caching": False}
        yield Change(price="equal prefixes are computed again", steps=(without,))
    if config.speculation.tokens:
        yield Change(price="slower decoding, without drafts", steps=(NO_DRAFTS,))
    if not config.kv_dtype.quantized:
        yield Change(price="keys and values in 8 bits", steps=({"kv_cache_dtype": "fp8"},))
    narrow = config.architecture.layers_read_ssm_dtype and found.outcome.inventory.state
    if narrow and config.ssm_dtype.torch_name == "float32":
        yield Change(
            price="recurrent state in 16 bits", steps=({"mamba_ssm_cache_dtype": "bfloat16"},)
        )
