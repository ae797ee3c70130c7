"""Host memory that llama-server takes beside the model: context checkpoints and the prompt cache.

A checkpoint is one snapshot of a slot's state, as `llama_state_seq_get_size_ext` sizes it with
PARTIAL_ONLY, byte for byte (src/llama-context.cpp, llama-memory-recurrent.cpp of 0c1e57098);
neither is in the memory breakdown, nor seen by `--fit`. It knows nothing about devices.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines._options import Settings
from ferrum_cli.engines.llama_cpp.context import Context
from ferrum_cli.engines.llama_cpp.inventory import CacheKind, Inventory
from ferrum_cli.engines.llama_cpp.launch import Launch

_F32 = 4
_MIB = 2**20
_SEQUENCE_HEADER = 8
"""Magic and sequence id."""
_STATE_HEADER = 20
"""Cell count, position, number of sequences, transposition, number of layers."""
_ROW_HEADER = 12
"""Type and row size of a tensor; a P row has its size alone."""
_P_HEADER = 8
_WORD = 4
_CELL_HEADER = 8
"""Position and number of sequences of a cell."""


@dataclass(frozen=True, slots=True)
class HostMemory:
    """What the server may come to hold, capped by number and by `--cache-ram`."""

    checkpoint_bytes: int
    """One checkpoint; a window's part is of a full window."""
    checkpoints: int
    """At most, over all slots."""
    draft_bytes: int
    """What the draft context adds to one checkpoint: its KV of the whole prefix."""
    prompt_cache_bytes: int | None
    """At most; None where there is no limit."""
    prompt_entry_bytes: int
    """One entry of the prompt cache: state, and KV of a whole context."""

    @property
    def all_checkpoints_bytes(self) -> int:
        """Every slot with as many as it may have."""
        return self.checkpoints * (self.checkpoint_bytes + self.draft_bytes)


def checkpoint_bytes(found: Inventory, launch: Launch) -> int:
    """Bytes of one checkpoint: 28 + Σ (24 + 4·r + 4·s), 8 + 4·p, and the windows' KV.

    0 where none is made: a context that can remove a part of a sequence needs none.
    """
    windows = window_part_bytes(found, launch)
    if not found.has_state_memory and not windows:
        return 0
    size = _SEQUENCE_HEADER
    if found.has_state_memory:
        size += _STATE_HEADER
        for layer in found.state:
            size += 2 * _ROW_HEADER + _F32 * (layer.r + layer.s)
            size += _P_HEADER + _F32 * layer.p if layer.p else 0
    return size + windows


def window_part_bytes(found: Inventory, launch: Launch) -> int:
    """A full window of every layer, after counts of streams and cells and two flags; else 0."""
    layers = [layer for layer in found.caches if layer.kind is CacheKind.WINDOW]
    if launch.swa_full or not layers:
        return 0
    header = _WORD * (1 + launch.sizes().streams + 2)
    rows = sum(launch.type_k.row_bytes(x.k) + launch.type_v.row_bytes(x.v) for x in layers)
    return header + found.window * (_CELL_HEADER + rows) + 2 * _ROW_HEADER * len(layers)


def host_memory(
    settings: Settings, found: Inventory, launch: Launch, context: Context, draft: Context | None
) -> HostMemory:
    """What the server holds in host memory beside a context and the context of its drafts."""
    one = checkpoint_bytes(found, launch)
    slots = context.sizes.slots
    each: int = settings.value("ctx_checkpoints") if one else 0
    # Without rollback speculation keeps one more for each slot.
    extra = 1 if one and launch.proposed and not launch.snapshots else 0
    limit: int = settings.value("cache_ram")
    state = context.state_bytes // max(1, context.rows)
    draft_kv = draft.kv_bytes // slots if draft else 0
    return HostMemory(
        checkpoint_bytes=one,
        checkpoints=slots * (each + extra),
        draft_bytes=draft_kv if one else 0,
        prompt_cache_bytes=None if limit < 0 else limit * _MIB,
        prompt_entry_bytes=state + context.kv_bytes // slots,
    )
