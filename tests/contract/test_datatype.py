"""The contract's element types."""

import pytest

from ferrum_cli.contract import DataType
from ferrum_cli.errors import ContractError

# size_bytes, is_float, is_integer, is_quantized and Display of ferrum-types, devices.rs.
RUST = [
    ("FP32", 4, True, False, False, "fp32"),
    ("FP16", 2, True, False, False, "fp16"),
    ("BF16", 2, True, False, False, "bf16"),
    ("FP8", 1, True, False, True, "fp8"),
    ("INT32", 4, False, True, False, "int32"),
    ("INT16", 2, False, True, False, "int16"),
    ("INT8", 1, False, True, True, "int8"),
    ("INT4", 1, False, True, True, "int4"),
    ("UINT32", 4, False, True, False, "uint32"),
    ("UINT16", 2, False, True, False, "uint16"),
    ("UINT8", 1, False, True, False, "uint8"),
    ("UINT4", 1, False, True, True, "uint4"),
    ("BOOL", 1, False, False, False, "bool"),
]


@pytest.mark.parametrize("row", RUST)
def test_a_type_answers_as_in_rust(row: tuple[object, ...]) -> None:
    dtype = DataType[str(row[0])]
    kind = (dtype.is_float(), dtype.is_integer(), dtype.is_quantized())
    assert (dtype.name, dtype.size_bytes(), *kind, str(dtype)) == row
    assert f"{dtype}" == str(dtype)


def test_the_table_covers_every_type() -> None:
    assert [row[0] for row in RUST] == list(DataType.__members__)


@pytest.mark.parametrize("dtype", DataType)
def test_json_is_the_name_of_the_variant_and_reads_back(dtype: DataType) -> None:
    assert dtype.to_json() == dtype.name
    assert DataType.from_json(dtype.to_json()) is dtype


@pytest.mark.parametrize(
    "bad", ["bf16", "INT64", "BF16 ", "", None, True, 4, ["BF16"], {"BF16": 1}]
)
def test_json_that_names_no_type_is_refused(bad: object) -> None:
    with pytest.raises(ContractError, match="expected a DataType") as caught:
        DataType.from_json(bad, "tensors[2].dtype")
    assert caught.value.message.startswith("tensors[2].dtype: ")
    assert "BF16" in str(caught.value.hint)
