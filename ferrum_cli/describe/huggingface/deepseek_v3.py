"""DeepSeek-V2 and V3: latent attention, and experts in all but the first layers.

Class defaults are those of transformers 5.24.0, models/deepseek_v3/configuration_deepseek_v3.py and
models/deepseek_v2/configuration_deepseek_v2.py. It knows nothing about engines.
"""

from __future__ import annotations

from typing import NamedTuple

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._common import assemble, sizes
from ferrum_cli.describe.huggingface._experts import experts, with_shared
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._latent import draft, latent_attention

ARCHITECTURES = {
    "deepseek_v3": ("DeepseekV3ForCausalLM",),
    "deepseek_v2": ("DeepseekV2ForCausalLM",),
}


class _Class(NamedTuple):
    """Class defaults that differ between the two."""

    vocabulary: int
    hidden: int
    width: int
    expert_width: int
    length: int
    heads: int
    experts: int
    shared: int
    dense: int
    context: int
    drafts: int


_V3 = _Class(129280, 7168, 18432, 2048, 61, 128, 256, 1, 3, 4096, 1)
_V2 = _Class(102400, 4096, 11008, 1407, 32, 32, 64, 2, 0, 2048, 0)


def describe(config: Fields, identity: Identity) -> Description:
    """Read a DeepSeek-V3 or V2 configuration."""
    default = _V3 if identity.model_type == "deepseek_v3" else _V2
    dense = config.count("first_k_dense_replace", default.dense, null=True) or 0
    length = config.layers("num_hidden_layers", default.length)
    names = ("n_routed_experts", "num_experts", "num_local_experts")
    routed = experts(config, default.experts, 8, default.expert_width, names)
    routed = with_shared(routed, config.count("n_shared_experts", default.shared))
    found = sizes(
        config, hidden=default.hidden, vocabulary=default.vocabulary, context=default.context
    )
    bias = default is _V2 and config.flag("mlp_bias", False)
    shared = 2 * routed.shared_intermediate_size + found["hidden_size"] if bias else 0
    return assemble(
        identity,
        config,
        **found,
        blocks={
            "mla": latent_attention(config, heads=default.heads, q_lora_rank=1536),
            "mlp": FeedForward(
                intermediate_size=config.size("intermediate_size", default.width),
                bias=bias,
            ),
            "experts": routed,
        },
        layers=[("mla", "mlp" if i < dense else "experts") for i in range(length)],
        draft=draft(
            config.draft_layers(
                config.first("num_nextn_predict_layers", "num_mtp_layers"), default.drafts
            )
        ),
        other_parameters=shared * max(0, length - dense),  # biases of the shared experts
    )
