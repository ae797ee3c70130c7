"""Nemotron-H after a search for cheaper blocks: sizes may differ from layer to layer.

Read from SGLang 0.5.23, configs/nemotron_h.py, and vLLM 0.33.0,
model_executor/models/nemotron_h.py: every entry of `block_configs` stands before the fields that
all layers share. Mixers of Mamba-2 are alike, because their state lies in one pool. It knows
nothing about engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from ferrum_cli.blocks import Block
from ferrum_cli.describe.description import Description, Draft
from ferrum_cli.describe.huggingface import Identity, nemotron_h
from ferrum_cli.describe.huggingface._common import layer
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {"nemotron_h_puzzle": ("NemotronHPuzzleForCausalLM",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read the configuration of a Puzzle; `block_configs` has an entry for every layer."""
    kinds = nemotron_h.pattern(config)
    each = _each_block(config, "block_configs", kinds)
    blocks: dict[str, Block] = {}
    layers = [_named(blocks, *pair) for pair in zip(kinds, each, strict=True)]
    biases = sum(
        nemotron_h.expert_biases(block)
        for kind, block in zip(kinds, each, strict=True)
        if kind == "experts"
    )
    draft = _draft(config, blocks)
    return nemotron_h.described(config, identity, blocks, layers, draft, biases)


def _each_block(config: Fields, name: str, kinds: Sequence[str]) -> list[Fields]:
    """The fields of every block: its own before those that all share."""
    own = config.children(name)
    if len(own) != len(kinds):
        config.fail(name, f"{len(own)} blocks for {len(kinds)} layers")
    for fields, kind in zip(own, kinds, strict=True):
        stated = fields.text("block_type")
        if nemotron_h.WORDS.get(stated) != kind:
            fields.fail("block_type", f"{ascii(stated)[:40]} in place of {kind}")
    return [
        config if kind == "mamba" else fields.before(config)
        for fields, kind in zip(own, kinds, strict=True)
    ]


def _named(blocks: dict[str, Block], kind: str, fields: Fields) -> str:
    """The name of a block in `blocks`, where equal ones stand once."""
    block = nemotron_h.BLOCKS[kind](fields)
    names = (kind if number == 1 else f"{kind}_{number}" for number in count(1))
    return next(name for name in names if blocks.setdefault(name, block) == block)


def _draft(config: Fields, blocks: dict[str, Block]) -> Draft | None:
    """Each draft layer holds all blocks of the draft pattern, which have sizes of their own."""
    number = nemotron_h.draft_count(config)
    if not number:
        return None
    kinds = nemotron_h.draft_pattern(config)
    each = _each_block(config, "mtp_block_configs", kinds)
    entries = [_named(blocks, *pair) for pair in zip(kinds, each, strict=True)]
    return Draft("mtp", (layer(entries),) * number)
