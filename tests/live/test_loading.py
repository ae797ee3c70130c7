"""Loading torch: said when it is missing, and interruptible."""

from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import threading
from types import ModuleType

import pytest

from ferrum_cli.errors import MissingExtra
from ferrum_cli.live.loading import load_torch


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install 'ferrum-cli\[live\]'"):
        load_torch()


def test_an_interrupt_while_it_loads_is_raised_once_it_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[str] = []

    def swallow(name: str) -> ModuleType:
        os.kill(os.getpid(), signal.SIGINT)
        loaded.append(name)
        return ModuleType(name)

    monkeypatch.setattr(importlib, "import_module", swallow)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        load_torch()
    assert loaded == ["torch"]
    assert signal.getsignal(signal.SIGINT) is before


def test_it_loads_in_other_threads_than_the_main_one() -> None:
    thread = threading.Thread(target=load_torch)
    thread.start()
    thread.join()
