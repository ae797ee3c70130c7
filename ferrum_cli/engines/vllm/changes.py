"""Options that may let more requests run: those without a price, and those that give something up.

It says what to try, not what it reaches, and knows nothing about how vLLM gets from options to
requests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ferrum_cli.engines._engine import Change
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
        shares = tuple({"gpu_memory_utilization": share} for share in _SHARES)
        yield Change(price="less room for graphs and peaks outside the share", steps=shares)
    if config.mode != "none":
        without = {"enable_prefix_caching": False}
        yield Change(price="equal prefixes are computed again", steps=(without,))
    if config.speculation.tokens:
        yield Change(price="slower decoding, without drafts", steps=(NO_DRAFTS,))
    if not config.kv_dtype.quantized:
        yield Change(price="keys and values in 8 bits", steps=({"kv_cache_dtype": "fp8"},))
    narrow = config.architecture.layers_read_ssm_dtype and found.outcome.inventory.state
    if narrow and config.ssm_dtype.torch_name == "float32":
        steps = ({"mamba_ssm_cache_dtype": "bfloat16"},)
        yield Change(price="recurrent state in 16 bits", steps=steps)


def as_flags(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Options as they are written on vLLM's command line; those without a value are left out."""
    return tuple(_as_flag(name, value) for name, value in options.items() if value is not None)


def _as_flag(name: str, value: Any) -> str:
    dashed = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{dashed}" if value else f"--no-{dashed}"
    return f"--{dashed} {json.dumps(value) if isinstance(value, (dict, list)) else value}"
