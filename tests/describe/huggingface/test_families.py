"""Which family reads a model: by its type, by its class, or none, which is refused by name."""

from __future__ import annotations

import dataclasses
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ferrum_cli.describe import huggingface
from ferrum_cli.describe.hints import Hints
from ferrum_cli.errors import DescriptionError, UnknownArchitecture
from tests.describe.huggingface.measure import read

ROOT = Path(__file__).parents[3]
CLASSES = [
    (model_type, architecture)
    for name in huggingface.families()
    for model_type, classes in importlib.import_module(
        f"ferrum_cli.describe.huggingface.{name}"
    ).ARCHITECTURES.items()
    for architecture in classes
]


@pytest.mark.parametrize(("model_type", "architecture"), CLASSES)
def test_another_class_is_refused_by_name(model_type: str, architecture: str) -> None:
    unknown = f"{architecture}ButDifferent"
    with pytest.raises(UnknownArchitecture, match=f"'{unknown}' is not known to Ferrum"):
        read(model_type=model_type, architectures=[unknown])


@pytest.mark.parametrize(
    "model_type",
    [
        "gpt17",
        "",
        "deepseek_v4",
        "minimax_m9",
        "rwkv6",
        "llama ",
        "LLAMA",
        "__init__",
        "_kimi",
    ],
)
def test_an_unknown_type_is_refused_by_name(model_type: str) -> None:
    with pytest.raises(UnknownArchitecture, match=f"'{model_type}' is not known to Ferrum"):
        read(model_type=model_type)


def test_a_type_that_is_no_text_of_unicode_is_refused_like_any_other() -> None:
    with pytest.raises(UnknownArchitecture, match=r"'.ud800' is not known to Ferrum"):
        read(model_type="\ud800")


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


# The family itself and those that it stands on, but none that only looks alike.
@pytest.mark.parametrize(
    ("config", "imported"),
    [
        ({"model_type": "falcon_mamba"}, "mamba"),
        ({"model_type": "zaya"}, "zaya"),
        ({"architectures": ["ZayaForCausalLM"]}, "zaya"),
        ({"model_type": "nemo_speechlm", "text_config": {}}, "nemotron_h nemotron_h_omni"),
        ({"model_type": "gpt17"}, ""),
        ({"architectures": ["GPT17ForCausalLM"]}, ""),
    ],
)
def test_reading_a_model_imports_its_own_family_only(config: dict[str, Any], imported: str) -> None:
    program = (
        "import contextlib, sys; from ferrum_cli.describe import config_json\n"
        "from ferrum_cli.errors import UnknownArchitecture\n"
        "with contextlib.suppress(UnknownArchitecture):"
        " config_json.parse(sys.argv[1].encode(), 'x')\n"
        "print(*sorted(m.rpartition('.')[2] for m in sys.modules"
        " if '.huggingface.' in m and '._' not in m))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, json.dumps(config)],
        capture_output=True,
        check=True,
        text=True,
    )
    assert ended.stdout.split() == imported.split()


def test_every_hint_is_typed_and_names_the_engines_that_read_it() -> None:
    for field in dataclasses.fields(Hints):
        assert field.metadata["meaning"]
        assert field.metadata["engines"]
        assert str(field.type).endswith(" | None")


def test_the_family_that_contributors_are_shown_is_the_one_that_is_here() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = guide.partition("## A new family of models")[2].partition("\n## ")[0]
    shown = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    files = ("ferrum_cli/describe/huggingface/phi3.py", "tests/describe/huggingface/test_phi3.py")
    for code, file in zip(shown, files, strict=True):
        assert code.strip() in (ROOT / file).read_text(encoding="utf-8"), file
    for name in re.findall(r"`(_[a-z]+\.py)`", section):
        assert (ROOT / "ferrum_cli/describe/huggingface" / name).is_file(), name
