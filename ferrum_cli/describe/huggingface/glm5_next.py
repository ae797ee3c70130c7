"""GLM-5-Next (GLM-5.3-Flash): KDA and sparse latent attention with an indexer, several streams.

Class defaults are those of transformers 5.24.0, models/glm5_next/configuration_glm5_next.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.custom import Custom
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity, _kimi
from ferrum_cli.describe.huggingface._common import Entry, assemble, layer_kinds
from ferrum_cli.describe.huggingface._experts import experts, with_shared
from ferrum_cli.describe.huggingface._feeds import dense_first
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._latent import draft, indexer, indexers, latent_attention
from ferrum_cli.describe.huggingface._wrapper import with_tower, with_vision, wrapped

ARCHITECTURES = {
    "glm5_next": ("Glm5NextForConditionalGeneration",),
    "glm5_next_text": ("Glm5NextForConditionalGeneration", "Glm5NextForCausalLM"),
}

_KINDS = {
    "linear_attention": "kda",
    "full_attention": "mla",
    "attention": "mla",
    "indexed_attention": "mla",
    "deepseek_sparse_attention": "mla",
}
_DENSE = 3
"""Layers that are dense by default."""


def describe(config: Fields, identity: Identity) -> Description:
    """Read a GLM-5-Next configuration; the text alone may also stand at the top level."""
    if identity.model_type == "glm5_next_text":
        return _language_model(config, identity)
    if "text_config" not in config:
        return with_vision(_language_model(config, identity), None)
    found = wrapped(
        config,
        identity,
        "glm5_next_text",
        tied=config.flag("tie_word_embeddings", False),
    )
    return with_tower(found, config, _vision_parameters)


def _language_model(config: Fields, identity: Identity) -> Description:
    hidden = config.size("hidden_size", 4096)
    length = config.layers("num_hidden_layers", 45)
    kinds = ["linear_attention" if i % 4 != _DENSE else "full_attention" for i in range(length)]
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 154880),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 1048576),
        blocks=_blocks(config, hidden),
        layers=[
            (_beside(mixer, indexer), (feed, "streams"))
            for mixer, indexer, feed in zip(
                layer_kinds(config, "layer_types", _KINDS, length, kinds),
                indexers(config, length),
                dense_first(config, length, _DENSE),
                strict=True,
            )
        ],
        draft=draft(config.draft_layers("num_nextn_predict_layers", 0), "indexer"),
        hints=Hints(gate_lower_bound=_lower_bound(config)),
    )


def _beside(mixer: str, indexer: str) -> Entry:
    """Latent attention has its indexer beside it, unless it takes the choice of an earlier one."""
    chosen = ("indexer",) if mixer == "mla" and indexer == "full" else ()
    return (mixer, *chosen, "streams")


def _blocks(config: Fields, hidden: int) -> dict[str, Block]:
    streams = config.size("hc_mult", 4)
    mixed = streams * (streams + 2)
    names = ("n_routed_experts", "num_local_experts")
    routed = experts(config, number=288, per_token=8, width=2048, names=names)
    if config.count("qk_rope_head_dim", 0):
        config.fail("qk_rope_head_dim", "this sparse attention has no rotary part", "write 0")
    return {
        "kda": _kimi.kda(config, heads=64),
        "mla": latent_attention(
            config,
            heads=64,
            q_lora_rank=1536,
            nope=256,
            rope=0,
            value=256,
            topk=config.size("index_topk", 2048),
        ),
        "indexer": indexer(
            config, heads=32, q_lora_rank=1536, pool_size=config.size("index_kpool", 16)
        ),
        "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 12288)),
        "experts": with_shared(routed, config.count("n_shared_experts", 1)),
        # How the residual streams are mixed: a projection of all of them, a base and three scales.
        "streams": Custom(replicated_parameters=mixed * streams * hidden + mixed + 3),
    }


def _lower_bound(config: Fields) -> float | None:
    inner = config.optional_child("linear_attn_config")
    if inner is not None and "gate_lower_bound" in inner:
        return float(inner.number("gate_lower_bound"))
    if config.raw("linear_lower_bound") is None and "linear_lower_bound" in config:
        return None
    return float(config.number("linear_lower_bound", -5.0))


def _vision_parameters(vision: Fields) -> int:
    """Patches, blocks with norms on query and key, and a gated merger behind a convolution.

    transformers 5.24.0, models/glm5_next/modeling_glm5_next.py, Glm5NextVisionModel.
    """
    width = vision.size("hidden_size", 1024)
    patch = vision.size("in_channels", 3) * vision.size("temporal_patch_size", 2)
    patch *= vision.size("patch_size", 14) ** 2
    out, merged = vision.size("out_hidden_size", 1536), vision.size("spatial_merge_size", 2) ** 2
    projected = 3 * vision.size("projection_intermediate_size", 10240) * out
    downsample = out * (width * merged + 1)
    merger = out * out + 2 * out + projected
    blocks = vision.layers(vision.first("num_hidden_layers", "depth"), 24) * _vision_block(
        vision, width
    )
    return int(width * (patch + 1) + blocks + downsample + merger + width)


def _vision_block(vision: Fields, width: int) -> int:
    inner = vision.size("intermediate_size", 4096)
    bias = vision.flag("attention_bias", True)
    heads = width // vision.size(vision.first("num_attention_heads", "num_heads"), 16)
    attention = 4 * width * width + (4 * width if bias else 0) + 2 * heads
    feed = 3 * inner * width + (2 * inner + width if bias else 0)
    return int(attention + feed + 2 * width)
