"""Ling 3 with vision: a Ling 3 and the tower of Qwen3.5 without its merger.

Class defaults are those of vLLM 0.33.0, transformers_utils/configs/bailing_moe_v3_vl.py, whose text
differs from the class of Ling 3 in transformers; the projector is that of
model_executor/models/bailing_moe_v3_vl.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, _qwen_vision
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_tower, wrapped

ARCHITECTURES = {"bailing_moe_v3_vl": ("BailingMoeV3VLForConditionalGeneration",)}

_TEXT = {
    "vocab_size": 157184,
    "hidden_size": 2048,
    "intermediate_size": 5120,
    "num_hidden_layers": 20,
    "num_attention_heads": 16,
    "max_position_embeddings": 32768,
    "num_experts": 256,
    "num_shared_experts": 1,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 512,
    "first_k_dense_replace": 1,
    "head_dim": 128,
    "layer_group_size": 5,
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a configuration of Ling 3 with vision; no word ties its embeddings."""
    text = config.child("text_config").or_else(_TEXT)
    found = wrapped(config, identity, "bailing_hybrid", tied=False, text=text)
    return with_tower(found, config, lambda vision: _tower(vision, found.hidden_size))


def _tower(vision: Fields, hidden: int) -> int:
    """The tower and two projections with biases."""
    width = _qwen_vision.merged_width(vision)
    return _qwen_vision.tower(vision) + hidden * (width + 1) + hidden * (hidden + 1)
