"""The vision tower of Kimi-K3, MoonViT, counted with its projector.

Formula and class defaults are those of vLLM 0.33.0, model_executor/models/kimi_k25_vit.py and
transformers_utils/configs/kimi_k3.py. It knows nothing about the language model.
"""

from __future__ import annotations

from ferrum_cli.describe.huggingface import _vision
from ferrum_cli.describe.huggingface._fields import Fields


def parameters(vision: Fields, hidden: int) -> int | None:
    """Patches and positions, layers, a norm, and two projections to `hidden` behind a merger.

    None where its projector is of another kind.
    """
    if vision.text("mm_projector_type", "patchmergerv2") != "patchmergerv2":
        return None
    width = vision.size("vt_hidden_size", 1024)
    patch = 3 * vision.size("patch_size", 14) ** 2
    positions = vision.size("init_pos_emb_height", 64) * vision.size("init_pos_emb_width", 64)
    embedding = width * (patch + vision.flag("patch_embed_proj_bias", False) + positions)
    layers = vision.layers("vt_num_hidden_layers", 27) * _layer(vision, width)
    merged = width * _vision.area(vision, "merge_kernel_size")
    projector = merged * merged + merged * hidden + hidden
    return int(embedding + layers + _norm(vision, width) + projector)


def _layer(vision: Fields, width: int) -> int:
    queries = vision.size("qkv_hidden_size", 1536)
    inner = vision.size("vt_intermediate_size", 4096)
    attention = 4 * queries * width
    if vision.flag("attn_bias", False):
        attention += 3 * queries + width
    feed = 2 * width * inner
    if vision.flag("linear_bias", False):
        feed += inner + width
    return int(2 * _norm(vision, width) + attention + feed)


def _norm(vision: Fields, width: int) -> int:
    kind = vision.choice("norm_type", ("rmsnorm", "layernorm"), "rmsnorm")
    return width if kind == "rmsnorm" else 2 * width
