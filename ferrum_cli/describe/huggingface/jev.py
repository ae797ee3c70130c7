"""JEV: a decision head on a language model, mostly a Qwen3.5.

transformers 5.24.0, models/jev/configuration_jev.py; the head, which scores a few options, is not
counted. It knows nothing about engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import wrapped

ARCHITECTURES = {"jev": ("JevForDecision",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read the language model that a JEV decides with."""
    found = wrapped(config, identity, config.child("text_config"), "qwen3_5_text")
    hints = dataclasses.replace(found.hints, multimodal=None)
    return dataclasses.replace(found, hints=hints)
