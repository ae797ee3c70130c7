"""`--explain FIGURE`: a figure of a plan as formula, values and source.

It knows nothing about how the figures came about; engines and this room name them.
"""

from __future__ import annotations

from ferrum_cli.discover import suggestion
from ferrum_cli.engines import Figure
from ferrum_cli.errors import UsageError
from ferrum_cli.plan.result import Plan
from ferrum_cli.report import Table, cell, table


def figures(plan: Plan) -> tuple[Figure, ...]:
    """Every figure of a plan that can be explained."""
    return (*plan.answer.figures, *_weights(plan))


def explanation(plan: Plan, name: str) -> Table:
    """One figure, or all of them for `all`. Raises UsageError for an unknown name."""
    known = figures(plan)
    chosen = [figure for figure in known if name in (figure.name, "all")]
    if not chosen:
        names = [figure.name for figure in known]
        raise UsageError(
            f"unknown figure {name!r}",
            hint=f"{suggestion(name, names)} (all: {', '.join(names)})",
            where="--explain",
        )
    rows = [
        (cell(figure.name), cell(figure.value), cell(figure.formula), cell(figure.source))
        for figure in chosen
    ]
    return table("Explanation", ("figure", "value", "formula", "source"), rows)


def _weights(plan: Plan) -> tuple[Figure, ...]:
    question = plan.question
    description, counts = question.model.description, plan.parameters
    return (
        Figure(
            "parameters",
            counts.total,
            "embeddings + head unless tied + Σ over layers (norms + blocks) + final norm",
            f"{description.parameters}, as transformers 5.24.0 builds {description.architecture}",
        ),
        Figure(
            "weights_bytes",
            max(question.weights.bytes_per_rank) if question.weights.known else "unknown",
            _weights_formula(plan),
            question.weights.source,
        ),
    )


def _weights_formula(plan: Plan) -> str:
    question, counts = plan.question, plan.parameters
    split = f"split over tp {question.parallel.tp} × pp {question.parallel.pp}"
    if question.model.description.stored_weights is not None:
        return f"Σ over the tensors of the file, {split}"
    size = question.model.description.dtype.size_bytes
    return f"({counts.total} + vision {counts.vision}) × {size} B, {split}"
