"""Qwen3.5 and Qwen3.6, dense: Gated DeltaNet and gated attention, with or without vision.

Class defaults are those of transformers 5.24.0, models/qwen3_5/configuration_qwen3_5.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity, _qwen_vision
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._qwen import (
    draft,
    gate_biases,
    gated_attention,
    gated_delta_net,
    mixers,
)
from ferrum_cli.describe.huggingface._wrapper import with_vision, wrapped

ARCHITECTURES = {
    "qwen3_5": ("Qwen3_5ForConditionalGeneration", "Qwen3_5ForCausalLM", "ColQwen3_5"),
    "qwen3_5_text": ("Qwen3_5ForCausalLM", "Qwen3_5ForConditionalGeneration"),
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen3.5 configuration, of the language model alone or with vision around it."""
    if identity.model_type == "qwen3_5_text":
        return _language_model(config, identity)
    found = wrapped(
        config,
        identity,
        config.child("text_config"),
        "qwen3_5_text",
        tied=config.flag("tie_word_embeddings", False),
    )
    return with_vision(found, _qwen_vision.parameters(config.optional_child("vision_config")))


def _language_model(config: Fields, identity: Identity) -> Description:
    attention = gated_attention(config, kv_heads=4)
    pattern = mixers(config, config.layers("num_hidden_layers", 32))
    return assemble(
        identity,
        config,
        hidden_size=config.size("hidden_size", 4096),
        vocab_size=config.size("vocab_size", 248320),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 32768),
        blocks={
            "delta": gated_delta_net(config),
            "attention": attention,
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 12288)),
        },
        layers=[(mixer, "mlp") for mixer in pattern],
        draft=draft(config, "mtp_num_hidden_layers", ("attention", "mlp")),
        hints=Hints(
            full_attention_interval=config.size("full_attention_interval", 4),
            mamba_ssm_dtype=config.text("mamba_ssm_dtype", None, null=True),
        ),
        other_parameters=gate_biases(config, attention, pattern),
    )
