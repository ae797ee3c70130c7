"""Qwen3.5 and Qwen3.6, dense: Gated DeltaNet and gated attention, with or without vision.

Class defaults are those of transformers 5.24.0, models/qwen3_5/configuration_qwen3_5.py. It knows
nothing about engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, _heads
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._qwen import Relative, alone_or_wrapped, language_model

_DECIDES = "D3ForSequenceClassification"
"""vLLM 0.33.0, model_executor/models/d3.py: a readout of answer codes in place of the head."""

ARCHITECTURES = {
    "qwen3_5": (
        "Qwen3_5ForConditionalGeneration",
        "Qwen3_5ForCausalLM",
        "ColQwen3_5",
        _DECIDES,
    ),
    "qwen3_5_text": ("Qwen3_5ForCausalLM", "Qwen3_5ForConditionalGeneration"),
}

_READOUT = "the readout of answer codes is a file of its own and not counted"


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Qwen3.5 configuration, of the language model alone or with vision around it."""
    found = alone_or_wrapped(config, identity, "qwen3_5_text", _language_model)
    if identity.architecture == _DECIDES and identity.model_type == "qwen3_5":
        found = _heads.headless(dataclasses.replace(found, notes=(*found.notes, _READOUT)))
    return found


def _language_model(config: Fields, identity: Identity) -> Description:
    return language_model(
        config,
        identity,
        Relative(hidden_size=4096, vocab_size=248320, kv_heads=4),
        feeds=["mlp"] * config.layers("num_hidden_layers", 32),
        blocks={"mlp": FeedForward(intermediate_size=config.size("intermediate_size", 12288))},
    )
