"""What Qwen3-Next, Qwen3.5 and their relatives share: mixers, layer pattern, draft layers, vision.

Names and defaults are those of transformers 5.24.0, models/qwen3_next and models/qwen3_5. It knows
nothing about engines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.gated_delta_net import GatedDeltaNet
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description, Draft
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity, _qwen_vision
from ferrum_cli.describe.huggingface._common import Entry, assemble, layer, layer_kinds
from ferrum_cli.describe.huggingface._experts import experts
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_tower, wrapped

LAYER_TYPES: Mapping[str, str] = {
    "linear_attention": "delta",
    "full_attention": "attention",
    "attention": "attention",
}
"""What a layer type calls the mixer here; the last is a legacy spelling."""


class Relative(NamedTuple):
    """Class defaults that differ between the relatives, and what each calls its draft layers."""

    hidden_size: int
    vocab_size: int
    kv_heads: int
    drafts: str = "mtp_num_hidden_layers"


def language_model(
    config: Fields,
    identity: Identity,
    default: Relative,
    feeds: Sequence[Entry],
    blocks: Mapping[str, Block],
) -> Description:
    """A model whose layers are a mixer and what `feeds` names of `blocks` for each layer.

    A draft layer takes the block called `experts` where there is one, and else the one called
    `mlp`.
    """
    attention = gated_attention(config, default.kv_heads)
    pattern = mixers(config, len(feeds))
    routed = blocks.get("experts")
    drafted = "experts" if isinstance(routed, MixtureOfExperts) and routed.num_experts else "mlp"
    return assemble(
        identity,
        config,
        hidden_size=config.size("hidden_size", default.hidden_size),
        vocab_size=config.size("vocab_size", default.vocab_size),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 32768),
        blocks={"delta": gated_delta_net(config), "attention": attention, **blocks},
        layers=list(zip(pattern, feeds, strict=True)),
        draft=draft(config, default.drafts, ("attention", drafted)),
        hints=hints(config),
        other_parameters=gate_biases(config, attention, pattern),
    )


def alone_or_wrapped(
    config: Fields,
    identity: Identity,
    text_type: str,
    read: Callable[[Fields, Identity], Description],
) -> Description:
    """A configuration of the language model alone, which `read` reads, or with vision around it."""
    if identity.model_type == text_type:
        return read(config, identity)
    tied = config.flag("tie_word_embeddings", False)
    found = wrapped(config, identity, text_type, tied=tied)
    return with_tower(found, config, _qwen_vision.parameters)


def gated_delta_net(config: Fields, key_heads: int = 16, value_heads: int = 32) -> GatedDeltaNet:
    """The linear-attention mixer of the whole family."""
    return GatedDeltaNet(
        num_key_heads=config.size("linear_num_key_heads", key_heads),
        num_value_heads=config.size("linear_num_value_heads", value_heads),
        key_head_dim=config.size("linear_key_head_dim", 128),
        value_head_dim=config.size("linear_value_head_dim", 128),
        conv_kernel=config.size("linear_conv_kernel_dim", 4),
    )


def gated_attention(config: Fields, kv_heads: int) -> Attention:
    """Attention with an output gate from the query projection, and norms on query and key."""
    bias = config.flag("attention_bias", False)
    return Attention(
        num_heads=config.size("num_attention_heads", 16),
        num_kv_heads=config.size("num_key_value_heads", kv_heads),
        head_dim=config.size("head_dim", 256),
        output_gate=True,
        qk_norm=True,
        qkv_bias=bias,
        output_bias=bias,
    )


def gate_biases(config: Fields, attention: Attention, mixers: Sequence[str]) -> int:
    """The gate is a part of the query projection and has its bias, too."""
    if not config.flag("attention_bias", False):
        return 0
    return attention.num_heads * attention.head_dim * mixers.count("attention")


def gated_experts(config: Fields, number: int, per_token: int) -> MixtureOfExperts:
    """Experts beside a shared one that has a gate; the class defaults of two numbers differ."""
    return experts(
        config,
        number,
        per_token,
        width=512,
        shared_intermediate_size=config.count("shared_expert_intermediate_size", 512),
        shared_gate=True,
    )


def mixers(config: Fields, length: int, known: Mapping[str, str] = LAYER_TYPES) -> tuple[str, ...]:
    """The mixer of each layer: `layer_types`, or full attention in every n-th layer."""
    interval = config.size("full_attention_interval", 4)
    default = [
        "linear_attention" if (i + 1) % interval else "full_attention" for i in range(length)
    ]
    return layer_kinds(config, "layer_types", known, length, default)


def hints(config: Fields) -> Hints:
    """What engines read of a language model beside its sizes."""
    return Hints(
        full_attention_interval=config.size("full_attention_interval", 4),
        mamba_ssm_dtype=config.text("mamba_ssm_dtype", None, null=True),
    )


def draft(config: Fields, name: str, entries: Sequence[str], default: int = 1) -> Draft | None:
    """Draft layers that share the embeddings; one where a Qwen3.5 does not say how many.

    vLLM 0.33.0, model_executor/models/qwen3_next_mtp.py and qwen3_5_mtp.py.
    """
    count = config.draft_layers(name, default)
    return Draft("mtp", (layer(entries),) * count) if count else None
