"""Plain data to a description."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.blocks.custom import Custom, CustomMatrix, CustomWindow
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description, Draft, Layer, Span
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.yaml_file import build
from ferrum_cli.dtype import DType

MLP = Layer((("mlp",),))
BOTH = Layer((("attention", "mamba"), ("mlp",)))
DATA = {
    "schema": "ferrum.model/1",
    "name": "small",
    "dtype": "bf16",
    "hidden_size": 64,
    "vocab_size": 128,
    "max_context": 1024,
    "blocks": {"mlp": {"kind": "feed_forward", "intermediate_size": 256, "shared": True}},
    "layers": [["mlp"], {"repeat": 2, "pattern": [["mlp"]]}],
}


def test_plain_data_becomes_a_description() -> None:
    assert build.description(DATA) == Description(
        name="small",
        dtype=DType.BF16,
        hidden_size=64,
        vocab_size=128,
        max_context=1024,
        blocks={"mlp": FeedForward(intermediate_size=256, shared=True)},
        spans=(Span((MLP, MLP, MLP)),),
    )


def test_optional_keys_are_taken_over() -> None:
    more = {
        "source": "a/b, config.json",
        "norm": "layer",
        "final_norm": False,
        "vision_parameters": 7,
        "draft": {"method": "mtp", "layers": [{"repeat": 2, "pattern": [["mlp"]]}]},
        "hints": {"chunk_size": 256},
    }
    found = build.description(DATA | more)
    assert found.source == "a/b, config.json"
    assert (found.norm, found.final_norm, found.vision_parameters) == ("layer", False, 7)
    assert found.draft == Draft("mtp", (MLP, MLP))
    assert found.hints == Hints(chunk_size=256)


def test_lists_inside_a_block_become_tuples_of_their_parts() -> None:
    fields = {
        "kind": "custom",
        "windows": [{"name": "w", "units": 4, "kernel": 3}],
        "matrices": [{"name": "m", "num_heads": 2, "value_dim": 3, "key_dim": 4}],
    }
    assert build.block(fields) == Custom(
        windows=(CustomWindow(name="w", units=4, kernel=3),),
        matrices=(CustomMatrix(name="m", num_heads=2, value_dim=3, key_dim=4),),
    )


def test_blocks_in_an_inner_list_run_side_by_side() -> None:
    layers = [[["attention", "mamba"], "mlp"], [["mlp"]]]
    assert build.description(DATA | {"layers": layers}).spans == (Span((BOTH, MLP)),)


def test_layers_that_run_several_times_stay_a_span_of_their_own() -> None:
    passed = {"repeat": 2, "pattern": [["mlp"]], "passes": 3}
    found = build.description(DATA | {"layers": [["mlp"], ["mlp"], passed, passed, ["mlp"]]})
    assert found.spans == (
        Span((MLP, MLP)),
        Span((MLP, MLP), 3),
        Span((MLP, MLP), 3),
        Span((MLP,)),
    )
    assert found.num_layers == 15


def test_a_repeat_shares_its_layers_instead_of_copying_them() -> None:
    found = build.description(DATA | {"layers": [{"repeat": 4096, "pattern": [["mlp"]]}]})
    assert len({id(layer) for layer in found.spans[0].layers}) == 1


SPANS = st.lists(
    st.builds(
        Span, st.lists(st.sampled_from([MLP, BOTH]), max_size=3).map(tuple), st.integers(1, 2)
    )
)


@given(SPANS)
def test_merging_keeps_the_layers_and_leaves_one_form(spans: list[Span]) -> None:
    found = build.merged(spans)
    assert [la for s in found for la in s.layers * s.passes] == [
        la for s in spans for la in s.layers * s.passes
    ]
    assert build.merged(found) == found
    assert not any(a.passes == b.passes == 1 for a, b in pairwise(found))
