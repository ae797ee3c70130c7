"""JetBlock: parameters of the published model, and the state it really keeps."""

from __future__ import annotations

from ferrum_cli.blocks import Axis, Matrix, Window
from tests.blocks.measure import build, parameters

JET_2B = {
    "num_heads": 12,
    "head_dim": 96,
    "value_head_dim": 256,
    "conv_kernel": 4,
    "generator_size": 384,
}


def test_jet_nemotron_2b_has_its_published_size() -> None:
    # Jet-Nemotron-2B, config.json; the model card says 1.96 B
    hidden = 1536
    jet = parameters("jet", hidden, **JET_2B)
    attention = parameters(
        "attention", hidden, num_heads=12, num_kv_heads=2, head_dim=128, qkv_bias=True
    )
    feed_forward = parameters("feed_forward", hidden, intermediate_size=8960)
    layers = 24 * jet + 4 * attention + 28 * (feed_forward + 2 * hidden)
    assert jet == 23_052_568
    assert round((layers + 151936 * hidden + hidden) / 1e9, 2) == 1.96


def test_only_values_are_convolved() -> None:
    # Jet-Nemotron kv_cache.py: conv_state (N, value_dim, W)
    assert build("jet", 1536, **JET_2B).state(1536) == (
        Window("conv_state", (Axis(12, 256),), 4),
        Matrix("delta_state", Axis(12), 256, 96),
    )
