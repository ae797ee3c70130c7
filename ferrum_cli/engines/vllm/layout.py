"""An outcome as vLLM's own layout figures, and its state in the contract's terms.

Keys are those that scripts read; those ending in `_per_rank` have one entry for each pipeline rank.
It knows nothing about how they came about.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.engines._engine import KeyValueBytes, StateTensor
from ferrum_cli.engines.vllm.capacity import Limits
from ferrum_cli.engines.vllm.evaluation import Outcome
from ferrum_cli.engines.vllm.groups import Groups
from ferrum_cli.engines.vllm.pages import StatePage
from ferrum_cli.engines.vllm.pool import needed
from ferrum_cli.engines.vllm.states import State
from ferrum_cli.engines.vllm.token_pages import TokenPage
from ferrum_cli.expand import Expanded


def layout(outcome: Outcome, found: Limits) -> dict[str, Any]:
    """Every key, null from the step on that vLLM does not reach."""
    grouping, pool, alignment = outcome.grouping, outcome.pool, outcome.alignment
    return {
        "recurrent_tensors_per_layer": _tensors(outcome),
        **_state_bytes(outcome),
        "mamba_cache_mode": outcome.config.mode,
        "block_size": alignment.block_size if alignment else None,
        "mamba_block_size": alignment.mamba_block_size if alignment else None,
        "attention_bytes_per_token_per_rank": _token_bytes(outcome) if alignment else [],
        "kv_cache_groups": [_group(g, outcome) for g in grouping.groups] if grouping else [],
        "pool_bytes_per_block_per_rank": list(grouping.block_bytes) if grouping else [],
        "num_gpu_blocks": pool.num_blocks if pool else None,
        "blocks_per_max_len_request": found.blocks_per_max_len_request,
        "max_concurrency": found.max_concurrency,
        "kv_cache_size_tokens": found.kv_cache_size_tokens,
        "running_limit": found.running_limit,
        "max_num_seqs_limit": found.max_num_seqs_limit,
    }


def _tensors(outcome: Outcome) -> list[dict[str, Any]]:
    """The tensors of every kind of state layer, each kind once; the n-gram window comes first."""
    kinds = dict.fromkeys(state.tensors for state in in_order(outcome))
    return [
        {"shape": list(tensor.shape), "dtype": tensor.dtype.torch_name}
        for tensors in kinds
        for tensor in tensors
    ]


def in_order(outcome: Outcome) -> list[State]:
    """States as vLLM registers their layers: replicated ones are built before their neighbours."""
    return sorted(outcome.states.values(), key=lambda state: not state.replicated)


def _state_bytes(outcome: Outcome) -> dict[str, int | None]:
    """Bytes of the first kind's page, as the layer fills it and as it is padded."""
    states = in_order(outcome)
    content = states[0].content_bytes if states else 0
    pages = [
        g.page
        for g in (outcome.grouping.groups if outcome.grouping else ())
        if isinstance(g.page, StatePage) and g.page.state is states[0]
    ]
    if pages:
        page: int | None = pages[0].page_bytes
    else:
        padded = outcome.alignment.padded_page_bytes if outcome.alignment else None
        page = padded or content
    reached = outcome.alignment is not None
    return {
        "state_bytes_per_layer": content if reached else None,
        "state_page_bytes_per_layer": page if reached else None,
    }


def _token_bytes(outcome: Outcome) -> list[float]:
    """Bytes that one token adds over all layers of a rank, unpadded."""
    totals = [0.0] * len(outcome.inventory.partition)
    for bucket in outcome.buckets:
        if isinstance(bucket.page, TokenPage):
            for rank, layers in enumerate(bucket.layers):
                totals[rank] += layers * bucket.page.token_bytes
    return [int(total) if total.is_integer() else total for total in totals]


def _group(group: Groups, outcome: Outcome) -> dict[str, Any]:
    page = group.page
    length = outcome.pool.max_model_len if outcome.pool else outcome.config.max_model_len
    return {
        "kind": "mamba" if isinstance(page, StatePage) else page.kind,
        "groups": group.count,
        "layers": group.layers,
        "padding_layers": group.padding_layers,
        "block_size": page.mamba_block_size if isinstance(page, StatePage) else page.block_size,
        "page_bytes": sum(b.page.page_bytes for b in group.buckets),
        "blocks_per_request": needed(page, outcome.config, length),
    }


def state_tensors(model: Expanded, outcome: Outcome) -> tuple[StateTensor, ...]:
    """The tensors of one slot on the first rank, layer by layer."""
    stage = outcome.inventory.partition[0]
    states = outcome.states
    return tuple(
        StateTensor(layer.index, tensor.name, tensor.shape, tensor.dtype)
        for layer in model.layers[stage.start : stage.stop]
        for placed in layer.placed
        if placed.name in states
        for tensor in states[placed.name].tensors
    )


def key_value_bytes(outcome: Outcome) -> KeyValueBytes:
    """Content of the caches of one request on the first rank, without blocks or padding."""
    per_token = windows = 0.0
    for bucket in outcome.buckets:
        if not isinstance(bucket.page, TokenPage):
            continue
        size = bucket.layers[0] * bucket.page.token_bytes
        limit = kept_tokens(bucket.page)
        if limit is None:
            per_token += size
        else:
            windows += size * limit
    at_context = token_content_bytes(outcome, 0, outcome.config.context)
    return KeyValueBytes(int(per_token), int(windows), at_context)


def token_content_bytes(outcome: Outcome, rank: int, tokens: int) -> int:
    """Bytes that the caches of one request of `tokens` fill on a rank."""
    on_rank = -(-tokens // outcome.config.dcp)
    total = 0.0
    for bucket in outcome.buckets:
        if isinstance(bucket.page, TokenPage):
            limit = kept_tokens(bucket.page)
            filled = on_rank if limit is None else min(on_rank, limit)
            total += bucket.layers[rank] * bucket.page.token_bytes * filled
    return int(total)


def kept_tokens(page: TokenPage) -> int | None:
    """Tokens that stay; None for a cache that grows with the context."""
    return page.block_size if page.kind == "circular_buffer" else page.window
