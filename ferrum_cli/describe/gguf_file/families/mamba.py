"""Mamba, Falcon-Mamba and Mamba-2: one mixer in every layer and nothing else.

The converter writes a context of 2^20 for all of them, because they have no limit
(conversion/mamba.py of llama.cpp 0c1e57098). It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._state_space import mamba1, mamba2
from ferrum_cli.describe.gguf_file.model import GgufModel
from ferrum_cli.describe.hints import Hints

ARCHITECTURES = {
    "mamba": ("MambaForCausalLM",),
    "mamba2": ("Mamba2ForCausalLM",),
}

_UNLIMITED = 2**20


def describe(model: GgufModel) -> Description:
    """Describe a model of this family; norms on time step, B and C are Falcon-Mamba's."""
    fields = model.fields
    unlimited = True if fields.size("context_length") == _UNLIMITED else None
    layers = [("mamba",)] * model.layers
    if model.gguf_architecture == "mamba2":
        return model.describe(
            "Mamba2ForCausalLM",
            blocks={"mamba": mamba2(fields)},
            layers=layers,
            hints=Hints(chunk_size=256, unlimited_context=unlimited),
        )
    falcon = fields.flag("ssm.dt_b_c_rms")
    return model.describe(
        "FalconMambaForCausalLM" if falcon else "MambaForCausalLM",
        blocks={"mamba": mamba1(fields)},
        layers=layers,
        hints=Hints(unlimited_context=unlimited),
        tied=True,
    )
