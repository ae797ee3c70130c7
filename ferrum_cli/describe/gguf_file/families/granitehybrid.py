"""Granite 4 and Bamba: Mamba-2 or attention, then a network, or experts beside one.

Only Bamba turns its keys (`rope.scaling.finetuned`), by which the two are told apart; the converter
writes a context of 2^20 for Granite (conversion/granite.py of llama.cpp 0c1e57098). It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._attention import attentions
from ferrum_cli.describe.gguf_file.families._feeds import experts, feed_forward, has_experts
from ferrum_cli.describe.gguf_file.families._state_space import mamba2
from ferrum_cli.describe.gguf_file.model import GgufModel
from ferrum_cli.describe.hints import Hints

ARCHITECTURES = {"granitehybrid": ("GraniteMoeHybridForCausalLM", "BambaForCausalLM")}

_WRITTEN_CONTEXT = 2**20
_NOTE = "the converter wrote a context of 1,048,576; the model's own limit is not in the file"


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    fields = model.fields
    found = attentions(model)
    bamba = fields.flag("rope.scaling.finetuned", False)
    return model.describe(
        "BambaForCausalLM" if bamba else "GraniteMoeHybridForCausalLM",
        blocks={"mamba": mamba2(fields), "mlp": _feed(model), **found.blocks},
        layers=[(name or "mamba", "mlp") for name in found.names],
        hints=Hints(chunk_size=256),
        notes=(_NOTE,) if fields.size("context_length") == _WRITTEN_CONTEXT else (),
    )


def _feed(model: GgufModel) -> Block:
    fields = model.fields
    if not has_experts(fields):
        return feed_forward(fields)
    shared = fields.count("expert_shared_feed_forward_length", 0)
    return experts(fields, "feed_forward_length", shared_intermediate_size=shared)
