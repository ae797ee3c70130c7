"""A question to llama.cpp, answered: settle the options, lay out, refuse or count.

It knows nothing about the arithmetic of its parts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ferrum_cli.engines._engine import (
    Answer,
    Capacity,
    Change,
    KeyValueBytes,
    Question,
)
from ferrum_cli.engines._options import Setting
from ferrum_cli.engines.llama_cpp.advice import changes, sizing
from ferrum_cli.engines.llama_cpp.architectures import architecture_of
from ferrum_cli.engines.llama_cpp.capacity import capacity
from ferrum_cli.engines.llama_cpp.devices import splits_tensors
from ferrum_cli.engines.llama_cpp.figures import figures
from ferrum_cli.engines.llama_cpp.findings import findings
from ferrum_cli.engines.llama_cpp.launch import settle
from ferrum_cli.engines.llama_cpp.layout import key_values, layout, state_tensors
from ferrum_cli.engines.llama_cpp.lines_of_memory import memory_lines
from ferrum_cli.engines.llama_cpp.options import OPTIONS
from ferrum_cli.engines.llama_cpp.out_of_memory import OUT_OF_MEMORY, out_of_memory
from ferrum_cli.engines.llama_cpp.refusals import Refusal, first_refusal, not_supported
from ferrum_cli.engines.llama_cpp.requirement import Deployment
from ferrum_cli.engines.llama_cpp.start_lines import start_lines
from ferrum_cli.report import Finding, Level

DTYPE_RULE = "f32 always: no option changes the type of state"


def answer(question: Question) -> Answer:
    """Answer for llama.cpp. Raises ShardingError for a split it has not, UsageError for no slot."""
    architecture = architecture_of(question.model)
    if architecture is None:
        return _unsupported(question, not_supported(question.model))
    launch = settle(question, architecture)
    deployment = Deployment(question, architecture, launch)
    tensor = splits_tensors(question)
    refusal = first_refusal(question.model, architecture, deployment.inventory, launch, tensor)
    refusal = refusal or out_of_memory(deployment)
    found = capacity(deployment)
    if refusal is not None:
        found = replace(found, max_requests=None, low=None, high=None, limited_by=None)
    state = state_tensors(deployment)
    return Answer(
        engine="llama.cpp",
        version=question.version,
        layout=layout(deployment),
        state=state,
        bytes_per_slot=sum(tensor.size_bytes for tensor in state),
        dtype_source=DTYPE_RULE,
        kv=key_values(deployment),
        capacity=found,
        memory=memory_lines(deployment),
        figures=figures(deployment, found),
        findings=(*_refused(refusal), *findings(deployment, found)),
        log_lines=start_lines(deployment),
        sizing=sizing(deployment, found),
        changes=_changes(deployment, refusal),
        spread=("pp",),
        refusal=refusal.words if refusal else None,
        options=_options(question),
        reasons=_reasons(deployment),
    )


def _changes(deployment: Deployment, refusal: Refusal | None) -> tuple[Change, ...]:
    """Only memory can be helped."""
    if refusal is not None and refusal.code != OUT_OF_MEMORY:
        return ()
    return changes(deployment)


def _unsupported(question: Question, refusal: Refusal) -> Answer:
    return Answer(
        engine="llama.cpp",
        version=question.version,
        layout={},
        state=(),
        bytes_per_slot=0,
        dtype_source=DTYPE_RULE,
        kv=KeyValueBytes(0, 0, 0),
        capacity=Capacity(None, None, None, question.context),
        findings=_refused(refusal),
        refusal=refusal.words,
        options=_options(question),
    )


def _refused(refusal: Refusal | None) -> tuple[Finding, ...]:
    if refusal is None:
        return ()
    return (Finding(Level.ERROR, refusal.code, refusal.words, refusal.hint),)


def _options(question: Question) -> dict[str, Setting]:
    return {option.name: question.settings[option.name] for option in OPTIONS}


def _reasons(deployment: Deployment) -> dict[Any, str]:
    launch = deployment.launch
    return {
        "dtype": f"state f32, K {launch.type_k.name}, V {launch.type_v.name}",
        "padding": "cells rounded up to 256",
        "slots": f"1 a request, {1 + launch.snapshots} states in it",
        "reserved": f"{launch.slots} slots, used or not",
    }
