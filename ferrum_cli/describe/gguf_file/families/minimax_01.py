"""MiniMax-Text-01 and MiniMax-M1: lightning attention, some full attention, experts everywhere.

It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.lightning_attention import LightningAttention
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._attention import attentions, widths
from ferrum_cli.describe.gguf_file.families._delta import recurrent_layers
from ferrum_cli.describe.gguf_file.families._feeds import experts
from ferrum_cli.describe.gguf_file.model import GgufModel
from ferrum_cli.describe.hints import Hints

ARCHITECTURES = {"minimax-01": ("MiniMaxText01ForCausalLM", "MiniMaxM1ForCausalLM")}

_INTERVAL = 8


def describe(model: GgufModel) -> Description:
    """Describe a model of this family; linear heads are as many and as wide as a key's."""
    fields = model.fields
    found = attentions(model)
    recurrent = recurrent_layers(model, _INTERVAL)
    return model.describe(
        "MiniMaxText01ForCausalLM",
        blocks={
            "lightning": _lightning(model),
            "experts": experts(fields, "feed_forward_length"),
            **found.blocks,
        },
        layers=[
            ("lightning" if recurrent[index] else found.names[index] or "attention", "experts")
            for index in range(model.layers)
        ],
        hints=Hints(full_attention_interval=fields.size("full_attention_interval", _INTERVAL)),
    )


def _lightning(model: GgufModel) -> LightningAttention:
    heads = model.fields.per_layer("attention.head_count", model.all_layers)
    if not heads[0]:
        model.fields.fail("attention.head_count", "the first layer has no heads")
    return LightningAttention(num_heads=heads[0], head_dim=widths(model, heads)[0])
