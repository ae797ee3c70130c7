"""Models scaled down for drills: smaller, and of the same build."""

from __future__ import annotations

import pytest

from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.layout import SlotLayout, open_storage
from ferrum_cli.live.model import SCALED_BYTES, StateModel, scaled
from ferrum_cli.live.recurrences._mixer import Mixer
from tests.live.kinds import KINDS, block_states
from tests.live.shipped import shipped_state_model
from tests.live.specs import shipped_models


def kinds_of(model: StateModel) -> set[str]:
    return {block.kind for block in model.blocks}


@pytest.mark.parametrize("name", shipped_models())
def test_every_shipped_model_fits_and_keeps_each_kind_of_block(name: str) -> None:
    model = shipped_state_model(name)
    small = scaled(model)
    assert small.slot_bytes <= SCALED_BYTES
    assert kinds_of(small) == kinds_of(model)
    assert small.num_layers == model.num_layers
    for block in small.blocks:
        for tensor_name, index in block.tensors.items():
            tensor = small.tensors[index]
            assert (tensor.layer_index, tensor.name) == (block.layer_index, tensor_name)


@pytest.mark.parametrize("name", shipped_models())
def test_the_recurrences_run_on_every_shipped_model_scaled_down(name: str) -> None:
    small = scaled(shipped_state_model(name), 2**16)
    storage = open_storage("arena", SimulatedDevice(), small.tensors, 1)
    storage.zero(storage.take(1))
    mixer = Mixer(SlotLayout.of(small.tensors), small.blocks)
    mixer.advance(storage, (0,), [3, 1, 4], 0)
    assert mixer.mismatch(storage, (0,), [3, 1, 4]) is None


def test_a_model_that_is_small_enough_stays_as_it_is() -> None:
    spec = KINDS["mamba2"]
    model = StateModel("small", 2, spec.tensors, tuple(block_states(spec)))
    assert scaled(model) is model


@pytest.mark.parametrize("kind", KINDS)
def test_even_a_tiny_limit_ends(kind: str) -> None:
    spec = KINDS[kind]
    model = StateModel("small", 2, spec.tensors, tuple(block_states(spec)))
    assert scaled(model, 1).slot_bytes < model.slot_bytes
