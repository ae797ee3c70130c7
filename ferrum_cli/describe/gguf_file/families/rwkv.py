"""RWKV-6 and RWKV-7, and their time mixings in the layers of Qwen2 (QRWKV6, ARWKV).

Layers keep the last input of each mixing: two of them, or one where a plain network takes the place
of the channel mixing (`token_shift_count`). It knows nothing about engines.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.rwkv6 import Rwkv6
from ferrum_cli.blocks.rwkv7 import Rwkv7
from ferrum_cli.blocks.rwkv_channel_mix import RwkvChannelMix
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.gguf_file.model import GgufModel
from ferrum_cli.describe.hints import Hints

ARCHITECTURES = {
    "rwkv6": ("Rwkv6ForCausalLM",),
    "rwkv7": ("RWKV7ForCausalLM", "Rwkv7ForCausalLM"),
    "rwkv6qwen2": ("RWKV6Qwen2ForCausalLM",),
    "arwkv7": ("RwkvHybridForCausalLM",),
}

_ON_QWEN2 = ("rwkv6qwen2", "arwkv7")
_DEFAULT_SHIFTS = 2


def describe(model: GgufModel) -> Description:
    """Describe a model of this family."""
    on_qwen2 = model.gguf_architecture in _ON_QWEN2
    seventh = model.gguf_architecture in ("rwkv7", "arwkv7")
    others: dict[str, Any] = {} if on_qwen2 else {"norm": "layer"}
    return model.describe(
        ARCHITECTURES[model.gguf_architecture][0],
        blocks={
            "time_mix": _rwkv7(model) if seventh else _rwkv6(model),
            "channel_mix": _channel_mix(model, on_qwen2, receptance=not seventh),
        },
        layers=[("time_mix", "channel_mix")] * model.layers,
        hints=Hints(token_shift_count=model.fields.count("token_shift_count", _DEFAULT_SHIFTS)),
        **others,
    )


def _rwkv7(model: GgufModel) -> Rwkv7:
    fields = model.fields
    return Rwkv7(
        head_dim=fields.size("wkv.head_size"),
        decay_low_rank_dim=fields.size("attention.decay_lora_rank"),
        a_low_rank_dim=fields.size("attention.iclr_lora_rank"),
        v_low_rank_dim=fields.count("attention.value_residual_mix_lora_rank") or None,
        gate_low_rank_dim=fields.count("attention.gate_lora_rank", 0) or None,
    )


def _rwkv6(model: GgufModel) -> Rwkv6:
    fields = model.fields
    width: int = fields.size("wkv.head_size")
    if model.hidden_size % width:
        fields.fail("wkv.head_size", f"{model.hidden_size} is no multiple of {width}")
    return Rwkv6(
        num_heads=model.hidden_size // width,
        head_dim=width,
        proj_low_rank_dim=fields.size("time_mix_extra_dim"),
        gate_low_rank_dim=fields.size("time_decay_extra_dim"),
    )


def _channel_mix(model: GgufModel, on_qwen2: bool, receptance: bool) -> Block:
    width: int = model.fields.size("feed_forward_length")
    if on_qwen2:
        return FeedForward(intermediate_size=width)
    return RwkvChannelMix(intermediate_size=width, receptance=receptance)
