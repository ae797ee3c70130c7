"""A description becomes executed layers with parts and caches."""

from __future__ import annotations

from ferrum_cli.describe.description import Draft, Layer, Span
from ferrum_cli.expand import expand
from tests.models import described, qwen3_next

ATTENTION, MLP = Layer((("attention",),)), Layer((("mlp",),))


def test_layers_are_counted_from_zero_in_the_order_of_execution() -> None:
    model = expand(qwen3_next())
    assert [layer.index for layer in model.layers] == list(range(48))
    assert [layer.index for layer in model.cache_layers] == list(range(3, 48, 4))
    assert len(model.state_layers) == 36
    assert model.state_kinds == ("gated_delta_net",)


def test_each_pass_of_a_repeated_layer_is_a_layer_of_its_own() -> None:
    model = expand(described(spans=(Span((MLP,)), Span((ATTENTION, MLP), passes=3), Span((MLP,)))))
    assert [layer.index for layer in model.cache_layers] == [1, 3, 5]
    assert len(model.layers) == 8


def test_blocks_side_by_side_both_keep_what_they_keep() -> None:
    model = expand(described(spans=(Span((Layer((("attention", "mlp"),)),)),)))
    assert [placed.name for placed in model.layers[0].placed] == ["attention", "mlp"]
    assert len(list(model.layers[0].caches)) == 1


def test_draft_layers_stand_apart_and_are_numbered_after_the_model() -> None:
    model = expand(described(draft=Draft("mtp", (ATTENTION,))))
    assert len(model.layers) == 2
    assert [layer.index for layer in model.draft_layers] == [2]


def test_a_model_without_state_has_no_state_layers() -> None:
    assert expand(described()).state_layers == ()
