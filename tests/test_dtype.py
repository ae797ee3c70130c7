"""Element types of weights, state and KV cache."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.contract import DataType
from ferrum_cli.dtype import DType
from ferrum_cli.errors import InputError

SIZES = [
    (DType.FP32, 4),
    (DType.FP16, 2),
    (DType.BF16, 2),
    (DType.FP8, 1),
    (DType.INT64, 8),
    (DType.INT32, 4),
    (DType.UINT32, 4),
    (DType.INT16, 2),
    (DType.UINT16, 2),
    (DType.INT8, 1),
    (DType.UINT8, 1),
    (DType.BOOL, 1),
]
# As config.json (torch_dtype, dtype), vLLM and SGLang flags, and descriptions write them.
SPELLINGS = [
    ("BF16", DType.BF16),
    ("bf16", DType.BF16),
    ("bfloat16", DType.BF16),
    ("torch.bfloat16", DType.BF16),
    ("FP16", DType.FP16),
    ("half", DType.FP16),
    ("float16", DType.FP16),
    ("torch.float16", DType.FP16),
    ("f16", DType.FP16),
    ("FP32", DType.FP32),
    ("float", DType.FP32),
    ("float32", DType.FP32),
    ("torch.float32", DType.FP32),
    ("f32", DType.FP32),
    ("fp8", DType.FP8),
    ("fp8_e4m3", DType.FP8),
    ("fp8_e5m2", DType.FP8),
    ("torch.float8_e4m3fn", DType.FP8),
    ("int64", DType.INT64),
    ("uint8", DType.UINT8),
    ("bool", DType.BOOL),
]


@pytest.mark.parametrize(("dtype", "size"), SIZES)
def test_a_type_has_the_width_of_its_elements(dtype: DType, size: int) -> None:
    assert dtype.size_bytes == size


def test_the_table_of_widths_covers_every_type() -> None:
    assert [row[0] for row in SIZES] == list(DType)


@pytest.mark.parametrize(("text", "dtype"), SPELLINGS)
def test_every_spelling_in_use_is_read(text: str, dtype: DType) -> None:
    assert DType.parse(text) is dtype


@pytest.mark.parametrize("dtype", DType)
def test_a_types_own_names_are_read_back(dtype: DType) -> None:
    assert DType.parse(dtype.name) is dtype
    assert DType.parse(dtype.name.lower()) is dtype
    assert DType.parse(dtype.torch_name) is dtype
    assert DType.parse(f"torch.{dtype.torch_name}") is dtype


@pytest.mark.parametrize("text", ["", "no", "auto", "bf 16", "torch.", "float64", "int4", "Q4_K"])
def test_any_other_text_is_refused_with_the_known_names(text: str) -> None:
    with pytest.raises(InputError, match="unknown dtype") as caught:
        DType.parse(text)
    assert "BF16" in str(caught.value.hint)


@given(st.text())
def test_text_is_a_type_or_an_input_error(text: str) -> None:
    try:
        DType.parse(text)
    except InputError:
        assert text.lower() not in {dtype.torch_name for dtype in DType}


def test_every_type_but_int64_is_one_of_the_contracts_with_the_same_width() -> None:
    shared = [dtype for dtype in DType if dtype.name in DataType.__members__]
    assert set(DType) - set(shared) == {DType.INT64}
    assert [DataType[d.name].size_bytes() for d in shared] == [d.size_bytes for d in shared]
