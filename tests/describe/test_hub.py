"""A repository's configuration from the hub, or one clear reason why not."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ferrum_cli.describe.hub import read_hub
from ferrum_cli.errors import EnvironmentFailure, MissingExtra

CONFIG = Path(__file__).parents[1] / "data" / "configs" / "Qwen__Qwen3.5-27B.json"


class Library(ModuleType):
    """Stands in for huggingface_hub; it remembers what was asked."""

    def __init__(self, answer: Path | Exception) -> None:
        super().__init__("huggingface_hub")
        self.answer = answer
        self.asked: list[Any] = []

    def hf_hub_download(self, *asked: str) -> str:
        self.asked.append(asked)
        if isinstance(self.answer, Exception):
            raise self.answer
        return str(self.answer)


def installed(monkeypatch: pytest.MonkeyPatch, answer: Path | Exception) -> Library:
    library = Library(answer)
    monkeypatch.setitem(sys.modules, "huggingface_hub", library)
    return library


@pytest.mark.parametrize("hub_id", ["Qwen/Qwen3.5-27B", "Qwen/Qwen3.5-27B:Q4_K_M"])
def test_only_the_configuration_is_fetched(monkeypatch: pytest.MonkeyPatch, hub_id: str) -> None:
    library = installed(monkeypatch, CONFIG)
    model = read_hub(hub_id)
    assert library.asked == [("Qwen/Qwen3.5-27B", "config.json")]
    assert model.hidden_size == 5120
    assert model.source == hub_id


@pytest.mark.parametrize("error", [OSError("no route\nto host"), ValueError(""), RuntimeError("x")])
def test_whatever_the_library_raises_is_one_message(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    installed(monkeypatch, error)
    with pytest.raises(EnvironmentFailure) as caught:
        read_hub("owner/name")
    assert str(caught.value).startswith("owner/name: cannot fetch config.json: ")
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 4


def test_without_the_extra_the_install_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"pip install 'ferrum-cli\[hub\]'"):
        read_hub("owner/name")
