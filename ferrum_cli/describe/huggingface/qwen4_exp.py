"""Qwen4-Exp: Gated DeltaNet and sparse attention over several residual streams, n-gram features.

Class defaults are those of transformers 5.24.0, models/qwen4_exp/configuration_qwen4_exp.py. It
knows nothing about engines.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.custom import Custom
from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.blocks.ngram_context import NgramContext
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import Entries, assemble
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._primes import primes_from
from ferrum_cli.describe.huggingface._qwen import (
    LAYER_TYPES,
    alone_or_wrapped,
    draft,
    gate_biases,
    gated_attention,
    gated_delta_net,
    gated_experts,
    hints,
    mixers,
)

ARCHITECTURES = {
    "qwen4_exp": ("Qwen4ExpForConditionalGeneration", "Qwen4ExpForCausalLM"),
    "qwen4_exp_text": ("Qwen4ExpForCausalLM", "Qwen4ExpForConditionalGeneration"),
}

_KINDS = {**LAYER_TYPES, "indexed_attention": "attention", "qwen_sparse_attention": "attention"}
_MOST_TABLES = 4096
"""N-gram tables, each of which has a prime number of rows to be found."""


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen4-Exp configuration, of the language model alone or with vision around it."""
    return alone_or_wrapped(config, identity, "qwen4_exp_text", _language_model)


def _language_model(config: Fields, identity: Identity) -> Description:
    hidden = config.size("hidden_size", 2048)
    streams = config.size("hc_count", 4) * hidden
    mixing = streams * (1 + 2 * config.count("hc_lowrank", 320))
    attention = gated_attention(config, kv_heads=2)
    pattern = mixers(config, config.layers("num_hidden_layers", 40), _KINDS)
    ngrams = _ngrams(config, hidden, pattern)
    indexer = _indexer(config)
    blocks: dict[str, Block] = {
        "delta": gated_delta_net(config),
        "attention": attention,
        "experts": gated_experts(config, number=512, per_token=10),
        "streams": Custom(replicated_parameters=mixing + config.size("hc_count", 4) * streams),
        **ngrams,
    }
    if indexer is not None:
        blocks["indexer"] = indexer
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 248320),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 32768),
        blocks=blocks,
        layers=[_entries(mixer, index, blocks) for index, mixer in enumerate(pattern)],
        # Mixing the streams takes the place of norms, before every block and after the last.
        norm="none",
        final_norm=False,
        draft=draft(config, "mtp_num_hidden_layers", ("attention", "experts"), default=0),
        hints=dataclasses.replace(
            hints(config),
            index_compress_ratio=config.size("indexer_compress_ratio", None, null=True),
        ),
        other_parameters=mixing + gate_biases(config, attention, pattern),
    )


def _entries(mixer: str, index: int, blocks: dict[str, Block]) -> Entries:
    """N-gram features come first; an indexer stands beside its attention."""
    chosen = ("indexer",) if mixer == "attention" and "indexer" in blocks else ()
    ngram = f"ngram_{index + 1}"
    before = ((ngram,),) if ngram in blocks else ()
    return (*before, (mixer, *chosen, "streams"), ("experts", "streams"))


def _indexer(config: Fields) -> Indexer | None:
    """An indexer where the file has its sizes; it needs all of them."""
    names = ("indexer_n_heads", "indexer_kv_heads", "indexer_head_dim")
    if all(config.raw(name) is None for name in names):
        return None
    heads, kv_heads, width = (config.size(name) for name in names)
    return Indexer(num_heads=heads, head_dim=width, num_kv_heads=kv_heads, positions=3)


def _ngrams(config: Fields, hidden: int, mixers: Sequence[str]) -> dict[str, Block]:
    """Features of the layers in `ple_layer_ids`, which counts from 1.

    Every head of every such layer has a table whose rows are the next prime number.
    """
    numbers = sorted(set(config.counts("ple_layer_ids", ())))
    if not numbers:
        return {}
    for position, number in enumerate(numbers):
        if not 1 <= number <= len(mixers):
            config.fail("ple_layer_ids", f"layer {number} of {len(mixers)}, counted from 1")
        if mixers[number - 1] != "delta":
            config.fail(f"ple_layer_ids[{position}]", f"layer {number} is no linear attention")
    size, heads = config.size("ngram_size", 3), config.size("heads_per_ngram", 8)
    tables = (size - 1) * heads
    width = config.size("ple_embed_dim", None, null=True) or hidden
    if not tables or width % tables:
        config.fail("heads_per_ngram", f"a width of {width} is no multiple of {tables} tables")
    if tables * len(numbers) > _MOST_TABLES:
        config.fail(
            "heads_per_ngram", f"{tables * len(numbers)} tables, the most is {_MOST_TABLES}"
        )
    rows = primes_from(config.size("ngram_vocab_size_base", 20_000_000), tables * len(numbers))
    multiple = config.size("make_ngram_vocab_size_divisible_by", 128)
    found: dict[str, Block] = {}
    for index, number in enumerate(numbers):
        together = sum(rows[index * tables : (index + 1) * tables])
        found[f"ngram_{number}"] = NgramContext(
            ngram_size=size,
            heads_per_ngram=heads,
            head_dim=width // tables,
            ngram_vocab_size=-(-together // multiple) * multiple,
            conv_kernel=config.size("ple_conv_kernel_size", 4),
            hc_count=config.size("hc_count", 4),
        )
    return found
