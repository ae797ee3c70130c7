"""llama.cpp's lines: what is written can be read, with the clocks and colours around it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.engines.llama_cpp.log_lines import FORMS, buffer_mib, mib, read, write

_KINDS: dict[str, Any] = {"u": 4096, "d": 33, "f": 149.62, "s": "CUDA0"}


def values(key: str) -> list[Any]:
    """A value for every field of a line."""
    kinds = re.findall(r"%[0-9]*(?:\.[0-9]+)?([usdf])", FORMS[key].text)
    return [_KINDS[kind] for kind in kinds]


@pytest.mark.parametrize("key", FORMS)
def test_every_line_is_read_back(key: str) -> None:
    line = write(key, *values(key))
    found = read(f"0.15.878.559 I {line.text}")
    assert found == (key, dict(zip(FORMS[key].names, values(key), strict=True)))


@pytest.mark.parametrize("key", FORMS)
def test_every_field_of_a_line_has_a_name(key: str) -> None:
    assert len(FORMS[key].names) == len(values(key))
    assert len(set(FORMS[key].names)) == len(FORMS[key].names)


@pytest.mark.parametrize(
    ("text", "key", "found"),
    [
        (  # ggml-org/llama.cpp#27680: colours around clock and level
            (
                "\x1b[34m1.16.671.807\x1b[0m \x1b[32mI \x1b[0mllama_kv_cache:      CUDA0 KV buffer"
                " size =  1536.00 MiB"
            ),
            "kv_buffer",
            {"device": "CUDA0", "size": 1536.0},
        ),
        (
            "0.27.840.222 I llama_memory_recurrent:    Vulkan1 RS buffer size =    29.31 MiB",
            "state_buffer",
            {"device": "Vulkan1", "size": 29.31},
        ),
        (  # ollama/ollama#6279: journald in front, and the line as it was before rs_seq
            (
                "Sep 11 01:16:15 host-1 llama-server[1884]: llama_memory_recurrent: size ="
                "  251.25 MiB (     4 cells,  40 layers,  4 seqs), R (f32):   11.25 MiB, S (f32):"
                "  240.00 MiB"
            ),
            "state_size_without_rs_seq",
            {"cells": 4, "layers": 40, "seqs": 4, "r": 11.25, "s": 240.0},
        ),
        (  # September 2026, before P
            (
                "llama_memory_recurrent: size = 1795.50 MiB (     4 cells,  64 layers,  4 seqs  2"
                " rs_seq), R (f32):   67.50 MiB, S (f32): 1728.00 MiB"
            ),
            "state_size_without_p",
            {"size": 1795.5, "cells": 4, "seqs": 4, "rs_seq": 2, "s": 1728.0},
        ),
        (  # October 2026
            (
                "llama_memory_recurrent: size =    0.34 MiB (     1 cells,  30 layers,  1 seqs  0"
                " rs_seq), R (f32):    0.34 MiB, S (f32):    0.00 MiB, P (f32):    0.00 MiB"
            ),
            "state_size",
            {"layers": 30, "r": 0.34, "p": 0.0},
        ),
        (  # four slots over one stream
            (
                "llama_kv_cache: size = 3072.00 MiB (131072 cells,  12 layers,  4/1 seqs), K (f16):"
                " 1536.00 MiB, V (f16): 1536.00 MiB"
            ),
            "kv_size",
            {"cells": 131072, "seqs": 4, "streams": 1, "type_k": "f16"},
        ),
        (
            (
                "llama_kv_cache: size =  544.00 MiB ( 65536 cells,   8 layers,  1/1 seqs), K"
                " (q8_0):  272.00 MiB, V (q8_0):  272.00 MiB"
            ),
            "kv_size",
            {"type_k": "q8_0", "type_v": "q8_0", "v": 272.0},
        ),
        (  # columns collapsed to single blanks
            "sched_reserve: CUDA0 compute buffer size = 38.50 MiB",
            "compute_buffer",
            {"device": "CUDA0", "size": 38.5},
        ),
        ("llama_context: n_batch       = 1024", "n_batch", {"n_batch": 1024}),
        (
            "llama_context:  CUDA_Host  output buffer size =     0.95 MiB",
            "output_buffer",
            {"device": "CUDA_Host", "size": 0.95},
        ),
        (
            (
                "0.37.248.893 I srv    load_model: initializing, n_slots = 1, n_ctx_slot = 8192,"
                " kv_unified = 'false'"
            ),
            "slots",
            {"slots": 1, "context": 8192, "unified": "false"},
        ),
        (
            (
                "0.06.852.461 I srv    load_model: creating MTP draft context against the target"
                " model '/models/qwen3.8-27b-ud-q4km.gguf'"
            ),
            "mtp_context",
            {"path": "/models/qwen3.8-27b-ud-q4km.gguf"},
        ),
        (
            (
                "llama_context: n_ctx_seq (131072) < n_ctx_train (262144) -- the full capacity of"
                " the model will not be utilized"
            ),
            "context_below_training",
            {"n_ctx_seq": 131072, "n_ctx_train": 262144},
        ),
    ],
)
def test_lines_of_published_logs_are_read(text: str, key: str, found: dict[str, Any]) -> None:
    read_key, read_values = read(text) or ("", {})
    assert read_key == key
    assert {name: read_values[name] for name in found} == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "llama_memory_recurrent: layer  19: skipped",
        "llama_memory_recurrent, layer  20: dev = CUDA0",
        "sched_reserve: reserving ...",
        "ggml_gallocr_reserve_n_impl: failed to allocate CUDA0 buffer of size 1469841408",
        "llama_kv_cache: size = 16384.00 MiB (262144 cells, 16 layers)   <- target",
    ],
)
def test_other_lines_are_none_of_them(text: str) -> None:
    assert read(text) is None


def test_lines_of_older_versions_are_read_and_not_written() -> None:
    old = {key for key, form in FORMS.items() if not form.written}
    assert old == {"state_size_without_p", "state_size_without_rs_seq", "mtp_context"}


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (156_893_184, "149.62"),
        (1_882_718_208, "1795.50"),
        (360_448, "0.34"),
        (2**24 + 1, "16.00"),
        (17_179_869_185, "16384.00"),
    ],
)
def test_mebibytes_are_rounded_as_printf_rounds_them(size: int, text: str) -> None:
    assert f"{mib(size):.2f}" == text


@given(st.integers(0, 2**50))
def test_a_total_in_float32_is_near_the_total(size: int) -> None:
    """24 bits of mantissa: half a unit in the last place."""
    assert mib(size) == pytest.approx(buffer_mib(size), rel=2**-24, abs=0)
