"""Lines of memory: what the fullest device holds, and what the host holds beside it.

Of the requests asked for each has a slot. It knows nothing about how the bytes come about.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.engines._engine import MemoryLine
from ferrum_cli.engines.llama_cpp.buffers import output_bytes
from ferrum_cli.engines.llama_cpp.capacity import context_of_slot
from ferrum_cli.engines.llama_cpp.checkpoints import host_memory
from ferrum_cli.engines.llama_cpp.launch import Sizes
from ferrum_cli.engines.llama_cpp.placement import HOST
from ferrum_cli.engines.llama_cpp.requirement import Deployment
from ferrum_cli.quantity import format_bytes


def planned_sizes(deployment: Deployment) -> Sizes:
    """Slots that are stated, or one for each request, with the context of a slot each."""
    question, launch = deployment.question, deployment.launch
    slots = launch.slots
    if launch.default_slots and question.requests_given:
        slots = -(-question.requests // question.parallel.dp)
    if slots == launch.slots and not question.context_given:
        return launch.sizes()
    return launch.sizes(slots, context_of_slot(deployment) * slots)


def memory_lines(deployment: Deployment) -> tuple[MemoryLine, ...]:
    """The fullest device, line by line, and the host."""
    sizes = planned_sizes(deployment)
    return (*_device_lines(deployment, sizes), *_host_lines(deployment, sizes))


def _device_lines(deployment: Deployment, sizes: Sizes) -> Iterator[MemoryLine]:
    device, share = deployment.fullest(sizes)
    compute = deployment.compute(sizes)
    where = f" on device {device}" if deployment.placement.devices > 1 else ""
    source = deployment.weights.source + where
    rows = f"{sizes.slots} slots × (1 + {deployment.launch.snapshots} snapshots)"
    yield MemoryLine("weights", share.weights, source)
    yield MemoryLine("recurrent state", share.state, rows + where)
    cells = f"{sizes.streams} × {sizes.n_ctx_seq} cells"
    draft = deployment.draft(sizes)
    name = "KV cache" if draft is None else "KV cache, MTP's too"
    yield MemoryLine(name, share.kv, cells + where)
    yield MemoryLine(
        "compute buffers, at most",
        compute.high,
        f"at least {format_bytes(compute.low)}",
        budgeted=False,
    )
    overhead = deployment.question.machine.overhead_bytes
    yield MemoryLine("overhead", overhead, "--overhead", budgeted=False)


def _host_lines(deployment: Deployment, sizes: Sizes) -> Iterator[MemoryLine]:
    share = deployment.shares(sizes)[HOST]
    context, draft = deployment.context(sizes), deployment.draft(sizes)
    settings = deployment.question.settings
    found = host_memory(settings, deployment.inventory, deployment.launch, context, draft)
    one = found.checkpoint_bytes + found.draft_bytes
    lines = [
        MemoryLine("weights", share.weights, "the embedding, and layers that are not offloaded"),
        MemoryLine("recurrent state", share.state, "layers that are not offloaded"),
        MemoryLine("KV cache", share.kv, "layers that are not offloaded"),
        MemoryLine(
            "output buffer",
            output_bytes(deployment.question.model, sizes),
            f"{sizes.slots} slots × logits, at first",
        ),
        MemoryLine(
            "context checkpoints, at most",
            found.all_checkpoints_bytes,
            f"{found.checkpoints} × {format_bytes(one)}",
        ),
    ]
    if found.prompt_cache_bytes is None:
        entry = "for each whole context, without a limit"
        lines.append(MemoryLine("prompt cache", found.prompt_entry_bytes, entry))
    else:
        lines.append(MemoryLine("prompt cache, at most", found.prompt_cache_bytes, "--cache-ram"))
    for line in lines:
        yield MemoryLine(line.name, line.size_bytes, line.formula, budgeted=False, host=True)
