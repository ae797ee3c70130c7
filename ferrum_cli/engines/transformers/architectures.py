"""Which models transformers 5.24.0 does not load, and which do not use its common cache.

Whether a model loads is decided by the `model_type` of its `config.json`; a description keeps the
class that goes with it. It knows nothing about layouts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NOT_RECOGNIZED: Mapping[str, str] = {
    "AliceAIForCausalLM": "alice_ai",
    "BailingMoeLinearForCausalLM": "bailing_moe_linear",
    "BailingMoeLinearV2ForCausalLM": "bailing_moe_linear",
    "BailingMoeV3VLForConditionalGeneration": "bailing_moe_v3_vl",
    "GigaChat35ForCausalLM": "gigachat3_5",
    "InternS2MobiusForConditionalGeneration": "interns2_mobius",
    "InternS2PreviewForConditionalGeneration": "intern_s2_preview",
    "JetNemotronForCausalLM": "jet_nemotron",
    "JetVLMForConditionalGeneration": "jet_vlm",
    "KimiK3ForConditionalGeneration": "kimi_k3",
    "MiniCPMSALAForCausalLM": "minicpm_sala",
    "MiniMaxM1ForCausalLM": "minimax_m1",
    "MiniMaxText01ForCausalLM": "minimax_text_01",
    "NemotronHPuzzleForCausalLM": "nemotron_h_puzzle",
    "NemotronH_Nano_VL_V2": "NemotronH_Nano_VL_V2",
    "PLaMo2ForCausalLM": "plamo2",
    "Plamo2ForCausalLM": "plamo2",
    "PlamoForCausalLM": "plamo2",
    "RWKV6Qwen2ForCausalLM": "rwkv6qwen2",
    "RWKV7ForCausalLM": "rwkv7",
    "Rwkv6ForCausalLM": "rwkv6",
    "Rwkv7ForCausalLM": "rwkv7",
    "RwkvHybridForCausalLM": "rwkv_hybrid",
}
"""Classes of model types that CONFIG_MAPPING lacks (models/auto/configuration_auto.py)."""

BUILT_AS: Mapping[str, str] = {"BailingMoeV2_5ForCausalLM": "BailingHybridForCausalLM"}
"""Classes whose model type transformers has for another model, which it builds without a word."""


@dataclass(frozen=True, slots=True)
class OwnState:
    """A model whose recurrent state is not in a layer of DynamicCache."""

    place: str
    """Where it is, for someone who looks for it."""
    own_cache: bool = True
    """`generate` ignores `cache_implementation` (_supports_default_dynamic_cache), and keys and
    values, where there are any, are kept without a window."""


OWN_STATE: Mapping[str, OwnState] = {
    "MiniMaxForCausalLM": OwnState("in MiniMaxCache.linear_cache"),
    "RwkvForCausalLM": OwnState("in the list out.state, one tensor of each kind for all layers"),
    "xLSTMForCausalLM": OwnState("in xLSTMCache.rnn_state"),
    "RecurrentGemmaForCausalLM": OwnState(
        "on the modules (temporal_block.conv1d_state, rg_lru.recurrent_states)", own_cache=False
    ),
}
"""models/minimax, rwkv, xlstm, recurrent_gemma: modeling files; generation/utils.py."""

RUNS_WITHOUT_ATTENTION = frozenset(
    {
        "FalconMambaForCausalLM",
        "Mamba2ForCausalLM",
        "MambaForCausalLM",
        "MiniMaxForCausalLM",
        "RwkvForCausalLM",
        "xLSTMForCausalLM",
    }
)
"""Models that never ask the cache for its length; the others need one layer of attention."""


def own_state(architecture: str | None) -> OwnState | None:
    """Where a model keeps its state, if not in a layer of DynamicCache."""
    return OWN_STATE.get(architecture or "")
