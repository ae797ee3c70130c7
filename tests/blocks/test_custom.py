"""Custom blocks: what a description lists is what the block answers."""

from __future__ import annotations

import pytest

from ferrum_cli.blocks import (
    Axis,
    Context,
    Indexer,
    KeyValue,
    Latent,
    Matrix,
    Role,
    Split,
    Vector,
    Window,
)
from ferrum_cli.blocks.custom import (
    Custom,
    CustomContext,
    CustomIndexer,
    CustomKeyValue,
    CustomLatent,
    CustomMatrix,
    CustomVector,
    CustomWindow,
)


def test_parts_come_in_the_order_windows_matrices_vectors_contexts() -> None:
    block = Custom(
        contexts=(CustomContext(name="tokens", length=2),),
        vectors=(CustomVector(name="shift", units=64, split="replicated", role="shift"),),
        matrices=(CustomMatrix(name="memory", num_heads=4, value_dim=16, key_dim=8),),
        windows=(CustomWindow(name="conv", units=2, width=8, kernel=4, split="groups"),),
    )
    assert block.state(64) == (
        Window("conv", (Axis(2, 8, Split.GROUPS),), 4),
        Matrix("memory", Axis(4), 16, 8),
        Vector("shift", Axis(64, split=Split.REPLICATED), role=Role.SHIFT),
        Context("tokens", 2),
    )


def test_caches_come_in_the_order_key_values_latents_indexers() -> None:
    block = Custom(
        indexers=(CustomIndexer(key_dim=32, positions=3),),
        latents=(CustomLatent(rank=32, rope_dim=8),),
        caches=(CustomKeyValue(num_kv_heads=2, key_dim=16, value_dim=8, window=4),),
    )
    assert block.cache(64) == (KeyValue(2, 16, 8, window=4), Latent(32, 8), Indexer(32, 3))


def test_parameters_are_the_numbers_given() -> None:
    block = Custom(parameters=100, idle_parameters=30, replicated_parameters=7)
    assert sum(w.elements for w in block.weights(64)) == 107
    assert sum(w.active_elements for w in block.weights(64)) == 77


def test_a_block_that_lists_nothing_keeps_and_weighs_nothing() -> None:
    block = Custom()
    assert (block.state(64), block.cache(64), block.weights(64)) == ((), (), ())


@pytest.mark.parametrize(
    ("block", "word"),
    [
        (Custom(idle_parameters=1), "idle_parameters"),
        (
            Custom(
                contexts=(CustomContext(name="a", length=1),),
                vectors=(CustomVector(name="a", units=1),),
            ),
            "called a",
        ),
    ],
)
def test_impossible_lists_are_named(block: Custom, word: str) -> None:
    assert word in (block.check(64) or "")
