"""Figures of a plan with formula, source and name in the log, for `--explain`.

It knows nothing about how the bytes come about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ferrum_cli.engines._engine import Capacity, Figure
from ferrum_cli.engines._formula import slot
from ferrum_cli.engines.llama_cpp.buffers import ComputeTerms, Interval, output_bytes
from ferrum_cli.engines.llama_cpp.cache_figures import cache_figures
from ferrum_cli.engines.llama_cpp.capacity import largest_parallel, longest_ctx_size, room_of
from ferrum_cli.engines.llama_cpp.checkpoints import checkpoint_bytes, window_part_bytes
from ferrum_cli.engines.llama_cpp.device_figures import device_figures
from ferrum_cli.engines.llama_cpp.layout import state_tensors
from ferrum_cli.engines.llama_cpp.options import VERSION
from ferrum_cli.engines.llama_cpp.requirement import Deployment

_SOURCE = f"llama.cpp {VERSION}"
_STATE = f"{_SOURCE}, src/llama-memory-recurrent.cpp; f32 always"
_CONTEXT = f"{_SOURCE}, src/llama-context.cpp"
_MEASURED = "an interval around what was measured on the CPU backend of 0c1e57098"


def figures(deployment: Deployment, found: Capacity) -> tuple[Figure, ...]:
    """Every figure that can be explained."""
    return (
        *_state(deployment),
        *_cells(deployment),
        *cache_figures(deployment, _SOURCE),
        *_buffers(deployment),
        *device_figures(deployment, _SOURCE),
        *_capacity(deployment, found),
    )


def _state(deployment: Deployment) -> Iterator[Figure]:
    launch = deployment.launch
    context = deployment.context(launch.sizes())
    rows = f"{context.cells} cells × (1 + {launch.snapshots} snapshots)"
    for letter, size in (
        ("R", context.r_bytes),
        ("S", context.s_bytes),
        ("P", context.p_bytes),
    ):
        widths = Counter(getattr(x, letter.lower()) for x in deployment.inventory.state)
        layers = " + ".join(f"{count} layers × {width}" for width, count in widths.items())
        formula = f"4 B × {rows} × ({layers or '0 layers'})"
        yield Figure(f"rs_bytes_{letter}", size, formula, _STATE, f"{letter} (f32)")
    tensors = state_tensors(deployment)
    per_slot = sum(tensor.size_bytes for tensor in tensors)
    yield Figure("bytes_per_slot", per_slot, slot(tensors), _STATE)
    cells = f"{context.cells} cells, one for each slot where layers keep state"
    yield Figure("rs_cells", context.cells, cells, _STATE, "cells")
    asked = f"{launch.snapshots} snapshots, as many as tokens are proposed where they roll back"
    yield Figure("n_rs_seq", launch.snapshots, asked, _CONTEXT, "n_rs_seq")


def _cells(deployment: Deployment) -> Iterator[Figure]:
    launch = deployment.launch
    sizes = launch.sizes()
    share = f"⌈{launch.asked_context} tokens / 256⌉ × 256"
    if not launch.unified:
        share = f"⌈{share} // {sizes.slots} slots / 256⌉ × 256"
    yield Figure("n_ctx_seq", sizes.n_ctx_seq, share, _CONTEXT, "n_ctx_seq")
    total = f"{sizes.n_ctx_seq} tokens × {sizes.streams} streams"
    yield Figure("n_ctx_effective", sizes.n_ctx, total, _CONTEXT, "n_ctx")


def _buffers(deployment: Deployment) -> Iterator[Figure]:
    """What is neither weights nor state nor KV."""
    sizes, model = deployment.launch.sizes(), deployment.question.model
    logits = f"4 B × {sizes.slots} slots × {model.description.vocab_size} logits"
    output = output_bytes(model, sizes)
    yield Figure("output_buffer_bytes", output, logits, _CONTEXT, "output buffer size")
    size = checkpoint_bytes(deployment.inventory, deployment.launch)
    source = f"{_SOURCE}, llama_state_seq_get_size_ext with PARTIAL_ONLY"
    yield Figure("checkpoint_bytes", size, _checkpoint(deployment, size), source)
    own, drafts = deployment.compute_terms(sizes), deployment.draft_compute_terms(sizes)
    yield from _compute("compute_buffer_bytes", own)
    yield from _compute("draft_compute_buffer_bytes", drafts)


def _compute(name: str, terms: ComputeTerms | None) -> Iterator[Figure]:
    """Both ends of the interval, or nothing for a context that is not made."""
    interval = terms.interval if terms else Interval(0, 0)
    least, most = (terms.least, terms.most) if terms else ("0 B, no second context",) * 2
    log = "compute buffer size" if terms else ""
    yield Figure(f"{name}.low", interval.low, least, _MEASURED, log)
    yield Figure(f"{name}.high", interval.high, most, _MEASURED, log)


def _checkpoint(deployment: Deployment, size: int) -> str:
    """Headers, rows of every state layer, and full windows."""
    if not size:
        return "0 B, no checkpoint is made"
    found = deployment.inventory
    terms = ["28 B of headers" if found.has_state_memory else "8 B of headers"]
    layers = Counter((x.r, x.s, x.p) for x in found.state) if found.has_state_memory else Counter()
    for (r, s, p), count in layers.items():
        history = f" + 8 + 4·{p}" if p else ""
        terms.append(f"{count} layers × (24 + 4·{r} + 4·{s}{history}) B")
    windows = window_part_bytes(found, deployment.launch)
    if windows:
        terms.append(f"{windows} B of windows")
    return " + ".join(terms)


def _capacity(deployment: Deployment, found: Capacity) -> Iterator[Figure]:
    room = room_of(deployment)
    if room.memory_bytes is None:
        return
    rule = "memory − overhead − weights − compute buffers at their most"
    if found.available_bytes is not None:
        sizes = deployment.launch.sizes(1, found.context)
        formula = (
            f"max(0 B, {room.memory_bytes} B of memory − {room.overhead_bytes} B of overhead"
            f" − {deployment.fullest(sizes)[1].weights} B of weights"
            f" − {deployment.compute(sizes).high} B of compute buffers)"
        )
        yield Figure("available_bytes", found.available_bytes, formula, rule)
    if found.max_requests is None:
        return
    slots, context, replicas = deployment.launch.slots, found.context, deployment.question.parallel
    each = found.max_requests // replicas.dp
    formula = f"{each} slots × {replicas.dp} servers, the most that surely hold {context} tokens"
    yield Figure("max_requests", found.max_requests, formula, rule)
    most = largest_parallel(deployment, context, surely=True)
    formula = f"{most} slots, the most for -np with {context} tokens each"
    yield Figure("largest_parallel", most, formula, rule)
    limit = deployment.launch.training_context
    longest = longest_ctx_size(deployment, slots, limit * slots, surely=True)
    formula = f"{longest} tokens, the most for -c with {slots} slots and {limit} tokens for each"
    yield Figure("longest_ctx_size", longest, formula, rule)
