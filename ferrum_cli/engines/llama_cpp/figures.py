"""Figures of a plan with formula and source, for `--explain`.

It knows nothing about how the bytes come about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ferrum_cli.engines._engine import Capacity, Figure
from ferrum_cli.engines.llama_cpp.capacity import largest_parallel, longest_ctx_size, room_of
from ferrum_cli.engines.llama_cpp.checkpoints import checkpoint_bytes
from ferrum_cli.engines.llama_cpp.inventory import CacheKind
from ferrum_cli.engines.llama_cpp.options import VERSION
from ferrum_cli.engines.llama_cpp.requirement import Deployment

_SOURCE = f"llama.cpp {VERSION}"


def figures(deployment: Deployment, found: Capacity) -> tuple[Figure, ...]:
    """Every figure that can be explained."""
    return (
        *_state(deployment),
        *_cells(deployment),
        *_caches(deployment),
        *_host(deployment),
        *_capacity(deployment, found),
    )


def _state(deployment: Deployment) -> Iterator[Figure]:
    launch = deployment.launch
    context = deployment.context(launch.sizes())
    rows = f"{context.cells} cells × (1 + {launch.snapshots} snapshots)"
    source = f"{_SOURCE}, src/llama-memory-recurrent.cpp; f32 always"
    for letter, size in (
        ("R", context.r_bytes),
        ("S", context.s_bytes),
        ("P", context.p_bytes),
    ):
        widths = Counter(getattr(x, letter.lower()) for x in deployment.inventory.state)
        layers = " + ".join(f"{count} layers × {width}" for width, count in widths.items())
        formula = f"4 B × {rows} × ({layers or 'no layer'})"
        yield Figure(f"rs_bytes_{letter}", size, formula, source)
    per_slot = 4 * (1 + launch.snapshots) * sum(x.elements for x in deployment.inventory.state)
    yield Figure("bytes_per_slot", per_slot, "(R + S + P) / cells", source)


def _cells(deployment: Deployment) -> Iterator[Figure]:
    launch = deployment.launch
    sizes, source = launch.sizes(), f"{_SOURCE}, src/llama-context.cpp"
    asked = f"{launch.asked_context} rounded up to 256"
    share = asked if launch.unified else f"({asked}) // {sizes.slots} slots, rounded up to 256"
    yield Figure("n_ctx_seq", sizes.n_ctx_seq, share, source)
    total = f"{sizes.n_ctx_seq} × {sizes.streams} streams"
    yield Figure("n_ctx_effective", sizes.n_ctx, total, source)


def _caches(deployment: Deployment) -> Iterator[Figure]:
    launch, inventory = deployment.launch, deployment.inventory
    context = deployment.context(launch.sizes())
    terms = []
    for cache in context.caches:
        layers = [x for x in inventory.caches if x.kind is cache.kind]
        widths = Counter((x.k, x.v) for x in layers)
        terms += [
            f"{cache.cells} cells × {cache.streams} × {count} layers × (K {k} in"
            f" {launch.type_k.name} + V {v} in {launch.type_v.name})"
            for (k, v), count in widths.items()
        ]
    source = f"{_SOURCE}, src/llama-kv-cache.cpp"
    yield Figure("kv_bytes", context.kv_bytes, " + ".join(terms) or "no cache", source)
    if any(x.kind is CacheKind.WINDOW for x in inventory.caches):
        formula = f"min({launch.sizes().n_ctx_seq}, {inventory.window} + {launch.ubatch})"
        cells = next(c.cells for c in context.caches if c.kind is CacheKind.WINDOW)
        yield Figure("window_cells", cells, f"{formula} rounded up to 256", source)


def _host(deployment: Deployment) -> Iterator[Figure]:
    size = checkpoint_bytes(deployment.inventory, deployment.launch)
    formula = f"28 + {len(deployment.inventory.state)} layers × (24 + 4·R + 4·S), 8 + 4·P"
    source = f"{_SOURCE}, llama_state_seq_get_size_ext with PARTIAL_ONLY"
    yield Figure("checkpoint_bytes", size, formula, source)
    compute = deployment.compute(deployment.launch.sizes())
    source = "an interval around what was measured on the CPU backend of 0c1e57098"
    yield Figure("compute_bytes_low", compute.low, "logits + 2·H for each token", source)
    formula = "max(logits + 10·H, 27·H + three copies of a layer's state) + mask"
    yield Figure("compute_bytes_high", compute.high, formula, source)


def _capacity(deployment: Deployment, found: Capacity) -> Iterator[Figure]:
    if found.max_requests is None or room_of(deployment).memory_bytes is None:
        return
    slots, context = deployment.launch.slots, found.context
    yield Figure(
        "max_requests",
        found.max_requests,
        f"slots that hold {context} tokens each with the largest compute buffers"
        f" ({found.high} with the smallest)",
        "memory − weights − compute buffers",
    )
    most = largest_parallel(deployment, context, surely=True)
    yield Figure("largest_parallel", most, f"-np for {context} tokens each", "as max_requests")
    each = deployment.launch.training_context
    longest = longest_ctx_size(deployment, slots, each * slots, surely=True)
    formula = f"-c for {slots} slots, up to {each} tokens for each"
    yield Figure("longest_ctx_size", longest, formula, "as max_requests")
