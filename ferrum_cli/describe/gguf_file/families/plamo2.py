"""PLaMo 2: a mixer with Mamba-2's heads, or attention, then a feed-forward, all between two norms.

The converter writes a group count of 0, because the convolution runs over x alone
(conversion/plamo.py of llama.cpp 0c1e57098). It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.plamo_mamba import PlamoMamba
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._attention import attentions
from ferrum_cli.describe.gguf_file.families._feeds import feed_forward
from ferrum_cli.describe.gguf_file.families._state_space import heads_of
from ferrum_cli.describe.gguf_file.model import GgufModel

ARCHITECTURES = {"plamo2": ("Plamo2ForCausalLM", "PLaMo2ForCausalLM")}

_LOWEST_RANK = 64
_NO_WINDOW = "the file does not say the attention's window; the whole context is taken"


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    found = attentions(model, qk_norm=True, qk_norm_full=True)
    return model.describe(
        "Plamo2ForCausalLM",
        blocks={"mamba": _mixer(model), "mlp": feed_forward(model.fields), **found.blocks},
        layers=[(name or "mamba", "mlp") for name in found.names],
        post_norm=True,
        tied=True,
        notes=(_NO_WINDOW,),
    )


def _mixer(model: GgufModel) -> PlamoMamba:
    fields = model.fields
    groups: int = fields.count("ssm.group_count", 0)
    if groups:
        fields.fail("ssm.group_count", f"{groups} groups in a convolution over x alone", "write 0")
    heads, width = heads_of(fields)
    return PlamoMamba(
        num_heads=heads,
        head_dim=width,
        state_size=fields.size("ssm.state_size"),
        conv_kernel=fields.size("ssm.conv_kernel"),
        time_step_rank=max(_LOWEST_RANK, model.hidden_size // 16),
    )
