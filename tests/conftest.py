"""Golden files: what users see, kept as text and regenerated only on purpose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

GOLDENS = Path(__file__).parent / "data" / "golden"

# Shared machines are slow at times: a deadline would test them, not the code.
settings.register_profile("ferrum", deadline=None)
settings.load_profile("ferrum")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write what is seen now")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare text with a file of tests/data/golden, or write it with --update-goldens."""

    def compare(name: str, text: str) -> None:
        path = GOLDENS / name
        if request.config.getoption("--update-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
