"""Falcon-H1: attention and Mamba-2 side by side in every layer, then a feed-forward.

It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._attention import attentions, projection_biases
from ferrum_cli.describe.gguf_file.families._feeds import feed_forward
from ferrum_cli.describe.gguf_file.families._state_space import mamba2
from ferrum_cli.describe.gguf_file.model import GgufModel
from ferrum_cli.describe.hints import Hints

ARCHITECTURES = {"falcon-h1": ("FalconH1ForCausalLM",)}


def describe(model: GgufModel) -> Description:
    """Describe a model of this family; a norm before the projection out is told by its tensor."""
    fields = model.fields
    found = attentions(model, **projection_biases(model, 0))
    normed = model.has_tensor("blk.0.ssm_norm.weight")
    return model.describe(
        "FalconH1ForCausalLM",
        blocks={
            "mamba": mamba2(fields, gated_norm=normed),
            "mlp": feed_forward(fields),
            **found.blocks,
        },
        layers=[(("mamba",) if name is None else (name, "mamba"), "mlp") for name in found.names],
        hints=Hints(chunk_size=256),
    )
