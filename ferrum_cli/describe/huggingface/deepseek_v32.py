"""DeepSeek-V3.2 and GLM-5: sparse latent attention with an indexer, experts behind three layers.

Class defaults are those of transformers 5.24.0, models/deepseek_v32/configuration_deepseek_v32.py
and models/glm_moe_dsa/configuration_glm_moe_dsa.py. It knows nothing about engines.
"""

from __future__ import annotations

from typing import NamedTuple

from ferrum_cli.blocks import Block
from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble, layer_kinds, sizes
from ferrum_cli.describe.huggingface._experts import experts, with_shared
from ferrum_cli.describe.huggingface._feeds import dense_first
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._latent import draft, indexer, indexers, latent_attention

ARCHITECTURES = {
    "deepseek_v32": ("DeepseekV32ForCausalLM",),
    "glm_moe_dsa": ("GlmMoeDsaForCausalLM",),
}

_KINDS = {"indexed_attention": "mla", "deepseek_sparse_attention": "mla"}


class _Class(NamedTuple):
    """Class defaults that differ between the two."""

    vocabulary: int
    hidden: int
    width: int
    length: int
    context: int
    heads: int
    q_lora_rank: int
    nope: int
    value: int
    index_heads: int


_DEEPSEEK = _Class(129280, 7168, 18432, 61, 163840, 128, 1536, 128, 128, 64)
_GLM = _Class(154880, 6144, 12288, 78, 202752, 64, 2048, 192, 256, 32)


def describe(config: Fields, identity: Identity) -> Description:
    """Read a configuration of DeepSeek-V3.2 or GLM-5."""
    glm = identity.model_type == "glm_moe_dsa"
    default = _GLM if glm else _DEEPSEEK
    length = config.layers("num_hidden_layers", default.length)
    layer_kinds(config, "layer_types", _KINDS, length, ["indexed_attention"] * length)
    own = indexers(config, length) if glm else ("full",) * length
    feeds = dense_first(config, length, config.count("first_k_dense_replace", 3))
    return assemble(
        identity,
        config,
        **sizes(
            config, hidden=default.hidden, vocabulary=default.vocabulary, context=default.context
        ),
        blocks=_blocks(config, default),
        layers=[
            (("mla", "indexer") if kind == "full" else ("mla",), feed)
            for kind, feed in zip(own, feeds, strict=True)
        ],
        draft=draft(config.draft_layers("num_nextn_predict_layers", 0), "indexer"),
    )


def _blocks(config: Fields, default: _Class) -> dict[str, Block]:
    names = ("num_experts", "n_routed_experts", "num_local_experts")
    routed = experts(config, number=256, per_token=8, width=2048, names=names)
    return {
        "mla": latent_attention(
            config,
            heads=default.heads,
            q_lora_rank=default.q_lora_rank,
            nope=default.nope,
            value=default.value,
            topk=config.size("index_topk", 2048),
        ),
        "indexer": indexer(config, heads=default.index_heads, q_lora_rank=default.q_lora_rank),
        "mlp": FeedForward(intermediate_size=config.size("intermediate_size", default.width)),
        "experts": with_shared(routed, config.count("n_shared_experts", 1)),
    }
