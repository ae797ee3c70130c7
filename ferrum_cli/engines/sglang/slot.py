"""One state slot: its bytes on a stage, and what else is charged for it or for a request.

It knows nothing about how many slots there are.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.dtype import DType
from ferrum_cli.engines.sglang.dtypes import StateDTypes
from ferrum_cli.engines.sglang.launch import Launch
from ferrum_cli.engines.sglang.layers import ModelLayers
from ferrum_cli.engines.sglang.replay import ring_bytes
from ferrum_cli.engines.sglang.state_shape import StateShape


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A slot of the state pool on one rank."""

    shape: StateShape
    conv: DType
    temporal: DType
    layers: int
    """State layers of the whole model."""
    fullest_stage: int
    """State layers of the stage that has most of them; every stage is charged for these."""
    ring_bytes: int
    """ReplaySSM's rings for each slot (KDA)."""
    request_ring_bytes: int
    """ReplaySSM's rings for each request (Gated DeltaNet)."""
    draft_states: bool
    """Whether a state is kept for every draft token."""

    @property
    def layer_bytes(self) -> int:
        """One layer of a slot."""
        conv = self.shape.conv_elements * self.conv.size_bytes
        return conv + self.shape.temporal_elements * self.temporal.size_bytes

    @property
    def size_bytes(self) -> int:
        """All layers of a slot: SGLang's mamba_cache_per_req."""
        return self.layer_bytes * self.layers

    @property
    def bytes_on_stage(self) -> int:
        """What one rank is charged for a slot."""
        return _share(self.size_bytes, self.fullest_stage, self.layers)

    @property
    def charged_bytes(self) -> int:
        """The same with the rings that belong to a slot."""
        return self.bytes_on_stage + self.ring_bytes


def make_slot(
    launch: Launch,
    shape: StateShape,
    dtypes: StateDTypes,
    layers: ModelLayers,
    stages: tuple[range, ...],
    ring_tokens: int,
) -> Slot:
    """A slot with its rings; `ring_tokens` is the length of a ring."""
    total = len(layers.state)
    fullest = max(layers.state_on(stage) for stage in stages)
    replays = launch.replay and (shape.is_kda or shape.is_gdn)
    rings = ring_bytes(shape, dtypes.conv, ring_tokens) * total if replays else 0
    ring = _share(rings, fullest, total)
    drafts = launch.speculation is not None and not replays and not launch.is_prefill_server
    return Slot(
        shape=shape,
        conv=dtypes.conv,
        temporal=dtypes.temporal,
        layers=total,
        fullest_stage=fullest,
        ring_bytes=ring if shape.is_kda else 0,
        request_ring_bytes=0 if shape.is_kda else ring,
        draft_states=drafts,
    )


def _share(size: int, layers: int, total: int) -> int:
    """The bytes of `layers` of `total` layers, through a float as SGLang computes it."""
    return int(size * (layers / max(total, 1)))
