"""Recurrences of block kinds over all layers of a slot: a model's state without its weights.

Tokens that come together take a kind's chunked form where it has one, single tokens its step, as
prefill and decode do; both agree within rounding. It knows nothing about any kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

import torch

from ferrum_cli import discover
from ferrum_cli.errors import UsageError
from ferrum_cli.live.layout import SlotLayout, Storage
from ferrum_cli.live.recurrences._inputs import Draw
from ferrum_cli.live.recurrences._recurrence import BlockState, Recurrence

State = Mapping[str, torch.Tensor]
"""The state tensors of one block, by name; recurrences change them in place."""

TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 2e-2, torch.float16: 2e-3}
"""Of the norm of the difference over the norm; chunk and step differ by 2e-7 in fp32."""

_PACKAGE = "ferrum_cli.live.recurrences"


class Mixer(Recurrence):
    """The recurrences of all blocks. Raises UsageError for a kind that has none."""

    def __init__(self, layout: SlotLayout, blocks: Sequence[BlockState]) -> None:
        self._layout = layout
        self._blocks = tuple((block, _module(block.kind)) for block in blocks)

    def advance(
        self, storage: Storage, slots: Sequence[int], tokens: Sequence[int], start: int
    ) -> None:
        """Block by block; in one chunk, or in steps where there is no other way."""
        for number, slot in enumerate(slots):
            for block, module in self._blocks:
                state = {name: storage.tensor(slot, i) for name, i in block.tensors.items()}
                if tokens and state:
                    _feed(module, state, _draws(block, state, tokens, start, number))

    def mismatch(self, storage: Storage, slots: Sequence[int], tokens: Sequence[int]) -> str | None:
        """Compare with the same tokens step by step in float64."""
        for number, slot in enumerate(slots):
            for block, module in self._blocks:
                state = {name: storage.tensor(slot, i) for name, i in block.tensors.items()}
                exact = {name: _wide_zeros(tensor) for name, tensor in state.items()}
                for draw in _draws(block, exact, tokens, 0, number) if state else ():
                    module.step(exact, draw)
                for name, tensor in state.items():
                    error = _distance(tensor, exact[name])
                    if not error <= TOLERANCE.get(tensor.dtype, 0.0):
                        where = f"slot {slot}, layer {block.layer_index}, {name}"
                        return f"{where}: differs by {error:.1e} of its norm"
        return None


def _feed(module: ModuleType, state: State, draws: list[Draw]) -> None:
    if len(draws) > 1 and hasattr(module, "chunk"):
        module.chunk(state, draws)
        return
    for draw in draws:
        module.step(state, draw)


def _draws(
    block: BlockState, state: State, tokens: Sequence[int], start: int, slot: int
) -> list[Draw]:
    device = next(iter(state.values())).device
    # Odd multipliers keep token, position, slot and layer apart.
    return [
        Draw(
            (token * 0x2545F491 + position * 0x1B873593 + slot * 0x19660D + block.layer_index * 97)
            % 2**31,
            token,
            device,
        )
        for position, token in enumerate(tokens, start)
    ]


def _wide_zeros(tensor: torch.Tensor) -> torch.Tensor:
    dtype = torch.float64 if tensor.is_floating_point() else tensor.dtype
    return torch.zeros(tensor.shape, dtype=dtype, device=tensor.device)


def _distance(tensor: torch.Tensor, exact: torch.Tensor) -> float:
    """Norm of the difference over the norm; for integers 0 or 1."""
    if not tensor.is_floating_point():
        same = torch.equal(
            tensor.reshape(-1).view(torch.uint8), exact.reshape(-1).view(torch.uint8)
        )
        return 0.0 if same else 1.0
    difference = float((tensor.to(torch.float64) - exact).norm())
    norm = float(exact.norm())
    return difference / norm if norm else difference


def _module(kind: str) -> ModuleType:
    found = discover.load(_PACKAGE, kind) if kind != "exact" else None
    if found is None:
        raise UsageError(
            f"there is no reference recurrence for blocks of kind {kind!r}",
            hint="use --recurrence exact",
            where="--recurrence",
        )
    return found
