"""What the tests of families measure: totals of a configuration that is given as fields."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from ferrum_cli.blocks import Context, KeyValue, Matrix, Part, Vector, Window
from ferrum_cli.describe import config_json
from ferrum_cli.describe.description import Description
from ferrum_cli.expand import Expanded, expand
from ferrum_cli.expand import parameters as parameters_of

CONFIGS = Path(__file__).parents[2] / "data" / "configs"


def read(**fields: Any) -> Description:
    """The description of a configuration with these fields."""
    return config_json.parse(json.dumps(fields).encode(), "config.json")


def published(name: str) -> Description:
    """The description of a configuration in tests/data/configs."""
    return config_json.read(CONFIGS / f"{name}.json")


def total(model: Description) -> int:
    """Parameters of the language model."""
    return parameters_of(model).total


def elements(part: Part) -> int:
    """Elements of a part, its window one row shorter than the kernel."""
    match part:
        case Window():
            return part.history * sum(axis.size for axis in part.channels)
        case Matrix():
            return part.heads.size * part.value_dim * part.key_dim
        case Vector():
            return part.axis.size
        case Context():
            return part.length


def state(model: Description) -> dict[int, tuple[int, ...]]:
    """Elements of the parts of every layer that keeps recurrent state."""
    layers = expand(model).state_layers
    return {layer.index: tuple(elements(part) for _, part in layer.state) for layer in layers}


def bytes_per_slot(model: Description) -> int:
    """State of one slot: convolutions in the dtype of the model, the rest FP32."""
    parts = [part for layer in expand(model).layers for _, part in layer.state]
    widths = {"recurrent": 4, "context": 8}
    default = model.dtype.size_bytes
    return sum(elements(part) * widths.get(part.role.value, default) for part in parts)


def kv_per_token(model: Description) -> int:
    """Elements that one token adds, over the layers that grow without limit."""
    return sum(
        cache.elements_per_token
        for cache in _caches(expand(model))
        if not (isinstance(cache, KeyValue) and cache.window)
    )


def kv_bytes_per_token(model: Description) -> int:
    """The same in bytes of the model's dtype."""
    return kv_per_token(model) * model.dtype.size_bytes


def windows(model: Description) -> list[int]:
    """The windows of the layers that keep only the last tokens."""
    caches = _caches(expand(model))
    return [c.window for c in caches if isinstance(c, KeyValue) and c.window is not None]


def mixers(model: Description) -> str:
    """The first block of every layer by its first letter, in one word."""
    return "".join(next(layer.names)[0] for layer in model.layers)


def product(*numbers: int) -> int:
    """The product of dimensions, as the engines print them."""
    return math.prod(numbers)


def _caches(model: Expanded) -> list[Any]:
    return [cache for layer in model.layers for _, cache in layer.caches]
