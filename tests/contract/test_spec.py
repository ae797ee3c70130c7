"""Allocation requests of the contract."""

import dataclasses
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.contract import (
    DataType,
    Device,
    RecurrentStateSpec,
    RecurrentStateTensorSpec,
    RequestId,
)
from ferrum_cli.errors import ContractError
from ferrum_cli.quantity import MAX_USIZE, fits

from .strategies import TENSOR, specs

ID = "67e55044-10b1-426f-9247-bb680e5fe0c8"
VALID = {
    "request_id": ID,
    "num_layers": 48,
    "tensors": [TENSOR, {**TENSOR, "name": "conv_state", "shape": [8192, 3], "dtype": "BF16"}],
    "device": {"CUDA": 0},
    "max_batch_slots": 1,
}


def spec(**changes: Any) -> RecurrentStateSpec:
    arguments: dict[str, Any] = {
        "request_id": RequestId(ID),
        "num_layers": 48,
        "tensors": [RecurrentStateTensorSpec.from_json(TENSOR)],
        "device": Device.cuda(0),
        "max_batch_slots": 1,
    }
    return RecurrentStateSpec(**arguments | changes)


def qwen3_next(slots: int) -> RecurrentStateSpec:
    """The 36 linear layers of Qwen3-Next-80B-A3B: 77,266,944 bytes a slot (facts of the model)."""
    layers = [i for i in range(48) if i % 4 != 3]
    pairs = [
        (
            RecurrentStateTensorSpec.new(i, "conv_state", [8192, 3], DataType.BF16),
            RecurrentStateTensorSpec.new(i, "delta_state", [32, 128, 128], DataType.FP32),
        )
        for i in layers
    ]
    return spec(tensors=[tensor for pair in pairs for tensor in pair], max_batch_slots=slots)


@pytest.mark.parametrize(("slots", "expected"), [(0, 0), (1, 77_266_944), (4, 309_067_776)])
def test_the_estimate_is_the_bytes_of_all_tensors_in_all_slots(slots: int, expected: int) -> None:
    assert qwen3_next(slots).estimated_memory_bytes() == expected


def test_a_spec_without_tensors_needs_nothing() -> None:
    assert spec(tensors=[], max_batch_slots=MAX_USIZE).estimated_memory_bytes() == 0


@pytest.mark.parametrize(("shape", "held"), [([MAX_USIZE], False), ([MAX_USIZE - 1], True)])
def test_an_overflowing_estimate_fits_no_budget_not_even_the_largest(
    shape: list[int], held: bool
) -> None:
    tensor = RecurrentStateTensorSpec.new(0, "s", shape, DataType.INT8)
    needed = spec(tensors=[tensor]).estimated_memory_bytes()
    assert fits(needed, MAX_USIZE) is held


@given(specs)
def test_the_estimate_is_exact_unless_it_overflows(made: RecurrentStateSpec) -> None:
    exact = 0
    for tensor in made.tensors:
        count = tensor.num_elements()
        exact += count * tensor.dtype.size_bytes()
    assert made.estimated_memory_bytes() == min(
        min(exact, MAX_USIZE) * made.max_batch_slots, MAX_USIZE
    )


@given(specs)
def test_one_more_tensor_never_lowers_the_estimate(made: RecurrentStateSpec) -> None:
    more = dataclasses.replace(made, tensors=[*made.tensors, *spec().tensors])
    assert more.estimated_memory_bytes() >= made.estimated_memory_bytes()


def test_tensors_may_be_any_sequence_and_are_kept_as_a_tuple() -> None:
    tensor = RecurrentStateTensorSpec.from_json(TENSOR)
    assert spec(tensors=[tensor]) == spec(tensors=(tensor,))
    assert spec(tensors=[tensor]).tensors == (tensor,)


@given(specs)
def test_every_spec_survives_json_pickling_and_replacing(made: RecurrentStateSpec) -> None:
    assert RecurrentStateSpec.from_json(json.loads(json.dumps(made.to_json()))) == made
    again = pickle.loads(pickle.dumps(made))  # noqa: S301
    assert again == made
    assert hash(again) == hash(made)
    assert again.estimated_memory_bytes() == made.estimated_memory_bytes()
    assert dataclasses.replace(made) == made


def test_json_is_serdes_to_the_letter() -> None:
    text = json.dumps(spec().to_json(), separators=(",", ":"))
    assert text == (
        '{"request_id":"67e55044-10b1-426f-9247-bb680e5fe0c8","num_layers":48,'
        '"tensors":[{"layer_index":3,"name":"delta_state","shape":[32,128,128],"dtype":"FP32"}],'
        '"device":{"CUDA":0},"max_batch_slots":1}'
    )


def test_a_spec_is_frozen_and_takes_keywords_only() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec().max_batch_slots = 2
    with pytest.raises(TypeError):
        RecurrentStateSpec(RequestId(ID), 48, [], Device.cpu(), 1)


def test_the_cached_estimate_is_neither_shown_nor_compared() -> None:
    assert "estimate" not in repr(spec())
    assert "device=Device(variant='CUDA', number=0)" in repr(spec())


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"request_id": ID}, "request_id"),
        ({"num_layers": -1}, "num_layers"),
        ({"num_layers": True}, "num_layers"),
        ({"tensors": None}, "tensors"),
        ({"tensors": [TENSOR]}, r"tensors\[0\]"),
        ({"tensors": {}}, "tensors"),
        ({"device": "cpu"}, "device"),
        ({"max_batch_slots": MAX_USIZE + 1}, "max_batch_slots"),
        ({"max_batch_slots": 1.0}, "max_batch_slots"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_path(
    changes: dict[str, object], path: str
) -> None:
    with pytest.raises(ContractError, match=f"^{path}: expected "):
        spec(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"request_id": "1"}, "request_id: expected a UUID, got '1'"),
        ({"request_id": {"uuid": ID}}, "request_id: expected a string, got an object"),
        ({"num_layers": -1}, "num_layers: expected an integer"),
        ({"tensors": {"0": TENSOR}}, "tensors: expected an array, got an object"),
        ({"tensors": [TENSOR, None]}, "tensors[1]: expected an object, got null"),
        ({"tensors": [{**TENSOR, "shape": [1, "x"]}]}, "tensors[0].shape[1]: expected an integer"),
        ({"tensors": [TENSOR, {**TENSOR, "x": 0}]}, "tensors[1]: unknown field 'x'"),
        ({"tensors": [{"name": "s"}]}, "tensors[0]: missing field 'layer_index'"),
        ({"device": "cuda:0"}, "device: expected a Device, got 'cuda:0'"),
        ({"device": {"CUDA": -1}}, "device.CUDA: expected an integer"),
        ({"max_batch_slots": 2**64}, "max_batch_slots: expected an integer"),
        ({"estimated_memory_bytes": 1}, "unknown field 'estimated_memory_bytes'"),
        ({"_estimate": 1}, "unknown field '_estimate'"),
    ],
)
def test_json_that_is_not_the_contracts_is_refused_with_the_fields_path(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ContractError) as caught:
        RecurrentStateSpec.from_json(VALID | changes)
    assert caught.value.message.startswith(message)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("field", VALID)
def test_json_without_one_of_the_fields_is_refused(field: str) -> None:
    lacking = {name: value for name, value in VALID.items() if name != field}
    with pytest.raises(ContractError, match=f"^missing field '{field}'"):
        RecurrentStateSpec.from_json(lacking)


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*VALID, *TENSOR, "CUDA"]), inner, max_size=5)
    ),
)


@given(junk, st.sampled_from(sorted(VALID)))
def test_any_json_in_place_of_a_field_is_read_or_is_a_contract_error(
    value: object, field: str
) -> None:
    try:
        made = RecurrentStateSpec.from_json(VALID | {field: value})
    except ContractError:
        return
    assert made.to_json()[field] == value
