"""Kimi-Linear and Kimi-K3: KDA and latent attention, then experts in all but the first layers.

K3 adds a full-rank gate, gates on attention and experts in a latent width. It knows nothing about
engines.
"""

from __future__ import annotations

from typing import Any

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

ARCHITECTURES = {
    "kimi-linear": ("KimiLinearForCausalLM",),
    "kimi-k3": ("KimiK3ForConditionalGeneration",),
}


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    fields = model.fields
    third = model.gguf_architecture == "kimi-k3"
    latent: dict[str, Any] = {}
    if third and fields.count("expert_latent_length", 0):
        latent = {"latent_size": fields.size("expert_latent_length"), "latent_norm": True}
    layers = list(zip(mixers(model), feeds(model), strict=True))
    return model.describe(
        ARCHITECTURES[model.gguf_architecture][0],
        blocks={
            "kda": kda(fields, full_rank=(False, third)),
            "mla": latent_attention(fields, output_gate=third),
            **feed_blocks(fields, **latent),
        },
        layers=layers[: model.layers],
        drafts=layers[model.layers :],
        hints=Hints(gate_lower_bound=fields.number("kda.gate_lower_bound")),
    )
