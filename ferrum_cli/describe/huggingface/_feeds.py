"""Which layers are dense and which have experts, as families spell it.

It knows nothing about a particular family.
"""

from __future__ import annotations

from collections.abc import Mapping

from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.huggingface._common import layer_kinds
from ferrum_cli.describe.huggingface._fields import Fields

KINDS: Mapping[str, str] = {"dense": "mlp", "sparse": "experts"}
"""What `mlp_layer_types` calls the two."""


def sparse_steps(config: Fields, length: int, experts: MixtureOfExperts) -> list[str]:
    """`experts`, if there are any, wherever two fields allow: decoder_sparse_step, mlp_only_layers.

    transformers 5.24.0, models/qwen3_next/modeling_qwen3_next.py.
    """
    step = config.size("decoder_sparse_step", 1)
    dense = set(config.counts("mlp_only_layers", ()))
    if not experts.num_experts:
        return ["mlp"] * length
    return ["mlp" if i in dense or (i + 1) % step else "experts" for i in range(length)]


def dense_first(config: Fields, length: int, dense: int) -> tuple[str, ...]:
    """`mlp_layer_types`, or a dense network in the first layers and experts in all others."""
    default = ["dense" if i < dense else "sparse" for i in range(length)]
    return layer_kinds(config, "mlp_layer_types", KINDS, length, default)
