"""From a question to vLLM's answer: the start, laid out in the words of every engine.

It knows nothing about how a start is computed.
"""

from __future__ import annotations

from dataclasses import replace

from ferrum_cli.engines._engine import Answer, Capacity, KeyValueBytes, Question
from ferrum_cli.engines.vllm.advice import flags
from ferrum_cli.engines.vllm.effective_options import effective_options
from ferrum_cli.engines.vllm.figures import figures
from ferrum_cli.engines.vllm.findings import findings
from ferrum_cli.engines.vllm.layout import key_value_bytes, layout, state_tensors
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
        flags=flags(found),
        refusal=outcome.refusal.words if outcome.refusal else None,
        options=effective_options(found),
    )


def _capacity(found: Start) -> Capacity:
    """The capacity, bounded by what the next version's rules give where they differ."""
    capacity, other = found.capacity, found.other
    if other is None or capacity.max_requests is None or other.capacity.max_requests is None:
        return capacity
    both = (capacity.max_requests, other.capacity.max_requests)
    if both[0] == both[1]:
        return capacity
    return replace(capacity, low=min(both), high=max(both))


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
