"""Nemotron-H and Nemotron 3: one block in each layer, told by two arrays.

A layer with key-value heads is attention, one with a feed-forward length a network or experts, and
one with neither Mamba-2 (llama.cpp 0c1e57098, src/models/nemotron-h.cpp). It knows nothing about
engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._attention import Attentions, attentions
from ferrum_cli.describe.gguf_file.families._state_space import mamba2
from ferrum_cli.describe.gguf_file.model import Entries, GgufModel
from ferrum_cli.describe.hints import Hints

ARCHITECTURES = {
    "nemotron_h": ("NemotronHForCausalLM",),
    "nemotron_h_moe": ("NemotronHForCausalLM", "NemotronHPuzzleForCausalLM"),
}

_STATE_DTYPE = "the file does not say the dtype of state; float32 is taken, as Nemotron 3 has it"


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    fields = model.fields
    found = attentions(model)
    feeds = fields.per_layer("feed_forward_length", model.all_layers)
    routed = model.gguf_architecture == "nemotron_h_moe"
    named = {width: _feed_name(width, feeds, routed) for width in feeds if width}
    layers = [_entries(found, index, named.get(width)) for index, width in enumerate(feeds)]
    return model.describe(
        "NemotronHForCausalLM",
        blocks={
            "mamba": mamba2(fields),
            **found.blocks,
            **{name: _feed(model, width, routed) for width, name in named.items()},
        },
        layers=layers[: model.layers],
        drafts=layers[model.layers :],
        hints=Hints(chunk_size=128, mamba_ssm_cache_dtype="float32" if routed else None),
        notes=(*model.context_notes, *((_STATE_DTYPE,) if routed else ())),
    )


def _entries(found: Attentions, index: int, feed: str | None) -> Entries:
    """What a layer holds; a layer that proposes tokens can hold an attention and experts."""
    entries = [name for name in (found.names[index], feed) if name is not None]
    return entries or ["mamba"]


def _feed_name(width: int, feeds: tuple[int, ...], routed: bool) -> str:
    """One name where all networks are alike; layers of Puzzle models differ."""
    word = "experts" if routed else "mlp"
    return word if len({w for w in feeds if w}) == 1 else f"{word}_{width}"


def _feed(model: GgufModel, width: int, routed: bool) -> Block:
    if not routed:
        return FeedForward(intermediate_size=width, gated=False)
    fields = model.fields
    return MixtureOfExperts(
        num_experts=fields.size("expert_count"),
        experts_per_token=max(1, *fields.per_layer("expert_used_count", model.all_layers)),
        intermediate_size=width,
        shared_intermediate_size=fields.count("expert_shared_feed_forward_length", 0),
        gated=False,
        latent_size=fields.count("moe_latent_size", 0) or None,
    )
