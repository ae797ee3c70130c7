"""What the file format allows and refuses; most refusals are in tests/bad_input."""

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ferrum_cli import blocks
from ferrum_cli.blocks import LARGEST_SIZE
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.yaml_file.format import MAX_LAYERS, Model
from ferrum_cli.describe.yaml_file.reader import parse_description
from ferrum_cli.describe.yaml_file.strict_model import model_of
from ferrum_cli.errors import DescriptionError, FerrumError
from tests.describe.small import SMALL, small_with


def read(text: str) -> Description:
    return parse_description(text.encode(), "x.yaml")


def refusal(text: str) -> str:
    with pytest.raises(DescriptionError) as caught:
        read(text)
    return str(caught.value)


@pytest.mark.parametrize("kind", blocks.kinds())
def test_every_kind_of_block_is_found_and_has_its_own_keys(kind: str) -> None:
    cls = blocks.block_class(kind)
    model = model_of(cls)
    assert set(model.model_fields) == {"kind", *(f.name for f in dataclasses.fields(cls))}
    text = small_with("{kind: short_conv, conv_kernel: 4}", f"{{kind: {kind}, no_such_key: 1}}")
    assert "unknown kind" not in refusal(text)


def test_every_key_of_a_description_is_one_of_the_file() -> None:
    in_file = {field.alias or name for name, field in Model.model_fields.items()}
    in_memory = {field.name for field in dataclasses.fields(Description)}
    assert in_file - in_memory == {"schema", "layers"}
    assert in_memory - in_file == {"spans", "notes", "stored_weights"}


@pytest.mark.parametrize("hint", [f.name for f in dataclasses.fields(Hints)])
def test_every_hint_may_stand_in_a_file(hint: str) -> None:
    # None of them is a mapping, so a mapping is refused for its type and not as unknown.
    said = refusal(small_with("layers:", f"hints: {{{hint}: {{}}}}\nlayers:"))
    assert f"hints.{hint} is a mapping, not" in said


@pytest.mark.parametrize("dtype", ["BF16", "bf16", "bfloat16", "torch.float16", "FP8", "half"])
def test_a_dtype_may_be_spelt_as_people_do(dtype: str) -> None:
    assert read(small_with("BF16", dtype)).dtype.size_bytes in (1, 2)


@pytest.mark.parametrize("size", [1, LARGEST_SIZE])
def test_sizes_are_read_at_their_limits(size: int) -> None:
    assert read(small_with("hidden_size: 64", f"hidden_size: {size}")).hidden_size == size


@pytest.mark.parametrize(
    ("number", "instead"),
    [
        ("64.0", "write 64"),
        ("'64'", "write 64, without quotes"),
        ("0x40", "write 64"),
        ("0b11", "write 3"),
        ("0o17", "write 15"),
        ("064", "write 64"),
        ("1_024", "write 1024"),
        ("128k", "write 131072"),
        ("sixty", "write a whole number in decimal digits"),
        ("6.5", "write a whole number in decimal digits"),
        ("1e308", "write a whole number in decimal digits"),
        ("true", "write a whole number in decimal digits"),
    ],
)
def test_a_number_of_another_form_is_told_how_to_write_it(number: str, instead: str) -> None:
    said = refusal(small_with("hidden_size: 64", f"hidden_size: {number}"))
    assert said.startswith("x.yaml:4:14: hidden_size is ")
    assert said.endswith(f", not a whole number; {instead}")


def test_the_first_problem_in_the_file_is_told_and_the_others_counted() -> None:
    text = small_with("{kind: feed_forward,", "{kind: feed_foward,")
    text = text.replace("conv_kernel: 4", "conv_kernel: 0").replace("max_context: 1024\n", "")
    text = text.replace("name: small", "name: small\nnorm: 3")
    assert refusal(text) == "x.yaml:1:1: missing key 'max_context' (and 3 more); add it"


def test_a_misspelt_key_is_not_also_told_to_be_missing() -> None:
    said = refusal(small_with("vocab_size", "vocabsize"))
    assert said == "x.yaml:5:1: unknown key 'vocabsize'; did you mean 'vocab_size'?"


@pytest.mark.parametrize("key", ["(name)", "(layer)", "(repeat)", "[key]", "kind ", "layers.0"])
@pytest.mark.parametrize(
    ("before", "after"),
    [("", ": 1\n"), ("hints: {", ": 1}\n"), ("draft: {method: m, layers: [{", ": 1}]}\n")],
)
def test_keys_that_look_like_pydantics_own_words_keep_their_place(
    key: str, before: str, after: str
) -> None:
    said = refusal(small_with("blocks:", f'{before}"{key}"{after}blocks:'))
    assert f"x.yaml:7:{len(before) + 1}: unknown key {key!r}" in said or "missing key" in said


@pytest.mark.parametrize("key", ["(name)", "custom", "contexts"])
def test_unknown_keys_deep_in_a_block_keep_their_place(key: str) -> None:
    block = f'{{kind: custom, contexts: [{{name: a, length: 1, "{key}": 1}}]}}'
    said = refusal(small_with("{kind: short_conv, conv_kernel: 4}", block))
    assert said.startswith(f"x.yaml:8:57: unknown key {key!r}; ")


@pytest.mark.parametrize(
    "layers",
    [
        "  - {repeat: 4096, pattern: [[mixer, mlp]]}\n",
        "  - {repeat: 64, passes: 64, pattern: [[mixer, mlp]]}\n",
        "  - {repeat: 2048, pattern: [[mixer, mlp], [mlp]]}\n",
        "  - {repeat: 4096, pattern: [[" + "mlp, " * 15 + "mixer]]}\n",
    ],
)
def test_models_at_the_limits_are_read(layers: str) -> None:
    assert read(small_with(layers=layers)).num_layers == MAX_LAYERS


@pytest.mark.parametrize(
    ("layers", "place", "words"),
    [
        ("  - {repeat: 4096, pattern: [[mixer, mlp]]}\n  - [mlp]\n", "12:5", "4,097 layers"),
        (
            "  - {repeat: 64, passes: 65, pattern: [[mixer, mlp]]}\n",
            "11:40",
            "4,160 layers",
        ),
        (
            "  - {repeat: 4096, pattern: [[" + "mlp, " * 16 + "mixer]]}\n",
            "11:30",
            "69,632 blocks in all layers",
        ),
    ],
)
def test_models_beyond_the_limits_are_refused_before_they_are_built(
    layers: str, place: str, words: str
) -> None:
    assert refusal(small_with(layers=layers)).startswith(f"x.yaml:{place}: {words} up to here")


def test_layers_of_a_draft_count_towards_the_limit() -> None:
    draft = "draft: {method: mtp, layers: [{repeat: 4096, pattern: [[mlp]]}]}\nlayers:"
    assert "4,097 layers up to here" in refusal(small_with("layers:", draft))


def test_a_block_that_only_the_draft_uses_is_used() -> None:
    text = small_with("layers:", "draft: {method: mtp, layers: [[mixer]]}\nlayers:")
    assert read(text.replace("[mixer, mlp]", "[mlp]")).draft is not None


def test_a_block_may_stand_twice_in_a_layer_but_not_side_by_side() -> None:
    assert read(small_with(layers="  - [mixer, mlp, mlp]\n")).num_layers == 1
    assert "'mlp' stands twice side by side" in refusal(
        small_with(layers="  - [mixer, [mlp, mixer, mlp]]\n")
    )


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["mixer", "mlp", "BF16", "kind", "custom", "attention", "none", "8k", ""]),
)
KEYS = st.sampled_from(
    ["kind", "repeat", "pattern", "passes", "method", "layers", "windows", "name", "shared", "x"]
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)


def routes(data: Any, route: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value in plain data but the top."""
    pairs = enumerate(data) if isinstance(data, list) else data.items()
    found = []
    for step, value in pairs:
        found.append((*route, step))
        if isinstance(value, list | dict):
            found += routes(value, (*route, step))
    return found


def small_tree() -> dict[str, Any]:
    return {
        "schema": "ferrum.model/1",
        "name": "small",
        "dtype": "BF16",
        "hidden_size": 64,
        "vocab_size": 128,
        "max_context": 1024,
        "blocks": {
            "mixer": {"kind": "custom", "windows": [{"name": "w", "units": 4, "kernel": 4}]},
            "mlp": {"kind": "feed_forward", "intermediate_size": 256},
        },
        "layers": [["mixer", ["mlp"]], {"repeat": 2, "pattern": [["mixer", "mlp"]], "passes": 2}],
        "draft": {"method": "mtp", "layers": [{"repeat": 2, "pattern": [["mlp"]]}]},
        "hints": {"chunk_size": 256},
    }


def test_the_tree_that_is_changed_below_is_good() -> None:
    assert read(as_yaml(small_tree())).num_layers == 5


def as_yaml(tree: Any) -> str:
    """Plain data as flow YAML. JSON would escape some characters in a way of its own."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{as_yaml(k)}: {as_yaml(v)}" for k, v in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(as_yaml, tree)) + "]"
    if isinstance(tree, str):
        return '"' + tree.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return json.dumps(tree)


def change(data: st.DataObject, tree: dict[str, Any]) -> None:
    """Replace, remove or add one value anywhere."""
    *inside, last = data.draw(st.sampled_from(routes(tree)))
    node: Any = tree
    for step in inside:
        node = node[step]
    how = data.draw(st.sampled_from(["replace", "remove", "add"]))
    if how == "remove":
        del node[last]
    elif how == "add" and isinstance(node, dict):
        node[data.draw(KEYS)] = data.draw(TREES)
    else:
        node[last] = data.draw(TREES)


def outcome(text: str) -> Description | FerrumError:
    """What comes of it; any other exception fails the test."""
    try:
        return read(text)
    except FerrumError as error:
        return error


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_changed_description_is_read_or_refused_with_a_place(data: st.DataObject) -> None:
    tree = small_tree()
    for _ in range(data.draw(st.integers(1, 3))):
        change(data, tree)
    found = outcome(as_yaml(tree))
    if isinstance(found, FerrumError):
        assert str(found).startswith("x.yaml:1:")
        assert found.hint
        assert len(str(found)) < 400


def test_the_small_file_is_read_whole() -> None:
    assert read(SMALL).num_layers == 1
