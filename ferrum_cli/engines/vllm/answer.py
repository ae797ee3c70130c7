"""From a question to vLLM's answer: the start, laid out in the words of every engine.

It knows nothing about how a start is computed.
"""

from __future__ import annotations

from dataclasses import replace

from ferrum_cli.engines._engine import (
    Answer,
    Capacity,
    KeyValueBytes,
    Question,
    Reason,
    Weights,
)
from ferrum_cli.engines.vllm.advice import changes, sizing
from ferrum_cli.engines.vllm.effective_options import effective_options
from ferrum_cli.engines.vllm.figures import figures
from ferrum_cli.engines.vllm.findings import findings
from ferrum_cli.engines.vllm.layout import key_value_bytes, layout, state_tensors
from ferrum_cli.engines.vllm.memory import weights_on_rank
from ferrum_cli.engines.vllm.memory_lines import memory_lines
from ferrum_cli.engines.vllm.start import Start, start
from ferrum_cli.engines.vllm.start_lines import start_lines

_NO_STATE = "the model keeps no recurrent state"


def answer(question: Question) -> Answer:
    """What vLLM would do. Raises UsageError for what its command line would reject."""
    found = start(question)
    outcome = found.outcome
    state = state_tensors(question.model, outcome)
    return Answer(
        engine="vllm",
        version=str(found.launch.version),
        layout=layout(outcome, found.limits),
        state=state,
        bytes_per_slot=sum(tensor.size_bytes for tensor in state),
        dtype_source=_dtype_source(found),
        kv=key_value_bytes(outcome) if outcome.grouping else KeyValueBytes(0, 0, 0),
        capacity=_capacity(found),
        memory=memory_lines(found),
        figures=figures(found),
        findings=findings(found),
        log_lines=start_lines(found),
        sizing=sizing(found),
        changes=changes(found),
        refusal=outcome.refusal.words if outcome.refusal else None,
        options=effective_options(found),
        weights=replace(question.weights, bytes_per_rank=weights_on_rank(question, found.config)),
        reasons=_reasons(found),
    )


def _weights(found: Start) -> Weights:
    """As vLLM loads them: offloaded in part, or with experts shared by the replicas."""
    question = found.question
    held = weights_on_rank(question, found.config)
    return replace(question.weights, bytes_per_rank=held)


def _capacity(found: Start) -> Capacity:
    """The capacity, bounded by what the next version's rules give where they differ."""
    capacity = replace(found.capacity, tokens=found.limits.kv_cache_size_tokens)
    other = found.other
    if other is None or capacity.max_requests is None or other.capacity.max_requests is None:
        return capacity
    both = (capacity.max_requests, other.capacity.max_requests)
    if both[0] == both[1]:
        return capacity
    return replace(capacity, low=min(both), high=max(both))


def _reasons(found: Start) -> dict[Reason, str]:
    """Why figures differ from other engines'."""
    config, alignment = found.config, found.outcome.alignment
    if alignment is None:
        return {}
    kv = config.kv_dtype_source.value
    kv = config.model_dtype.name if kv == "auto" else kv
    dtypes = f"state {config.conv_dtype.name} and {config.ssm_dtype.name}"
    states = 1 + config.speculative_blocks
    reasons: dict[Reason, str] = {
        "dtype": f"{dtypes}, KV {kv}",
        "padding": f"state and KV in equal pages of {alignment.block_size} tokens",
        "slots": f"{states} held in every group of layers, and more while a prompt is read",
        "reserved": "the whole pool, made at start; one block of it is never used",
    }
    if not found.outcome.inventory.state:
        reasons |= {"dtype": f"KV {kv}", "slots": "none"}
        reasons["padding"] = f"blocks of {alignment.block_size} tokens"
    return reasons


def _dtype_source(found: Start) -> str:
    """Which dtype recurrent state has, and by what."""
    config = found.config
    states = found.outcome.states.values()
    dtypes = dict.fromkeys(t.dtype.torch_name for state in states for t in state.tensors)
    if not dtypes:
        return _NO_STATE
    version = found.launch.bracket.read[0]
    by = {
        "flag": "--mamba-ssm-cache-dtype",
        "environment": "the environment",
        "config": f"the checkpoint's {config.architecture.ssm_dtype}",
        "default": "the defaults of its architecture",
    }[config.ssm_dtype_option.source]
    return f"{' and '.join(dtypes)} by {by} (vLLM {version}, {_CALCULATOR})"


_CALCULATOR = "model_executor/layers/mamba/mamba_utils.py"
