"""A mixture of experts: many feed-forward networks, a few of which serve each token.

It knows nothing about how experts spread over devices or which activation they use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ferrum_cli.blocks._block import Block, Count, Size
from ferrum_cli.blocks._parts import Axis, Split, Weight, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureOfExperts(Block):
    """Sizes of the routed experts, of a shared expert that serves every token, and of the router.

    A correction bias that transformers keeps as a buffer is no parameter and not counted.
    """

    kind: ClassVar[str] = "mixture_of_experts"
    source: ClassVar[str] = (
        "transformers 5.24.0 models/qwen3_next/modeling_qwen3_next.py,"
        " nemotron_h/modeling_nemotron_h.py, gpt_oss/modeling_gpt_oss.py,"
        " zaya/modeling_zaya.py; vLLM 0.32.0 model_executor/models/kimi_linear.py"
    )

    num_experts: Size
    experts_per_token: Count
    """Routed experts that serve one token; none where the shared expert serves alone."""
    intermediate_size: Size
    shared_intermediate_size: Count = 0
    """Width of the shared experts together; 0 where there is none."""
    shared_gate: bool = False
    """One more projection to a single gate for the shared expert (Qwen), were it of width 0."""
    gated: bool = True
    """Experts have two projections up, one of which gates the other."""
    bias: bool = False
    """Biases in the routed experts (gpt-oss)."""
    latent_size: Size | None = None
    """Width that the routed experts work in, projected down and up around them (Nemotron 3)."""
    latent_norm: bool = False
    """A norm of latent_size before the projection up (Kimi-K3)."""
    router_bias: bool = False
    router_outputs: Size | None = None
    """Rows of the router where they are not one for each expert (Inkling, ZAYA)."""
    router_hidden_size: Size | None = None
    """Width of a router that is a network of three layers (ZAYA)."""
    router_parameters: Count = 0
    """Further weights of the router, such as a scale."""

    def weights(self, hidden_size: int) -> tuple[Weight, ...]:
        """Router + experts·3·X·I + 3·H·shared, X being latent_size or H; 2 where not gated."""
        return (
            *self._router(hidden_size),
            *self._experts(self.latent_size or hidden_size),
            *self._latent(hidden_size),
            *self._shared(hidden_size),
        )

    def _router(self, hidden_size: int) -> tuple[Weight, ...]:
        rows = self.router_outputs or self.num_experts
        inner = self.router_hidden_size
        # ZAYA: a projection down with bias, a norm, two square layers with biases, the outputs.
        before = 0 if inner is None else inner * hidden_size + 2 * inner * (inner + 1) + 2 * inner
        found = [whole("router", rows, inner or hidden_size)]
        extra = before + self.router_parameters + (rows if self.router_bias else 0)
        return (*found, whole("router_extra", extra)) if extra else tuple(found)

    def _experts(self, width: int) -> tuple[Weight, ...]:
        inner = Axis(self.intermediate_size, split=Split.COLUMNS)
        ups = 2 if self.gated else 1
        many = {"copies": self.num_experts, "active_copies": self.experts_per_token}
        found = [
            Weight("experts_up", ups * width, inner, **many),
            Weight("experts_down", width, inner, **many),
        ]
        if self.bias:
            down = Axis(width, split=Split.REPLICATED)
            found.append(Weight("experts_up_bias", ups, inner, **many))
            found.append(Weight("experts_down_bias", 1, down, **many))
        return tuple(found)

    def _latent(self, hidden_size: int) -> tuple[Weight, ...]:
        if self.latent_size is None:
            return ()
        around = whole("latent_proj", 2, hidden_size, self.latent_size)
        return (around, whole("latent_norm", self.latent_size)) if self.latent_norm else (around,)

    def _shared(self, hidden_size: int) -> tuple[Weight, ...]:
        gate = (whole("shared_gate", hidden_size),) if self.shared_gate else ()
        if not self.shared_intermediate_size:
            return gate
        inner = Axis(self.shared_intermediate_size, split=Split.COLUMNS)
        matrices = 3 if self.gated else 2
        return (Weight("shared_expert", matrices * hidden_size, inner), *gate)

    def check(self, hidden_size: int) -> str | None:
        """No token uses more experts than there are; options go with what they alter."""
        if not self.num_experts:
            return "there are no experts"
        if self.experts_per_token > self.num_experts:
            return (
                f"experts_per_token {self.experts_per_token} exceeds num_experts {self.num_experts}"
            )
        if self.latent_norm and self.latent_size is None:
            return "latent_norm needs latent_size"
        return None


BLOCK = MixtureOfExperts
