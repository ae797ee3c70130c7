"""LFM2: short convolutions and a few attentions, each with a gated feed-forward.

Class defaults are those of transformers 5.24.0, models/lfm2/configuration_lfm2.py. It knows
nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.short_conv import ShortConv
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity, _heads
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields

_EMBEDS = "ColBERTLfm2Model"

ARCHITECTURES = {"lfm2": ("Lfm2ForCausalLM", _EMBEDS)}

KINDS = {"conv": "conv", "full_attention": "attention", "attention": "attention"}


def describe(config: Fields, identity: Identity) -> Description:
    """Read an LFM2 configuration, of a language model or of one that embeds every token."""
    found = _language_model(config, identity)
    return _heads.late_interaction(config, found) if identity.architecture == _EMBEDS else found


def _language_model(config: Fields, identity: Identity) -> Description:
    hidden = config.size("hidden_size", 2560)
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 65536),
        tie_embeddings=tied(config),
        max_context=config.size("max_position_embeddings", 128000),
        blocks={
            "conv": short_conv(config),
            "attention": attention(config, hidden, 32, 8, qk_norm=True),
            "mlp": FeedForward(intermediate_size=_intermediate_size(config)),
        },
        layers=[(mixer, "mlp") for mixer in _mixers(config)],
        hints=conv_hints(config, hidden),
    )


def tied(config: Fields) -> bool:
    """`tie_embedding` is an alias that counts before `tie_word_embeddings`."""
    return config.flag(config.first("tie_embedding", "tie_word_embeddings"), True)


def short_conv(config: Fields, kernel: int = 3) -> ShortConv:
    """The convolution runs over hidden_size channels, whatever `conv_dim` says."""
    return ShortConv(
        conv_kernel=config.size("conv_L_cache", kernel), bias=config.flag("conv_bias", False)
    )


def conv_hints(config: Fields, hidden: int) -> Hints:
    """`conv_dim`, which vLLM 0.32.0 reads, where it is not hidden_size."""
    width = config.size("conv_dim", None, null=True)
    return Hints(conv_dim=None if width == hidden else width)


def _mixers(config: Fields) -> tuple[str, ...]:
    """`layer_types`, or attention in the layers of `full_attn_idxs`, or in all of them."""
    length = config.layers("num_hidden_layers", 32)
    indices = config.counts("full_attn_idxs", None)
    for position, index in enumerate(indices or ()):
        if not 0 <= index < length:
            config.fail(f"full_attn_idxs[{position}]", f"layer {index} of {length}")
    full = set(range(length) if indices is None else indices)
    default = ["full_attention" if i in full else "conv" for i in range(length)]
    return layer_kinds(config, "layer_types", KINDS, length, default)


def _intermediate_size(config: Fields) -> int:
    """Two thirds, scaled and rounded up, unless `block_auto_adjust_ff_dim` is false.

    transformers 5.24.0, models/lfm2/modeling_lfm2.py, Lfm2MLP. `block_ff_dim` is an alias that
    counts before `intermediate_size`.
    """
    size: int = config.size(config.first("block_ff_dim", "intermediate_size"), 12288)
    if not config.flag("block_auto_adjust_ff_dim", True):
        return size
    scaled = int(config.number("block_ffn_dim_multiplier", 1.0) * int(2 * size / 3))
    multiple = config.size("block_multiple_of", 256)
    return int(multiple * -(-scaled // multiple))
