"""A GGUF file on its way to a description: its fields, its tensors, and which model it is of.

It knows nothing about a particular family.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ferrum_cli.blocks import LARGEST_SIZE, Block
from ferrum_cli.describe.description import Description, Draft, Layer, Span
from ferrum_cli.describe.gguf_file.fields import MAX_LAYERS, GgufFields
from ferrum_cli.describe.gguf_file.splits import Whole
from ferrum_cli.describe.gguf_file.stored import stored_weights
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.regular_file import shown_path
from ferrum_cli.dtype import DType

Entry = str | tuple[str, ...]
"""A block's name, or several that run side by side behind one norm."""

Entries = Sequence[Entry]
"""One layer."""

_NOT_OF_A_NAME = re.compile(r"[^a-z0-9.]+")
_LONGEST_NAME = 100
_FULL_PRECISION = {0: DType.FP32, 1: DType.FP16, 32: DType.BF16}
"""`general.file_type` of files that are not quantized (llama.h, llama_ftype)."""

_WRITTEN_CONTEXT = 2**20
"""What conversion/granite.py and nemotron.py write for hybrids."""

_BLAMED: Mapping[str, str] = {
    "attention": "attention.head_count_kv",
    "gated_delta_net": "ssm.group_count",
    "mamba2": "ssm.group_count",
    "mixture_of_experts": "expert_used_count",
    "rwkv7": "wkv.head_size",
}
"""The key to point at when the sizes of a kind of block contradict each other."""


@dataclass(frozen=True)
class GgufModel:
    """What a family needs to describe a model."""

    whole: Whole
    fields: GgufFields
    gguf_architecture: str

    @cached_property
    def hidden_size(self) -> int:
        """Width of the model."""
        return int(self.fields.size("embedding_length"))

    @cached_property
    def all_layers(self) -> int:
        """Layers of the file, those that propose tokens (NextN) among them."""
        count: int = self.fields.size("block_count")
        if count > MAX_LAYERS:
            self.fields.fail("block_count", f"{count:,} layers, the most is {MAX_LAYERS:,}")
        return count

    @cached_property
    def draft_layers(self) -> int:
        """Layers at the end that propose tokens."""
        count: int = self.fields.count("nextn_predict_layers", 0)
        if count >= self.all_layers:
            self.fields.fail("nextn_predict_layers", f"{count} of {self.all_layers} layers")
        return count

    @property
    def layers(self) -> int:
        """Layers of the model itself, which llama.cpp calls the trunk."""
        return self.all_layers - self.draft_layers

    @cached_property
    def vocab_size(self) -> int:
        """`vocab_size`, or as many as the vocabulary has tokens."""
        stated: int | None = self.fields.size("vocab_size", None)
        found = stated or self.fields.length("tokenizer.ggml.tokens")
        if not found:
            self.fields.fail("vocab_size", "is missing, and the file has no vocabulary")
        return found

    @property
    def context_notes(self) -> tuple[str, ...]:
        """What is to be said of a context length that is no model's own."""
        if self.fields.size("context_length") != _WRITTEN_CONTEXT:
            return ()
        return (
            "the converter wrote a context of 1,048,576; the model's own limit is not in the file",
        )

    def has_tensor(self, name: str, default: bool = False) -> bool:
        """Whether the file has a tensor; the default where it has none at all."""
        return name in self._tensor_names if self.whole.tensors else default

    @cached_property
    def _tensor_names(self) -> frozenset[str]:
        return frozenset(tensor.name for tensor in self.whole.tensors)

    def describe(
        self,
        architecture: str,
        *,
        blocks: Mapping[str, Block],
        layers: Iterable[Entries],
        drafts: Iterable[Entries] = (),
        hints: Hints | None = None,
        notes: tuple[str, ...] = (),
        tied: bool = False,
        **others: Any,
    ) -> Description:
        """The description. `blocks` may hold more than the layers use.

        `tied` is whether embeddings are tied where the file has no tensors to tell. Raises
        DescriptionError where the sizes of a block contradict each other.
        """
        spans = (Span(tuple(_layer(entries) for entries in layers)),)
        draft_layers = tuple(_layer(entries) for entries in drafts)
        used = self._used((*spans[0].layers, *draft_layers), blocks)
        dtype, assumed = self._dtype()
        return Description(
            name=self._name(),
            source=shown_path(self.whole.path),
            architecture=architecture,
            dtype=dtype,
            hidden_size=self.hidden_size,
            vocab_size=self.vocab_size,
            max_context=self.fields.size("context_length"),
            tie_embeddings=not self.has_tensor("output.weight", default=not tied),
            blocks=used,
            spans=spans,
            parameters="approximate",
            draft=Draft("mtp", draft_layers) if draft_layers else None,
            hints=dataclasses.replace(hints or Hints(), gguf_architecture=self.gguf_architecture),
            notes=(*assumed, *notes),
            stored_weights=stored_weights(self.whole, self.layers),
            **others,
        )

    def _used(self, layers: Sequence[Layer], blocks: Mapping[str, Block]) -> dict[str, Block]:
        names = {name for layer in layers for name in layer.names}
        for name in sorted(names - blocks.keys()):
            kind = name.partition("_")[0]
            self.fields.fail(_BLAMED.get(kind, "block_count"), f"a layer has no {kind} to run")
        used = {name: block for name, block in blocks.items() if name in names}
        for block in used.values():
            problem = _too_large(block) or block.check(self.hidden_size)
            if problem is not None:
                self.fields.fail(_BLAMED.get(block.kind, "embedding_length"), problem)
        return used

    def _dtype(self) -> tuple[DType, tuple[str, ...]]:
        """The dtype of a file that is not quantized; else bfloat16, with a note."""
        file_type = self.fields.count("general.file_type", None)
        if file_type in _FULL_PRECISION:
            return _FULL_PRECISION[file_type], ()
        return DType.BF16, ("the file does not say the model's own dtype; bfloat16 is assumed",)

    def _name(self) -> str:
        name = _NOT_OF_A_NAME.sub("-", self.whole.stem.lower()).strip("-.")
        return name[:_LONGEST_NAME] or "model"


def _layer(entries: Entries) -> Layer:
    return Layer(tuple(entry if isinstance(entry, tuple) else (entry,) for entry in entries))


def _too_large(block: Block) -> str | None:
    """A size that was computed from fields, each of which alone is possible."""
    for field in dataclasses.fields(block):
        value = getattr(block, field.name)
        if isinstance(value, int) and value > LARGEST_SIZE:
            return f"{field.name} of {block.kind} would be {value}, the most is {LARGEST_SIZE}"
    return None
