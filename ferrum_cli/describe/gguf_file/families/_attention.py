"""Attention as GGUF keys spell it: head counts for the model or for each layer, widths, windows.

Widths follow llama.cpp 0c1e57098, src/llama-model.cpp (load_hparams): an equal share of the width
where no length is given, by the heads of the first layer. It knows nothing about a family.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.describe.gguf_file.model import GgufModel


@dataclass(frozen=True, slots=True)
class Attentions:
    """The attentions of a model and which one each layer has; None where it has none."""

    blocks: dict[str, Block]
    names: tuple[str | None, ...]


def attentions(model: GgufModel, **options: Any) -> Attentions:
    """One block for each number of key-value heads, by `attention.head_count_kv`.

    Layers whose number is 0 have no attention; the number of heads is the default.
    """
    heads = model.fields.per_layer("attention.head_count", model.all_layers)
    kv_heads = kv_heads_of(model, heads)
    key, value = widths(model, heads)
    pairs = dict.fromkeys((h, kv) for h, kv in zip(heads, kv_heads, strict=True) if kv)
    single = len(pairs) == 1
    names = {pair: "attention" if single else "attention_{}_{}".format(*pair) for pair in pairs}
    for h, kv in pairs:
        if not h:
            model.fields.fail("attention.head_count", f"no heads beside {kv} for keys and values")
    blocks: dict[str, Block] = {
        name: Attention(
            num_heads=h,
            num_kv_heads=kv,
            head_dim=key,
            value_head_dim=None if value == key else value,
            **options,
        )
        for (h, kv), name in names.items()
    }
    layers = (names.get(pair) for pair in zip(heads, kv_heads, strict=True))
    return Attentions(blocks, tuple(layers))


def kv_heads_of(model: GgufModel, heads: tuple[int, ...]) -> tuple[int, ...]:
    """`attention.head_count_kv` of each layer; as many as heads where it is not given."""
    if "attention.head_count_kv" not in model.fields:
        return heads
    return model.fields.per_layer("attention.head_count_kv", model.all_layers)


def widths(model: GgufModel, heads: tuple[int, ...]) -> tuple[int, int]:
    """Widths of a key and of a value."""
    share = model.hidden_size // heads[0] if heads[0] else None
    if share == 0:
        model.fields.fail("attention.head_count", f"{heads[0]} heads in {model.hidden_size}")
    key: int | None = model.fields.size("attention.key_length", share)
    value: int | None = model.fields.size("attention.value_length", share)
    if key is None or value is None:
        model.fields.fail("attention.key_length", "is missing, and the first layer has no heads")
    return key, value


def projection_biases(model: GgufModel, layer: int) -> dict[str, bool]:
    """Whether the projections of an attention have biases; no where the file has no tensors."""
    return {
        "qkv_bias": model.has_tensor(f"blk.{layer}.attn_q.bias"),
        "output_bias": model.has_tensor(f"blk.{layer}.attn_output.bias"),
    }
