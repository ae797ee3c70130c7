"""Qwen3-Next, Qwen3.5 and Qwen3.6: Gated DeltaNet and gated attention, networks or experts.

It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks import Block
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._attention import attentions
from ferrum_cli.describe.gguf_file.families._delta import gated_delta_net, recurrent_layers
from ferrum_cli.describe.gguf_file.families._feeds import experts, feed_forward, has_experts
from ferrum_cli.describe.gguf_file.model import GgufModel
from ferrum_cli.describe.hints import Hints

ARCHITECTURES = {
    "qwen3next": ("Qwen3NextForCausalLM",),
    "qwen35": ("Qwen3_5ForConditionalGeneration", "Qwen3_5ForCausalLM"),
    "qwen35moe": ("Qwen3_5MoeForConditionalGeneration", "Qwen3_5MoeForCausalLM"),
}

INTERVAL = 4
_STATE_DTYPE = "the file does not say the dtype of state; float32 is taken, as all models have it"


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    fields = model.fields
    found = attentions(model, output_gate=True, qk_norm=True)
    recurrent = recurrent_layers(model, INTERVAL)
    feed = "experts" if has_experts(fields) else "mlp"
    attends = [name or "attention" for name in found.names]
    later = model.gguf_architecture != "qwen3next"
    return model.describe(
        ARCHITECTURES[model.gguf_architecture][0],
        blocks={"delta": gated_delta_net(fields), feed: _feed(model), **found.blocks},
        layers=[
            ("delta" if recurrent[index] else attends[index], feed) for index in range(model.layers)
        ],
        drafts=[(name, feed) for name in attends[model.layers :]],
        hints=Hints(
            full_attention_interval=fields.size("full_attention_interval", INTERVAL),
            mamba_ssm_dtype="float32" if later else None,
        ),
        notes=(_STATE_DTYPE,) if later else (),
    )


def _feed(model: GgufModel) -> Block:
    fields = model.fields
    if not has_experts(fields):
        return feed_forward(fields)
    return experts(
        fields,
        "expert_feed_forward_length",
        shared_intermediate_size=fields.size("expert_shared_feed_forward_length"),
        shared_gate=True,
    )
