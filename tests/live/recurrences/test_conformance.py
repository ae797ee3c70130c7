"""What holds for the recurrence of every kind of block that keeps state."""

from __future__ import annotations

import pytest
import torch

from ferrum_cli import blocks, discover
from ferrum_cli.contract import RecurrentStateTensorSpec
from ferrum_cli.errors import UsageError
from ferrum_cli.live.device.cpu import CpuDevice
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.layout import Storage, layouts, open_storage
from ferrum_cli.live.recurrences import BlockState
from ferrum_cli.live.recurrences._mixer import Mixer
from tests.live.kinds import KINDS, BlockSpec, block_states

TOKENS = [(n * 7919 + 13) % 50_000 for n in range(40)]
RECURRENCES = tuple(n for n in discover.names("ferrum_cli.live.recurrences") if n != "exact")


def storage_of(spec: BlockSpec, layout: str = "arena", device: type = SimulatedDevice) -> Storage:
    storage = open_storage(layout, device(), spec.tensors, 3)
    storage.take(3)
    storage.zero(range(3))
    return storage


def mixer_of(spec: BlockSpec) -> Mixer:
    return Mixer(storage_of(spec).layout, block_states(spec))


def content(storage: Storage, slot: int) -> list[list[int]]:
    count = len(storage.layout.tensors)
    flat = (storage.tensor(slot, index).reshape(-1) for index in range(count))
    return [tensor.view(torch.uint8).tolist() for tensor in flat]


@pytest.fixture(params=KINDS)
def spec(request: pytest.FixtureRequest) -> BlockSpec:
    return KINDS[request.param]


def test_every_kind_that_keeps_state_has_a_recurrence_and_no_other_does() -> None:
    keeping = {kind for kind in blocks.kinds() if kind in KINDS}
    assert set(RECURRENCES) == keeping


def test_the_state_is_what_the_same_tokens_give_in_double_precision(spec: BlockSpec) -> None:
    storage, mixer = storage_of(spec), mixer_of(spec)
    mixer.advance(storage, (0,), TOKENS, 0)
    assert mixer.mismatch(storage, (0,), TOKENS) is None


def test_chunks_and_steps_agree_within_the_tolerance(spec: BlockSpec) -> None:
    storage, mixer = storage_of(spec), mixer_of(spec)
    for position, token in enumerate(TOKENS):
        mixer.advance(storage, (0,), [token], position)
    mixer.advance(storage, (1,), TOKENS[:25], 0)
    mixer.advance(storage, (1,), TOKENS[25:], 25)
    assert mixer.mismatch(storage, (0,), TOKENS) is None
    # Slot 1 was fed as the first slot of its request, as slot 0 was.
    assert mixer.mismatch(storage, (1,), TOKENS) is None


def test_steps_give_the_same_bits_in_every_layout_and_on_every_host(spec: BlockSpec) -> None:
    reference, mixer = storage_of(spec), mixer_of(spec)
    for position, token in enumerate(TOKENS[:10]):
        mixer.advance(reference, (0,), [token], position)
    for layout in layouts():
        for device in (SimulatedDevice, CpuDevice):
            storage = storage_of(spec, layout, device)
            for position, token in enumerate(TOKENS[:10]):
                mixer.advance(storage, (0,), [token], position)
            assert content(storage, 0) == content(reference, 0)


def test_other_tokens_another_order_and_another_slot_are_found_out(spec: BlockSpec) -> None:
    storage, mixer = storage_of(spec), mixer_of(spec)
    mixer.advance(storage, (0, 1), TOKENS, 0)
    for claimed in (TOKENS[:-1], [*TOKENS[:-1], TOKENS[-1] ^ 1], [*TOKENS[:-2], *TOKENS[:-3:-1]]):
        assert mixer.mismatch(storage, (0,), claimed) is not None
    # Token ids are the same in every slot; whatever is computed from them is not.
    if any(tensor.dtype.is_float() for tensor in spec.tensors):
        assert mixer.mismatch(storage, (1,), TOKENS) is not None


def test_a_long_history_stays_finite(spec: BlockSpec) -> None:
    storage, mixer = storage_of(spec), mixer_of(spec)
    for start in range(0, 600, 60):
        mixer.advance(storage, (0,), list(range(start, start + 60)), start)
    for index, tensor in enumerate(spec.tensors):
        if tensor.dtype.is_float():
            assert torch.isfinite(storage.tensor(0, index).float()).all()


def test_a_nan_is_a_mismatch() -> None:
    spec = KINDS["mamba2"]
    storage, mixer = storage_of(spec), mixer_of(spec)
    mixer.advance(storage, (0,), TOKENS, 0)
    storage.tensor(0, 1).view(-1)[0] = float("nan")
    assert "layer 0, ssm_state: differs" in (mixer.mismatch(storage, (0,), TOKENS) or "")


@pytest.mark.parametrize("kind", ["attention", "exact", "_mixer", "no_such"])
def test_a_kind_without_a_recurrence_is_refused(kind: str) -> None:
    layout = storage_of(KINDS["mamba2"]).layout
    with pytest.raises(UsageError, match=r"--recurrence: there is no reference recurrence"):
        Mixer(layout, [BlockState(0, kind, {})])


@pytest.mark.parametrize("kind", ["gated_delta_net", "kimi_delta_attention", "mamba2", "rwkv6"])
def test_values_of_one_row_have_no_axis_of_their_own(kind: str) -> None:
    full = KINDS[kind]
    flat = tuple(
        RecurrentStateTensorSpec.new(t.layer_index, t.name, (t.shape[0], t.shape[-1]), t.dtype)
        if len(t.shape) == 3
        else t
        for t in full.tensors
    )
    spec = BlockSpec(kind, flat)
    storage, mixer = storage_of(spec), mixer_of(spec)
    mixer.advance(storage, (0,), TOKENS, 0)
    assert mixer.mismatch(storage, (0,), TOKENS) is None
