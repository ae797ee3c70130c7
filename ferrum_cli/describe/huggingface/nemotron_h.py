"""Nemotron-H, Nemotron Nano 2 and Nemotron 3: one block in each layer, in a written-out pattern.

Class defaults are those of transformers 5.24.0, models/nemotron_h/configuration_nemotron_h.py. It
knows nothing about engines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mamba2 import Mamba2
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description, Draft
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import kv_heads_of
from ferrum_cli.describe.huggingface._common import assemble, layer
from ferrum_cli.describe.huggingface._fields import MOST_LAYERS, Fields

ARCHITECTURES = {"nemotron_h": ("NemotronHForCausalLM",)}

_LETTERS = {"M": "mamba", "E": "experts", "*": "attention", "-": "mlp"}
WORDS = {
    "mamba": "mamba",
    "linear_attention": "mamba",
    "attention": "attention",
    "full_attention": "attention",
    "mlp": "mlp",
    "moe": "experts",
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Nemotron-H configuration; the pattern alone says how many layers there are."""
    names = pattern(config)
    biases = expert_biases(config) * names.count("experts")
    blocks = {name: build(config) for name, build in BLOCKS.items()}
    return described(config, identity, blocks, names, _draft(config), biases)


def described(
    config: Fields,
    identity: Identity,
    blocks: Mapping[str, Block],
    layers: Sequence[str],
    draft: Draft | None,
    biases: int,
) -> Description:
    """The model whose layers are one of `blocks` each; `biases` counts those of its experts."""
    return assemble(
        identity,
        config,
        hidden_size=config.size("hidden_size", 4096),
        vocab_size=config.size("vocab_size", 131072),
        tie_embeddings=False,  # the class in transformers 5.24.0 never ties them
        max_context=config.size("max_position_embeddings", 4096),
        blocks=blocks,
        layers=[(name,) for name in layers],
        draft=draft,
        hints=Hints(
            chunk_size=config.size(config.first("mamba_chunk_size", "chunk_size"), 128),
            mamba_ssm_cache_dtype=config.text("mamba_ssm_cache_dtype", None, null=True),
            mamba_ssm_dtype=config.text("mamba_ssm_dtype", None, null=True),
        ),
        other_parameters=biases,
        notes=_notes(config, len(layers)),
    )


def pattern(config: Fields) -> list[str]:
    """The block of every layer."""
    names = ("layers_block_type", "layer_types")
    default = ("mamba", "moe", "attention", "mlp")
    return _words(config, names, "hybrid_override_pattern", default)


def draft_count(config: Fields) -> int:
    """How many draft layers there are; every block of theirs is one to count."""
    name = "num_nextn_predict_layers"
    count: int = config.draft_layers(name, 0)
    blocks = count * len(draft_pattern(config)) if count else 0
    if blocks > MOST_LAYERS:
        config.fail(name, f"{blocks} blocks of draft layers, the most is {MOST_LAYERS}")
    return count


def draft_pattern(config: Fields) -> list[str]:
    """The blocks of every draft layer."""
    names, letters = ("mtp_layers_block_type",), "mtp_hybrid_override_pattern"
    return _words(config, names, letters, ("attention", "moe"))


def _words(
    config: Fields, lists: tuple[str, ...], letters: str, default: tuple[str, ...]
) -> list[str]:
    """Blocks by a list of words, or else by a word of letters."""
    name = config.first(*(name for name in lists if config.raw(name) is not None), lists[0])
    words = config.texts(name, None)
    if words is None and config.raw(letters) is None:
        return [WORDS[word] for word in default]
    if words is None:
        name, words, known = letters, config.text(letters), _LETTERS
    else:
        known = WORDS
    if not 1 <= len(words) <= MOST_LAYERS:
        config.fail(name, f"{len(words)} layers")
    for position, word in enumerate(words):
        if word not in known:
            place = name if known is _LETTERS else f"{name}[{position}]"
            problem = f"unknown kind of layer {ascii(word)[:40]} at position {position}"
            config.fail(place, problem, "known: " + ", ".join(known))
    return [known[word] for word in words]


def _mamba2(config: Fields) -> Mamba2:
    """The inner width is heads times their width; `expand` has no effect."""
    bias = config.flag("use_bias", False)
    return Mamba2(
        num_heads=config.size("mamba_num_heads", 128),
        head_dim=config.size("mamba_head_dim", 64),
        num_groups=config.size(config.first("mamba_n_groups", "n_groups"), 8),
        state_size=config.size("ssm_state_size", 128),
        conv_kernel=config.size(config.first("mamba_d_conv", "conv_kernel"), 4),
        conv_bias=config.flag(config.first("mamba_conv_bias", "use_conv_bias"), True),
        in_bias=bias,
        out_bias=bias,
    )


def _attention(config: Fields) -> Attention:
    heads = config.size("num_attention_heads", 32)
    return Attention(
        num_heads=heads,
        num_kv_heads=kv_heads_of(config, heads, 8),
        head_dim=config.size("head_dim", 128),
    )


def _feed_forward(config: Fields) -> FeedForward:
    return FeedForward(
        intermediate_size=config.size("intermediate_size", 21504),
        gated=False,
        bias=config.flag("mlp_bias", False),
    )


def _experts(config: Fields) -> MixtureOfExperts:
    return MixtureOfExperts(
        num_experts=config.size(config.first("n_routed_experts", "num_local_experts"), 8),
        experts_per_token=config.count("num_experts_per_tok", 2),
        intermediate_size=config.size("moe_intermediate_size", 7688),
        shared_intermediate_size=config.size("moe_shared_expert_intermediate_size", 7688),
        gated=False,
        latent_size=config.size("moe_latent_size", None, null=True),
    )


def expert_biases(config: Fields) -> int:
    """Biases of the shared expert and of the projections around the routed ones, of one layer."""
    if not config.flag("mlp_bias", False):
        return 0
    hidden = config.size("hidden_size", 4096)
    latent = config.size("moe_latent_size", None, null=True)
    shared = config.size("moe_shared_expert_intermediate_size", 7688) + hidden
    return int(shared + (latent + hidden if latent else 0))


def _draft(config: Fields) -> Draft | None:
    """Each draft layer holds all blocks of the draft pattern."""
    count = draft_count(config)
    return Draft("mtp", (layer(draft_pattern(config)),) * count) if count else None


def _notes(config: Fields, length: int) -> tuple[str, ...]:
    stated = config.layers("num_hidden_layers", length, null=True)
    if stated == length:
        return ()
    return (f"num_hidden_layers is {stated}, but the pattern has {length} layers, which count",)


BLOCKS: Mapping[str, Callable[[Fields], Block]] = {
    "mamba": _mamba2,
    "attention": _attention,
    "mlp": _feed_forward,
    "experts": _experts,
}
"""How each kind of layer is read."""
