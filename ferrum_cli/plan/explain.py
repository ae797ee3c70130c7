"""`--explain FIGURE`: a figure of a plan as formula, values, source, and its name in the log.

It knows nothing about how the figures came about; engines and this room name them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.discover import suggestion
from ferrum_cli.engines import Figure
from ferrum_cli.engines._formula import by_rank
from ferrum_cli.errors import UsageError
from ferrum_cli.expand import counted_parameters
from ferrum_cli.plan.result import Plan
from ferrum_cli.report import Cell, Table, Value, cell, table

_HEADINGS = ("figure", "value", "formula", "source", "in the log")
_SECTIONS = ("engine.", "layout.", "state.", "capacity.", "model.")
_JOINED = {
    "kv.": "kv_",
    "weights.bytes_per_rank": "weights_bytes",
    "weights.": "weights_",
    "parameters.": "parameters_",
}


def figures(plan: Plan) -> tuple[Figure, ...]:
    """Every figure of a plan that can be explained, each name once."""
    found = (
        *plan.answer.figures,
        *_bounds(plan),
        *_parameters(plan),
        *_weights(plan),
        *_lines(plan),
    )
    return tuple({figure.name: figure for figure in reversed(found)}.values())[::-1]


def explanation(plan: Plan, name: str) -> Table:
    """One figure, by its name or its path in JSON, or all of them for `all`.

    Raises UsageError for an unknown name.
    """
    known = figures(plan)
    wanted = _short(name)
    chosen = [f for f in known if name in ("all", f.name) or wanted in (f.name, _rank_of(f.name))]
    chosen = chosen or [f for f in known if _rank_of(wanted) == f.name]
    if not chosen:
        names = [figure.name for figure in known]
        raise UsageError(
            f"unknown figure {name!r}",
            hint=f"{suggestion(name, names)} (all: {', '.join(names)})",
            where="--explain",
        )
    return table("Explanation", _HEADINGS, [_row(figure) for figure in chosen])


def _row(figure: Figure) -> tuple[Cell, ...]:
    values: tuple[Value, ...] = (figure.value, figure.formula, figure.source, figure.log or None)
    return (cell(figure.name), *(cell(value) for value in values))


def _short(path: str) -> str:
    """`engine.layout.block_size` and `kv.bytes_per_token` as figures are called."""
    for section in _SECTIONS:
        path = path.removeprefix(section)
    for section, joined in _JOINED.items():
        if path.startswith(section):
            path = joined + path.removeprefix(section)
            break
    return "parameters" if path == "parameters_total" else path


def _rank_of(name: str) -> str:
    """The figure of all ranks that a numbered one belongs to."""
    whole, _, number = name.rpartition(".")
    return whole if number.isdigit() else name


def _parameters(plan: Plan) -> Iterator[Figure]:
    description, counts = plan.question.model.description, plan.parameters
    built = description.architecture or "such a model"
    source = f"{description.parameters}, as transformers 5.24.0 builds {built}"
    terms = (
        f"{n} {name} × {each}" for name, n, each in counted_parameters(description) if n * each
    )
    yield Figure("parameters", counts.total, " + ".join(terms), source)
    active = f"{counts.active} parameters, of experts those that one token meets"
    yield Figure("parameters_active", counts.active, active, source)
    for name, count in (("vision", counts.vision), ("draft", counts.draft)):
        said = f"{count} parameters of the description's {name}"
        yield Figure(f"parameters_{name}", count, said, description.source or description.name)


def _weights(plan: Plan) -> Iterator[Figure]:
    """The fullest rank, and each of several, as the engine holds them."""
    weights = plan.weights
    if not weights.known:
        unknown = "the file does not hold its tensors"
        yield Figure("weights_bytes", "unknown", unknown, weights.source)
        return
    formula = _weights_formula(plan)
    yield Figure("weights_bytes", max(weights.bytes_per_rank), formula, weights.source)
    if len(weights.bytes_per_rank) > 1:
        formulas = [formula] * len(weights.bytes_per_rank)
        yield from by_rank("weights_bytes", weights.bytes_per_rank, formulas, weights.source)


def _weights_formula(plan: Plan) -> str:
    """Arithmetic where one device holds all; else a rule in words."""
    question, counts = plan.question, plan.parameters
    parallel, description = question.parallel, question.model.description
    if description.stored_weights is not None:
        return f"Σ over the tensors of the file, over tp {parallel.tp} and pp {parallel.pp}"
    size = description.dtype.size_bytes
    if plan.weights.bytes_per_rank == ((counts.total + counts.vision) * size,):
        return f"({counts.total} parameters + {counts.vision} of vision) × {size} B"
    return (
        f"Σ over the tensors of a rank: heads, columns and vocabulary split over tp {parallel.tp},"
        f" norms on every rank, layers over pp {parallel.pp}; experts as the engine splits them"
    )


def _bounds(plan: Plan) -> Iterator[Figure]:
    """The requests that surely and that perhaps fit; most engines' rules give one number."""
    capacity, answer = plan.answer.capacity, plan.answer
    if capacity.max_requests is None:
        return
    source = f"{answer.engine} {answer.version}"
    for name, value in (("low", capacity.low), ("high", capacity.high)):
        count = capacity.max_requests if value is None else value
        how = "as max_requests" if value is None else "where the rules leave it open"
        yield Figure(name, count, f"{count} requests, {how}", source)


def _lines(plan: Plan) -> Iterator[Figure]:
    """The lines of the memory tables, under their own names."""
    answer = plan.answer
    for line in answer.memory:
        where = "host's" if line.host else "device's"
        name = f"host {line.name}" if line.host else line.name
        how = f"; {line.formula}" if line.formula else ""
        source = f"{answer.engine} {answer.version}, a line of the {where} memory"
        yield Figure(name, line.size_bytes, f"{line.size_bytes} B{how}", source)
