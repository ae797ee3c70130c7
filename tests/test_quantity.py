"""Amounts of bytes and tokens."""

import math
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.errors import QuantityError
from ferrum_cli.quantity import (
    MAX_USIZE,
    checked_product,
    fits,
    format_bytes,
    format_bytes_exact,
    format_tokens,
    parse_bytes,
    parse_tokens,
    saturating_add,
    saturating_mul,
)

usizes = st.integers(0, MAX_USIZE)

BYTES = [
    ("0", 0),
    ("1", 1),
    ("1000", 1000),
    ("1KiB", 1024),
    ("1MiB", 1_048_576),
    ("1GiB", 1_073_741_824),
    ("1TiB", 1_099_511_627_776),
    ("1KB", 1000),
    ("1MB", 1_000_000),
    ("1GB", 1_000_000_000),
    ("1TB", 1_000_000_000_000),
    ("80GiB", 85_899_345_920),
    ("80GB", 80_000_000_000),
    ("1.5GiB", 1_610_612_736),
    ("0.5KiB", 512),
    ("0.0009765625KiB", 1),
    ("73.6875MiB", 77_266_944),
    ("2.0", 2),
    ("007KB", 7000),
    ("0" * 63 + "7", 7),
    ("18446744073709551615", MAX_USIZE),
    ("16777215TiB", 2**64 - 2**40),
    ("0.0000000000009094947017729282379150390625TiB", 1),
]
TOKENS = [
    ("0", 0),
    ("1", 1),
    ("1k", 1024),
    ("128k", 131_072),
    ("1M", 1_048_576),
    ("131072", 131_072),
    ("1000", 1000),
    ("18446744073709551615", MAX_USIZE),
]
# What is no amount of anything, and what the hint says.
NEITHER = [
    ("", "a bare number"),
    (" ", "a bare number"),
    ("-1", "a bare number"),
    ("+1", "write 1"),
    (" 1", "write 1"),
    ("1\n", "a bare number"),
    ("1_000", "write 1000"),
    ("1,000", "a bare number"),
    ("0x10", "a bare number"),
    ("1e3", "a bare number"),
    ("nan", "a bare number"),
    ("inf", "a bare number"),
    ("None", "a bare number"),
    ("\u0663", "a bare number"),
    ("\uff18\uff10", "a bare number"),
    ("\u00b2", "a bare number"),
    ("1\x00", "a bare number"),
    ("9" * 65, "a bare number"),
    ("0" * 64 + "1", "a bare number"),
]
NO_BYTES = [
    ("80 GB", "write 80GB"),
    ("80 GiB", "write 80GiB"),
    ("80gb", "write 80GB"),
    ("80gib", "write 80GiB"),
    ("80GIB", "write 80GiB"),
    ("80kB", "write 80KB"),
    ("80G", "write 80GiB or 80GB"),
    ("80g", "write 80GiB or 80GB"),
    ("80Gi", "write 80GiB"),
    ("80B", "write 80"),
    ("-1GiB", "write 80GiB"),
    ("\u0663GiB", "write 80GiB"),
    ("1e999GiB", "write 80GiB"),
    ("infGiB", "write 80GiB"),
    (".5GiB", "write 80GiB"),
    ("5.GiB", "write 80GiB"),
    ("1.5.5GiB", "write 80GiB"),
    ("1,5GiB", "write 80GiB"),
    ("GiB", "write 80GiB"),
    ("80PiB", "write 80GiB"),
    ("80GiBGiB", "write 80GiB"),
    ("80GiB ", "write 80GiB"),
    ("128k", "write 128KiB or 128KB"),
    ("1.5", "write 1"),
    ("0.1GiB", "write 107374182"),
    ("73.69MiB", "write 77269565"),
    ("18446744073709551615.5", "write 18446744073709551615"),
    ("18446744073709551616", "one less than 2^64"),
    ("16777216TiB", "one less than 2^64"),
]
NO_TOKENS = [
    ("128K", "write 128k"),
    ("1m", "write 1M"),
    ("128 k", "write 128k"),
    ("1.5k", "write 128k"),
    ("1.0", "write 128k"),
    ("128Ki", "write 128k"),
    ("1G", "write 128k"),
    ("80GiB", "write 128k"),
    ("k", "write 128k"),
    ("18014398509481984k", "one less than 2^64"),
]


@pytest.mark.parametrize(("text", "count"), BYTES)
def test_bytes_are_read_exactly(text: str, count: int) -> None:
    assert parse_bytes(text) == count


@pytest.mark.parametrize(("text", "count"), TOKENS)
def test_tokens_are_read_exactly(text: str, count: int) -> None:
    assert parse_tokens(text) == count


@pytest.mark.parametrize(("text", "hint"), NEITHER + NO_BYTES)
def test_text_that_is_no_amount_of_bytes_is_refused_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(QuantityError) as caught:
        parse_bytes(text)
    assert hint in str(caught.value.hint)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(("text", "hint"), NEITHER + NO_TOKENS)
def test_text_that_is_no_amount_of_tokens_is_refused_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(QuantityError) as caught:
        parse_tokens(text)
    assert hint in str(caught.value.hint)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("parse", [parse_bytes, parse_tokens])
@pytest.mark.parametrize("text", ["9" * 10**6, "0." + "0" * 10**6, "1" + "_" * 10**6, "-" * 10**6])
def test_a_very_long_text_is_refused_at_once(parse: Callable[[str], int], text: str) -> None:
    start = time.process_time()
    with pytest.raises(QuantityError) as caught:
        parse(text)
    assert time.process_time() - start < 0.1
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x" * 64, f"'{'x' * 64}' is no amount of bytes"),
        ("x" * 65, f"'{'x' * 64}…' is no amount of bytes"),
        ("1\x1b[31m", "'1\\x1b[31m' is no amount of bytes"),
        ("0.1GiB", "'0.1GiB' is no whole number of bytes"),
        ("16777216TiB", "'16777216TiB' is more than 18446744073709551615 bytes"),
    ],
)
def test_a_refusal_quotes_the_text_shortened_and_escaped(text: str, message: str) -> None:
    with pytest.raises(QuantityError) as caught:
        parse_bytes(text)
    assert caught.value.message == message


@pytest.mark.parametrize("parse", [parse_bytes, parse_tokens])
@given(text=st.text() | st.from_regex(r"[0-9._ +-]{1,12}[kKMGTi]{0,2}[bB]?", fullmatch=True))
def test_any_text_is_an_amount_within_usize_or_a_quantity_error(
    parse: Callable[[str], int], text: str
) -> None:
    try:
        count = parse(text)
    except QuantityError:
        assert not text.isascii() or not text.isdigit() or int(text) > MAX_USIZE
    else:
        assert 0 <= count <= MAX_USIZE


@pytest.mark.parametrize(("text", "hint"), [*NO_BYTES, *NEITHER])
def test_a_hint_that_corrects_the_text_names_an_amount_that_is_read(text: str, hint: str) -> None:
    if hint.startswith("write") and hint != "write 80GiB":
        for suggestion in hint.removeprefix("write ").split(" or "):
            assert parse_bytes(suggestion) >= 0, text


@given(usizes)
def test_bytes_in_their_exact_form_read_back(count: int) -> None:
    assert parse_bytes(format_bytes_exact(count)) == count


@given(usizes)
def test_tokens_in_their_form_read_back(count: int) -> None:
    assert parse_tokens(format_tokens(count)) == count


@given(st.integers(0, 2**24 - 1), st.sampled_from(["KiB", "MiB", "GiB", "TiB", "KB", "GB", "TB"]))
def test_a_unit_multiplies_and_whole_decimals_change_nothing(number: int, unit: str) -> None:
    assert parse_bytes(f"{number}{unit}") == number * parse_bytes(f"1{unit}")
    assert parse_bytes(f"{number}.000{unit}") == parse_bytes(f"{number}{unit}")


@pytest.mark.parametrize(
    ("count", "short", "exact"),
    [
        (0, "0 B", "0"),
        (1, "1 B", "1"),
        (1023, "1023 B", "1023"),
        (1024, "1.00 KiB", "1KiB"),
        (1536, "1.50 KiB", "1536"),
        (1_048_575, "1.00 MiB", "1048575"),
        (1_048_576, "1.00 MiB", "1MiB"),
        (39_518_208, "37.69 MiB", "38592KiB"),
        (77_266_944, "73.69 MiB", "75456KiB"),
        (85_899_345_920, "80.00 GiB", "80GiB"),
        (2**40 - 1, "1.00 TiB", "1099511627775"),
        (2**40, "1.00 TiB", "1TiB"),
        (MAX_USIZE, "16777216.00 TiB", "18446744073709551615"),
    ],
)
def test_bytes_have_a_short_form_for_people_and_an_exact_one(
    count: int, short: str, exact: str
) -> None:
    assert format_bytes(count) == short
    assert format_bytes_exact(count) == exact


@given(usizes)
def test_the_short_form_is_within_half_a_hundredth_of_its_unit(count: int) -> None:
    number, unit = format_bytes(count).split()
    size = parse_bytes(f"1{unit}") if unit != "B" else 1
    assert math.isclose(float(number), count / size, rel_tol=1e-12, abs_tol=0.005 + 1e-9)
    assert float(number) < 1024 or unit == "TiB"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (1, "1"),
        (1000, "1000"),
        (1024, "1k"),
        (1536, "1536"),
        (131_072, "128k"),
        (1_048_576, "1M"),
        (1_049_600, "1025k"),
        (2_097_152, "2M"),
    ],
)
def test_tokens_are_written_in_the_largest_unit_that_is_exact(count: int, text: str) -> None:
    assert format_tokens(count) == text


@pytest.mark.parametrize(
    ("left", "right", "total", "product"),
    [
        (0, 0, 0, 0),
        (2, 3, 5, 6),
        (MAX_USIZE, 0, MAX_USIZE, 0),
        (MAX_USIZE, 1, MAX_USIZE, MAX_USIZE),
        (MAX_USIZE - 1, 1, MAX_USIZE, MAX_USIZE - 1),
        (MAX_USIZE, MAX_USIZE, MAX_USIZE, MAX_USIZE),
        (2**63, 2, 2**63 + 2, MAX_USIZE),
        (2**63 - 1, 2, 2**63 + 1, MAX_USIZE - 1),
    ],
)
def test_sums_and_products_saturate(left: int, right: int, total: int, product: int) -> None:
    assert saturating_add(left, right) == total
    assert saturating_mul(left, right) == product


@pytest.mark.parametrize(
    ("factors", "product"),
    [
        ([], 1),
        ([0], 0),
        ([7, 6], 42),
        ([2**32, 2**32 - 1], 2**64 - 2**32),
        ([2**32, 2**32], None),
        ([MAX_USIZE, 1], MAX_USIZE),
        ([2**63, 4, 0], None),
        ([0, 2**63, 4], 0),
        ([2**63, 0, 4], 0),
    ],
)
def test_a_product_is_checked_from_left_to_right(factors: list[int], product: int | None) -> None:
    assert checked_product(factors) == product


@given(st.lists(usizes | st.integers(0, 9), max_size=8))
def test_a_checked_product_is_exact_or_none(factors: list[int]) -> None:
    product = checked_product(factors)
    if product is None:
        assert any(math.prod(factors[:i]) > MAX_USIZE for i in range(len(factors) + 1))
    else:
        assert product == math.prod(factors)


@pytest.mark.parametrize(
    ("needed", "budget", "held"),
    [
        (0, 0, True),
        (1, 0, False),
        (5, 5, True),
        (6, 5, False),
        (MAX_USIZE - 1, MAX_USIZE - 1, True),
        (MAX_USIZE - 1, MAX_USIZE, True),
        (MAX_USIZE, MAX_USIZE, False),
        (MAX_USIZE, MAX_USIZE - 1, False),
    ],
)
def test_a_saturated_need_fits_no_budget(needed: int, budget: int, held: bool) -> None:
    assert fits(needed, budget) is held
