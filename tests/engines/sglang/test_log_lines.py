"""SGLang's start-up lines are written and read by one table."""

from __future__ import annotations

import re
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines.sglang.log_lines import FORMS, read, write
from tests.engines.sglang.asking import LFM2, LLAMA, QWEN3_NEXT, answered

FIELD = re.compile(r"\{(\w+):([^}]*)\}")
WORDS = st.text(string.ascii_lowercase + string.digits + "_", min_size=1)


@given(st.data(), st.sampled_from(sorted(FORMS)))
def test_every_line_that_is_written_can_be_read_back(data: st.DataObject, key: str) -> None:
    kinds = {
        "d": st.integers(-(10**9), 10**12),
        ".2f": st.integers(0, 10**6).map(lambda n: n / 100),
        "s": WORDS,
    }
    values: dict[str, Any] = {
        name: data.draw(kinds[kind]) for name, kind in FIELD.findall(FORMS[key])
    }
    line = write(key, **values)
    assert read(f"[2026-11-30 12:00:00 TP0] {line.text}") == (key, values)


# As SGLang 0.5.23 prints them (mem_cache/memory_pool.py, with the space at the end).
@pytest.mark.parametrize(
    ("text", "key", "values"),
    [
        (
            (
                "Mamba Cache is allocated. max_mamba_cache_size: 3, conv_state size: 0.01GB,"
                " ssm_state size: 0.28GB "
            ),
            "state_allocated",
            {"slots": 3, "conv": 0.01, "temporal": 0.28},
        ),
        (
            (
                "Mamba Cache is allocated. max_mamba_cache_size: 3, conv_state size: 0.00GB,"
                " ssm_state size: 0.14GB intermediate_ssm_state_cache size: 0.00GB"
                " intermediate_conv_window_cache size: 0.00GB"
            ),
            "state_allocated_with_drafts",
            {"slots": 3, "conv": 0.0, "temporal": 0.14, "draft_temporal": 0.0, "draft_conv": 0.0},
        ),
        (
            (
                "max_total_num_tokens=1201035, chunked_prefill_size=8192, max_prefill_tokens=16384,"
                " max_running_requests=68, context_len=262144, available_gpu_mem=6.51 GB"
            ),
            "max_total_num_tokens",
            {
                "tokens": 1201035,
                "chunk": 8192,
                "prefill": 16384,
                "requests": 68,
                "context": 262144,
            },
        ),
    ],
)
def test_real_lines_are_recognised(text: str, key: str, values: dict[str, float]) -> None:
    assert read(text) == (key, values)


@pytest.mark.parametrize("text", ["", "Load weight begin.", "Mamba Cache", "x" * 10_000])
def test_other_lines_are_not(text: str) -> None:
    assert read(text) is None


def test_a_start_says_what_it_allocates_and_serves() -> None:
    keys = [line.key for line in answered(QWEN3_NEXT).log_lines]
    assert keys == [
        "requests_capped_by_slots",
        "state_allocated",
        "kv_allocated",
        "max_total_num_tokens",
    ]
    assert [line.key for line in answered(LLAMA).log_lines] == [
        "kv_allocated",
        "max_total_num_tokens",
    ]


def test_requests_that_kv_reduces_have_a_line_of_their_own() -> None:
    lines = answered(LLAMA, max_running_requests=4000, max_total_tokens=6000).log_lines
    assert lines[0].text == (
        "max_running_requests was reduced from the requested 4000 to 3000 (per dp worker) due to"
        " the available KV cache capacity."
    )


def test_sizes_in_the_lines_include_the_padding_row_and_page() -> None:
    # 0.5.23 on 60 GiB: 147,031 slots and one more of 180,224 B are 24.68 GiB.
    line = next(x for x in answered(LFM2).log_lines if x.key == "state_allocated")
    found = read(line.text)
    assert found is not None
    assert found[1] == {"slots": 147_031, "conv": 24.68, "temporal": 0.0}
