"""Bytes of the weights in the dtype they are loaded in, and of tables that are no parameters.

It knows nothing about caches.
"""

from __future__ import annotations

from ferrum_cli.blocks.lightning_attention import LightningAttention
from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import Question
from ferrum_cli.expand import Expanded, Parallel, weight_bytes_per_rank

_BLOCK_SIZE = 256
"""`block_size` of MiniMax-Text-01, MiniMax-M1 and the configuration class."""


def weights_bytes(question: Question, dtype: DType) -> tuple[int, str]:
    """Bytes of the weights and where the figure is from.

    Weights counted from parameters follow `dtype`; those measured in a checkpoint stay as they are.
    """
    (given,) = question.weights.bytes_per_rank
    stated = question.model.description.dtype
    if dtype is stated or stored_as_they_are(question, dtype):
        return given, question.weights.source
    return given // stated.size_bytes * dtype.size_bytes, f"parameters × {dtype.name}"


def stored_as_they_are(question: Question, dtype: DType) -> bool:
    """Whether weights measured in a checkpoint are asked for in another dtype."""
    description = question.model.description
    if dtype is description.dtype:
        return False
    return question.weights.bytes_per_rank != weight_bytes_per_rank(description, Parallel())


def decay_tables(model: Expanded, dtype: DType) -> int:
    """Bytes of the decays that every lightning attention of MiniMax keeps as buffers.

    n·(b² + 2·b + 1) for n heads and blocks of b tokens (models/minimax/modeling_minimax.py,
    decay_factors): 295,899,520 elements for MiniMax-M1.
    """
    heads = sum(
        placed.block.num_heads
        for layer in model.layers
        for placed in layer.placed
        if isinstance(placed.block, LightningAttention)
    )
    return heads * (_BLOCK_SIZE + 1) ** 2 * dtype.size_bytes
