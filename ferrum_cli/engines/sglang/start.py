"""A start of SGLang, step by step, until it serves or refuses.

Each step stands in a file of its own; this one only orders them as SGLang does. What could not be
computed any more, or for want of memory figures, is None. It knows nothing about how a start is
shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ferrum_cli.engines._engine import Question
from ferrum_cli.engines.sglang.architectures import architecture
from ferrum_cli.engines.sglang.budget import Split, split
from ferrum_cli.engines.sglang.device_memory import DeviceMemory, device_memory
from ferrum_cli.engines.sglang.dtypes import StateDTypes, state_dtypes
from ferrum_cli.engines.sglang.kv_cell import Cell, key_values, kv_cell
from ferrum_cli.engines.sglang.launch import Launch, resolve
from ferrum_cli.engines.sglang.layers import ModelLayers, model_layers, stages
from ferrum_cli.engines.sglang.memory_fraction import Fraction, memory_fraction, post_capture
from ferrum_cli.engines.sglang.pools import (
    Requests,
    Tokens,
    WindowPool,
    kv_tokens,
    running_requests,
    window_cap,
)
from ferrum_cli.engines.sglang.refusals import Refusal
from ferrum_cli.engines.sglang.slot import Slot, make_slot
from ferrum_cli.engines.sglang.state_shape import state_shape

_MIB_PER_GIB = 1024
_TRANSPORTS = ("cuda_ipc", "cuda_vmm")
"""Ways of moving image features that keep a pool of them on the device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How far a start got."""

    question: Question
    layers: ModelLayers
    launch: Launch | None = None
    dtypes: StateDTypes | None = None
    slot: Slot | None = None
    stages: tuple[range, ...] = ()
    cells: tuple[Cell, ...] = ()
    memory: DeviceMemory | None = None
    fraction: Fraction | None = None
    split: Split | None = None
    tokens: Tokens | None = None
    requests: Requests | None = None
    refusal: Refusal | None = None

    @property
    def slots(self) -> int | None:
        """State slots of one worker: by memory, or by flag where memory is not known."""
        if self.split is not None:
            return self.split.slots
        if self.launch is not None and self.slot is not None and self.launch.slots is not None:
            return self.launch.slots // self.launch.attention_dp
        return None

    @property
    def window(self) -> int | None:
        """Tokens of a sliding window that has a pool of its own."""
        _, windowed = key_values(self.question.model)
        has_pool = bool(self.cells) and bool(self.cells[0].window)
        return windowed.window if windowed is not None and has_pool else None


def start(question: Question) -> Start:
    """Start SGLang as asked."""
    row = architecture(question.model.description.architecture)
    found = Start(question=question, layers=model_layers(question.model, row))
    launch = resolve(question)
    if isinstance(launch, Refusal):
        return replace(found, refusal=launch)
    found = _shaped(replace(found, launch=launch), launch)
    return found if found.refusal is not None else _filled(found, launch)


def _shaped(found: Start, launch: Launch) -> Start:
    """Shapes of a slot and bytes of a token, which need no memory."""
    question, layers = found.question, found.layers
    settings = question.settings
    partition = settings.value("SGLANG_PP_LAYER_PARTITION")
    ranks = stages(layers.count, launch.pp, partition)
    found = replace(found, stages=ranks)
    if layers.mixer is not None:
        scattered = settings.value("enable_scattered_sconv")
        shape = state_shape(question.model, layers.mixer, launch.state_tp, scattered=scattered)
        if isinstance(shape, Refusal):
            return replace(found, refusal=shape)
        dtypes = state_dtypes(
            settings, question.model.description, launch.row, replay=launch.replay
        )
        rings = settings.value("linear_replayssm_cache_len")
        slot = make_slot(launch, shape, dtypes, layers, ranks, rings)
        found = replace(found, slot=slot, dtypes=dtypes)
    return replace(found, cells=tuple(kv_cell(question, launch, layers, stage) for stage in ranks))


def _filled(found: Start, launch: Launch) -> Start:
    """The pools, where memory is known."""
    question = found.question
    memory = device_memory(question, launch)
    fraction = memory_fraction(question, launch, memory.total_mib if memory else None)
    found = replace(found, fraction=fraction, memory=memory)
    if memory is None:
        return found
    divided = split(
        launch,
        memory,
        fraction,
        found.slot,
        images_gib=_images_gib(question, launch),
        after_capture=post_capture(question),
        version=version_of(question.version),
    )
    if isinstance(divided, Refusal):
        return replace(found, refusal=divided)
    return _scheduled(replace(found, split=divided), launch, divided, fraction)


def _scheduled(found: Start, launch: Launch, divided: Split, fraction: Fraction) -> Start:
    """Tokens and requests."""
    limit = found.question.settings.value("max_total_tokens")
    pool = _window_pool(found, launch, fraction)
    tokens = kv_tokens(launch, found.cells, divided.kv_bytes, limit, pool)
    if isinstance(tokens, Refusal):
        return replace(found, refusal=tokens)
    requests = running_requests(launch, tokens.full, divided.slots)
    if isinstance(requests, Refusal):
        return replace(found, tokens=tokens, refusal=requests)
    return replace(found, tokens=tokens, requests=requests)


def _images_gib(question: Question, launch: Launch) -> float:
    """Reserved for what comes after the pools are sized: embeddings and features of images."""
    if not launch.multimodal:
        return 0.0
    settings = question.settings
    reserved: int = settings.value("SGLANG_VLM_CACHE_SIZE_MB")
    if settings.value("mm_feature_transport") in _TRANSPORTS:
        reserved += settings.value("SGLANG_MM_FEATURE_CACHE_MB")
    return reserved / _MIB_PER_GIB


def _window_pool(found: Start, launch: Launch, fraction: Fraction) -> WindowPool | None:
    if not found.layers.windows or found.question.settings.value("disable_hybrid_swa_memory"):
        return None
    _, windowed = key_values(found.question.model)
    window = windowed.window if windowed is not None else None
    if window is None:
        return None
    interval = found.question.settings.value("SGLANG_SWA_EVICTION_INTERVAL")
    chunk = fraction.chunk // launch.attention_dp
    return WindowPool(window, window_cap(launch, window, chunk, interval))


def version_of(text: str) -> tuple[int, ...]:
    """The numbers of a version, such as 0.5.18 or 0.5.17.dev."""
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])
