"""HiCache's host memory: slots, tokens and bytes of the pools that mirror state and KV.

SGLang 0.5.23, mem_cache/pool_host/mamba.py, mem_cache/pool_host/base.py and
mem_cache/hybrid_cache/hybrid_pool_assembler.py (_split_hicache_size). It knows nothing about how
much memory the host has.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines._options import Settings

DEFAULT_RATIO = 2.0


@dataclass(frozen=True, slots=True)
class HostTier:
    """Host pools of one rank."""

    slots: int
    slot_bytes: int
    tokens: int
    token_bytes: int
    layout: str

    @property
    def state_bytes(self) -> int:
        """Bytes of the pool of states."""
        return self.slots * self.slot_bytes

    @property
    def kv_bytes(self) -> int:
        """Bytes of the pool of KV."""
        return self.tokens * self.token_bytes

    @property
    def size_bytes(self) -> int:
        """Both pools."""
        return self.state_bytes + self.kv_bytes


def host_tier(
    settings: Settings,
    *,
    slots: int,
    slot_bytes: int,
    tokens: int,
    token_bytes: int,
    page_size: int,
) -> HostTier | None:
    """The host pools beside device pools of `slots` and `tokens`; None without HiCache."""
    if not settings.value("enable_hierarchical_cache"):
        return None
    gigabytes = settings.value("hicache_size")
    if gigabytes:
        state, kv = (slots + 1) * slot_bytes, (tokens + page_size) * token_bytes
        shares = [gigabytes * size / (state + kv) * 1e9 for size in (state, kv)]
        host_slots = int(shares[0] // slot_bytes) if slot_bytes else 0
        host_tokens = int(shares[1] // token_bytes) if token_bytes else 0
    else:
        ratio = settings.value("hicache_ratio")
        ratio = DEFAULT_RATIO if ratio is None else ratio
        host_slots, host_tokens = int(slots * ratio), int(tokens * ratio)
    # Both pools keep one page more than asked for.
    host_tokens = (host_tokens // page_size + 1) * page_size
    return HostTier(
        host_slots + 1 if slot_bytes else 0,
        slot_bytes,
        host_tokens if token_bytes else 0,
        token_bytes,
        settings.value("hicache_mem_layout"),
    )
