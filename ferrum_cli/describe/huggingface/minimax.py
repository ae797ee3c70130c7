"""MiniMax-Text-01 and MiniMax-M1: lightning attention, some full attention, experts everywhere.

Class defaults are those of transformers 5.24.0, models/minimax/configuration_minimax.py. The
published files have model types and a list of their own for the same model. It knows nothing about
engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.lightning_attention import LightningAttention
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._fields import Fields

ARCHITECTURES = {
    "minimax": ("MiniMaxForCausalLM", "MiniMaxText01ForCausalLM", "MiniMaxM1ForCausalLM"),
    "minimax_m1": ("MiniMaxM1ForCausalLM",),
    "minimax_text_01": ("MiniMaxText01ForCausalLM",),
}

_KINDS = {
    "linear_attention": "lightning",
    "full_attention": "attention",
    "attention": "attention",
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a MiniMax configuration."""
    hidden = config.size("hidden_size", 4096)
    full = attention(config, hidden, 32, 8)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 32000),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 131072),
        blocks={
            "lightning": LightningAttention(num_heads=full.num_heads, head_dim=full.head_dim),
            "attention": full,
            "experts": _experts(config, identity.model_type),
        },
        layers=[(mixer, "experts") for mixer in _mixers(config)],
    )


def _experts(config: Fields, model_type: str) -> MixtureOfExperts:
    """Only the published classes have a shared expert; that of transformers ignores its width."""
    width = config.size("intermediate_size", 14336)
    shared = config.count("shared_intermediate_size", 0)
    return experts(
        config,
        number=8,
        per_token=2,
        width=width,
        names=("num_local_experts", "num_experts"),
        intermediate_size=width,
        shared_intermediate_size=0 if model_type == "minimax" else shared,
    )


def _mixers(config: Fields) -> tuple[str, ...]:
    """`layer_types`, or `attn_type_list` with 0 for lightning; by default every other layer."""
    length = config.layers("num_hidden_layers", 32)
    if config.raw("layer_types") is None and config.raw("attn_type_list") is not None:
        return _from_numbers(config, length)
    default = ["linear_attention" if i % 2 else "full_attention" for i in range(length)]
    return layer_kinds(config, "layer_types", _KINDS, length, default)


def _from_numbers(config: Fields, length: int) -> tuple[str, ...]:
    numbers = config.counts("attn_type_list")
    for position, number in enumerate(numbers):
        if number not in (0, 1):
            place = f"attn_type_list[{position}]"
            config.fail(place, f"{number} is neither 0 (lightning) nor 1 (full attention)")
    if len(numbers) != length:
        config.fail("attn_type_list", f"{len(numbers)} entries for {length} layers")
    return tuple("attention" if number else "lightning" for number in numbers)
