"""Bytes of a GGUF file's weights by where they belong: embedding, each layer, head, and by type.

Names of tensors are llama.cpp's (src/llama-arch.cpp of 0c1e57098). It knows nothing about devices.
"""

from __future__ import annotations

import re
from collections import Counter

from ferrum_cli.describe.gguf_file.splits import Whole
from ferrum_cli.describe.gguf_file.tensor_table import Tensor
from ferrum_cli.describe.stored_weights import StoredWeights

_LAYER = re.compile(r"blk\.(\d+)\.")
_EXPERTS = re.compile(r"\.ffn_(up|down|gate|gate_up)_(ch)?exps")
_EMBEDDINGS = ("token_embd", "per_layer_token_embd", "position_embd", "token_types")
"""What llama.cpp keeps beside the processor: tensors of the input layer."""


def stored_weights(whole: Whole, layers: int) -> StoredWeights:
    """The weights of a model of `layers` layers; what stands above them is a draft's."""
    if not whole.tensors:
        return StoredWeights(source="unknown: the file has no tensors", known=False)
    by_layer, experts = [0] * layers, [0] * layers
    embedding = head = draft = 0
    for tensor in whole.tensors:
        match = _LAYER.match(tensor.name)
        if match is None:
            if tensor.name.startswith(_EMBEDDINGS):
                embedding += tensor.size_bytes
            else:
                head += tensor.size_bytes
        elif int(match[1]) < layers:
            by_layer[int(match[1])] += tensor.size_bytes
            if _EXPERTS.search(tensor.name):
                experts[int(match[1])] += tensor.size_bytes
        else:
            draft += tensor.size_bytes
    return StoredWeights(
        source=f"tensor table: {_by_type(whole.tensors)}",
        embedding_bytes=embedding,
        layer_bytes=tuple(by_layer),
        expert_bytes=tuple(experts),
        head_bytes=head,
        draft_bytes=draft,
    )


def _by_type(tensors: tuple[Tensor, ...]) -> str:
    sizes: Counter[str] = Counter()
    for tensor in tensors:
        sizes[tensor.type_name] += tensor.size_bytes
    return ", ".join(f"{name} {size:,} B" for name, size in sizes.most_common())
