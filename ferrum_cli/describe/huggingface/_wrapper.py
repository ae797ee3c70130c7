"""Models that see or hear: a language model in `text_config`, and towers counted apart.

The language model is read by its own family. It knows nothing about a particular wrapper.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, family_of_type
from ferrum_cli.describe.huggingface._common import NO_DTYPE, dtype_of
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._quantization import quantization_hints

NO_TOWER = "weights of a vision or audio tower are not counted"


def wrapped(config: Fields, identity: Identity, text: Fields, default_type: str) -> Description:
    """The language model in `text` as its family reads it, with what stands around it.

    `default_type` is its model type where none is given.
    """
    model_type = text.text("model_type", default_type)
    family = family_of_type(model_type, text.path("model_type"))
    inner = dataclasses.replace(identity, model_type=model_type)
    found: Description = family.describe(text, inner)
    return around(config, text, found)


def around(config: Fields, text: Fields, found: Description) -> Description:
    """`found`, which was read from `text`, with what stands in `config` around it."""
    dtype, notes = dtype_of(text, config)
    return dataclasses.replace(
        found,
        dtype=dtype,
        notes=(*notes, *(note for note in found.notes if note != NO_DTYPE)),
        tie_embeddings=_tied(config, text, found),
        hints=dataclasses.replace(
            found.hints,
            multimodal=True,
            **quantization_hints(config, text),
            **_vision_hints(config.optional_child("vision_config")),
        ),
    )


def with_vision(found: Description, parameters: int | None) -> Description:
    """`found` with its towers counted, or a note where nothing describes them."""
    if parameters is None:
        return dataclasses.replace(found, notes=(*found.notes, NO_TOWER))
    return dataclasses.replace(found, vision_parameters=parameters)


def _vision_hints(vision: Fields | None) -> dict[str, Any]:
    """The tower's sizes by the very names that SGLang 0.5.23 asks for."""
    if vision is None:
        return {}
    return {
        "vision_layers": vision.layers("num_hidden_layers", None, null=True),
        "vision_hidden_size": vision.size("hidden_size", None, null=True),
    }


def _tied(config: Fields, text: Fields, found: Description) -> bool:
    """The inner word counts, then the outer one, then the default of the inner class."""
    for fields in (text, config):
        for name in ("tie_word_embeddings", "tie_embedding"):
            if name in fields:
                return fields.flag(name)
    return found.tie_embeddings
