"""JEV: a decision head on a language model, mostly a Qwen3.5.

Class defaults are those of transformers 5.24.0, models/jev/configuration_jev.py. It knows nothing
about engines.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import wrapped

ARCHITECTURES = {"jev": ("JevForDecision",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read the language model that a JEV decides with; it has no head over the vocabulary.

    The head that it has scores a few options, each by one row and a bias.
    """
    found = wrapped(config, identity, "qwen3_5_text", tied=True)
    hidden = config.size("hidden_size", 4096)
    if hidden != found.hidden_size:
        config.fail("hidden_size", f"{hidden} is not that of the text, {found.hidden_size}")
    return dataclasses.replace(
        found,
        hints=dataclasses.replace(found.hints, multimodal=None),
        other_parameters=found.other_parameters + config.size("num_verbalizers", 24) * (hidden + 1),
    )
