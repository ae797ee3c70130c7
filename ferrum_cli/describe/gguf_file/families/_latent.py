"""KDA and latent attention as the keys of Kimi's, Ling's and GLM's models spell them.

llama.cpp caches latent attention as one key head of `attention.key_length`, the rank and the
rotary part; `…_mla` are the widths of the heads themselves (conversion/kimi_linear.py of
0c1e57098). It knows nothing about a family.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.kimi_delta_attention import KimiDeltaAttention
from ferrum_cli.blocks.latent_attention import LatentAttention
from ferrum_cli.describe.gguf_file.families._feeds import experts, feed_forward, shared_width
from ferrum_cli.describe.gguf_file.fields import GgufFields
from ferrum_cli.describe.gguf_file.model import GgufModel

_DEFAULT_KERNEL = 4
"""A kernel of 0 means three columns (llama-hparams.cpp, n_embd_r)."""


def kda(fields: GgufFields, *, full_rank: tuple[bool, bool] = (False, False)) -> KimiDeltaAttention:
    """KDA with as many heads as attention; `full_rank` is that of decay and gate."""
    width: int = fields.size("kda.head_dim")
    decay, gate = full_rank
    return KimiDeltaAttention(
        num_heads=_heads(fields),
        head_dim=width,
        conv_kernel=fields.count("ssm.conv_kernel") or _DEFAULT_KERNEL,
        decay_rank=None if decay else width,
        gate_rank=None if gate else width,
    )


def latent_attention(fields: GgufFields, **options: Any) -> LatentAttention:
    """Latent attention; the rotary part is what the cached key has beyond the rank."""
    rank: int = fields.size("attention.kv_lora_rank")
    rope = int(fields.size("attention.key_length")) - rank
    if rope < 0:
        fields.fail("attention.key_length", f"less than attention.kv_lora_rank {rank}")
    nope = int(fields.size("attention.key_length_mla")) - rope
    if nope <= 0:
        fields.fail("attention.key_length_mla", f"no more than the rotary part of {rope}")
    return LatentAttention(
        num_heads=_heads(fields),
        kv_lora_rank=rank,
        q_lora_rank=fields.count("attention.q_lora_rank", 0) or None,
        qk_nope_head_dim=nope,
        qk_rope_head_dim=rope,
        v_head_dim=fields.size("attention.value_length_mla"),
        **options,
    )


def _heads(fields: GgufFields) -> int:
    return int(fields.size("attention.head_count"))


def mixers(model: GgufModel) -> tuple[str, ...]:
    """`mla` in layers with a key-value head and `kda` in all others, the drafts among them."""
    heads = model.fields.per_layer("attention.head_count_kv", model.all_layers)
    for index, count in enumerate(heads):
        if count > 1:
            model.fields.fail(
                "attention.head_count_kv", f"layer {index} has {count} heads of latent attention"
            )
    return tuple("mla" if count else "kda" for count in heads)


def feeds(model: GgufModel) -> tuple[str, ...]:
    """A dense network in the first layers, experts in all others, the drafts among them."""
    dense: int = model.fields.count("leading_dense_block_count", 0)
    return tuple("mlp" if index < dense else "experts" for index in range(model.all_layers))


def feed_blocks(fields: GgufFields, **options: Any) -> dict[str, Block]:
    """The dense network and the experts, whose shared ones are as wide as is stated."""
    return {
        "mlp": feed_forward(fields),
        "experts": experts(
            fields,
            "expert_feed_forward_length",
            shared_intermediate_size=shared_width(fields),
            **options,
        ),
    }
