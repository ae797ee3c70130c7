"""Published figures of native, through the path that a user takes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.public_cases.cases import agrees, commands

CASES = commands("native")


@pytest.mark.parametrize("command", CASES.values(), ids=CASES)
def test_a_published_figure_is_given(command: dict[str, Any]) -> None:
    agrees(command)
