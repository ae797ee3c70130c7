"""How axes split over tensor-parallel ranks by the contract's own rules.

Engines that split otherwise have rules of their own; nothing here knows them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.blocks import Axis, Split
from ferrum_cli.errors import ShardingError
from ferrum_cli.expand.layers import Expanded


@dataclass(frozen=True, slots=True)
class Parallel:
    """Ranks of one replica (`tp` × `pp`) and the number of replicas."""

    tp: int = 1
    pp: int = 1
    dp: int = 1


def units_on_rank(axis: Axis, tp: int) -> int:
    """Units of `axis` that one of `tp` ranks holds. Raises ShardingError where heads do not divide.

    Groups that do not divide are raised to tp (mamba_ssm and vLLM 0.32.0,
    layers/mamba/mamba_mixer2.py: extra_groups_for_head_shards); KV heads are replicated beyond
    their number; query heads that do not divide stand whole on every rank.
    """
    even = axis.units % tp == 0
    match axis.split:
        case Split.REPLICATED:
            return axis.units
        case Split.GROUPS:
            return axis.units // tp if even else 1
        case Split.KV_HEADS:
            return max(1, axis.units // tp)
        case Split.QUERY_HEADS:
            return axis.units // tp if even else axis.units
        case Split.COLUMNS:
            return -(-axis.units // tp)
        case Split.HEADS:
            if even:
                return axis.units // tp
            raise ShardingError(
                f"{axis.units} heads of recurrent state do not divide by {tp} ranks",
                hint=f"use a tp that divides {axis.units}",
                where="--tp",
            )


def size_on_rank(axis: Axis, tp: int) -> int:
    """Elements of `axis` that one of `tp` ranks holds."""
    return units_on_rank(axis, tp) * axis.width


def check_parallel(model: Expanded, parallel: Parallel) -> None:
    """Refuse more ranks than there is anything to split. Raises ShardingError."""
    if parallel.pp > len(model.layers):
        raise ShardingError(
            f"{parallel.pp} pipeline stages for {len(model.layers)} layers",
            hint=f"use at most {len(model.layers)}",
            where="--pp",
        )
    vocabulary = model.description.vocab_size
    if parallel.tp > vocabulary:
        raise ShardingError(
            f"{parallel.tp} ranks for a vocabulary of {vocabulary}",
            hint="use fewer ranks",
            where="--tp",
        )
