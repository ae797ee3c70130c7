"""Granite and Bamba: Mamba-2 or attention, then a network, or experts beside one.

Of the hybrids only Bamba turns its keys (`rope.scaling.finetuned`), by which the two are told
apart; Granite 4 without a Mamba layer is written as Granite 3 is (conversion/granite.py of
llama.cpp 0c1e57098). It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._attention import attentions
from ferrum_cli.describe.gguf_file.families._feeds import experts, feed_forward, has_experts
from ferrum_cli.describe.gguf_file.families._state_space import mamba2
from ferrum_cli.describe.gguf_file.model import GgufModel
from ferrum_cli.describe.hints import Hints

ARCHITECTURES = {
    "granitehybrid": ("GraniteMoeHybridForCausalLM",),
    "granite": ("GraniteForCausalLM", "GraniteMoeHybridForCausalLM"),
    "granitemoe": ("GraniteMoeForCausalLM", "GraniteMoeHybridForCausalLM"),
}


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    fields = model.fields
    found = attentions(model)
    mixers = tuple(name or "mamba" for name in found.names)
    hybrid = "mamba" in mixers
    return model.describe(
        _class(model),
        blocks={
            "mlp": _feed(model),
            **found.blocks,
            **({"mamba": mamba2(fields)} if hybrid else {}),
        },
        layers=[(mixer, "mlp") for mixer in mixers],
        hints=Hints(chunk_size=256) if hybrid else None,
        notes=model.context_notes,
    )


def _class(model: GgufModel) -> str:
    if model.gguf_architecture == "granitehybrid" and model.fields.flag("rope.scaling.finetuned"):
        return "BambaForCausalLM"
    return ARCHITECTURES[model.gguf_architecture][0]


def _feed(model: GgufModel) -> Block:
    fields = model.fields
    if not has_experts(fields):
        return feed_forward(fields)
    shared = fields.count("expert_shared_feed_forward_length", 0)
    return experts(fields, "feed_forward_length", shared_intermediate_size=shared)
