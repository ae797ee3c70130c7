"""What a plan had to take for granted, each said with what would make it certain.

It knows nothing about costs or advice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.engines.vllm.inventory import STREAM_CONVOLUTION
from ferrum_cli.engines.vllm.start import Start
from ferrum_cli.report import Finding, Level


def assumptions(found: Start) -> Iterator[Finding]:
    """Everything that was assumed."""
    for check in _CHECKS:
        yield from check(found)


def _accelerator(found: Start) -> Iterator[Finding]:
    if found.config.device.assumed:
        yield Finding(
            Level.INFO,
            "accelerator-assumed",
            "no accelerator is named: kernels are those of Hopper (compute capability 9.0), and"
            " block sizes hang on them",
            "name it with --gpu",
        )


def _sequences(found: Start) -> Iterator[Finding]:
    if found.config.batching.assumed:
        most = found.config.batching.max_num_seqs.value
        yield Finding(
            Level.INFO,
            "max-num-seqs-assumed",
            f"max_num_seqs is taken to be {most}, the default of devices from 70 GiB on but for the"
            " A100; smaller ones have 256",
            "give --gpu, --memory or --set max_num_seqs",
        )


def _overhead(found: Start) -> Iterator[Finding]:
    budget, machine = found.outcome.budget, found.question.machine
    if budget is not None and budget.requested is not None and not machine.overhead_bytes:
        yield Finding(
            Level.INFO,
            "overhead-unknown",
            "activations, CUDA graphs and libraries take memory that is not taken off here, so the"
            " pool is an upper bound",
            "give --overhead, or the pool itself with --set kv_cache_memory_bytes",
        )


def _architecture(found: Start) -> Iterator[Finding]:
    description, version = found.question.model.description, found.config.version
    name = description.architecture
    if name is None and found.outcome.inventory.state:
        yield Finding(
            Level.INFO,
            "architecture-assumed",
            "the description names no architecture; the ways of the commonest one with these layers"
            " are taken",
            "add architecture to the description",
        )
    elif found.config.architecture.known_in(version) is None:
        since = found.config.architecture.since
        yield Finding(
            Level.WARNING,
            "architecture-doubtful",
            f"{name} appeared in vLLM {since} or somewhat before; {version} may not have it",
            f"use vLLM {since} or newer",
        )


def _drafts(found: Start) -> Iterator[Finding]:
    drafts = found.config.speculation
    if drafts.foreign_layers and found.outcome.refusal is None:
        yield Finding(
            Level.WARNING,
            "draft-unknown",
            f"the layers of the {drafts.method} draft are not known: its KV cache, its weights and"
            " the groups that its layers make are not counted",
            "a draft layer of another page size can split all groups; leave room with --overhead",
        )
    elif drafts.method == "mtp" and not drafts.own_layers:
        yield Finding(
            Level.WARNING,
            "draft-unknown",
            "the checkpoint describes no MTP layers, so only the state of drafts is counted",
            "leave room for the draft with --overhead",
        )


def _norm_groups(found: Start) -> Iterator[Finding]:
    groups = found.config.architecture.norm_groups
    if (
        groups
        and found.config.tp > 1
        and not found.question.model.description.hints.group_norm_size
    ):
        yield Finding(
            Level.INFO,
            "norm-groups-assumed",
            f"the configuration says no group_norm_size; {groups} is assumed, as published"
            " checkpoints have it",
            "vLLM itself takes 1 then, and refuses every tp above it",
        )


def _not_run(found: Start) -> Iterator[Finding]:
    """What was read in vLLM's code but never held against a run."""
    blocks = [counted.placed.block for counted in found.outcome.inventory.counted]
    unproven = {
        "Inkling's convolutions": any(block.kind == STREAM_CONVOLUTION for block in blocks),
        "Qwen4-Exp's indexer": any(isinstance(b, Indexer) and b.positions for b in blocks),
    }
    for what, stands in unproven.items():
        if stands:
            yield Finding(
                Level.INFO,
                "never-run",
                f"the rules for {what} were read in vLLM's code, not held against a run",
                "compare with the engine's own log",
            )


_CHECKS: tuple[Callable[[Start], Iterator[Finding]], ...] = (
    _accelerator,
    _sequences,
    _overhead,
    _architecture,
    _drafts,
    _norm_groups,
    _not_run,
)
