"""What a number of slots with a context each need on every device.

State and KV follow their layers, weights theirs, drafts are a second context. Beside them stand the
compute buffers, of which only an interval is known. It knows nothing about how much there is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ferrum_cli.engines._engine import Question
from ferrum_cli.engines.llama_cpp.architectures import Architecture
from ferrum_cli.engines.llama_cpp.buffers import (
    ComputeTerms,
    Interval,
    compute_terms,
    server_outputs,
)
from ferrum_cli.engines.llama_cpp.context import Context, lay_out
from ferrum_cli.engines.llama_cpp.devices import device_count, placement_of, splits_tensors
from ferrum_cli.engines.llama_cpp.inventory import Inventory, inventory
from ferrum_cli.engines.llama_cpp.launch import Launch, Sizes
from ferrum_cli.engines.llama_cpp.placement import HOST, Placement
from ferrum_cli.engines.llama_cpp.weights import WeightParts, bytes_by_device, weight_parts


@dataclass(frozen=True, slots=True)
class Share:
    """What one device holds."""

    weights: int
    state: int
    kv: int

    @property
    def total(self) -> int:
        """All but compute buffers."""
        return self.weights + self.state + self.kv


@dataclass(frozen=True)
class Deployment:
    """A model with its options, before slots and context are fixed."""

    question: Question
    architecture: Architecture
    launch: Launch

    @cached_property
    def inventory(self) -> Inventory:
        """The layers of the context that is laid out."""
        return inventory(self.question.model, self.architecture, self.launch.draft_context)

    @cached_property
    def draft_inventory(self) -> Inventory | None:
        """The layers of the second context for MTP, which has no snapshots."""
        speculates = self.launch.has_mtp and not self.launch.draft_context
        if not speculates or not self.question.model.draft_layers:
            return None
        return inventory(self.question.model, self.architecture, draft_context=True)

    @cached_property
    def placement(self) -> Placement:
        """Which device each layer lies on."""
        return placement_of(self.question, self.inventory.all_layers)

    @cached_property
    def weights(self) -> WeightParts:
        """The weights by part."""
        return weight_parts(self.question)

    @cached_property
    def weights_by_device(self) -> dict[int, int]:
        """Weights on each device, and on the host."""
        settings = self.question.settings
        everything = len(self.weights.layers)
        return bytes_by_device(
            self.weights,
            self.placement,
            cpu_experts=everything if settings.value("cpu_moe") else settings.value("n_cpu_moe"),
            drafts=self.draft_inventory is not None,
        )

    def context(self, sizes: Sizes) -> Context:
        """The model's own context."""
        types = (self.launch.type_k, self.launch.type_v)
        return lay_out(
            self.inventory, self.launch, sizes, snapshots=self.launch.snapshots, types=types
        )

    def draft(self, sizes: Sizes) -> Context | None:
        """The second context for MTP."""
        if self.draft_inventory is None:
            return None
        launch = replace(self.launch, snapshots=0)
        types = (self.launch.draft_type_k, self.launch.draft_type_v)
        return lay_out(self.draft_inventory, launch, sizes, snapshots=0, types=types)

    def contexts(self, sizes: Sizes) -> list[Context]:
        """The model's own context, and that of its drafts where there is one."""
        return [found for found in (self.context(sizes), self.draft(sizes)) if found is not None]

    def compute(self, sizes: Sizes) -> Interval:
        """Compute buffers of one device: every device builds its part of the same graph.

        A context of drafts has one of its own.
        """
        own, draft = self.compute_terms(sizes).interval, self.draft_compute_terms(sizes)
        if draft is None:
            return own
        return Interval(own.low + draft.interval.low, own.high + draft.interval.high)

    def draft_compute_terms(self, sizes: Sizes) -> ComputeTerms | None:
        """What the buffer of the second context is made of, with one output for each slot."""
        if self.draft_inventory is None:
            return None
        launch = replace(
            self.launch,
            snapshots=0,
            type_k=self.launch.draft_type_k,
            type_v=self.launch.draft_type_v,
        )
        model, found = self.question.model, self.draft_inventory
        return compute_terms(model, self.architecture, found, launch, sizes, sizes.slots)

    def compute_terms(self, sizes: Sizes) -> ComputeTerms:
        """What the buffer of the model's own context is made of."""
        outputs = server_outputs(self.launch, sizes.slots)
        return compute_terms(
            self.question.model, self.architecture, self.inventory, self.launch, sizes, outputs
        )

    def shares(self, sizes: Sizes) -> dict[int, Share]:
        """What every device holds, and the host (`HOST`), without compute buffers."""
        devices = (HOST, *range(self.placement.devices))
        state, kv = dict.fromkeys(devices, 0), dict.fromkeys(devices, 0)
        for context in self.contexts(sizes):
            for layer, *parts in context.state_layers:
                state[self.placement.caches_of(layer)] += sum(parts)
            for cache in context.caches:
                for layer, k, v in cache.layers:
                    kv[self.placement.caches_of(layer)] += k + v
        found = {d: Share(self.weights_by_device[d], state[d], kv[d]) for d in devices}
        return self._divided(found) if splits_tensors(self.question) else found

    def _divided(self, found: dict[int, Share]) -> dict[int, Share]:
        """Tensors that are split lie on all devices alike; a part that does not divide is whole."""
        ranks = device_count(self.question)
        one = found[0]
        share = Share(-(-one.weights // ranks), -(-one.state // ranks), -(-one.kv // ranks))
        return {HOST: found[HOST]} | dict.fromkeys(range(ranks), share)

    def fullest(self, sizes: Sizes) -> tuple[int, Share]:
        """The device that holds most."""
        shares = self.shares(sizes)
        device = max((d for d in shares if d != HOST), key=lambda d: shares[d].total)
        return device, shares[device]
