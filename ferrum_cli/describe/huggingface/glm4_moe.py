"""GLM-4.5 to 4.7: attention, experts behind the first layers; the small one has latent attention.

Class defaults are those of transformers 5.24.0, models/glm4_moe/configuration_glm4_moe.py and
models/glm4_moe_lite/configuration_glm4_moe_lite.py. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.blocks.mixture_of_experts import MixtureOfExperts
from ferrum_cli.describe.description import Description, Draft
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._attention import attention
from ferrum_cli.describe.huggingface._common import assemble, layer, sizes
from ferrum_cli.describe.huggingface._experts import experts, with_shared
from ferrum_cli.describe.huggingface._feeds import dense_first
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._latent import draft, latent_attention

ARCHITECTURES = {"glm4_moe": ("Glm4MoeForCausalLM",), "glm4_moe_lite": ("Glm4MoeLiteForCausalLM",)}

_NUMBER = ("n_routed_experts", "num_local_experts")


def describe(config: Fields, identity: Identity) -> Description:
    """Read a GLM configuration with experts."""
    return (
        _lite(config, identity)
        if identity.model_type == "glm4_moe_lite"
        else _moe(config, identity)
    )


def _moe(config: Fields, identity: Identity) -> Description:
    found = sizes(config, hidden=4096, vocabulary=151552, context=131072)
    length = config.layers("num_hidden_layers", 46)
    dense = config.count("first_k_dense_replace", 1)
    full = attention(
        config,
        found["hidden_size"],
        96,
        8,
        qkv_bias=config.flag("attention_bias", False),
        qk_norm=config.flag("use_qk_norm", False),
    )
    return assemble(
        identity,
        config,
        **found,
        blocks={
            "attention": full,
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 10944)),
            "experts": _experts(config, number=128, per_token=8, width=1408),
        },
        layers=[("attention", "mlp" if i < dense else "experts") for i in range(length)],
        draft=_draft(config),
    )


def _lite(config: Fields, identity: Identity) -> Description:
    length = config.layers("num_hidden_layers", 47)
    return assemble(
        identity,
        config,
        **sizes(config, hidden=2048, vocabulary=154880, context=202752),
        blocks={
            "mla": latent_attention(config, heads=20, q_lora_rank=768, nope=192, value=256),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 10240)),
            "experts": _experts(config, number=64, per_token=4, width=1536),
        },
        layers=[("mla", feed) for feed in dense_first(config, length, 1)],
        draft=draft(config.draft_layers("num_nextn_predict_layers", 0)),
    )


def _experts(config: Fields, number: int, per_token: int, width: int) -> MixtureOfExperts:
    routed = experts(config, number, per_token, width, _NUMBER)
    return with_shared(routed, config.count("n_shared_experts", 1))


def _draft(config: Fields) -> Draft | None:
    """Draft layers of attention and experts; the class has one by default."""
    count = config.draft_layers(config.first("num_nextn_predict_layers", "num_mtp_layers"), 1)
    return Draft("mtp", (layer(("attention", "experts")),) * count) if count else None
