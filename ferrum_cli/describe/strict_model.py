"""Makes strict pydantic models, among them mirrors of the frozen dataclasses of blocks and hints.

It knows nothing about particular blocks, nor about the wording of errors.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Annotated, Any, ClassVar, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, create_model, model_validator

from ferrum_cli.describe.attribute_docs import attribute_docs

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
    """A model with the fields of a dataclass, and with its `kind` where it has one.

    A field's description is its metadata's meaning, or the docstring under it, or its name.
    """
    hints = typing.get_type_hints(cls, include_extras=True)
    docs = attribute_docs(cls)
    fields: dict[str, Any] = {}
    if typing.get_origin(hints.get("kind")) is ClassVar:
        fields["kind"] = (Literal[cls.kind], Field(description="The kind of block."))
    for field in dataclasses.fields(cls):
        words = field.metadata.get("meaning") or docs.get(field.name) or _spoken(field.name)
        told = Field(_default(field), description=words)
        fields[field.name] = (_from_outside(hints[field.name]), told)
    made: type[Strict] = create_model(cls.__name__, __base__=Strict, __doc__=cls.__doc__, **fields)
    return made


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


def _spoken(name: str) -> str:
    return name.replace("_", " ").capitalize() + "."
