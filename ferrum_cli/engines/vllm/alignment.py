"""How a hybrid model's block grows until one page of tokens holds one page of state.

platforms/interface.py, Platform._align_hybrid_block_size, vLLM 0.33.0; until 0.19 in
model_executor/models/config.py, HybridAttentionMambaModelConfig. It knows nothing about groups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.inventory import Inventory
from ferrum_cli.engines.vllm.states import State
from ferrum_cli.engines.vllm.token_pages import token_bytes_for_alignment

_DEFAULT_CHUNK = 2048
_WIDE_HEAD = 256


@dataclass(frozen=True, slots=True)
class Alignment:
    """The block that attention and state share."""

    block_size: int
    block_size_before: int
    """What the user or the attention backend asked for."""
    mamba_block_size: int
    """Tokens between two states; max_model_len where none is cached."""
    padded_page_bytes: int | None
    """Bytes that every state page is padded to; None where they are equal anyway."""
    quantum: int = 1
    """Tokens to whose multiple the block was rounded."""
    token_bytes: int = 0
    """Bytes of one token in one attention layer."""
    state_bytes: int = 0
    """Bytes of one layer's state, as the model class states them."""
    checkpoint_grid: int | None = None


def align(inventory: Inventory, states: list[State], config: Configuration) -> Alignment:
    """Size the block of a model; without state, or without attention, there is nothing to align."""
    before = config.settings.value("block_size") or _preferred_block(inventory, config)
    grid = checkpoint_grid(states)
    asked = config.settings.value("mamba_block_size")
    if inventory.model_type != "hybrid":
        dense = config.mode != "none" and config.rules.state_slots == "modes"
        mamba_block = asked or (before if dense else config.max_model_len)
        return Alignment(before, before, mamba_block, None, checkpoint_grid=grid)
    token = next(
        filter(None, (token_bytes_for_alignment(c.placed, config) for c in inventory.caches))
    )
    state = max(s.aligned_bytes for s in states)
    quantum = _quantum(inventory, config, before, grid)
    rounded = _rounded(inventory, config, state, token, quantum)
    block = max(before, rounded)
    page = block * token
    return Alignment(
        block_size=block,
        block_size_before=before,
        mamba_block_size={"none": config.max_model_len, "align": block, "all": rounded}[
            config.mode
        ],
        padded_page_bytes=None if page == state else page,
        quantum=quantum,
        token_bytes=token,
        state_bytes=state,
        checkpoint_grid=grid,
    )


def checkpoint_grid(states: list[State]) -> int | None:
    """Tokens at whose multiples every state layer can leave a checkpoint inside a prefill."""
    grids = [state.checkpoint_grid for state in states]
    known = [grid for grid in grids if grid is not None]
    return math.lcm(*known) if known and len(known) == len(grids) else None


def _preferred_block(inventory: Inventory, config: Configuration) -> int:
    """The smallest block from 16 on that every backend takes; an indexer's takes pages of 64."""
    sparse = inventory.latent is not None and inventory.indexer is not None
    pool = inventory.indexer.pool_size if inventory.indexer else None
    if sparse and not pool:
        return math.lcm(config.kernel.preferred_block, 64)
    return config.kernel.preferred_block


def _quantum(inventory: Inventory, config: Configuration, before: int, grid: int | None) -> int:
    """Tokens to whose multiple the block is rounded before other backends are asked."""
    rules, latent = config.rules, inventory.latent is not None
    if not rules.user_quantum:
        return _fixed_quantum(config, latent, inventory.head_dim)
    quantum = max(config.kernel.smallest_block, before)
    if latent:
        quantum = max(quantum, rules.mla_quantum)
    if config.mode == "align":
        quantum = math.lcm(quantum, grid or 1)
    if config.mode == "all":
        chunk = config.settings.value("mamba_block_size") or config.chunk_size or _DEFAULT_CHUNK
        quantum = math.lcm(chunk, quantum)
    return quantum


def _fixed_quantum(config: Configuration, latent: bool, head_dim: int) -> int:
    """Until 0.19: 16 tokens, more for latent attention and for wide heads on SM100."""
    quantum = 16
    blackwell = config.device.major == 10  # noqa: PLR2004 - SM100
    if latent:
        quantum = 128 if config.kernel.name == "CUTLASS_MLA" else config.rules.mla_quantum
    elif config.kernel.name == "FLASHINFER" and head_dim == _WIDE_HEAD and blackwell:
        quantum = 32
    if config.mode == "all":
        chunk = config.settings.value("mamba_block_size") or config.chunk_size or _DEFAULT_CHUNK
        quantum = math.lcm(chunk, quantum)
    return quantum


def _rounded(
    inventory: Inventory, config: Configuration, state: int, token: int, quantum: int
) -> int:
    """Tokens that hold one state, up to the quantum and to what every backend takes."""
    block = quantum * -(-state // (quantum * token))
    if not config.rules.common_kernel_block:
        return block
    sizes = [config.kernel.smallest_block]
    indexer = inventory.indexer
    if indexer is not None and inventory.latent is not None:
        smallest = 64 if config.device.major == 12 or not indexer.pool_size else 32  # noqa: PLR2004 - SM120
        sizes.append(smallest * (indexer.pool_size or 1))
    common = math.lcm(*sizes)
    return common * -(-block // common)
