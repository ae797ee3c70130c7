"""Falcon-H1: attention and Mamba-2 side by side in every layer, then a feed-forward.

Class defaults are those of transformers 5.24.0, models/falcon_h1/configuration_falcon_h1.py. It
knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention, biased
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._mamba import class_refuses, expanded, mamba2, mamba_head_dim

ARCHITECTURES = {"falcon_h1": ("FalconH1ForCausalLM",)}

_CLASS_DEFAULT = 1024
"""`mamba_d_ssm` of the class, which fits no published model."""


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Falcon-H1 configuration."""
    hidden = config.size("hidden_size", 4096)
    inner, refused = _inner_size(config, hidden)
    mixer = mamba2(
        config,
        inner,
        out_bias=config.flag("projectors_bias", False),
        gated_norm=config.flag("mamba_rms_norm", False),
    )
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 128000),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=config.size("max_position_embeddings", 8192),
        blocks={
            "attention": attention(config, hidden, 32, 8, **biased(config)),
            "mamba": mixer,
            "mlp": FeedForward(
                intermediate_size=config.size("intermediate_size", 14336),
                bias=config.flag("mlp_bias", False),
            ),
        },
        layers=[(("attention", "mamba"), "mlp")] * config.layers("num_hidden_layers", 32),
        hints=Hints(
            class_inner_size=refused,
            chunk_size=config.size("mamba_chunk_size", 256),
            mamba_ssm_dtype=config.text("mamba_ssm_dtype", None, null=True),
        ),
        notes=class_refuses(refused, inner),
    )


def _inner_size(config: Fields, hidden: int) -> tuple[int, int | None]:
    """`mamba_d_ssm`, never `expand·hidden_size` unless it is null; and what the class takes for it.

    A file that leaves it out (Falcon-H1-0.5B) means what its heads make, as mlx-lm 0.32.2 reads
    it; transformers would take the class default, which contradicts the heads.
    """
    width = mamba_head_dim(config)
    if "mamba_d_ssm" not in config and width is not None:
        inner = config.size("mamba_n_heads", 128) * width
        return inner, None if inner == _CLASS_DEFAULT else _CLASS_DEFAULT
    given = config.nullable_size("mamba_d_ssm", _CLASS_DEFAULT)
    return given or expanded(config, "mamba_expand", hidden), None
