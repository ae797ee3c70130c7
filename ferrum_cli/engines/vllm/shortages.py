"""Why vLLM would exit once it sizes its cache.

No memory, too little for one request, too many sequences for the blocks, or layers whose pages it
cannot bring together.
v1/core/kv_cache_planning.py and config/compilation.py, vLLM 0.33.0. It knows nothing about
options that are refused earlier.
"""

from __future__ import annotations

from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.groups import Grouping
from ferrum_cli.engines.vllm.inventory import Inventory
from ferrum_cli.engines.vllm.log_lines import gib, words
from ferrum_cli.engines.vllm.pool import Pool, checked_bytes, longest, request_blocks
from ferrum_cli.engines.vllm.refusals import Refusal


def ungrouped(config: Configuration, inventory: Inventory) -> Refusal:
    """No grouping was found: the layers' pages cannot share one pool."""
    if _one_kind_wanted(config, inventory):
        hint = "leave out --disable-hybrid-kv-cache-manager"
        return Refusal("hybrid-manager-disabled", words(config.version, "not_one_type"), hint)
    said = (
        "page size is not divisible by the maximum page size and cannot be padded. Padding is only"
        " supported for non-MLA attention layers."
    )
    hint = "use the same KV dtype and block size for target and draft"
    return Refusal("pages-not-unified", said, hint)


def _one_kind_wanted(config: Configuration, inventory: Inventory) -> bool:
    wanted = config.settings.value("disable_hybrid_kv_cache_manager")
    return bool(wanted) and inventory.model_type != "attention_free"


def too_little_memory(grouping: Grouping, config: Configuration, pool: Pool) -> Refusal | None:
    """Whether one request of max_model_len fits each rank's pool."""
    if pool.available_bytes is None:
        return None
    rooms = checked_bytes(grouping, config, pool.available_bytes)
    blocks = request_blocks(grouping, config, pool.max_model_len)
    for rank, (room, size) in enumerate(zip(rooms, grouping.block_bytes, strict=True)):
        if not size:
            continue
        if room <= 0:
            said = words(config.version, "no_cache_memory")
            return Refusal("no-cache-memory", said, "more memory, or more ranks")
        if blocks * size > room:
            return _too_long(config, blocks * size, room, longest(grouping, config, room, rank))
    return None


def _too_long(config: Configuration, need: int, room: int, fitting: int) -> Refusal:
    version, asked = config.version, config.max_model_len
    numbers = {"tokens": asked, "need": gib(need), "room": gib(room)}
    if not fitting:
        said = words(version, "too_long_for_any", **numbers)
        return Refusal("max-model-len-exceeds-memory", said, "more memory, or more ranks")
    said = words(version, "too_long", **numbers, longest=fitting)
    return Refusal("max-model-len-exceeds-memory", said, f"--max-model-len {fitting}")


def too_many_sequences(config: Configuration, inventory: Inventory, pool: Pool) -> Refusal | None:
    """Whether full CUDA graphs would be captured for more sequences than there are blocks."""
    seqs: int = config.batching.max_num_seqs.value
    if pool.num_blocks is None or seqs <= pool.num_blocks:
        return None
    if not graphs_check_sequences(config, inventory):
        return None
    said = words(config.version, "too_many_sequences", requests=seqs, blocks=pool.num_blocks)
    return Refusal("max-num-seqs-exceeds-blocks", said, f"--max-num-seqs {pool.num_blocks}")


def graphs_check_sequences(config: Configuration, inventory: Inventory) -> bool:
    """Whether full graphs are captured at all, on a model with state and a version that looks."""
    if not inventory.state or not config.rules.max_num_seqs_checked:
        return False
    compilation = config.settings.value("compilation_config")
    mode = compilation.get("cudagraph_mode") if isinstance(compilation, dict) else None
    full = mode is None or "FULL" in str(mode).upper()
    return full and not config.settings.value("enforce_eager")
