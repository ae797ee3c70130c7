"""Ling 3: KDA of full rank and latent attention with a gate for each head, then experts.

It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._latent import (
    feed_blocks,
    feeds,
    kda,
    latent_attention,
    mixers,
)
from ferrum_cli.describe.gguf_file.model import GgufModel
from ferrum_cli.describe.hints import Hints

ARCHITECTURES = {"bailingmoe3": ("BailingMoeV3ForCausalLM",)}


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    fields = model.fields
    layers = list(zip(mixers(model), feeds(model), strict=True))
    return model.describe(
        "BailingMoeV3ForCausalLM",
        blocks={
            "kda": kda(fields, full_rank=(True, True)),
            "mla": latent_attention(fields, output_gate=True, gate_per_head=True),
            **feed_blocks(fields),
        },
        layers=layers[: model.layers],
        drafts=layers[model.layers :],
        hints=Hints(gate_lower_bound=fields.number("kda.gate_lower_bound")),
    )
