"""Ranks told by SGLang's own flags instead of `--tp`, `--pp` and `--dp`.

It knows nothing about what is split over the ranks.
"""

from __future__ import annotations

from dataclasses import replace

from ferrum_cli.engines._engine import Question, Weights
from ferrum_cli.expand import Parallel, check_parallel, weight_bytes_per_rank


def with_ranks(question: Question) -> Question:
    """The question with the ranks of its flags, and the weights split over these.

    Weights that were measured keep their ratio to those that the description makes. Raises
    ShardingError for a split that does not work.
    """
    asked = question.parallel
    parallel = Parallel(
        tp=question.settings.value("tp_size") or asked.tp,
        pp=question.settings.value("pp_size") or asked.pp,
        dp=question.settings.value("dp_size") or asked.dp,
    )
    if parallel == asked:
        return question
    check_parallel(question.model, parallel)
    description = question.model.description
    before = weight_bytes_per_rank(description, asked)
    after = weight_bytes_per_rank(description, parallel)
    scale = sum(question.weights.bytes_per_rank) / max(1, sum(before))
    weights = Weights(tuple(int(size * scale) for size in after), question.weights.source)
    return replace(question, parallel=parallel, weights=weights)
