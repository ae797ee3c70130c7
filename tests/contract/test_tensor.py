"""State tensors of the contract."""

import dataclasses
import json
import pickle
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.contract import DataType, RecurrentStateTensorSpec, contract_tensor
from ferrum_cli.dtype import DType
from ferrum_cli.errors import ContractError
from ferrum_cli.quantity import MAX_USIZE, saturating_mul

from .strategies import TENSOR as VALID
from .strategies import tensors, usizes


def tensor(**changes: Any) -> RecurrentStateTensorSpec:
    arguments: dict[str, Any] = {
        "layer_index": 3,
        "name": "s",
        "shape": [2, 3],
        "dtype": DataType.BF16,
    }
    return RecurrentStateTensorSpec(**arguments | changes)


@pytest.mark.parametrize("shape", [[2, 3], (2, 3), range(2, 4)])
def test_any_sequence_of_integers_is_a_shape_and_is_kept_as_a_tuple(shape: Sequence[int]) -> None:
    assert tensor(shape=shape).shape == (2, 3)
    assert hash(tensor(shape=shape)) == hash(tensor(shape=(2, 3)))


def test_a_list_that_changes_later_does_not_change_the_shape() -> None:
    shape = [2, 3]
    made = tensor(shape=shape)
    shape.append(4)
    assert made.shape == (2, 3)


@pytest.mark.parametrize(
    ("shape", "elements"),
    [
        ((), 1),
        ((0,), 0),
        ((7,), 7),
        ((MAX_USIZE,), MAX_USIZE),
        ((8192, 3), 24576),
        ((0, 2**63, 4), 0),
    ],
)
def test_elements_are_the_product_of_the_shape(shape: Sequence[int], elements: int) -> None:
    assert tensor(shape=shape).checked_num_elements() == elements
    assert tensor(shape=shape).num_elements() == elements


@pytest.mark.parametrize("shape", [(2**63, 2), (2**63, 4, 0), (MAX_USIZE, MAX_USIZE)])
def test_an_overflowing_product_is_none_and_counts_as_the_largest_usize(
    shape: Sequence[int],
) -> None:
    assert tensor(shape=shape).checked_num_elements() is None
    assert tensor(shape=shape).num_elements() == MAX_USIZE


def test_rusts_constructor_takes_its_arguments_by_position() -> None:
    made = RecurrentStateTensorSpec.new(3, "s", [2, 3], DataType.BF16)
    assert made == tensor()


def test_the_class_takes_keywords_only() -> None:
    with pytest.raises(TypeError):
        RecurrentStateTensorSpec(3, "s", [2, 3], DataType.BF16)


@pytest.mark.parametrize("field", ["layer_index", "name", "shape", "dtype", "other"])
def test_a_tensor_is_frozen(field: str) -> None:
    with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
        setattr(tensor(), field, 1)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"layer_index": -1}, "layer_index"),
        ({"layer_index": MAX_USIZE + 1}, "layer_index"),
        ({"layer_index": 10**5000}, "layer_index"),
        ({"layer_index": True}, "layer_index"),
        ({"layer_index": 1.0}, "layer_index"),
        ({"layer_index": "1"}, "layer_index"),
        ({"layer_index": None}, "layer_index"),
        ({"name": None}, "name"),
        ({"name": b"s"}, "name"),
        ({"shape": [1, -1]}, r"shape\[1\]"),
        ({"shape": [True]}, r"shape\[0\]"),
        ({"shape": [1, 2, 3.0]}, r"shape\[2\]"),
        ({"shape": [MAX_USIZE + 1]}, r"shape\[0\]"),
        ({"shape": ["1"]}, r"shape\[0\]"),
        ({"shape": [[1]]}, r"shape\[0\]"),
        ({"shape": 3}, "shape"),
        ({"shape": "123"}, "shape"),
        ({"shape": b"123"}, "shape"),
        ({"shape": None}, "shape"),
        ({"shape": {1: 2}}, "shape"),
        ({"shape": {1, 2}}, "shape"),
        ({"dtype": "BF16"}, "dtype"),
        ({"dtype": DType.BF16}, "dtype"),
        ({"dtype": None}, "dtype"),
    ],
)
def test_a_value_that_rust_cannot_hold_is_refused_with_its_path(
    changes: dict[str, object], path: str
) -> None:
    with pytest.raises(ContractError, match=f"^{path}: expected ") as caught:
        tensor(**changes)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("code_point", [0xD800, 0xDBFF, 0xDC00, 0xDFFF])
def test_a_name_with_a_lone_surrogate_is_refused(code_point: int) -> None:
    with pytest.raises(ContractError, match=r"^name: expected a string of valid Unicode"):
        tensor(name=f"state{chr(code_point)}")


def test_json_is_serdes_to_the_letter() -> None:
    assert json.dumps(
        RecurrentStateTensorSpec.from_json(VALID).to_json(), separators=(",", ":")
    ) == ('{"layer_index":3,"name":"delta_state","shape":[32,128,128],"dtype":"FP32"}')


@given(tensors)
def test_every_tensor_survives_json_and_pickling(made: RecurrentStateTensorSpec) -> None:
    assert RecurrentStateTensorSpec.from_json(json.loads(json.dumps(made.to_json()))) == made
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        (None, "expected an object, got null"),
        (False, "expected an object, got false"),
        ("x" * 48, f"expected an object, got '{'x' * 48}'"),
        ("x" * 49, f"expected an object, got '{'x' * 48}…'"),
        (2**128 - 1, f"expected an object, got {2**128 - 1}"),
        (2**128, "expected an object, got an integer of 129 bits"),
        (1.5, "expected an object, got 1.5"),
        ({1}, "expected an object, got a set"),
        ([], "expected an object, got an array"),
        ([3, "s", [], "FP32"], "expected an object, got an array"),
        ("{}", "expected an object, got '{}'"),
        ({}, "missing field 'layer_index'"),
        ({**VALID, "device": "CPU"}, "unknown field 'device'"),
        ({**VALID, 1: 2}, "unknown field 1"),
        ({k: v for k, v in VALID.items() if k != "dtype"}, "missing field 'dtype'"),
        ({**VALID, "layer_index": 3.0}, "layer_index: expected an integer"),
        ({**VALID, "layer_index": True}, "layer_index: expected an integer"),
        ({**VALID, "layer_index": None}, "layer_index: expected an integer"),
        ({**VALID, "layer_index": 10**400}, "got an integer of 1329 bits"),
        ({**VALID, "name": 3}, "name: expected a string, got 3"),
        ({**VALID, "name": "x\udc80"}, "name: expected a string of valid Unicode"),
        ({**VALID, "shape": {}}, "shape: expected an array, got an object"),
        ({**VALID, "shape": [32, -128]}, "shape[1]: expected an integer"),
        ({**VALID, "shape": [float("nan")]}, "shape[0]: expected an integer"),
        ({**VALID, "dtype": "INT64"}, "dtype: expected a DataType, got 'INT64'"),
    ],
)
def test_json_that_is_not_the_contracts_is_refused(obj: object, message: str) -> None:
    with pytest.raises(ContractError) as caught:
        RecurrentStateTensorSpec.from_json(obj)
    assert message in str(caught.value)


def test_a_path_given_from_outside_comes_first() -> None:
    with pytest.raises(ContractError, match=r"^tensors\[4\]\.shape\[0\]: "):
        RecurrentStateTensorSpec.from_json({**VALID, "shape": [-1]}, "tensors[4]")
    with pytest.raises(ContractError, match=r"^tensors\[4\]: unknown field 'x'; the fields are "):
        RecurrentStateTensorSpec.from_json({**VALID, "x": 1}, "tensors[4]")


@pytest.mark.parametrize("dtype", [dtype for dtype in DType if dtype is not DType.INT64])
def test_an_engines_dtype_that_the_contract_names_keeps_its_shape_and_width(dtype: DType) -> None:
    made = contract_tensor(0, "conv_state", [8192, 3], dtype)
    assert made == RecurrentStateTensorSpec.new(0, "conv_state", [8192, 3], DataType[dtype.name])
    assert made.dtype.size_bytes() == dtype.size_bytes


@pytest.mark.parametrize(
    ("shape", "halves"),
    [
        ([2], (4,)),
        ([3, 5], (3, 10)),
        ([4, 0], (4, 0)),
        ([], (2,)),
        ([2**63 - 1], (MAX_USIZE - 1,)),
        ([2**63], (MAX_USIZE,)),
        ([MAX_USIZE], (MAX_USIZE,)),
    ],
)
def test_int64_becomes_uint32_with_the_last_dimension_doubled(
    shape: Sequence[int], halves: tuple[int, ...]
) -> None:
    made = contract_tensor(7, "ngram_context", shape, DType.INT64)
    assert made == RecurrentStateTensorSpec.new(7, "ngram_context", halves, DataType.UINT32)


@given(st.lists(usizes | st.integers(0, 9), max_size=4), st.sampled_from(DType))
def test_a_contract_tensor_has_the_bytes_of_the_engines(shape: Sequence[int], dtype: DType) -> None:
    made = contract_tensor(0, "s", shape, dtype)
    elements = RecurrentStateTensorSpec.new(0, "s", shape, DataType.BOOL).num_elements()
    engine_bytes = saturating_mul(elements, dtype.size_bytes)
    assert saturating_mul(made.num_elements(), made.dtype.size_bytes()) == engine_bytes


@pytest.mark.parametrize("shape", [[-1], [1.0], "12", [True]])
def test_a_bad_shape_of_an_engine_is_refused_whatever_its_dtype(shape: Sequence[int]) -> None:
    for dtype in DType:
        with pytest.raises(ContractError, match=r"^shape"):
            contract_tensor(0, "s", shape, dtype)
