"""Llama, Qwen2 and Qwen3: attention in every layer, then a network or experts, and no state.

Many models are converted to `llama`, Mistral and Mixtral among them. It knows nothing about
engines.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.blocks import Block
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.families._attention import attentions, projection_biases
from ferrum_cli.describe.gguf_file.families._feeds import experts, feed_forward, has_experts
from ferrum_cli.describe.gguf_file.model import GgufModel

ARCHITECTURES = {
    "llama": ("LlamaForCausalLM", "MistralForCausalLM"),
    "qwen2": ("Qwen2ForCausalLM",),
    "qwen3": ("Qwen3ForCausalLM",),
    "qwen3moe": ("Qwen3MoeForCausalLM",),
}


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    fields = model.fields
    found = attentions(model, **_options(model))
    feed = "experts" if has_experts(fields) else "mlp"
    layers = [(name or "attention", feed) for name in found.names]
    return model.describe(
        _architecture(model, feed),
        blocks={feed: _feed(model), **found.blocks},
        layers=layers[: model.layers],
        drafts=layers[model.layers :],
    )


def _architecture(model: GgufModel, feed: str) -> str:
    """Of the models that are converted to `llama`, Mixtral alone has experts."""
    if model.gguf_architecture == "llama" and feed == "experts":
        return "MixtralForCausalLM"
    return ARCHITECTURES[model.gguf_architecture][0]


def _options(model: GgufModel) -> dict[str, Any]:
    """Qwen3 has norms on queries and keys; Qwen2 always has biases on query, key and value."""
    match model.gguf_architecture:
        case "qwen2":
            return {"qkv_bias": True}
        case "llama":
            return projection_biases(model, 0)
        case _:
            return {"qk_norm": True}


def _feed(model: GgufModel) -> Block:
    if not has_experts(model.fields):
        return feed_forward(model.fields)
    stated = "expert_feed_forward_length" in model.fields
    return experts(model.fields, "expert_feed_forward_length" if stated else "feed_forward_length")
