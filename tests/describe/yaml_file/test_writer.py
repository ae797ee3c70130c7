"""Descriptions written as YAML read back as they were."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from ferrum_cli.describe import shipped
from ferrum_cli.describe.description import Description, Draft, Layer, Span
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.yaml_file import build, guard
from ferrum_cli.describe.yaml_file.reader import parse_description, read_shipped
from ferrum_cli.describe.yaml_file.writer import WIDTH, to_yaml
from tests.describe.small import SMALL
from tests.describe.strategies import descriptions
from tests.models import described

MIXER = Layer((("attention",),))
MLP = Layer((("mlp",),))
BOTH = Layer((("attention", "mlp"),))


def written(**changes: Any) -> dict[str, str]:
    """The lines of a written description by their first key."""
    lines = to_yaml(described(**changes)).splitlines()
    return {line.partition(":")[0].strip(): line.partition(": ")[2] for line in lines}


def layer_lines(*spans: Span) -> list[str]:
    text = to_yaml(described(spans=spans))
    return text.partition("layers:\n")[2].splitlines()


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(descriptions())
def test_what_is_written_reads_back_as_the_same_description(description: Description) -> None:
    text = to_yaml(description)
    assert build.description(guard.parse(text.encode(), "x.yaml").data) == description
    if all(block.check(description.hidden_size) is None for block in description.blocks.values()):
        assert parse_description(text.encode(), "x.yaml") == description


def test_a_file_in_the_house_style_is_written_as_it_was() -> None:
    assert to_yaml(parse_description(SMALL.encode(), "x.yaml")) == SMALL


def test_a_shipped_file_is_written_as_it_was_but_for_comments_and_defaults() -> None:
    file = shipped.path("qwen3-next-80b-a3b")
    lines = (line.partition(" #")[0].rstrip() for line in file.read_text().splitlines())
    kept = [line for line in lines if line and line != "tie_embeddings: false"]
    assert to_yaml(read_shipped(file)).splitlines() == kept


def test_notes_of_the_reader_are_not_written() -> None:
    assert to_yaml(described(notes=("assumed",))) == to_yaml(described())


def test_defaults_are_left_out_and_the_rest_comes_in_the_order_of_the_format() -> None:
    changed = {
        "source": "a/b, config.json",
        "architecture": "AForCausalLM",
        "tie_embeddings": True,
        "norm": "layer",
        "post_norm": True,
        "final_norm": False,
        "parameters": "approximate",
        "other_parameters": 1,
        "vision_parameters": 2,
        "draft": Draft("mtp", (MLP, MLP), shares_embeddings=False),
        "hints": Hints(chunk_size=256),
    }
    assert list(written()) == [
        *("schema", "name", "dtype", "hidden_size", "vocab_size", "max_context"),
        *("blocks", "attention", "mlp", "layers", "- {repeat"),
    ]
    assert list(written(**changed)) == [
        *("schema", "name", "source", "architecture", "dtype", "hidden_size", "vocab_size"),
        *("tie_embeddings", "max_context", "norm", "post_norm", "final_norm", "parameters"),
        *("other_parameters", "vision_parameters", "blocks", "attention", "mlp", "layers"),
        *("- {repeat", "draft", "hints"),
    ]
    assert written(**changed)["draft"] == (
        "{method: mtp, layers: [{repeat: 2, pattern: [[mlp]]}], shares_embeddings: false}"
    )


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ((MLP,), ["  - [mlp]"]),
        ((BOTH, MLP), ["  - [[attention, mlp]]", "  - [mlp]"]),
        ((MLP,) * 3, ["  - {repeat: 3, pattern: [[mlp]]}"]),
        (
            (MLP, *(MIXER, MIXER, BOTH) * 2),
            [
                "  - [mlp]",
                "  - {repeat: 2, pattern: [[attention], [attention], [[attention, mlp]]]}",
            ],
        ),
    ],
)
def test_layers_are_written_as_runs(layers: tuple[Layer, ...], expected: list[str]) -> None:
    assert layer_lines(Span(layers)) == expected


def test_layers_that_run_several_times_are_one_item() -> None:
    assert layer_lines(Span((MIXER, MLP), 6), Span((MLP,) * 4, 2)) == [
        "  - {pattern: [[attention], [mlp]], passes: 6}",
        "  - {repeat: 4, pattern: [[mlp]], passes: 2}",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Qwen/Qwen3-Next-80B, config.json", "Qwen/Qwen3-Next-80B, config.json"),
        ("two words (more)", "two words (more)"),
        ("7b", "7b"),
        ("7", '"7"'),
        ("1e5", '"1e5"'),
        ("0x10", '"0x10"'),
        ("2026-01-01", '"2026-01-01"'),
        ("No", '"No"'),
        ("null", '"null"'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("- a", '"- a"'),
        ("a ", '"a "'),
        ("[red]", '"[red]"'),
        ('say "x"\\', r'"say \"x\"\\"'),
    ],
)
def test_text_is_put_in_quotes_only_where_yaml_needs_it(text: str, expected: str) -> None:
    assert written(source=text)["source"] == expected


def test_a_comma_is_put_in_quotes_inside_brackets() -> None:
    assert written(hints=Hints(kv_cache_dtype="a, b"))["hints"] == '{kv_cache_dtype: "a, b"}'


def test_long_lines_are_wrapped_between_layers_and_under_their_first_item() -> None:
    row = (MIXER, *(BOTH,) * 6, MIXER, MLP, MIXER)
    assert layer_lines(Span(row, 2)) == [
        "  - {pattern: [[attention], " + "[[attention, mlp]], " * 6 + "[attention],",
        "     [mlp], [attention]], passes: 2}",
    ]


def test_a_line_of_the_full_width_is_not_wrapped() -> None:
    fits = "x" * (WIDTH - len("hints: {quantization_method: awq, quantization_format: }"))
    hints = Hints(quantization_method="awq", quantization_format=fits)
    assert to_yaml(described(hints=hints)).splitlines()[-1].endswith(f": {fits}}}")
    longer = Hints(quantization_method="awq", quantization_format=fits + "x")
    assert to_yaml(described(hints=longer)).splitlines()[-2:] == [
        "hints: {quantization_method: awq,",
        f"        quantization_format: {fits}x}}",
    ]
