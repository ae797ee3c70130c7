"""Findings: what of the configuration transformers ignores, and what a reader may overlook.

Codes are stable. It knows nothing about how the bytes come about.
"""

from __future__ import annotations

from collections.abc import Iterator

from ferrum_cli.engines._engine import Capacity, Question
from ferrum_cli.engines.transformers.architectures import BUILT_AS, OwnState
from ferrum_cli.engines.transformers.key_value import layer_types, prefill_window_bytes
from ferrum_cli.engines.transformers.options import VERSION, Chosen
from ferrum_cli.engines.transformers.weights import stored_as_they_are
from ferrum_cli.quantity import format_bytes
from ferrum_cli.report import Finding, Level

_IGNORED_HINTS = ("mamba_ssm_dtype", "mamba_ssm_cache_dtype", "mamba_cache_dtype", "kv_cache_dtype")
"""Fields that other engines take a dtype from and no modeling file of 5.24.0 reads."""


def findings(
    question: Question, chosen: Chosen, own: OwnState | None, capacity: Capacity
) -> tuple[Finding, ...]:
    """Everything to be said about a model that transformers has."""
    return (
        *_version(question),
        *_other_class(question),
        *_weights(question, chosen),
        *_contradictions(question, chosen),
        *_ignored_dtypes(question),
        *_own_state(question, own),
        *_static(chosen),
        *_quantized(question, chosen),
        *_windows(question, chosen),
        *_draft(question),
        *_batch(chosen, question, capacity),
    )


def _version(question: Question) -> Iterator[Finding]:
    if question.version != VERSION:
        yield Finding(
            Level.WARNING,
            "version-not-measured",
            f"the rules are those of transformers {VERSION}, not of {question.version}",
            f"use --engine-version {VERSION}, or check the figures on your version",
        )


def _other_class(question: Question) -> Iterator[Finding]:
    architecture = question.model.description.architecture or ""
    if not architecture:
        yield Finding(
            Level.INFO,
            "architecture-not-named",
            "the description names no architecture: layers are laid out by the common rules",
            "name the Hugging Face class in 'architecture'",
        )
    if architecture in BUILT_AS:
        yield Finding(
            Level.WARNING,
            "built-as-another-class",
            f"transformers {VERSION} builds {BUILT_AS[architecture]} from this model type: the"
            f" figures are of {architecture}, which is what the checkpoint holds",
        )


def _weights(question: Question, chosen: Chosen) -> Iterator[Finding]:
    if not question.weights.known:
        yield Finding(
            Level.WARNING,
            "weights-unknown",
            "the file has no tensors: its weights count as nothing, and fewer sequences fit",
            "plan the whole file",
        )
    elif stored_as_they_are(question, chosen.dtype):
        yield Finding(
            Level.WARNING,
            "weights-not-converted",
            f"the weights count as the checkpoint stores them, not as {chosen.dtype.torch_name}",
        )


def _contradictions(question: Question, chosen: Chosen) -> Iterator[Finding]:
    if question.context_given and question.context != chosen.seq_len:
        yield Finding(
            Level.WARNING,
            "context-contradicted",
            f"seq_len {chosen.seq_len} counts, not --context {question.context}",
            "give one of them",
        )
    given = question.settings.is_given
    if given("batch_size") and chosen.batch_size != question.requests:
        yield Finding(
            Level.INFO,
            "batch-is-not-requests",
            f"the layout is of a batch of {chosen.batch_size}; memory, budget and verdict count"
            f" {question.requests}",
            f"use --requests {chosen.batch_size}",
        )
    if given("max_cache_len") and not chosen.static:
        yield Finding(
            Level.WARNING,
            "max-cache-len-ignored",
            "`max_cache_len` is only used with static caches",
            "add --set cache_implementation=static",
        )


def _ignored_dtypes(question: Question) -> Iterator[Finding]:
    stated = question.model.description.hints.given()
    for name in (n for n in _IGNORED_HINTS if n in stated):
        yield Finding(
            Level.INFO,
            "dtype-field-ignored",
            f"the configuration asks for {name} {stated[name]}; transformers {VERSION} never reads"
            " it",
        )


def _own_state(question: Question, own: OwnState | None) -> Iterator[Finding]:
    if own is None:
        return
    yield Finding(
        Level.INFO,
        "state-outside-cache",
        f"the recurrent state is {own.place}: whoever counts the bytes of a DynamicCache misses it",
    )
    if own.own_cache and question.settings.value("cache_implementation") != "dynamic":
        yield Finding(
            Level.WARNING,
            "cache-implementation-ignored",
            "This model does not support `Cache` instances. `cache_implementation` (set to"
            f" {question.settings.value('cache_implementation')}) will be ignored.",
        )


def _static(chosen: Chosen) -> Iterator[Finding]:
    if chosen.static:
        yield Finding(
            Level.INFO,
            "static-cache-reserves",
            f"a static cache holds {chosen.reserved_tokens} tokens for every sequence from the"
            " first one on",
        )


def _quantized(question: Question, chosen: Chosen) -> Iterator[Finding]:
    """Where the cache is made at all: other models are refused."""
    if chosen.implementation == "quantized" and layer_types(question.model) == {"full_attention"}:
        yield Finding(
            Level.WARNING,
            "quantized-cache-not-planned",
            "the figures are of the unquantized cache",
        )


def _windows(question: Question, chosen: Chosen) -> Iterator[Finding]:
    held = prefill_window_bytes(question.model, chosen)
    if chosen.static or held == 0:
        return
    yield Finding(
        Level.INFO,
        "windows-hold-prompt",
        f"after a prompt of {chosen.seq_len} tokens the windows keep all of it alive until the next"
        f" token: {format_bytes(held)} for a sequence, which kv_bytes does not count",
    )


def _draft(question: Question) -> Iterator[Finding]:
    draft = question.model.description.draft
    if draft is not None:
        yield Finding(
            Level.INFO,
            "draft-layers-not-built",
            f"transformers {VERSION} does not build the {len(draft.layers)} {draft.method} layers:"
            " they are in the checkpoint but not in num_parameters",
        )


def _batch(chosen: Chosen, question: Question, capacity: Capacity) -> Iterator[Finding]:
    most = capacity.max_requests
    if most is not None and most < chosen.batch_size * question.parallel.dp:
        yield Finding(
            Level.WARNING,
            "batch-does-not-fit",
            f"a batch of {chosen.batch_size} does not fit: memory holds"
            f" {most // question.parallel.dp} sequences",
            "use a smaller batch_size or seq_len",
        )
