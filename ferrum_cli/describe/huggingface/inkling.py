"""Inkling: attention with short convolutions on four streams of every layer, experts, vision.

Class defaults are those of transformers 5.24.0, models/inkling/configuration_inkling.py; names of
checkpoints that the class maps to its own are read, too. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.custom import Custom
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.blocks.stream_convolution import StreamConvolution
from ferrum_cli.describe.description import Description, Draft
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble, layer, layer_kinds
from ferrum_cli.describe.huggingface._feeds import dense_first
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._inkling import KINDS, Attends, attends, beside, indices
from ferrum_cli.describe.huggingface._wrapper import around, with_vision

ARCHITECTURES = {
    "inkling_text": ("InklingForCausalLM", "InklingForConditionalGeneration"),
    "inkling_model": ("InklingForCausalLM", "InklingForConditionalGeneration"),
    "inkling_mm_model": ("InklingForConditionalGeneration",),
}

_FULL = Attends("", heads=64, kv_heads=8, head_dim=128)
_DRAFTS = 8
_SLIDING = Attends("swa_", heads=64, kv_heads=16, head_dim=128)


def describe(config: Fields, identity: Identity) -> Description:
    """Read an Inkling configuration, of the language model alone or with its towers around it."""
    if identity.model_type != "inkling_mm_model":
        return _language_model(config, identity, config.child_or_empty("mtp_config"))
    text = config.child("text_config")
    drafts = config.child_or_empty("mtp_config")
    return with_vision(around(config, text, _language_model(text, identity, drafts)), None)


def _language_model(config: Fields, identity: Identity, drafts: Fields) -> Description:
    hidden = config.size("hidden_size", 6144)
    length = config.layers("num_hidden_layers", 66)
    mixers = _mixers(config, length)
    feeds = dense_first(config, length, config.count("dense_mlp_idx", 0))
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 201024),
        tie_embeddings=False,  # the class in transformers 5.24.0 never ties them
        max_context=config.size(
            config.first("model_max_length", "max_position_embeddings"), 131072
        ),
        blocks=_blocks(config, hidden),
        layers=[(beside(mixer), feed) for mixer, feed in zip(mixers, feeds, strict=True)],
        draft=_draft(config, drafts),
        # A norm after the embedding, and a scale of every dense network.
        other_parameters=hidden + feeds.count("mlp"),
    )


def _blocks(config: Fields, hidden: int) -> dict[str, Block]:
    window = config.size(config.first("sliding_window_size", "sliding_window"), 512)
    found: dict[str, Block] = {"mlp": _dense(config), "experts": _experts(config)}
    for name, kind, limit in (("attention", _FULL, None), ("sliding", _SLIDING, window)):
        attention = attends(config, kind, window=limit, qk_norm=True)
        found[name] = attention
        found[f"{name}_streams"] = StreamConvolution(
            num_kv_heads=attention.num_kv_heads,
            head_dim=attention.head_dim,
            conv_kernel=config.size(config.first("sconv_kernel_size", "conv_kernel_size"), 4),
        )
        found[f"{name}_bias"] = _relative(config, hidden, attention)
    return found


def _relative(config: Fields, hidden: int, attention: Attention) -> Custom:
    """Logits by relative position: a projection for each head, and a table of distances."""
    rank = config.size("d_rel", 16)
    extent = attention.window or config.size("rel_extent", 1024)
    return Custom(
        parameters=hidden * attention.num_heads * rank, replicated_parameters=rank * extent
    )


def _dense(config: Fields) -> FeedForward:
    """`dense_intermediate_size` where the file has it; then `intermediate_size` is the experts'."""
    name = config.first("dense_intermediate_size", "intermediate_size")
    return FeedForward(intermediate_size=config.size(name, 24576))


def _experts(config: Fields) -> MixtureOfExperts:
    """The router scores shared experts, too, and has one scale."""
    experts = config.size(config.first("n_routed_experts", "num_local_experts"), 256)
    shared = config.size("n_shared_experts", 2)
    width = config.size("moe_intermediate_size", 3072)
    if "dense_intermediate_size" in config:
        width = config.size("intermediate_size", 24576)
    return MixtureOfExperts(
        num_experts=experts,
        experts_per_token=config.count("num_experts_per_tok", 6),
        intermediate_size=width,
        shared_intermediate_size=shared * width,
        router_outputs=experts + shared,
        router_parameters=1,
    )


def _mixers(config: Fields, length: int) -> tuple[str, ...]:
    """`layer_types`, or sliding in `local_layer_ids`, or in five layers of six."""
    local = indices(config, "local_layer_ids", length)
    default = [
        "hybrid_sliding" if (i in local if local is not None else (i + 1) % 6) else "hybrid"
        for i in range(length)
    ]
    return layer_kinds(config, "layer_types", KINDS, length, default)


def _draft(text: Fields, outer: Fields) -> Draft | None:
    """Draft layers are always dense; those that are listed slide.

    The number stands in the text or in `mtp_config` around it; without one there are as many as
    SGLang 0.5.23 takes, configs/inkling.py.
    """
    places = (
        (text, "num_mtp_layers"),
        (outer, "num_nextn_predict_layers"),
        (outer, "n_layers"),
        (text, "num_nextn_predict_layers"),
    )
    given = (fields.draft_layers(name, None) for fields, name in places)
    count = next((number for number in given if number is not None), _DRAFTS)
    if not count:
        return None
    own = text.raw("mtp_local_layer_ids") is not None
    listed = indices(text, "mtp_local_layer_ids", count) if own else None
    sliding = listed or indices(outer, "local_layer_ids", count) or set()
    names = ["sliding" if i in sliding else "attention" for i in range(count)]
    return Draft("mtp", tuple(layer((beside(name), "mlp")) for name in names))
