"""Tests of real memory need torch; without the extra `live` they are not collected."""

from __future__ import annotations

import importlib.util

collect_ignore_glob = ["*"] if importlib.util.find_spec("torch") is None else []
