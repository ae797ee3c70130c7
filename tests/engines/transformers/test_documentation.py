"""The page of the engine says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from ferrum_cli.engines.transformers import OPTIONS, advice, refusals

PAGE = (Path(__file__).parents[3] / "docs" / "engines" / "transformers.md").read_text("utf-8")
CODE = re.compile(r'^ +"([a-z]+(?:-[a-z]+)+)",$', re.MULTILINE)


def test_every_code_is_explained_and_every_explained_code_exists() -> None:
    sources = [Path(module.__file__ or "").read_text("utf-8") for module in (advice, refusals)]
    used = {code for source in sources for code in CODE.findall(source)}
    explained = set(re.findall(r"^\| `([a-z]+(?:-[a-z]+)+)` \|", PAGE, re.MULTILINE))
    assert len(used) > 10
    assert used == explained


def test_every_option_is_explained() -> None:
    assert all(f"| `{option.name}` |" in PAGE for option in OPTIONS)
