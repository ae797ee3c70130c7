"""A description laid out over devices: parts by layer and rank, weights, pipeline stages.

It knows nothing about engines' layouts: parts stay parts.
"""

from __future__ import annotations

from ferrum_cli.expand.layers import Expanded, ExpandedLayer, Placed, expand
from ferrum_cli.expand.sharding import Parallel, check_parallel, units_on_rank
from ferrum_cli.expand.stages import stage_of_layers
from ferrum_cli.expand.weights import (
    Parameters,
    counted_parameters,
    parameters,
    weight_bytes_per_rank,
)

__all__ = [
    "Expanded",
    "ExpandedLayer",
    "Parallel",
    "Parameters",
    "Placed",
    "check_parallel",
    "counted_parameters",
    "expand",
    "parameters",
    "stage_of_layers",
    "units_on_rank",
    "weight_bytes_per_rank",
]
