"""What the constructors of layers assert about a split over ranks and about dtypes.

model_executor/layers/mamba/ and the models' own files, vLLM 0.32.0 and 0.33.0. It knows nothing
about options that no layer reads.
"""

from __future__ import annotations

from ferrum_cli.blocks import Axis, KeyValue, Matrix, Split, Vector, Window
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.latent_attention import LatentAttention
from ferrum_cli.describe.description import Description
from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.inventory import Inventory
from ferrum_cli.engines.vllm.mixers import MIXERS

Found = tuple[str, str, str]
"""Code, words and hint."""


def attention_heads(inventory: Inventory) -> int:
    """Query heads of the first attention; 0 where there is none."""
    for counted in inventory.caches:
        block = counted.placed.block
        if isinstance(block, (Attention, LatentAttention)):
            return block.num_heads
    return 0


def first(inventory: Inventory, config: Configuration, description: Description) -> Found | None:
    """The first assertion that fails."""
    return (
        _kv_heads(inventory, config.tp)
        or _state_dtype(inventory, config)
        or _lightning_norm(config, description)
        or _state_heads(inventory, config.tp)
        or _groups(inventory, config.tp)
    )


def _kv_heads(inventory: Inventory, tp: int) -> Found | None:
    """KV heads divide by the ranks, or ranks by the heads, of which each then has a copy."""
    for counted in inventory.caches:
        for cache in counted.placed.caches:
            if isinstance(cache, KeyValue) and cache.heads % tp and tp % cache.heads:
                hint = f"use a tp that divides {cache.heads} KV heads, or a multiple of it"
                return ("kv-heads-indivisible", "AssertionError", hint)
    return None


def _state_dtype(inventory: Inventory, config: Configuration) -> Found | None:
    """KDA's recurrent state is float32 or bfloat16."""
    kda = any(MIXERS[c.placed.block.kind].matrix_dtype == "kda" for c in inventory.state)
    asked = config.ssm_dtype_option.value
    reads = (
        config.architecture.layers_read_ssm_dtype or config.architecture.alignment_reads_ssm_dtype
    )
    if not (kda and reads and config.rules.kda_ssm_dtype and asked == "float16"):
        return None
    words = f"KDA recurrent state supports only auto, float32, and bfloat16; got {asked}"
    return ("kda-state-dtype", words, "--mamba-ssm-cache-dtype float32")


def _groups(inventory: Inventory, tp: int) -> Found | None:
    """Mamba-2's groups divide by the ranks, unless there is only one, which is copied."""
    for counted in inventory.state:
        if not MIXERS[counted.placed.block.kind].raises_groups:
            continue
        groups = next(
            (
                a.units
                for w in counted.placed.state
                if isinstance(w, Window)
                for a in w.channels
                if a.split is Split.GROUPS
            ),
            1,
        )
        if groups % tp and groups != 1:
            words = (
                "If tensor parallel world size does not divide num_groups, then num_groups must"
                " equal 1."
            )
            return ("mamba2-groups-indivisible", words, f"use a tp that divides {groups} groups")
    return None


def _lightning_norm(config: Configuration, description: Description) -> Found | None:
    """Ling 2.5 norms each rank's heads in whole groups."""
    if config.architecture.norm_groups is None:
        return None
    groups = description.hints.group_norm_size or config.architecture.norm_groups
    hint = f"use a tp that divides group_norm_size {groups}"
    if config.tp > groups:
        words = "tp_size must be <= group_norm_size for local rms norm"
        return ("group-norm-size", words, hint)
    if groups % config.tp:
        return ("group-norm-size", "group_norm_size must be divisible by tp_size", hint)
    return None


def _state_heads(inventory: Inventory, tp: int) -> Found | None:
    """Heads and channels of recurrent state divide by the ranks."""
    for counted in inventory.state:
        mixer = MIXERS[counted.placed.block.kind]
        if mixer.replicated:
            continue
        for part in counted.placed.state:
            whole = _divided(part, mixer.raises_groups, tp)
            if whole is not None and whole % tp:
                words = (
                    "Tensor parallel world size must divide num heads."
                    if mixer.calculator == "mamba2"
                    else f"{whole} is not divisible by {tp}"
                )
                return ("state-heads-indivisible", words, f"use a tp that divides {whole}")
    return None


def _divided(part: object, raises_groups: bool, tp: int) -> int | None:
    """What a part divides by the ranks: its heads, its vector's units, or all its channels."""
    match part:
        case Matrix(heads=Axis(units=units)) | Vector(axis=Axis(units=units)):
            return units
        case Window(channels=channels):
            raised = raises_groups and any(
                a.split is Split.GROUPS and a.units % tp for a in channels
            )
            return None if raised else sum(axis.size for axis in channels)
        case _:
            return None


def padded_too_small(content_bytes: int, page_bytes: int, drafts: int) -> Found | None:
    """A state page that was aligned for less than the layer keeps (`page_size_padded`)."""
    if content_bytes <= page_bytes:
        return None
    hint = (
        "fewer draft tokens, or vLLM 0.32 or newer, which aligns pages for them"
        if drafts
        else "--mamba-ssm-cache-dtype auto: the layer keeps float32 whatever the option says"
    )
    return ("state-page-too-small", "AssertionError: page_size_padded >= page_size", hint)
