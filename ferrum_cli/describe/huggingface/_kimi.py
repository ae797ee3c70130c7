"""What Kimi-Linear and Kimi-K3 share: layer lists that count from one, latent attention, experts.

Names and class defaults are those of transformers 5.24.0,
models/kimi_linear/configuration_kimi_linear.py. It knows nothing about engines.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.blocks.kimi_delta_attention import KimiDeltaAttention
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.huggingface import _experts
from ferrum_cli.describe.huggingface._common import layer_kinds, nested_size
from ferrum_cli.describe.huggingface._feeds import dense_first
from ferrum_cli.describe.huggingface._fields import Fields

_KINDS = {
    "linear_attention": "kda",
    "full_attention": "mla",
    "attention": "mla",
}

NO_PATTERN = (
    "the configuration lists no KDA and full-attention layers; the class default of transformers is"
    " taken, which is the pattern of no published model"
)


def context(config: Fields) -> int:
    """`model_max_length` is an alias that counts before `max_position_embeddings`."""
    name = config.first("model_max_length", "max_position_embeddings")
    return int(config.size(name, 1048576))


def mixers(config: Fields, length: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The mixer of each layer, and a note where nothing says which."""
    inner = config.optional_child("linear_attn_config")
    if config.raw("layer_types") is not None:
        return layer_kinds(config, "layer_types", _KINDS, length, ()), ()
    if inner is not None and "full_attn_layers" in inner and "kda_layers" in inner:
        return _from_lists(inner, length), ()
    return tuple("mla" if i and i % 4 == 0 else "kda" for i in range(length)), (NO_PATTERN,)


def _from_lists(inner: Fields, length: int) -> tuple[str, ...]:
    """Two lists of layers, counted from 1, that together name every layer once."""
    found: dict[int, str] = {}
    for name, mixer in (("full_attn_layers", "mla"), ("kda_layers", "kda")):
        for position, number in enumerate(inner.counts(name)):
            place = f"{name}[{position}]"
            if not 1 <= number <= length:
                inner.fail(place, f"layer {number} of {length}; layers are counted from 1")
            if number in found:
                inner.fail(place, f"layer {number} stands twice in the two lists")
            found[number] = mixer
    missing = [number for number in range(1, length + 1) if number not in found]
    if missing:
        inner.fail("kda_layers", f"layer {missing[0]} stands neither here nor in full_attn_layers")
    return tuple(found[number] for number in range(1, length + 1))


def feeds(config: Fields, length: int) -> tuple[str, ...]:
    """A dense network in the first layers, experts in all others."""
    return dense_first(config, length, config.count("first_k_dense_replace", 1))


def kda(config: Fields, heads: int = 32, *, full_rank_gate: bool = False) -> KimiDeltaAttention:
    """KDA by `linear_attn_config`, or by the class's own fields; the decay has a head's rank."""
    width = _kda_size(config, "head_dim", "linear_head_dim", 128)
    return KimiDeltaAttention(
        num_heads=_kda_size(config, "num_heads", "linear_num_heads", heads),
        head_dim=width,
        conv_kernel=_kda_size(config, "short_conv_kernel_size", "linear_conv_kernel_dim", 4),
        decay_rank=width,
        gate_rank=None if full_rank_gate else width,
    )


def _kda_size(config: Fields, nested: str, flat: str, default: int) -> int:
    return nested_size(config, f"linear_attn_config.{nested}", flat, default)


def experts(config: Fields, **options: Any) -> MixtureOfExperts:
    """Experts; every one of the shared experts is as wide as a routed one."""
    routed = _experts.experts(
        config,
        256,
        8,
        1024,
        names=("num_experts", "num_local_experts"),
        each=("num_experts_per_token", "num_experts_per_tok"),
        **options,
    )
    shared = config.count(config.first("num_shared_experts", "n_shared_experts"), 1)
    return _experts.with_shared(routed, shared)
