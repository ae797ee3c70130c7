"""Zamba2: Mamba-2 in every layer, and a few attentions with feed-forward that layers take in turn.

Class defaults are those of transformers 5.24.0, models/zamba2/configuration_zamba2.py. Files from
before Zamba2 was part of transformers use other names for the same sizes. It knows nothing about
engines.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.custom import Custom
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mamba2 import Mamba2
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import kv_heads_of
from ferrum_cli.describe.huggingface._common import Entries, assemble, divided, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._mamba import expanded
from ferrum_cli.describe.huggingface.zamba import KINDS

ARCHITECTURES = {"zamba2": ("Zamba2ForCausalLM",)}

_RUN = ["mamba"] * 5 + ["hybrid"]
_DEFAULT = [
    *["mamba"],
    *_RUN * 7,
    *["mamba"] * 4,
    *["hybrid"],
    *["mamba"] * 3,
    *["hybrid"],
    *["mamba"] * 2,
]
"""The 54 layers of Zamba2-2.7B, whatever `num_hidden_layers` says."""


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Zamba2 configuration; every hybrid layer has adapters of its own."""
    hidden = config.size("hidden_size", 2560)
    kinds = _kinds(config)
    turns = min(config.size("num_mem_blocks", 1), kinds.count("hybrid"))
    # Of the norms before a shared attention and feed-forward one is counted with the attention's
    # wider input, and two stand here; the one norm of a hybrid layer is its mixer's.
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 32000),
        tie_embeddings=config.flag("tie_word_embeddings", True),
        max_context=_context(config),
        blocks=_blocks(config, hidden, turns),
        layers=list(_layers(kinds, turns)),
        hints=Hints(chunk_size=config.size("chunk_size", 256)),
        other_parameters=2 * hidden * turns,
    )


def _kinds(config: Fields) -> tuple[str, ...]:
    name = config.first("layers_block_type", "layer_types")
    if config.raw(name) is None:
        return tuple(_DEFAULT)
    return layer_kinds(config, name, KINDS, config.layers("num_hidden_layers", 54), ())


def _layers(kinds: tuple[str, ...], turns: int) -> Iterator[Entries]:
    """Hybrid layers take the shared blocks in turn."""
    hybrids = 0
    for kind in kinds:
        if kind == "hybrid":
            number = hybrids % turns + 1
            hybrids += 1
            yield ((f"attention_{number}", f"mlp_{number}", "linear", "mamba"),)
        else:
            yield (kind,)


def _blocks(config: Fields, hidden: int, turns: int) -> dict[str, Block]:
    width = config.size(config.first("intermediate_size", "ffn_hidden_size"), None, null=True)
    width = width or 4 * hidden
    bias = config.flag("add_bias_linear", False)
    found: dict[str, Block] = {"mamba": _mamba2(config, hidden, bias)}
    for number in range(1, turns + 1):
        found[f"attention_{number}"] = _attention(config, hidden)
        found[f"mlp_{number}"] = FeedForward(intermediate_size=width, bias=bias, shared=True)
    found["linear"] = Custom(parameters=hidden * hidden + _adapters(config, hidden, width))
    return found


def _adapters(config: Fields, hidden: int, width: int) -> int:
    """Low-rank additions to the gate and up projections, and to query, key and value if asked."""
    rank = config.size(config.first("adapter_rank", "lora_rank"), 128)
    attends = config.first("use_shared_attention_adapter", "use_shared_attention_lora")
    found = rank * (hidden + 2 * width)
    return int(found + 3 * rank * 4 * hidden if config.flag(attends, False) else found)


def _attention(config: Fields, hidden: int) -> Attention:
    """It reads the layer's input beside the embedding, 2·hidden_size wide."""
    heads = config.size("num_attention_heads", 32)
    head_dim = config.size(config.first("attention_head_dim", "head_dim"), None, null=True)
    return Attention(
        num_heads=heads,
        num_kv_heads=kv_heads_of(config, heads, None),
        head_dim=head_dim or divided(config, "num_attention_heads", 2 * hidden, heads),
        input_size=2 * hidden,
        shared=True,
    )


def _mamba2(config: Fields, hidden: int, bias: bool) -> Mamba2:
    inner = expanded(config, config.first("mamba_expand", "expansion_factor"), hidden)
    heads = _mamba_heads(config, inner)
    return Mamba2(
        num_heads=heads,
        head_dim=divided(config, "n_mamba_heads", inner, heads),
        num_groups=config.size("mamba_ngroups", 1),
        state_size=config.size(config.first("mamba_d_state", "state_size"), 64),
        conv_kernel=config.size(config.first("mamba_d_conv", "conv_dimension"), 4),
        in_bias=bias,
        out_bias=bias,
    )


def _mamba_heads(config: Fields, inner: int) -> int:
    """`n_mamba_heads`, or what the older `mamba_headdim` makes of the inner width."""
    older = "n_mamba_heads" not in config and "mamba_headdim" in config
    if older:
        width = config.size("mamba_headdim")
        heads = divided(config, "mamba_headdim", inner, width)
    else:
        heads = config.size("n_mamba_heads", 8)
    if inner % heads:
        config.fail("n_mamba_heads", f"an inner width of {inner} is no multiple of {heads} heads")
    return int(heads)


def _context(config: Fields) -> int:
    """`use_long_context` means 16,384 tokens."""
    given = config.size("max_position_embeddings", 4096)
    return 16384 if config.flag("use_long_context", False) else int(given)
