"""Kimi-K3: KDA and gated latent attention, experts in a latent width, attention residuals, vision.

Read from Kimi-K3's config.json and its language model counted as by mlx-lm 0.32.2,
models/kimi_k3.py, without the router's biases; fields that it shares with Kimi-Linear have the
defaults of that class. It knows nothing about engines.
"""

from __future__ import annotations

from ferrum_cli.blocks.feed_forward import FeedForward
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.hints import Hints
from ferrum_cli.describe.huggingface import Identity, _kimi, _moon_vision
from ferrum_cli.describe.huggingface._common import assemble
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._latent import draft, latent_attention
from ferrum_cli.describe.huggingface._wrapper import around, with_tower

_TOWER = ("vt_num_hidden_layers", "vt_hidden_size")
"""SGLang's class takes over both (0.5.23, configs/kimi_k3.py)."""

ARCHITECTURES = {"kimi_k3": ("KimiK3ForConditionalGeneration",)}


def describe(config: Fields, identity: Identity) -> Description:
    """Read a Kimi-K3 configuration."""
    text = config.child("text_config")
    found = around(config, text, _language_model(text, identity), _TOWER)
    return with_tower(
        found, config, lambda vision: _moon_vision.parameters(vision, found.hidden_size)
    )


def _language_model(config: Fields, identity: Identity) -> Description:
    hidden = config.size("hidden_size", 2304)
    length = config.layers("num_hidden_layers", 27)
    mixers, notes = _kimi.mixers(config, length)
    linear = config.child_or_empty("linear_attn_config")
    return assemble(
        identity,
        config,
        hidden_size=hidden,
        vocab_size=config.size("vocab_size", 163840),
        tie_embeddings=config.flag("tie_word_embeddings", False),
        max_context=_kimi.context(config),
        blocks={
            "kda": _kimi.kda(config, full_rank_gate=linear.flag("use_full_rank_gate", False)),
            "mla": latent_attention(
                config, heads=32, output_gate=config.flag("mla_use_output_gate", False)
            ),
            "mlp": FeedForward(intermediate_size=config.size("intermediate_size", 9216)),
            "experts": _kimi.experts(
                config,
                latent_size=config.size("routed_expert_hidden_size", None, null=True),
                latent_norm=_latent_norm(config),
            ),
        },
        layers=list(zip(mixers, _kimi.feeds(config, length), strict=True)),
        draft=draft(config.draft_layers("num_nextn_predict_layers", 0)),
        hints=Hints(gate_lower_bound=linear.number("gate_lower_bound", None, null=True)),
        other_parameters=_residuals(config, hidden, length),
        notes=notes,
    )


def _latent_norm(config: Fields) -> bool:
    given = config.raw("routed_expert_hidden_size") is not None
    return given and config.flag("latent_moe_use_norm", False)


def _residuals(config: Fields, hidden: int, length: int) -> int:
    """A norm and a query for each of the two residuals of a layer, and for the last one."""
    if config.size("attn_res_block_size", None, null=True) is None:
        return 0
    return 2 * hidden * (2 * length + 1)
