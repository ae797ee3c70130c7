"""What makes llama.cpp stop before it serves, in its own words, in the order in which it looks.

Texts are those of 0c1e57098: conversion/, src/llama-model.cpp, src/llama-context.cpp, ggml.c. It
knows nothing about memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ferrum_cli.engines.llama_cpp.architectures import Architecture, DraftContext
from ferrum_cli.engines.llama_cpp.cache_types import CacheType
from ferrum_cli.engines.llama_cpp.inventory import CacheKind, Inventory, inventory
from ferrum_cli.engines.llama_cpp.launch import Launch
from ferrum_cli.engines.llama_cpp.options import MAX_SEQUENCES
from ferrum_cli.expand import Expanded


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why it stops: a stable code, llama.cpp's words, and what to do."""

    code: str
    words: str
    hint: str


def not_supported(model: Expanded) -> Refusal:
    """A model that no GGUF file can be made of."""
    description = model.description
    if description.hints.gguf_architecture is not None:
        words = f"unknown model architecture: '{description.hints.gguf_architecture}'"
    else:
        words = f"Model {description.architecture} is not supported"
    return Refusal("architecture-not-supported", words, "plan it with another engine")


def first_refusal(
    model: Expanded, architecture: Architecture, found: Inventory, launch: Launch, tensor: bool
) -> Refusal | None:
    """The first that holds; `tensor` is whether tensors are split over devices."""
    return next(_refusals(model, architecture, found, launch, tensor), None)


def _refusals(
    model: Expanded, architecture: Architecture, found: Inventory, launch: Launch, tensor: bool
) -> Iterator[Refusal]:
    yield from _tensor_split(architecture, launch, tensor)
    yield from _batches(launch)
    yield from _latent_types(found, launch)
    yield from _flash(launch)
    yield from _blocks(inventory(model, architecture, draft_context=False), launch)
    yield from _no_drafts(model, launch)
    yield from _too_many_slots(launch)
    yield from _small_batch(launch)
    yield from _missing_graph(architecture, launch)
    yield from _uneven_streams(architecture, found, launch)
    yield from _no_draft_context(model, architecture, found, launch)


def _tensor_split(architecture: Architecture, launch: Launch, tensor: bool) -> Iterator[Refusal]:
    if tensor and not architecture.splits_tensors:
        yield Refusal(
            "split-mode-tensor-unsupported",
            f"LLAMA_SPLIT_MODE_TENSOR not implemented for architecture '{architecture.name}'",
            "use --split-mode layer",
        )
    if tensor and launch.flash is False:
        yield Refusal(
            "split-mode-tensor-needs-flash",
            "SPLIT_MODE_TENSOR requires flash_attn to be enabled",
            "use --flash-attn on",
        )


def _batches(launch: Launch) -> Iterator[Refusal]:
    if launch.batches_are_zero:
        yield Refusal(
            "no-batch", "n_batch and n_ubatch cannot both be zero", "set --batch-size 2048"
        )


def _latent_types(found: Inventory, launch: Launch) -> Iterator[Refusal]:
    k, v = launch.type_k.name, launch.type_v.name
    if found.is_latent and k != v:
        yield Refusal(
            "cache-types-differ",
            f"model does not support different K ({k}) and V ({v}) cache types",
            f"set --cache-type-v {k} too: latent attention keeps no values",
        )


def _flash(launch: Launch) -> Iterator[Refusal]:
    if launch.type_v.is_quantized and launch.flash is False:
        yield Refusal(
            "quantized-v-needs-flash",
            "quantized V cache requires flash_attn to be enabled",
            "use --flash-attn on, or --cache-type-v f16",
        )


def _blocks(found: Inventory, launch: Launch) -> Iterator[Refusal]:
    """Heads of the model's own layers that are no whole blocks of a quantized type.

    Without flash attention they are not looked at, and rows of keys fail where they are viewed.
    """
    trunk = [x for x in found.caches if x.kind is not CacheKind.INDEXER and x.index < found.layers]
    if launch.flash is False:
        yield from _broken_rows(launch.type_k, [layer.k for layer in trunk])
        return
    yield from _indivisible("K", launch.type_k, [layer.head_k for layer in trunk])
    yield from _indivisible("V", launch.type_v, [layer.head_v for layer in trunk])


def _broken_rows(kind: CacheType, rows: list[int]) -> Iterator[Refusal]:
    if kind.is_quantized and any(width % kind.block for width in rows):
        yield Refusal(
            "cache-type-does-not-divide",
            "GGML_ASSERT(view_src == NULL || data_size == 0 ||"
            " data_size + view_offs <= ggml_nbytes(view_src)) failed",
            "use --cache-type-k f16",
        )


def _indivisible(letter: str, kind: CacheType, heads: list[int]) -> Iterator[Refusal]:
    for width in heads:
        if kind.is_quantized and width % kind.block:
            yield Refusal(
                "cache-type-does-not-divide",
                f"{letter} cache type {kind.name} with block size {kind.block} does not divide"
                f" n_embd_head_{letter.lower()}={width}",
                f"use --cache-type-{letter.lower()} f16",
            )


def _no_drafts(model: Expanded, launch: Launch) -> Iterator[Refusal]:
    if launch.draft_context and not model.draft_layers:
        yield Refusal(
            "no-mtp-layers",
            "context type MTP requested but model doesn't contain MTP layers",
            "use ctx_type=default",
        )


def _too_many_slots(launch: Launch) -> Iterator[Refusal]:
    if launch.slots > MAX_SEQUENCES:
        yield Refusal(
            "too-many-slots",
            f"n_seq_max must be <= {MAX_SEQUENCES}",
            f"set --parallel {MAX_SEQUENCES} or less",
        )


def _small_batch(launch: Launch) -> Iterator[Refusal]:
    """Outputs of one row a slot do not fit a batch, which the context caps."""
    if launch.slots > launch.batch:
        yield Refusal(
            "batch-below-slots",
            "GGML_ASSERT(n_outputs_max <= cparams.n_outputs_max) failed",
            f"n_batch {launch.batch} is less than {launch.slots} slots: raise --batch-size or"
            " --ctx-size",
        )


def _missing_graph(architecture: Architecture, launch: Launch) -> Iterator[Refusal]:
    if launch.draft_context and architecture.draft_context is DraftContext.MISSING:
        yield Refusal(
            "mtp-graph-missing",
            "failed to initialize the context: GLM5-Next NextN graph not implemented yet",
            "use ctx_type=default",
        )


def _uneven_streams(
    architecture: Architecture, found: Inventory, launch: Launch
) -> Iterator[Refusal]:
    """One sequence's tokens are spread over the streams of all, and what does not divide is lost.

    After an attention in the last layer only rows with outputs are left, so nothing is missed.
    """
    streams = launch.sizes().streams
    attends = any(layer.index < found.layers - 1 for layer in found.caches)
    if architecture.even_streams and attends and launch.tokens % streams:
        yield Refusal(
            "ubatch-not-multiple-of-slots",
            "GGML_ASSERT(ggml_can_repeat(b, a)) failed",
            f"n_ubatch {launch.tokens} is no multiple of n_parallel {streams}: use --ubatch-size"
            f" {max(1, launch.tokens // streams) * streams}, or --kv-unified",
        )


def _no_draft_context(
    model: Expanded, architecture: Architecture, found: Inventory, launch: Launch
) -> Iterator[Refusal]:
    """The second context that draft-mtp asks for (tools/server/server-context.cpp)."""
    if not launch.has_mtp or launch.draft_context:
        return
    words = "failed to create MTP context"
    if not model.draft_layers:
        hint = "the model has no MTP layers: convert it with them, or give --spec-draft-model"
        yield Refusal("no-mtp-layers", words, hint)
    elif architecture.draft_context is DraftContext.MISSING:
        yield Refusal("mtp-graph-missing", words, "leave --spec-type out")
    elif found.is_latent and launch.draft_type_k.name != launch.draft_type_v.name:
        hint = f"set --spec-draft-type-v {launch.draft_type_k.name} too"
        yield Refusal("cache-types-differ", words, hint)
