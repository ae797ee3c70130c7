"""GLM-5-Next (GLM-5.3-Flash): KDA and sparse latent attention with an indexer, several streams.

It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.custom import Custom
from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._latent import (
    feed_blocks,
    feeds,
    kda,
    latent_attention,
    mixers,
)
from ferrum_cli.describe.gguf_file.model import Entry, GgufModel
from ferrum_cli.describe.hints import Hints

ARCHITECTURES = {"glm5-next": ("Glm5NextForConditionalGeneration",)}


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    fields = model.fields
    found = list(zip(mixers(model), feeds(model), strict=True))
    full = fields.flags("attention.indexer.types", model.layers) or (True,) * model.layers
    return model.describe(
        "Glm5NextForConditionalGeneration",
        blocks={
            "kda": kda(fields),
            "mla": latent_attention(fields, topk=fields.size("attention.indexer.top_k")),
            "indexer": _indexer(model),
            "streams": _streams(model),
            **feed_blocks(fields),
        },
        layers=[
            (_beside(mixer, own), (feed, "streams"))
            for (mixer, feed), own in zip(found[: model.layers], full, strict=True)
        ],
        drafts=[(("mla", "indexer"), feed) for _, feed in found[model.layers :]],
        hints=Hints(gate_lower_bound=fields.number("kda.gate_lower_bound")),
    )


def _beside(mixer: str, own: bool) -> Entry:
    """Latent attention has its indexer beside it, unless it takes the choice of an earlier one."""
    return (mixer, "indexer", "streams") if mixer == "mla" and own else (mixer, "streams")


def _indexer(model: GgufModel) -> Indexer:
    fields = model.fields
    return Indexer(
        num_heads=fields.size("attention.indexer.head_count"),
        head_dim=fields.size("attention.indexer.key_length"),
        q_lora_rank=fields.size("attention.q_lora_rank"),
        head_weights=True,
        pool_size=fields.size("attention.indexer.kpool"),
    )


def _streams(model: GgufModel) -> Custom:
    """How the residual streams are mixed: a projection of all of them, a base and three scales."""
    streams: int = model.fields.size("hyper_connection.count")
    mixed = streams * (streams + 2)
    return Custom(replicated_parameters=mixed * streams * model.hidden_size + mixed + 3)
