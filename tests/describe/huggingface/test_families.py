"""Every family there is: found by its model types, refused by name otherwise, round trips."""

from __future__ import annotations

import dataclasses
import importlib
import subprocess
import sys
from types import ModuleType

import pytest

from ferrum_cli.describe import huggingface
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.yaml_file.reader import parse_description
from ferrum_cli.describe.yaml_file.writer import to_yaml
from ferrum_cli.errors import DescriptionError, UnknownArchitecture
from ferrum_cli.expand import expand, parameters
from tests.describe.huggingface.measure import read


def family(name: str) -> ModuleType:
    return importlib.import_module(f"ferrum_cli.describe.huggingface.{name}")


TYPES = [
    (name, model_type, architecture)
    for name in huggingface.families()
    for model_type, classes in family(name).ARCHITECTURES.items()
    for architecture in classes
]

# They have no class with defaults, or one whose defaults cannot be built.
NEED_FIELDS = {
    "alice_ai",
    "jet_vlm",
    "nemotron_h_puzzle",
    "bailing_moe_linear",
    "jet_nemotron",
    "lfm2_moe",
    "minicpm_sala",
}


def by_default(model_type: str) -> Description:
    """A model by the defaults of its class, or of the text inside it."""
    try:
        return read(model_type=model_type)
    except DescriptionError:
        return read(model_type=model_type, text_config={})


@pytest.mark.parametrize(("name", "model_type", "architecture"), TYPES)
def test_a_model_type_has_one_family(name: str, model_type: str, architecture: str) -> None:
    owners = {owner for owner, kind, _ in TYPES if kind == model_type}
    assert owners == {name}
    assert architecture.isidentifier()


@pytest.mark.parametrize(
    "model_type", sorted({kind for name, kind, _ in TYPES if name not in NEED_FIELDS})
)
def test_class_defaults_make_a_model_that_survives_yaml(model_type: str) -> None:
    model = by_default(model_type)
    assert parameters(model).total > 0
    assert expand(model).layers
    again = parse_description(to_yaml(model).encode(), "x.yaml")
    assert again == dataclasses.replace(model, notes=())


@pytest.mark.parametrize("name", sorted(NEED_FIELDS))
def test_a_class_without_defaults_names_the_field_that_is_missing(name: str) -> None:
    with pytest.raises(DescriptionError, match=r"\w+: is missing"):
        read(model_type=name)


@pytest.mark.parametrize(("model_type", "architecture"), [row[1:] for row in TYPES])
def test_another_class_is_refused_by_name(model_type: str, architecture: str) -> None:
    unknown = f"{architecture}ButDifferent"
    with pytest.raises(UnknownArchitecture, match=f"'{unknown}' is not known to Ferrum"):
        read(model_type=model_type, architectures=[unknown])


@pytest.mark.parametrize(
    "model_type",
    ["gpt17", "", "deepseek_v4", "minimax_m9", "rwkv6", "llama ", "LLAMA", "__init__", "_kimi"],
)
def test_an_unknown_type_is_refused_by_name(model_type: str) -> None:
    with pytest.raises(UnknownArchitecture, match=f"'{model_type}' is not known to Ferrum"):
        read(model_type=model_type)


# Fields whose number becomes as many layers, each of which is an object.
@pytest.mark.parametrize(
    ("model_type", "field"),
    [
        ("llama", "num_hidden_layers"),
        ("qwen3_next", "num_nextn_predict_layers"),
        ("qwen3_5_text", "mtp_num_hidden_layers"),
        ("deepseek_v3", "num_nextn_predict_layers"),
        ("deepseek_v3", "num_mtp_layers"),
        ("inkling_text", "num_mtp_layers"),
        ("nemotron_h", "num_nextn_predict_layers"),
        ("xlstm", "num_blocks"),
    ],
)
def test_a_number_of_layers_is_bounded(model_type: str, field: str) -> None:
    with pytest.raises(DescriptionError, match=rf"{field}: expected [01] to 4096, found 1000000"):
        read(**{"model_type": model_type, field: 1_000_000})


def test_reading_a_model_imports_its_own_family_only() -> None:
    program = (
        "import sys; from ferrum_cli.describe import config_json;"
        "config_json.parse(b'{\"model_type\": \"falcon_mamba\"}', 'x');"
        "print(*(m for m in sys.modules if '.huggingface.' in m and '._' not in m))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert ended.stdout.split() == ["ferrum_cli.describe.huggingface.mamba"]


def test_every_hint_is_typed_and_names_the_engines_that_read_it() -> None:
    for field in dataclasses.fields(Hints):
        assert field.metadata["meaning"]
        assert field.metadata["engines"]
        assert str(field.type).endswith(" | None")


@pytest.mark.parametrize("name", huggingface.families())
def test_a_family_says_where_its_names_and_defaults_come_from(name: str) -> None:
    docstring = str(family(name).__doc__)
    known = ("transformers 5.24.0", "mlx-lm", "SGLang", "vLLM", "flash-linear-attention")
    assert any(source in docstring for source in known)
