"""Qwen4-Exp: Gated DeltaNet and sparse attention over several residual streams, n-gram features.

It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.custom import Custom
from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.blocks.ngram_context import NgramContext
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._attention import attentions
from ferrum_cli.describe.gguf_file.families._delta import gated_delta_net, recurrent_layers
from ferrum_cli.describe.gguf_file.families._feeds import experts
from ferrum_cli.describe.gguf_file.model import Entries, GgufModel
from ferrum_cli.describe.hints import Hints

ARCHITECTURES = {"qwen4exp": ("Qwen4ExpForConditionalGeneration", "Qwen4ExpForCausalLM")}

_INTERVAL = 4
_POSITIONS = 3
"""int64 numbers that transformers 5.24.0 keeps for each token of an indexer."""


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    fields = model.fields
    found = attentions(model, output_gate=True, qk_norm=True)
    recurrent = recurrent_layers(model, _INTERVAL)
    streams: int = fields.size("hyper_connection.count")
    ratios = fields.per_layer("attention.compress_ratios", model.all_layers, 0)
    mixing = streams * model.hidden_size * (1 + 2 * fields.size("hyper_connection.low_rank"))
    ngrams = _ngram_layers(model, recurrent)
    blocks: dict[str, Block] = {
        "delta": gated_delta_net(fields),
        "indexer": _indexer(model),
        "experts": _experts(model),
        "streams": Custom(replicated_parameters=mixing + streams**2 * model.hidden_size),
        **found.blocks,
        **({"ngram": _ngram(model, streams)} if ngrams else {}),
    }
    attends = [name or "attention" for name in found.names]
    return model.describe(
        "Qwen4ExpForConditionalGeneration",
        blocks=blocks,
        layers=[
            _entries(recurrent[index], attends[index], index in ngrams)
            for index in range(model.layers)
        ],
        drafts=[(name, "experts") for name in attends[model.layers :]],
        norm="none",
        final_norm=False,
        hints=Hints(
            full_attention_interval=fields.size("full_attention_interval", _INTERVAL),
            index_compress_ratio=max(ratios) or None,
        ),
        other_parameters=mixing,
    )


def _entries(recurrent: bool, attention: str, ngram: bool) -> Entries:
    """N-gram features come first; an indexer stands beside its attention."""
    mixer = ("delta", "streams") if recurrent else (attention, "indexer", "streams")
    before: tuple[str, ...] = ("ngram",) if ngram else ()
    return (*before, mixer, ("experts", "streams"))


def _indexer(model: GgufModel) -> Indexer:
    fields = model.fields
    return Indexer(
        num_heads=fields.size("attention.indexer.head_count"),
        head_dim=fields.size("attention.indexer.key_length"),
        positions=_POSITIONS,
    )


def _experts(model: GgufModel) -> Block:
    return experts(
        model.fields,
        "expert_feed_forward_length",
        shared_intermediate_size=model.fields.size("expert_shared_feed_forward_length"),
        shared_gate=True,
    )


def _ngram_layers(model: GgufModel, recurrent: tuple[bool, ...]) -> frozenset[int]:
    """Layers with n-gram features, counted from 0; each must be linear."""
    found = frozenset(model.fields.counts("ple.layers"))
    for index in sorted(found):
        if index >= model.layers or not recurrent[index]:
            model.fields.fail("ple.layers", f"layer {index} is no linear attention layer")
    return found


def _ngram(model: GgufModel, streams: int) -> NgramContext:
    fields = model.fields
    return NgramContext(
        ngram_size=fields.size("ple.ngram_size"),
        heads_per_ngram=fields.size("ple.heads_per_ngram"),
        head_dim=fields.size("embedding_length_per_layer_input"),
        ngram_vocab_size=max(1, sum(fields.counts("ple.head_vocab_sizes"))),
        conv_kernel=fields.size("ple.conv_kernel"),
        hc_count=streams,
    )
