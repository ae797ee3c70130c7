"""Models that see or hear: a language model in `text_config`, and towers counted apart.

The language model is read by its own family. It knows nothing about a particular wrapper.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity, family_of_type
from ferrum_cli.describe.huggingface._common import NO_DTYPE, dtype_of
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._quantization import quantization_hints

_TEXT_ALONE = "ForCausalLM"
"""Ending of classes that build the text of a wrapper's configuration alone."""

TOWER = ("num_hidden_layers", "hidden_size")
"""What SGLang 0.5.23 asks every tower for, although many name them otherwise."""

NO_TOWER = "weights of a vision or audio tower are not counted"


def wrapped(
    config: Fields,
    identity: Identity,
    default_type: str,
    *,
    tied: bool | None,
    text: Fields | None = None,
) -> Description:
    """The language model in `text` as its family reads it, with what stands around it.

    The text is `text_config` unless another is given, and `default_type` its model type where it
    names none. `tied` is the word of the class around it, which has a head of its own; None where
    the head, and so the word on it, is the text's.
    """
    text = text or config.child("text_config")
    model_type = text.text("model_type", default_type)
    family = family_of_type(model_type, text.path("model_type"))
    inner = dataclasses.replace(identity, model_type=model_type)
    found = around(config, text, family.describe(text, inner))
    if tied is None or identity.architecture.endswith(_TEXT_ALONE):
        return found
    return dataclasses.replace(found, tie_embeddings=tied)


def around(
    config: Fields, text: Fields, found: Description, tower: tuple[str, str] = TOWER
) -> Description:
    """`found`, which was read from `text`, with what stands in `config` around it.

    `tower` names the layers and the width of a vision tower.
    """
    dtype, notes = dtype_of(text, config)
    return dataclasses.replace(
        found,
        dtype=dtype,
        notes=(*notes, *(note for note in found.notes if note != NO_DTYPE)),
        hints=dataclasses.replace(
            found.hints,
            multimodal=True,
            **quantization_hints(config, text),
            **_vision_hints(config.optional_child("vision_config"), tower),
        ),
    )


def with_tower(
    found: Description, config: Fields, parameters: Callable[[Fields], int | None]
) -> Description:
    """`found` with the tower in `vision_config` counted, or a note where nothing describes it."""
    vision = config.optional_child("vision_config")
    return with_vision(found, None if vision is None else parameters(vision))


def with_vision(found: Description, parameters: int | None) -> Description:
    """`found` with its towers counted, or a note where nothing describes them."""
    if parameters is None:
        return dataclasses.replace(found, notes=(*found.notes, NO_TOWER))
    return dataclasses.replace(found, vision_parameters=parameters)


def _vision_hints(vision: Fields | None, tower: tuple[str, str]) -> dict[str, Any]:
    if vision is None:
        return {}
    layers, width = tower
    return {
        "vision_layers": vision.layers(layers, None, null=True),
        "vision_hidden_size": vision.size(width, None, null=True),
    }
