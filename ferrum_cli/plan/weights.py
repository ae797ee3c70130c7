"""What a model weighs on each pipeline rank: as its files have it, or parameters × dtype.

It knows nothing about formats of files.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.stored_weights import StoredWeights
from ferrum_cli.engines import Weights
from ferrum_cli.expand import Parallel, stage_of_layers, weight_bytes_per_rank


def weights_of(description: Description, parallel: Parallel) -> Weights:
    """The weights on the first tensor-parallel rank of each pipeline stage.

    Bytes of a file's tensors are taken to divide evenly over tensor-parallel ranks.
    """
    stored = description.stored_weights
    if stored is None:
        counted = weight_bytes_per_rank(description, parallel)
        return Weights(counted, f"parameters × {description.dtype.name}")
    if not stored.known:
        return Weights((0,) * parallel.pp, stored.source, known=False)
    return Weights(_stored(stored, description.tie_embeddings, parallel), stored.source)


def _stored(stored: StoredWeights, tied: bool, parallel: Parallel) -> tuple[int, ...]:
    """Embeddings on the first stage, the head on the last; a tied embedding on both."""
    layers = stored.layer_bytes
    totals = [
        sum(layers[stage.start : stage.stop]) for stage in stage_of_layers(len(layers), parallel.pp)
    ]
    totals[0] += stored.embedding_bytes
    totals[-1] += stored.head_bytes
    if tied and parallel.pp > 1:
        totals[-1] += stored.embedding_bytes
    return tuple(-(-total // parallel.tp) for total in totals)
