"""Llama 4: chunked and full attention, experts in some or all layers, vision.

Class defaults and formulas are those of transformers 5.24.0, models/llama4/. It knows nothing about
engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, _vision
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_tower, wrapped

ARCHITECTURES = {
    "llama4": ("Llama4ForConditionalGeneration",),
    "llama4_text": ("Llama4ForCausalLM", "Llama4ForConditionalGeneration"),
}

_KINDS = {
    "full_attention": "attention",
    "attention": "attention",
    "chunked_attention": "chunked",
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Llama 4 configuration, of the language model alone or with vision around it."""
    if identity.model_type == "llama4_text":
        return _language_model(config, identity)
    found = wrapped(config, identity, "llama4_text", tied=None)
    return with_tower(found, config, lambda vision: _tower(vision, found.hidden_size))


def _language_model(config: Fields, identity: Identity) -> Description:
    hidden = config.size("hidden_size", 5120)
    length = config.layers("num_hidden_layers", 48)
    width = config.size("head_dim", 128, null=True)
    sizes = {"head_dim": width} if width else {}
    full = attention(config, hidden, 40, 8, **sizes, **biased(config))
    routed = _routed(config, length)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 202048),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 131072),
        blocks={
            "attention": full,
            "chunked": dataclasses.replace(
                full, chunk=config.nullable_size("attention_chunk_size", 8192)
            ),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size_mlp", 16384)),
            "experts": _experts(config),
        },
        layers=[
            (mixer, "experts" if i in routed else "mlp")
            for i, mixer in enumerate(_mixers(config, length))
        ],
    )


def _experts(config: Fields) -> MixtureOfExperts:
    """One shared expert, as wide as a routed one."""
    width = config.size("intermediate_size", 8192)
    return MixtureOfExperts(
        num_experts=config.size("num_local_experts", 16),
        experts_per_token=config.count("num_experts_per_tok", 1),
        intermediate_size=width,
        shared_intermediate_size=width,
    )


def _routed(config: Fields, length: int) -> set[int]:
    """`moe_layers`, or the last layer of every step."""
    given = config.counts("moe_layers", None)
    step = config.size("interleave_moe_layer_step", 1)
    return set(range(step - 1, length, step)) if given is None else set(given)


def _mixers(config: Fields, length: int) -> tuple[str, ...]:
    """Layers with rotary embeddings attend inside their chunk, the others to everything."""
    interval = config.size("no_rope_layer_interval", 4)
    default = [int((i + 1) % interval != 0) for i in range(length)]
    rotary = config.counts("no_rope_layers", None) or default
    if len(rotary) != length:
        config.fail("no_rope_layers", f"{len(rotary)} entries for {length} layers")
    chunked = config.nullable_size("attention_chunk_size", 8192) is not None
    kinds = ["chunked_attention" if turns and chunked else "full_attention" for turns in rotary]
    return layer_kinds(config, "layer_types", _KINDS, length, kinds)


def _tower(vision: Fields, hidden: int) -> int:
    """Patches, positions and a class token, layers, an adapter, and the projector."""
    width, inner = vision.size("hidden_size", 768), vision.size("intermediate_size", 5632)
    side = vision.size("image_size", 448) // vision.size("patch_size", 14)
    patch = vision.size("num_channels", 3) * vision.size("patch_size", 14) ** 2
    embeddings = width * patch + width * (side**2 + 1) + width
    layers = vision.layers("num_hidden_layers", 34) * _vision.layer(width, inner)
    projected = vision.size("projector_output_dim", 4096)
    adapter = inner * vision.size("projector_input_dim", 4096) + projected * projected
    return int(
        embeddings + 4 * width + layers + adapter + vision.size("vision_output_dim", 7680) * hidden
    )
