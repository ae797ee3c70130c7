"""Jamba: Mamba with inner norms, attention in one layer of a few, experts in every other layer.

Which layers have experts is told by their tensors alone. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._attention import attentions
from ferrum_cli.describe.gguf_file.families._feeds import experts, feed_forward
from ferrum_cli.describe.gguf_file.families._state_space import mamba1
from ferrum_cli.describe.gguf_file.model import GgufModel

ARCHITECTURES = {"jamba": ("JambaForCausalLM",)}

_NO_TENSORS = "the file does not say which layers have experts; every other one is assumed"


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    fields = model.fields
    found = attentions(model)
    routed = fields.count("expert_count", 0) > 1
    return model.describe(
        "JambaForCausalLM",
        blocks={
            "mamba": mamba1(fields, inner_norms=True),
            "mlp": feed_forward(fields),
            **found.blocks,
            **({"experts": experts(fields, "feed_forward_length")} if routed else {}),
        },
        layers=[
            (name or "mamba", "experts" if routed and _is_routed(model, index) else "mlp")
            for index, name in enumerate(found.names)
        ],
        notes=(_NO_TENSORS,) if routed and not model.whole.tensors else (),
    )


def _is_routed(model: GgufModel, index: int) -> bool:
    return model.has_tensor(f"blk.{index}.ffn_gate_inp.weight", default=index % 2 == 1)
