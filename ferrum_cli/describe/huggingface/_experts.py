"""A mixture of experts as most families spell it: a number, how many serve a token, a width.

It knows nothing about a particular family, nor about which layers have experts.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.huggingface._fields import Fields


def experts(
    config: Fields,
    number: int,
    per_token: int,
    width: int,
    names: tuple[str, ...] = ("num_experts",),
    each: tuple[str, ...] = ("num_experts_per_tok",),
    **options: Any,
) -> MixtureOfExperts:
    """Routed experts of `moe_intermediate_size`; the numbers are class defaults.

    `names` are those of the first number, and `each` those of the second; the one that counts first
    stands before the others.
    """
    if "intermediate_size" not in options:
        options["intermediate_size"] = config.size("moe_intermediate_size", width)
    return MixtureOfExperts(
        num_experts=config.count(config.first(*names), number),
        experts_per_token=config.count(config.first(*each), per_token),
        **options,
    )


def with_shared(routed: MixtureOfExperts, number: int) -> MixtureOfExperts:
    """`number` shared experts beside routed ones, each as wide as a routed one."""
    return dataclasses.replace(routed, shared_intermediate_size=number * routed.intermediate_size)
