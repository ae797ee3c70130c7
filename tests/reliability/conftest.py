"""Tests of real memory need torch; without the extra `live` they are not collected."""

from __future__ import annotations

import importlib.util

collect_ignore_glob = ["*"] if importlib.util.find_spec("torch") is None else []

if not collect_ignore_glob:
    import torch

    # With two threads on two busy cores, each small operation waits for a thread that is not run.
    torch.set_num_threads(1)
