"""The memory of the fullest rank, line by line.

What the requests need, what the pools hold beyond that, and what SGLang charges to no budget. It
knows nothing about how the pools were sized.
"""

from __future__ import annotations

from ferrum_cli.engines._engine import MemoryLine
from ferrum_cli.engines.sglang.device_memory import draft_weights, heaviest_weights
from ferrum_cli.engines.sglang.launch import Launch
from ferrum_cli.engines.sglang.slot import Slot
from ferrum_cli.engines.sglang.start import Start
from ferrum_cli.engines.sglang.unbudgeted import unbudgeted_lines


def memory_lines(found: Start) -> tuple[MemoryLine, ...]:
    """Weights, state and KV of the requests asked for, the rest of the pools, and all else."""
    launch, question = found.launch, found.question
    weights = MemoryLine("weights", heaviest_weights(question, launch), question.weights.source)
    overhead = MemoryLine("overhead", question.machine.overhead_bytes, "--overhead", budgeted=False)
    if launch is None or not found.cells:
        return weights, overhead
    running = found.requests.count if found.requests else 0
    drafts = draft_weights(question, launch)
    return (
        weights,
        MemoryLine("draft weights", drafts, "the checkpoint's draft layers"),
        *_state_lines(found, launch),
        *_kv_lines(found, launch),
        *_draft_lines(found, launch, running),
        *unbudgeted_lines(question, launch, found.slot, found.cells[0], running, found.slots or 0),
        overhead,
    )


def requests_of_worker(found: Start, launch: Launch) -> int:
    """The requests asked for, as one worker gets them."""
    return -(-found.question.requests // launch.workers)


def _state_lines(found: Start, launch: Launch) -> tuple[MemoryLine, ...]:
    slot = found.slot
    if slot is None:
        return ()
    requests, ratio = requests_of_worker(found, launch), launch.strategy.slots_per_request
    needed = (requests * ratio + 1) * slot.bytes_on_stage
    how = f"({requests} × {ratio} slots + 1) × {slot.bytes_on_stage} B"
    lines = [MemoryLine("recurrent state", needed, how)]
    if found.slots is not None:
        pool = (found.slots + 1) * slot.bytes_on_stage
        name = "further state slots"
        how = f"max(0, ({found.slots} slots + 1) × {slot.bytes_on_stage} B − {needed} B above)"
        lines.append(MemoryLine(name, max(0, pool - needed), how, budgeted=False))
    return tuple(lines)


def _kv_lines(found: Start, launch: Launch) -> tuple[MemoryLine, ...]:
    cell, context = max(found.cells, key=lambda cell: cell.size_bytes), launch.context
    requests = requests_of_worker(found, launch)
    needed = int(requests * context * cell.full)
    how = f"{requests} × {context} tokens × {cell.full} B"
    if cell.window:
        windows = int(requests * context * cell.window_ratio * cell.window)
        needed, how = needed + windows, f"{how} + windows {windows} B"
    lines = [MemoryLine("KV cache", needed, how)]
    if found.tokens is not None:
        pool = found.tokens.full * cell.full + (found.tokens.window or 0) * cell.window
        beside = f" + {found.tokens.window or 0} × {cell.window} B" if cell.window else ""
        how = f"max(0, {found.tokens.full} tokens × {cell.full} B{beside} − {needed} B above)"
        lines.append(MemoryLine("further KV cache", max(0, pool - needed), how, budgeted=False))
    return tuple(lines)


def _draft_lines(found: Start, launch: Launch, running: int) -> tuple[MemoryLine, ...]:
    """States and windows of draft tokens, or the rings that stand for them."""
    slot = found.slot
    if slot is None or launch.speculation is None:
        return ()
    temporal, conv = draft_state_bytes(launch, slot, running)
    rings = (found.slots or 0) + 1, (launch.requests_per_worker or 0) + 1
    ring_bytes = rings[0] * slot.ring_bytes + rings[1] * slot.request_ring_bytes
    return (
        MemoryLine(
            "states of draft tokens",
            temporal + conv,
            f"{slot.fullest_stage} layers × ({running} + 1) requests ×"
            f" {launch.draft_tokens} tokens",
        ),
        MemoryLine("ReplaySSM rings", ring_bytes, "inputs of the last tokens"),
    )


def draft_state_bytes(launch: Launch, slot: Slot, running: int) -> tuple[int, int]:
    """Temporal states and convolution windows that verification keeps for every draft token.

    SGLang reserves a whole state for each; windows of a chain overlap and take less (MambaPool).
    """
    if launch.speculation is None or launch.is_prefill_server:
        return 0, 0
    rows, tokens = slot.fullest_stage * (running + 1), launch.draft_tokens
    temporal = rows * tokens * slot.shape.temporal_elements * slot.temporal.size_bytes
    chain = launch.speculation.branches <= 1 and not slot.shape.dense_windows
    elements = 0
    for shape in slot.shape.conv:
        if chain:
            dim, history = shape
            elements += dim * max(0, tokens + history - 1)
        else:
            elements += slot_elements(shape) * tokens
    keeps_states = slot.draft_states
    return (temporal if keeps_states else 0), rows * elements * slot.conv.size_bytes


def slot_elements(shape: tuple[int, ...]) -> int:
    """Elements of one window."""
    total = 1
    for size in shape:
        total *= size
    return total
