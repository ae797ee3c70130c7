"""What SGLang allocates without charging it to any budget; it comes out of the slack.

SGLang 0.5.23, mem_cache/memory_pool.py, mem_cache/allocation_sizing.py,
mem_cache/mamba_checkpoint_pool.py and mem_cache/ple_state_pool.py. It knows nothing about the
budget itself.
"""

from __future__ import annotations

from ferrum_cli.blocks import Context, Window
from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import MemoryLine, Question
from ferrum_cli.engines.sglang.kv_cell import Cell
from ferrum_cli.engines.sglang.launch import Launch
from ferrum_cli.engines.sglang.replay import decode_ring_bytes
from ferrum_cli.engines.sglang.slot import Slot

_ROW_HEADROOM = 4
_FEW_REQUESTS = 32


def row_tokens(launch: Launch) -> int:
    """Entries of one request's row in the table of token locations."""
    extra = _ROW_HEADROOM + launch.draft_tokens
    if launch.speculation is not None and launch.page_size > 1:
        reserve = 2 * launch.speculation.tokens_per_decode
        extra = max(extra, reserve + launch.page_size - 1)
    return launch.context + extra


def request_table_bytes(launch: Launch, requests: int) -> int:
    """`req_to_token`: one int32 for every token a request may have, and a padding row."""
    return (requests + 1) * row_tokens(launch) * DType.INT32.size_bytes


def unbudgeted_lines(
    question: Question, launch: Launch, slot: Slot | None, cell: Cell, requests: int, slots: int
) -> tuple[MemoryLine, ...]:
    """Every such allocation on the fullest rank, in SGLang's own names."""
    lines = [
        (
            "req_to_token table",
            request_table_bytes(launch, requests),
            f"({requests} requests + 1) × {row_tokens(launch)} tokens × 4 B",
        ),
        (
            "KV pad page",
            launch.page_size * cell.full,
            f"{launch.page_size} tokens × {cell.full} B",
        ),
    ]
    if slot is not None:
        lines += [
            ("int8 checkpoint pool", *_checkpoints(question, slot, slots)),
            ("ReplaySSM decode rings", *_decode_rings(question, slot, slots)),
            ("side state", *_side_state(question, launch, slot, slots, requests)),
            (
                "state slots of incoming requests",
                *_incoming(question, launch, slot, slots, requests),
            ),
        ]
    return tuple(
        MemoryLine(f"{name} (in no budget)", size, how, budgeted=False)
        for name, size, how in lines
        if size
    )


def _checkpoints(question: Question, slot: Slot, slots: int) -> tuple[int, str]:
    """int8 states, one scale for each head and key channel, and the windows as they are."""
    if not question.settings.value("enable_int8_mamba_checkpoint"):
        return 0, ""
    count = question.settings.value("int8_mamba_ckpt_size") or 2 * slots
    heads, _, key_dim = slot.shape.temporal
    layer = slot.shape.temporal_elements + heads * key_dim * slot.temporal.size_bytes
    layer += slot.shape.conv_elements * slot.conv.size_bytes
    size = slot.fullest_stage * (count + 1) * layer
    return size, f"{slot.fullest_stage} layers × ({count} + 1) slots × {layer} B"


def _decode_rings(question: Question, slot: Slot, slots: int) -> tuple[int, str]:
    if not question.settings.value("enable_linear_replayssm"):
        return 0, ""
    tokens = question.settings.value("linear_replayssm_cache_len")
    layer = decode_ring_bytes(slot.shape, slot.temporal, tokens)
    size = slot.fullest_stage * (slots + 1) * layer
    return size, f"{slot.fullest_stage} layers × ({slots} + 1) slots × {layer} B"


def _incoming(
    question: Question, launch: Launch, slot: Slot, slots: int, requests: int
) -> tuple[int, str]:
    """A decode server raises its slots to those of running and of incoming requests.

    disaggregation/decode.py (HybridMambaDecodeReqToTokenPool) and pd_disaggregation_hook.py: twice
    the requests of a worker that has at most 32, unless a flag says.
    """
    if not launch.is_decode_server:
        return 0, ""
    incoming = question.settings.value("disaggregation_decode_extra_slots")
    per_worker = launch.requests_per_worker
    if incoming is None:
        few = per_worker is not None and per_worker <= _FEW_REQUESTS
        incoming = 2 * (per_worker or 0) if few else 0
    needed = (requests + incoming) * (1 + launch.strategy.tracking_slots)
    more = max(0, needed - slots)
    return more * slot.bytes_on_stage, f"{more} slots × {slot.bytes_on_stage} B"


def _side_state(
    question: Question, launch: Launch, slot: Slot, slots: int, requests: int
) -> tuple[int, str]:
    """N-gram embeddings (PLE): windows of each layer, and one context for all, whole on a rank."""
    parts = [
        part
        for layer in question.model.layers
        for placed, part in layer.state
        if placed.block.kind == "ngram_context"
    ]
    windows = [part for part in parts if isinstance(part, Window)]
    if not windows:
        return 0, ""
    width = sum(axis.size for axis in windows[0].channels) * windows[0].history
    per_slot = len(windows) * width * slot.conv.size_bytes
    context = next((part.length for part in parts if isinstance(part, Context)), 0)
    per_slot += context * DType.INT64.size_bytes
    rows = slots + 1 + (requests + 1) * launch.draft_tokens
    return rows * per_slot, f"{rows} rows × {per_slot} B of {len(windows)} layers"
