"""Makes strict pydantic models, among them mirrors of the frozen dataclasses of blocks and hints.

It knows nothing about particular blocks, nor about the wording of errors.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, create_model, model_validator

from ferrum_cli.describe.yaml_file.attribute_docs import attribute_docs

MAX_PARTS = 256
"""The longest list inside one block."""

Text = Annotated[str, Field(min_length=1, max_length=4096)]


class Strict(BaseModel):
    """A mapping whose keys are all known and whose values have exactly the right type."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _note_known_keys(cls, data: Any, info: ValidationInfo) -> Any:
        """Tell whoever words the errors which keys this mapping may hold, by its identity."""
        if info.context is not None:
            known = (field.alias or name for name, field in cls.model_fields.items())
            info.context[id(data)] = tuple(known)
        return data


def model_of(cls: Any) -> type[Strict]:
    """A model with the fields of a dataclass, and with its `kind` where it has one."""
    hints = typing.get_type_hints(cls, include_extras=True)
    fields: dict[str, Any] = {}
    if typing.get_origin(hints.get("kind")) is ClassVar:
        fields["kind"] = (Literal[cls.kind], ...)
    for field in dataclasses.fields(cls):
        fields[field.name] = (_from_outside(hints[field.name]), _default(field))
    made: type[Strict] = create_model(
        cls.__name__,
        __base__=Strict,
        __doc__=cls.__doc__,
        # A function, because looking into the sources takes long and only the schema needs it.
        __cls_kwargs__={"json_schema_extra": partial(_describe, cls)},
        **fields,
    )
    return made


def _describe(cls: Any, schema: dict[str, Any]) -> None:
    """Describe every key: by its field's metadata, or the docstring under it, or its name."""
    docs = attribute_docs(cls) | {
        field.name: field.metadata["meaning"]
        for field in dataclasses.fields(cls)
        if "meaning" in field.metadata
    }
    for name, key in schema["properties"].items():
        key["description"] = docs.get(name) or name.replace("_", " ").capitalize() + "."


def _default(field: dataclasses.Field[Any]) -> Any:
    return ... if field.default is dataclasses.MISSING else field.default


def _from_outside(annotation: Any) -> Any:
    """What a file holds for a field of this type: lists for tuples, mappings for dataclasses.

    `None` in a type means that the key may be absent; nobody writes null, so it leaves the type.
    """
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin in (Union, types.UnionType) and len(arguments) == 2 and arguments[1] is type(None):  # noqa: PLR2004
        return _from_outside(arguments[0])
    if origin is tuple and arguments[1:] == (...,):
        return Annotated[list[_from_outside(arguments[0])], Field(max_length=MAX_PARTS)]  # type: ignore[misc]
    if origin in (Annotated, Literal) or annotation in (int, bool, float):
        return annotation
    if annotation is str:
        return Text
    if dataclasses.is_dataclass(annotation):
        return model_of(annotation)
    raise TypeError(f"a description cannot hold a field of type {annotation}")
