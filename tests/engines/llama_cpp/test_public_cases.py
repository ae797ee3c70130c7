"""What users published about their own runs, to the last digit that their logs print."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.engines.llama_cpp.asking import LFM25, MIB, QWEN3_NEXT, answered, model

QWEN35_27B = replace(model("Qwen__Qwen3.5-27B"), draft=None)
QWEN35_27B_MTP = model("Qwen__Qwen3.5-27B")
QWEN35_08B = model("Qwen__Qwen3.5-0.8B")
QWEN35_4B = model("Qwen__Qwen3.5-4B")


def mebibytes(described: Any, options: dict[str, Any]) -> dict[str, str]:
    """State and KV as the log prints them."""
    layout = answered(described, options).layout
    state = layout["rs_bytes_R"] + layout["rs_bytes_S"] + layout["rs_bytes_P"]
    sizes = {
        "rs": state,
        "r": layout["rs_bytes_R"],
        "s": layout["rs_bytes_S"],
        "kv": layout["kv_bytes"],
        "mtp": layout["draft_kv_bytes"],
    }
    return {name: f"{size / MIB:.2f}" for name, size in sizes.items()}


@pytest.mark.parametrize(
    ("described", "options", "expected"),
    [
        (  # Qwen3.8-27B, one slot on 24 GB
            QWEN35_27B,
            {"parallel": 1, "ctx_size": 24_576},
            {"kv": "1536.00", "rs": "149.62"},
        ),
        (  # Qwen3.6-27B with MTP of six tokens, Strix Halo
            QWEN35_27B_MTP,
            {
                "parallel": 1,
                "ctx_size": 262_144,
                "spec_type": ["draft-mtp"],
                "spec_draft_n_max": 6,
            },
            {"kv": "16384.00", "mtp": "1024.00", "rs": "1047.38"},
        ),
        (  # Qwen3.8-27B, two snapshots
            QWEN35_27B_MTP,
            {"parallel": 1, "ctx_size": 32_768, "n_rs_seq": 2},
            {"rs": "448.88"},
        ),
        (  # the same over four slots: 12 states
            QWEN35_27B_MTP,
            {"parallel": 4, "ctx_size": 8192, "kv_unified": True, "n_rs_seq": 2},
            {"kv": "512.00", "rs": "1795.50", "r": "67.50", "s": "1728.00"},
        ),
        (  # ggml-org/llama.cpp#23792, three sequences
            QWEN35_27B,
            {"parallel": 3},
            {"rs": "448.88", "r": "16.88", "s": "432.00"},
        ),
        (  # Qwen3.5-4B with six snapshots on Metal
            QWEN35_4B,
            {
                "parallel": 1,
                "ctx_size": 131_072,
                "cache_type_k": "q8_0",
                "cache_type_v": "q8_0",
                "n_rs_seq": 6,
            },
            {"kv": "2176.00", "rs": "351.75", "r": "15.75", "s": "336.00"},
        ),
        (QWEN35_08B, {"parallel": 1, "ctx_size": 32_768}, {"kv": "384.00", "rs": "19.27"}),
        (
            QWEN35_08B,
            {"parallel": 1, "ctx_size": 32_768, "cache_type_k": "q8_0", "cache_type_v": "q8_0"},
            {"kv": "204.00", "rs": "19.27"},
        ),
        (
            QWEN35_08B,
            {"parallel": 1, "ctx_size": 32_768, "cache_type_k": "q4_0", "cache_type_v": "q4_0"},
            {"kv": "108.00", "r": "1.27", "s": "18.00"},
        ),
        (  # LFM2.5-2.6B on Vulkan
            model(LFM25),
            {"parallel": 1, "ctx_size": 65_536, "cache_type_k": "q8_0", "cache_type_v": "q8_0"},
            {"kv": "544.00", "rs": "0.34", "s": "0.00"},
        ),
        (  # Qwen3-Next-80B: four slots over one stream
            model(QWEN3_NEXT),
            {"ctx_size": 131_072},
            {"kv": "3072.00", "rs": "301.50"},
        ),
        (  # two slots over one cache
            QWEN35_4B,
            {"parallel": 2, "kv_unified": True, "ctx_size": 65_536},
            {"rs": "100.50"},
        ),
        (  # Qwen3.5-35B-A3B: four slots by default
            model("Qwen__Qwen3.5-35B-A3B"),
            {"ctx_size": 65_536},
            {"rs": "251.25", "r": "11.25", "s": "240.00"},
        ),
        (
            model("Qwen__Qwen3.5-35B-A3B"),
            {"parallel": 2, "kv_unified": True, "ctx_size": 65_536},
            {"rs": "125.62"},
        ),
    ],
)
def test_a_published_log_is_met(
    described: Any, options: dict[str, Any], expected: dict[str, str]
) -> None:
    found = mebibytes(described, options)
    assert {name: found[name] for name in expected} == expected
