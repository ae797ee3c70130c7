"""Intern-S2: Preview is a Qwen3.5 with vision; in Mobius a few banks of experts serve all layers.

Read from vLLM 0.33.0, model_executor/models/interns2_preview.py and interns2_mobius.py, and SGLang
0.5.23, configs/interns2_mobius.py; other fields have the defaults of Qwen3.5-MoE. It knows nothing
about engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, _qwen, _qwen_vision
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_tower, wrapped
from ferrum_cli.describe.huggingface.qwen3_5_moe import DEFAULT

ARCHITECTURES = {
    "intern_s2_preview": ("InternS2PreviewForConditionalGeneration",),
    "interns2_mobius": ("InternS2MobiusForConditionalGeneration",),
    "interns2_mobius_text": ("InternS2MobiusForConditionalGeneration",),
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read an Intern-S2 configuration; the word on ties is the text's."""
    if identity.model_type == "interns2_mobius_text":
        return _mobius(config, identity)
    mobius = identity.model_type == "interns2_mobius"
    default = "interns2_mobius_text" if mobius else "qwen3_5_moe_text"
    found = wrapped(config, identity, default, tied=None)
    return with_tower(found, config, _qwen_vision.parameters)


def _mobius(config: Fields, identity: Identity) -> Description:
    """Layer i takes bank i mod `num_blocks` of routed experts, and has a shared expert itself."""
    length = config.layers("num_hidden_layers", 40)
    banks = config.layers("num_blocks", 4)
    if banks > length:
        config.fail("num_blocks", f"{banks} banks of experts for {length} layers")
    found = _qwen.language_model(
        config,
        identity,
        DEFAULT,
        feeds=[(f"bank_{i % banks}", "shared_expert") for i in range(length)],
        blocks={**_banks(config, banks), "shared_expert": _shared(config), **_drafted(config)},
    )
    # The gate of the shared expert; and scales of what mixer and experts add, where there are some.
    vectors = 3 if config.flag("layer_scale", False) else 1
    others = found.other_parameters + length * vectors * found.hidden_size
    return dataclasses.replace(found, other_parameters=others)


def _banks(config: Fields, number: int) -> dict[str, Block]:
    bank = experts(config, number=256, per_token=8, width=512, shared=True)
    return {f"bank_{i}": bank for i in range(number)}


def _shared(config: Fields) -> FeedForward:
    return FeedForward(intermediate_size=config.size("shared_expert_intermediate_size", 512))


def _drafted(config: Fields) -> dict[str, Block]:
    """The draft layer has experts of its own number."""
    found = _qwen.gated_experts(config, number=256, per_token=8)
    own = dataclasses.replace(
        found,
        num_experts=config.size("mtp_num_experts", found.num_experts),
        experts_per_token=config.size("mtp_num_experts_per_tok", found.experts_per_token),
    )
    return {"experts": own}
