"""Which layers stand on which pipeline stage.

It knows nothing about what the layers hold.
"""

from __future__ import annotations


def stage_of_layers(num_layers: int, pp: int) -> tuple[range, ...]:
    """Consecutive layers for each of `pp` stages; what does not divide goes to early stages.

    Engines that give the remainder elsewhere have their own rule.
    """
    share, left = divmod(num_layers, pp)
    starts = [stage * share + min(stage, left) for stage in range(pp + 1)]
    return tuple(range(starts[stage], starts[stage + 1]) for stage in range(pp))
