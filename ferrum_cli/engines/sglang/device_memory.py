"""What SGLang reads off a device: its size, and what is free before and after the weights.

Given by options of their own, or worked out from `--memory`, `--overhead` and the weights. All
amounts are GiB as floats, because SGLang splits its budget in them. It knows nothing about pools.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines._engine import Question
from ferrum_cli.engines.sglang.launch import Launch
from ferrum_cli.expand import parameters, units_on_rank

GIB = 1 << 30
_MIB_PER_GIB = 1024


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """Free memory of the fullest rank."""

    total_gib: float | None
    before_gib: float
    """Free before the weights are loaded."""
    after_gib: float
    """Free after the weights are loaded, the draft's among them."""

    @property
    def total_mib(self) -> float | None:
        """The device's size as its driver tells it."""
        return None if self.total_gib is None else self.total_gib * _MIB_PER_GIB


def device_memory(question: Question, launch: Launch) -> DeviceMemory | None:
    """Free memory, or None where nothing was said about it."""
    settings, machine = question.settings, question.machine
    total = settings.value("gpu_mem_gib")
    if total is None and machine.memory_bytes is not None:
        total = machine.memory_bytes / GIB
    before = settings.value("pre_model_load_memory_gib")
    if before is None and total is not None:
        before = max(0.0, total - machine.overhead_bytes / GIB)
    after = settings.value("available_gpu_memory_gib")
    loaded = (heaviest_weights(question, launch) + draft_weights(question, launch)) / GIB
    if after is None:
        if before is None:
            return None
        after = before - loaded
    return DeviceMemory(total, after + loaded if before is None else before, after)


def heaviest_weights(question: Question, launch: Launch | None) -> int:
    """Weights of the fullest pipeline stage, which decides for all of them."""
    extra = 0 if launch is None else _whole_mixers(question, launch)
    return max(question.weights.bytes_per_rank) + extra


def _whole_mixers(question: Question, launch: Launch) -> int:
    """What mixers weigh more because attention DP splits them over fewer ranks than tp."""
    if launch.attention_dp == 1:
        return 0
    hidden, elements = question.model.description.hidden_size, 0
    mixers = (
        placed.block
        for layer in question.model.layers
        for placed in layer.placed
        if placed.state or placed.caches
    )
    for weight in (weight for mixer in mixers for weight in mixer.weights(hidden)):
        more = units_on_rank(weight.axis, launch.attention_tp)
        more -= units_on_rank(weight.axis, launch.tp)
        elements += weight.copies * weight.rows * weight.axis.width * more
    return elements * question.model.description.dtype.size_bytes // launch.pp


def draft_weights(question: Question, launch: Launch) -> int:
    """Weights of draft layers that the checkpoint describes, on one rank."""
    description = question.model.description
    if launch.speculation is None or not launch.speculation.draft_layers:
        return 0
    return parameters(description).draft * description.dtype.size_bytes // launch.tp
