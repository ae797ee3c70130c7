"""What a description file may hold (`ferrum.model/1`), as pydantic models.

It is imported only to validate text from outside and to make the JSON schema: a shipped description
is read without it. The kinds of block and the hints are mirrors of their dataclasses, so a new one
needs no line here. It knows nothing about YAML, places in a file or the wording of errors.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from pydantic import AfterValidator, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from ferrum_cli import blocks
from ferrum_cli.blocks import Size
from ferrum_cli.describe.description import Norm
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.yaml_file.strict_model import Strict, Text, model_of
from ferrum_cli.dtype import DType
from ferrum_cli.errors import InputError

MAX_LAYERS = 4096

# A default that no file can write: null is refused, and the key is left out.
_ABSENT: Any = None

MODEL_NAME = r"^[a-z0-9][a-z0-9.-]*$"
BLOCK_NAME = r"^[A-Za-z_][A-Za-z0-9_.-]*$"
PATTERNS = {
    MODEL_NAME: "lower case letters, digits, dots and dashes, and begin with a letter or digit",
    BLOCK_NAME: "letters, digits, underscores, dots and dashes, and begin with a letter",
}
"""The patterns of names in words."""


def _dtype(text: str) -> str:
    try:
        DType.parse(text)
    except InputError as error:
        said = {"message": error.message, "hint": error.hint}
        raise PydanticCustomError("ferrum", "{message}", said) from None
    return text


LAYER_TAGS = ("(name)", "(names)", "(layer)", "(repeat)")
"""What pydantic puts into locations to tell the forms of an entry and of a layer apart."""


def _one_or_beside(entry: Any) -> str:
    return "(names)" if isinstance(entry, list) else "(name)"


def _layer_or_repeat(item: Any) -> str:
    return "(repeat)" if isinstance(item, dict) else "(layer)"


_DTYPES = {"enum": [d.name for d in DType] + [d.torch_name for d in DType]}

DTypeName = Annotated[str, AfterValidator(_dtype), Field(json_schema_extra={**_DTYPES})]
ModelName = Annotated[str, Field(pattern=MODEL_NAME, max_length=128)]
BlockName = Annotated[str, Field(pattern=BLOCK_NAME, max_length=128)]
BlockNames = Annotated[list[BlockName], Field(min_length=1)]
Entry = Annotated[
    Annotated[BlockName, Tag("(name)")] | Annotated[BlockNames, Tag("(names)")],
    Discriminator(_one_or_beside),
]
# One error for each layer is enough; a hostile one can hold fifty thousand.
FileLayer = Annotated[list[Entry], Field(min_length=1, fail_fast=True)]
Times = Annotated[int, Field(ge=1, le=MAX_LAYERS)]
Elements = Annotated[int, Field(ge=0, le=2**63 - 1)]


class Repeat(Strict):
    """Layers that stand one after another several times."""

    repeat: Times = Field(1, description="How often the pattern stands in the model.")
    pattern: list[FileLayer] = Field(min_length=1, description="The layers to repeat.")


class Span(Repeat):
    """Layers that stand one after another several times, or run several times."""

    passes: Times = Field(
        1, description="How often all of them run: state for each pass, weights once."
    )


LayerItem = Annotated[
    Annotated[FileLayer, Tag("(layer)")] | Annotated[Span, Tag("(repeat)")],
    Discriminator(_layer_or_repeat),
]
DraftItem = Annotated[
    Annotated[FileLayer, Tag("(layer)")] | Annotated[Repeat, Tag("(repeat)")],
    Discriminator(_layer_or_repeat),
]


class Draft(Strict):
    """Layers that propose tokens (MTP, EAGLE); they count only with speculation."""

    method: Text = Field(description="How they propose, such as mtp or eagle.")
    layers: list[DraftItem] = Field(min_length=1, description="The draft's layers.")
    shares_embeddings: bool = Field(
        True, description="Whether the draft uses the model's embeddings."
    )


_BLOCKS = tuple(model_of(blocks.block_class(kind)) for kind in blocks.kinds())
_HINTS = model_of(Hints)

AnyBlock: Any = Annotated[Union[_BLOCKS], Discriminator("kind")]  # noqa: UP007 - found just now


class Model(Strict):
    """One language model with recurrent state, as data."""

    schema_: Literal["ferrum.model/1"] = Field(
        alias="schema", description="The format of this file."
    )
    name: ModelName = Field(description="The name to plan it by.")
    source: Text = Field(_ABSENT, description="Where it was read: a hub id, a comma, and the file.")
    architecture: Text = Field(
        _ABSENT, description="The Hugging Face class; engines' special cases hang on it."
    )
    dtype: DTypeName = Field(description="Element type of the weights.")
    hidden_size: Size = Field(description="Width of the model.")
    vocab_size: Size = Field(description="Rows of the embedding.")
    tie_embeddings: bool = Field(
        False, description="Whether the output uses the embedding's weights."
    )
    max_context: Size = Field(description="Tokens that the model was made for.")
    norm: Norm = Field("rms", description="The norm before each entry of a layer.")
    post_norm: bool = Field(False, description="A second norm after each entry.")
    final_norm: bool = Field(True, description="A norm after the last layer.")
    parameters: Literal["exact", "approximate"] = Field(
        "exact", description="Whether the parameters are exactly those of the language model."
    )
    other_parameters: Elements = Field(
        0, description="Weights outside the blocks, their norms and the embeddings."
    )
    vision_parameters: Elements = Field(0, description="Weights of a vision or audio tower.")
    blocks: dict[BlockName, AnyBlock] = Field(
        min_length=1,
        description="The blocks that layers are made of, by name.",
        json_schema_extra={"additionalProperties": False},
    )
    layers: list[LayerItem] = Field(
        min_length=1,
        description="The layers in order. A layer is a list of blocks that run one after another;"
        " an inner list holds blocks that run side by side behind one norm.",
    )
    draft: Draft = Field(_ABSENT, description="Layers that count only with speculation.")
    hints: _HINTS = Field(  # type: ignore[valid-type]  # a model made from a dataclass
        None, description="Facts of the checkpoint that engines decide by."
    )
