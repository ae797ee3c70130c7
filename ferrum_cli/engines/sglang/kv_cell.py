"""Bytes of KV for one token on one rank: SGLang's "cell".

SGLang 0.5.23, model_executor/pool_configurator.py (DefaultPoolConfigurator and
HybridSWAPoolConfigurator) and mem_cache/kv_cache_configurator.py (calculate_mla_kv_cache_dim). It
knows nothing about how much memory there is.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.blocks import KeyValue, Latent
from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import Question
from ferrum_cli.engines.sglang.dtypes import kv_dtype
from ferrum_cli.engines.sglang.launch import Launch
from ferrum_cli.engines.sglang.layers import ModelLayers
from ferrum_cli.expand import Expanded

_SCALED_BLOCK = 32
_FP4_BLOCK = 16
_FP4 = ("nvfp4", "fp4_mx_block16")
_INDEX_BLOCK = 128


@dataclass(frozen=True, slots=True)
class Cell:
    """Bytes of one token on one rank of one stage."""

    key: int
    """Keys, or latents, of the layers that grow without limit."""
    value: int
    index: int
    """Keys of a sparse attention's indexer."""
    draft: int
    """The draft model's KV, which lies beside the target's."""
    window: int
    """One token in the pool of sliding windows, over all its layers."""
    window_ratio: float
    """Tokens in that pool for each full token."""
    is_latent: bool

    @property
    def full(self) -> int:
        """Bytes of one token in the full pool, with the draft's."""
        return self.key + self.value + self.index + self.draft

    @property
    def size_bytes(self) -> float:
        """Bytes that one token of `max_total_num_tokens` costs."""
        if not self.window:
            return self.full
        if not self.full:
            return self.window
        return self.full + self.window_ratio * self.window


def kv_cell(question: Question, launch: Launch, layers: ModelLayers, stage: range) -> Cell:
    """The cell of the layers on one stage."""
    word, dtype, _ = kv_dtype(question)
    attention = tuple(index for index in layers.attention if index in stage)
    windows = tuple(index for index in layers.windows if index in stage)
    latent = _latent(question.model)
    if latent is not None:
        key, value = _latent_bytes(question, latent, word, dtype) * len(attention), 0
    else:
        grown, _ = key_values(question.model)
        key, value = _head_bytes(question, launch, grown, word, dtype, len(attention))
    index = _index_bytes(question, attention)
    window = 0
    if windows:
        _, windowed = key_values(question.model)
        window = sum(_head_bytes(question, launch, windowed, word, dtype, len(windows)))
    draft = _draft_bytes(launch, key + value, index, len(attention), is_latent=latent is not None)
    ratio = question.settings.value("swa_full_tokens_ratio")
    ratio = launch.row.window_ratio if ratio is None else ratio
    return Cell(key, value, index, draft, window, ratio, latent is not None)


def key_values(model: Expanded) -> tuple[KeyValue | None, KeyValue | None]:
    """Keys and values without and with a sliding window, from the first layer of each.

    SGLang knows one number of heads for all layers of a kind. Where every layer has a window, it
    stands for both.
    """
    found: dict[bool, KeyValue] = {}
    for layer in model.layers:
        for _, cache in layer.caches:
            if isinstance(cache, KeyValue):
                found.setdefault(cache.window is not None, cache)
    return found.get(False) or found.get(True), found.get(True)


def _latent(model: Expanded) -> Latent | None:
    caches = (cache for layer in model.layers for _, cache in layer.caches)
    return next((cache for cache in caches if isinstance(cache, Latent)), None)


def kv_heads_on_rank(launch: Launch, heads: int, dcp: int) -> int:
    """KV heads of one rank: replicated beyond their number."""
    return max(1, heads // max(1, launch.attention_tp // dcp))


def _head_bytes(
    question: Question, launch: Launch, cache: KeyValue | None, word: str, dtype: DType, layers: int
) -> tuple[int, int]:
    """Bytes of keys and of values, over `layers` layers."""
    if cache is None:
        return 0, 0
    heads = kv_heads_on_rank(launch, cache.heads, question.settings.value("dcp_size"))
    key, value = heads * cache.key_dim * layers, heads * cache.value_dim * layers
    if word in _FP4:
        # Packed by two, with one scale for every block of 16.
        return tuple(n // 2 + n // _FP4_BLOCK for n in (key, key))  # type: ignore[return-value]
    scales = (key + value) // _SCALED_BLOCK if word == "mxfp8" else 0
    return key * dtype.size_bytes + scales, value * dtype.size_bytes


def _latent_bytes(question: Question, latent: Latent, word: str, dtype: DType) -> int:
    """Bytes of one latent; never split over ranks."""
    width = latent.rank + latent.rope_dim
    if word in _FP4:
        return width // 2 + width // _FP4_BLOCK
    if word == "fp8_e4m3" and _has_indexer(question.model):
        # Sparse attention keeps fp8 latents with a float scale for every 128, and rope in bf16.
        scales = latent.rank // _INDEX_BLOCK * DType.FP32.size_bytes
        return latent.rank + scales + latent.rope_dim * DType.BF16.size_bytes
    return width * dtype.size_bytes


def _has_indexer(model: Expanded) -> bool:
    return any(isinstance(block, Indexer) for block in model.description.blocks.values())


def _index_bytes(question: Question, attention: tuple[int, ...]) -> int:
    """Keys of the indexers of a stage: fp8 with scales beside latents, bf16 beside keys."""
    chosen = set(attention)
    blocks = [
        placed.block
        for layer in question.model.layers
        if layer.index in chosen
        for placed in layer.placed
        if isinstance(placed.block, Indexer)
    ]
    latent = _latent(question.model) is not None
    return sum(_index_key(question, block, is_latent=latent) for block in blocks)


def _index_key(question: Question, block: Indexer, *, is_latent: bool) -> int:
    if is_latent:
        pool = block.pool_size or 1
        scales = block.head_dim // _INDEX_BLOCK * DType.FP32.size_bytes
        return -(-(block.head_dim + scales) // pool)
    fp8 = question.settings.value("qsa_indexer_dtype") == "fp8_e4m3"
    width = block.num_kv_heads * block.head_dim
    tokens = question.model.description.hints.index_compress_ratio or 1
    return width * (DType.FP8 if fp8 else DType.BF16).size_bytes // tokens


def _draft_bytes(launch: Launch, target: int, index: int, layers: int, *, is_latent: bool) -> int:
    """EAGLE and its like: the draft's layers are priced like the target's, indexers apart."""
    spec = launch.speculation
    if spec is None or not layers:
        return 0
    if not is_latent:
        return int((target + index) * spec.draft_layers / layers)
    return int(target * spec.draft_layers / layers) + index // layers * spec.draft_layers
