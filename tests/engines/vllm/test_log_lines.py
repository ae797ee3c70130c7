"""vLLM's lines: what is written can be read, in every version's form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines.vllm.log_lines import FORMS, gib, read, words, write
from ferrum_cli.engines.vllm.versions import READ, Version

VALUES: dict[str, float | str] = {
    "tokens": 526294,
    "length": 32768,
    "concurrency": 16.06,
    "mode": "align",
    "architecture": "Qwen3NextForCausalLM",
    "dtype": "fp8_e4m3",
    "percent": 6.25,
    "kernel": "Triton/FLA",
    "asked": 4096,
    "width": 128,
    "gib": 71.6,
    "mib": 3.23,
    "requests": 256,
    "layout": "LBNHC",
    "layers": 3,
    "blocks": 787,
    "override": 500,
    "sizes": "832, 832",
    "need": 16.5,
    "room": 11.95,
    "longest": 188032,
}


def values(key: str) -> dict[str, float | str]:
    """Values of the kinds that a line's fields have."""
    found = dict(VALUES)
    if key == "gdn_prefill":
        found["asked"] = "auto"
    return found


@pytest.mark.parametrize("version", READ, ids=str)
@pytest.mark.parametrize("key", FORMS)
def test_every_line_of_every_version_is_read_back(key: str, version: Version) -> None:
    for line in write(version, key, **values(key)):
        found = read(f"INFO 11-02 10:00:00 [kv_cache_utils.py:1] {line.text} (EngineCore pid=7)")
        assert found is not None
        assert found[0] == key
        for name, value in found[1].items():
            assert value == pytest.approx(values(key)[name])


@pytest.mark.parametrize("key", FORMS)
def test_every_line_is_printed_by_some_version(key: str) -> None:
    assert any(write(version, key, **values(key)) for version in READ)


def test_a_line_that_a_version_does_not_print_is_not_written() -> None:
    assert write(Version(0, 20), "kv_cache_layout", layout="LBNHC") == ()
    assert write(Version(0, 33), "max_concurrency", length=1, concurrency=1.0) == ()


def test_versions_before_the_first_one_read_print_its_lines() -> None:
    line = write(Version(0, 11), "max_model_len", tokens=4096)[0]
    assert line.text == "Using max model len 4096"


def test_other_lines_are_no_lines_of_the_table() -> None:
    assert read("INFO Started server process [1]") is None
    assert read("") is None


def test_of_two_lines_that_fit_the_longer_one_is_meant() -> None:
    text = (
        "GPU KV cache size: 526,294 tokens, Maximum concurrency for 32,768 tokens per request:"
        " 16.06x"
    )
    found = read(text)
    assert found == (
        "kv_cache_size",
        {"tokens": 526294, "length": 32768, "concurrency": 16.06},
    )


def test_refusals_are_the_words_of_their_version() -> None:
    old = words(Version(0, 11, 2), "no_cache_memory")
    new = words(Version(0, 33), "no_cache_memory")
    assert old.endswith("when initializing the engine.")
    assert "CPU memory reservation" in new


@given(st.integers(0, 2**45))
def test_gib_have_at_most_two_digits(size: int) -> None:
    assert round(gib(size), 2) == gib(size)
    assert abs(gib(size) * 2**30 - size) <= 0.0051 * 2**30
