"""An integer recurrence over the bytes of a slot, exact on every device.

    S ← S·A + c·h(token, position, slot)    mod 2³² (mod 2⁸ where a tensor is no whole words)

A is odd, and so is each word's constant c, which depends on where the word lies in the packed slot:
words that were swapped, or a slot that was shifted, show. Because the map is affine, any number of
tokens is one pass, and however they are split the bytes are the same. It knows nothing about
floating-point numbers: a state is bits to it, NaNs included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from ferrum_cli.live.layout import Group, SlotLayout, Storage
from ferrum_cli.live.recurrences._recurrence import Recurrence

_MODULUS = 2**32
_FACTOR = 0x9E3779B1
_WORD = 4


class Exact(Recurrence):
    """The recurrence for slots of one layout; its constants take as much memory as one slot."""

    def __init__(self, layout: SlotLayout, device: torch.device | None = None) -> None:
        self._layout = layout
        self._constants = tuple(_constants(group, device) for group in layout.groups)

    def advance(
        self, storage: Storage, slots: Sequence[int], tokens: Sequence[int], start: int
    ) -> None:
        """One pass over each slot, however many tokens there are."""
        factor = pow(_FACTOR, len(tokens), _MODULUS)
        for number, slot in enumerate(slots):
            term = fold(tokens, start, number)
            for words, constants in self._parts(storage, slot):
                words.mul_(_scalar(factor, words)).add_(constants, alpha=_scalar(term, words))

    def mismatch(self, storage: Storage, slots: Sequence[int], tokens: Sequence[int]) -> str | None:
        """Compare with the closed form c·Σ h·Aⁿ⁻¹⁻ᵏ; no second state is kept."""
        for number, slot in enumerate(slots):
            term = fold(tokens, 0, number)
            for words, constants in self._parts(storage, slot):
                expected = constants * _scalar(term, words)
                if not torch.equal(words, expected):
                    wrong = int((words != expected).sum())
                    return f"slot {slot}: {wrong} of {words.numel()} words differ"
        return None

    def _parts(self, storage: Storage, slot: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """The words of a slot with their constants, a whole group at once where there is a view."""
        views = storage.views(slot)
        if len(views) == len(self._constants):
            pairs = zip(views, self._constants, strict=True)
        else:
            pairs = zip(views, self._per_tensor(), strict=True)
        for view, constants in pairs:
            if constants.numel():
                yield view.view(-1).view(torch.uint8).view(constants.dtype), constants

    def _per_tensor(self) -> Iterator[torch.Tensor]:
        for number, position in self._layout.places:
            constants = self._constants[number]
            size = constants.numel() // len(self._layout.groups[number].members)
            yield constants[position * size : (position + 1) * size]


def fold(tokens: Sequence[int], start: int, slot: int) -> int:
    """Σ h(token, position, slot)·Aⁿ⁻¹⁻ᵏ mod 2³²: what n tokens add to a state, over c."""
    term = 0
    for position, token in enumerate(tokens, start):
        term = (term * _FACTOR + _mix(token, position, slot)) % _MODULUS
    return term


def _mix(token: int, position: int, slot: int) -> int:
    """A 32-bit hash (the finalizer of MurmurHash3) of a token where it stands."""
    word = (token * 0x85EBCA6B + position * 0xC2B2AE35 + slot * 0x27D4EB2F + 1) % _MODULUS
    word = (word ^ word >> 16) * 0x85EBCA6B % _MODULUS
    word = (word ^ word >> 13) * 0xC2B2AE35 % _MODULUS
    return word ^ word >> 16


def _constants(group: Group, device: torch.device | None) -> torch.Tensor:
    """An odd number for each word of a group, from its byte offset in the packed slot."""
    width = _WORD if group.tensor_bytes % _WORD == 0 else 1
    offsets = torch.arange(group.start, group.start + group.size_bytes, width, device=device)
    words = (offsets * 0x9E3779B1 + 0x7F4A7C15) % _MODULUS
    words = ((words ^ (words >> 15)) * 0x2C1B3C6D) % _MODULUS
    words = (words ^ (words >> 12)) | 1
    if width == 1:
        return (words % 2**8).to(torch.uint8)
    return torch.where(words >= 2**31, words - 2**32, words).to(torch.int32)


def _scalar(value: int, words: torch.Tensor) -> int:
    """A residue as torch takes it for these words: signed for 32 bits, 0 to 255 for 8."""
    if words.dtype is torch.uint8:
        return value % 2**8
    return value - 2**32 if value >= 2**31 else value
