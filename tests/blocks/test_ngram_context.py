"""Qwen4Exp's n-gram features: parameters as transformers 5.24.0 builds them, and the state."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import Axis, Context, Split, Window
from ferrum_cli.blocks.ngram_context import NgramContext
from tests.blocks.measure import Sizes, build, parameters

# qwen4_exp_text with ple_layer_ids [1], ple_embed_dim 64, ngram_vocab_size_base 512
SMALL = {
    "ngram_size": 3,
    "heads_per_ngram": 2,
    "head_dim": 16,
    "ngram_vocab_size": 2176,
    "conv_kernel": 4,
    "hc_count": 2,
}


def test_parameters_are_what_transformers_builds() -> None:
    assert parameters("ngram_context", 64, **SMALL) == 48000


def test_the_window_is_dilated_and_every_rank_holds_it() -> None:
    # transformers 5.24.0: (B, hc_count·hidden, (ple_conv_kernel_size - 1)·ngram_size), int64 (B, 2)
    window, context = build("ngram_context", 64, **SMALL).state(64)
    assert window == Window("ple_conv_state", (Axis(2, 64, Split.REPLICATED),), 10)
    assert window.history == (4 - 1) * 3
    assert context == Context("ngram_context", 2)


def test_one_row_for_each_head_serves_a_token() -> None:
    table = build("ngram_context", 64, **SMALL).weights(64)[0]
    assert table.elements == 2176 * 16
    assert table.active_elements == 4 * 16


@pytest.mark.parametrize("wrong", [{"ngram_size": 1}, {"ngram_vocab_size": 3}])
def test_sizes_that_leave_no_ngram_or_no_row_are_named(wrong: Sizes) -> None:
    assert next(iter(wrong)) in (NgramContext(**(SMALL | wrong)).check(64) or "")
