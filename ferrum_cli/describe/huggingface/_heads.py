"""Models that score or embed instead of predicting words: what stands in place of the head.

They keep the embedding, so their description ties it: there is no second matrix of the
vocabulary. It knows nothing about a particular family.
"""

from __future__ import annotations

import dataclasses

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface._fields import Fields

_TWO_LABELS = 2
"""Labels of a configuration that names none (transformers 5.24.0, configuration_utils.py)."""


def headless(found: Description, parameters: int = 0) -> Description:
    """`found` without a head over the vocabulary, and `parameters` in its place."""
    return dataclasses.replace(
        found, tie_embeddings=True, other_parameters=found.other_parameters + parameters
    )


def scoring(config: Fields, found: Description) -> Description:
    """A row for each label: GenericForSequenceClassification, transformers 5.24.0."""
    return headless(found, labels(config) * found.hidden_size)


def labels(config: Fields) -> int:
    """As many as `id2label` names, or else `num_labels`."""
    if config.optional_child("id2label") is not None:
        return len(config.raw("id2label"))
    return int(config.size("num_labels", _TWO_LABELS))


def late_interaction(config: Fields, found: Description) -> Description:
    """A projection of every token: vLLM 0.33.0, model_executor/models/colbert.py.

    Where no field gives its width, it is a file of its own and not counted.
    """
    names = ("colbert_dim", "dim", "projection_dim")
    given = (config.size(name, None, null=True) for name in names)
    return headless(found, next((width for width in given if width), 0) * found.hidden_size)
