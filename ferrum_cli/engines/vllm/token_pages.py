"""A block's caches → what one layer keeps in a block of tokens on one rank.

v1/kv_cache_interface.py (AttentionSpec and its kinds), models/glm5next/common/attention.py,
models/qwen4_exp/common/qsa_cache.py, models/inkling/nvidia/sconv_swa_attn.py, vLLM 0.33.0. It knows
nothing about state pages or the number of layers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ferrum_cli.blocks import Cache, KeyValue, Latent, Window
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.dtype import DType
from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.inventory import STREAM_CONVOLUTION
from ferrum_cli.expand import Placed

Kind = Literal[
    "full_attention",
    "mla_attention",
    "sliding_window",
    "chunked_local_attention",
    "circular_buffer",
]
_SCALE_GROUP = 128
"""Elements of an indexer's FP8 key that share one fp32 scale."""


@dataclass(frozen=True, slots=True)
class TokenPage:
    """One layer's page: the tokens it spans and its bytes."""

    kind: Kind
    block_size: int
    page_bytes: int
    window: int | None = None
    """Tokens that stay, for windows and chunks."""
    stride: int = 1
    """Bytes to whose multiple a block of layers laid side by side is rounded."""

    @property
    def token_bytes(self) -> float:
        """Bytes for one token; a fraction where several tokens share a row."""
        return self.page_bytes / self.block_size

    def resized(self, block_size: int) -> TokenPage:
        """The same cache with another block."""
        return replace(
            self,
            block_size=block_size,
            page_bytes=self.page_bytes * block_size // self.block_size,
        )


def pages_of(placed: Placed, config: Configuration, block_size: int) -> tuple[TokenPage, ...]:
    """Every page that one layer of the block keeps."""
    if placed.block.kind == STREAM_CONVOLUTION:
        return (_stream_page(placed, config),)
    if isinstance(placed.block, Indexer):
        return _index_pages(placed.block, config, block_size)
    return tuple(_page(cache, placed, config, block_size) for cache in placed.caches)


def token_bytes_for_alignment(placed: Placed, config: Configuration) -> int:
    """Bytes of one token in one layer, by which a hybrid model's block is sized.

    Packed latent rows count as their plain width there (platforms/interface.py).
    """
    for cache in placed.caches:
        if isinstance(cache, KeyValue):
            return _heads(cache, config) * config.kv_dtype.head_bytes(
                cache.key_dim, cache.value_dim
            )
        if isinstance(cache, Latent):
            width = cache.elements_per_token
            plain = config.kv_dtype.packing == "plain"
            element = config.kv_dtype.element_bytes
            return width * element if plain else config.kv_dtype.row_bytes(width)
    return 0


def _heads(cache: KeyValue, config: Configuration) -> int:
    """Heads on one rank, at least one: replicated beyond their number."""
    return max(1, cache.heads // config.tp)


def _page(cache: Cache, placed: Placed, config: Configuration, block_size: int) -> TokenPage:
    dtype = config.kv_dtype
    match cache:
        case KeyValue(window=window):
            size = _heads(cache, config) * dtype.head_bytes(cache.key_dim, cache.value_dim)
            kind: Kind = "full_attention"
            if window is not None:
                chunked = isinstance(placed.block, Attention) and placed.block.chunk is not None
                kind = "chunked_local_attention" if chunked else "sliding_window"
            return TokenPage(kind, block_size, size * block_size, window)
        case Latent():
            row = dtype.row_bytes(cache.elements_per_token)
            return TokenPage(
                "mla_attention", block_size, row * block_size, stride=_stride(row, config)
            )
        case _:
            size = cache.elements_per_token * dtype.element_bytes
            return TokenPage("mla_attention", block_size, size * block_size)


def _stride(row_bytes: int, config: Configuration) -> int:
    """Sparse kernels read rows, or pages of 64 packed rows off SM100, from anywhere in a block."""
    if not config.kernel.name.endswith("SPARSE"):
        return 1
    if config.kernel.name == "FLASHINFER_MLA_SPARSE":
        return 32 * row_bytes
    packed = config.kv_dtype.quantized and config.device.major != 10  # noqa: PLR2004 - SM100
    return 64 * row_bytes if packed else row_bytes


def _index_pages(block: Indexer, config: Configuration, block_size: int) -> tuple[TokenPage, ...]:
    """Keys of an indexer, one for each pool of tokens, and a ring for the pool that is open."""
    pool, drafts = config.index_pool, config.speculation.tokens
    bf16 = DType.BF16.size_bytes
    pools = -(-(pool + drafts) // pool)
    if block.positions:
        row = block.head_dim * bf16
        ring = pool * pools
        # Raw keys, and three int64 positions for each where positions have three axes.
        raw = ring * (row + block.positions * DType.INT64.size_bytes * config.multimodal)
    else:
        row = block.head_dim + 4 * -(-block.head_dim // _SCALE_GROUP)
        ring = pool * (1 << (pools - 1).bit_length())
        # A raw key and a gate, in bfloat16 whatever the model computes in.
        raw = ring * 2 * block.head_dim * bf16
    keys = TokenPage("mla_attention", block_size, row * (block_size // pool), stride=row)
    return (keys,) if pool == 1 else (keys, TokenPage("circular_buffer", ring, raw))


def _stream_page(placed: Placed, config: Configuration) -> TokenPage:
    """Inkling's four convolutions in one window, its heads as wide as the next power of two."""
    windows = [part for part in placed.state if isinstance(part, Window)]
    keys, hidden = windows[0].channels[0], windows[-1].channels[0]
    raw = 2 * keys.width + 2 * (hidden.size // keys.units)
    width = 1 << (raw - 1).bit_length()
    kernel = windows[0].kernel
    heads = max(1, keys.units // config.tp)
    size = kernel * heads * width * DType.BF16.size_bytes
    return TokenPage("sliding_window", kernel, size, kernel)
