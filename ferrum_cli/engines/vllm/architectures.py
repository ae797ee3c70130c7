"""The architectures with recurrent state that vLLM knows: since and until when, and their ways.

Read in model_executor/models/registry.py of the versions in `versions.READ`, and in the models'
own files of 0.32.0 and 0.33.0. Architectures without recurrent state are not listed: vLLM serves
hundreds, and nothing here depends on which. It knows nothing about arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ferrum_cli.engines.vllm.versions import Version, has_appeared

NO_PIPELINE = (
    "Pipeline parallelism is not supported for this model. Supported models implement the"
    " `SupportsPP` interface."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """What an architecture decides that its blocks do not say."""

    since: str | None = None
    """The first version read that has it; None for those that every accepted version has."""
    until: str | None = None
    """The last version that has it, as vLLM itself says."""
    removed_words: str | None = None
    """What a version after `until` says, where it is not the usual sentence."""
    no_pipeline: str | None = None
    """What pipeline parallelism ends in; None where it is supported."""
    ssm_dtype: Literal["option", "mamba_ssm_dtype", "mamba_ssm_cache_dtype"] = "option"
    """What an automatic dtype of recurrent state follows; the last falls back to float32."""
    alignment_reads_ssm_dtype: bool = True
    """Whether the page is aligned for the dtype of --mamba-ssm-cache-dtype (KDA)."""
    layers_read_ssm_dtype: bool = True
    """Whether the layers themselves have that dtype (KDA)."""
    norm_groups: int | None = None
    """Groups of lightning attention's norm where the configuration does not say, as published
    checkpoints have them; None where no group has to divide by the ranks."""
    alignment_counts_drafts: bool = True
    """Whether pages were aligned for drafts before all Mamba-2 classes did that (0.32)."""
    replayssm: bool = False
    bounded_gate: bool = False
    """Whether FlashKDA may run its prefill."""
    flashinfer_prefill: bool = False
    """Whether its Gated DeltaNet layers may use FlashInfer's prefill (Qwen's own layer)."""
    all_mode: bool = False
    """Whether states at all block boundaries could be cached (SupportsMambaPrefixCaching)."""
    first_to_speculate: bool = False
    """Whether it alone could speculate with state before 0.17 (Qwen3-Next)."""
    methods: tuple[str, ...] | None = None
    """The only methods of speculation it takes."""
    refused_methods: tuple[str, ...] = ()

    def known_in(self, version: Version) -> bool | None:
        """Whether `version` has it; None where it appeared between two versions that were read."""
        return has_appeared(self.since, version)

    def removed_in(self, version: Version) -> bool:
        """Whether `version` no longer has it."""
        return self.until is not None and version > Version.of(self.until)


_MAMBA = Architecture(all_mode=True)
_MAMBA2 = replace(_MAMBA, no_pipeline=NO_PIPELINE)
_MAMBA2_HYBRID = Architecture(all_mode=True, alignment_counts_drafts=False)
_NEMOTRON = Architecture(all_mode=True, replayssm=True, ssm_dtype="mamba_ssm_cache_dtype")
_OMNI = Architecture(since="0.20.2", no_pipeline=NO_PIPELINE)
_QWEN35 = Architecture(since="0.17.1", flashinfer_prefill=True, ssm_dtype="mamba_ssm_dtype")
_QWEN35_TEXT = replace(_QWEN35, since="0.28.0")
_QWEN4 = replace(_QWEN35, since="0.30.0", methods=("mtp", "ngram", "ngram_gpu"))
_QWEN35_INSIDE = Architecture(flashinfer_prefill=True)
_KIMI = Architecture(since="0.11.2", replayssm=True, bounded_gate=True)
_LING3 = Architecture(since="0.28.0", alignment_reads_ssm_dtype=False, layers_read_ssm_dtype=False)
_GLM5 = Architecture(since="0.30.0", bounded_gate=True)
_MINIMAX = Architecture(until="0.23.0")
_LFM2 = Architecture()

TABLE: Mapping[str, Architecture] = {
    "MambaForCausalLM": _MAMBA,
    "FalconMambaForCausalLM": _MAMBA,
    "JambaForCausalLM": _MAMBA,
    "JambaForSequenceClassification": _MAMBA,
    "Mamba2ForCausalLM": _MAMBA2,
    "NemotronHForCausalLM": _NEMOTRON,
    "NemotronHPuzzleForCausalLM": replace(_NEMOTRON, since="0.17.1"),
    "NemotronH_Nano_VL_V2": replace(
        _NEMOTRON, since="0.11.2", replayssm=False, no_pipeline=NO_PIPELINE
    ),
    "NemotronH_Nano_Omni_Reasoning_V3": _OMNI,
    "NemotronH_Super_Omni_Reasoning_V3": _OMNI,
    "NemotronH_Omni_Reasoning_V3": replace(_OMNI, since="0.30.0"),
    "GraniteMoeHybridForCausalLM": _MAMBA2_HYBRID,
    "FalconH1ForCausalLM": _MAMBA2_HYBRID,
    "Zamba2ForCausalLM": replace(_MAMBA2_HYBRID, no_pipeline=NO_PIPELINE),
    "Lfm2ForCausalLM": _LFM2,
    "Lfm2MoeForCausalLM": replace(_LFM2, since="0.11.2"),
    "Lfm2VlForConditionalGeneration": replace(_LFM2, since="0.15.1"),
    "ColBERTLfm2Model": replace(_LFM2, since="0.19.1", no_pipeline=NO_PIPELINE),
    "BailingMoeV2_5ForCausalLM": Architecture(since="0.17.1", norm_groups=4),
    "Qwen3NextForCausalLM": Architecture(flashinfer_prefill=True, first_to_speculate=True),
    "Qwen3_5ForCausalLM": _QWEN35_TEXT,
    "Qwen3_5MoeForCausalLM": _QWEN35_TEXT,
    "Qwen3_5ForConditionalGeneration": _QWEN35,
    "Qwen3_5MoeForConditionalGeneration": _QWEN35,
    "ColQwen3_5": replace(_QWEN35, since="0.19.1"),
    "D3ForSequenceClassification": replace(_QWEN35, since="0.33.0"),
    "InternS2PreviewForConditionalGeneration": replace(_QWEN35_INSIDE, since="0.23.0"),
    "InternS2MobiusForConditionalGeneration": replace(_QWEN35_INSIDE, since="0.28.0"),
    "MiniCPMV4_6ForConditionalGeneration": replace(_QWEN35_INSIDE, since="0.23.0"),
    "MiniCPMV4_7ForConditionalGeneration": replace(_QWEN35_INSIDE, since="0.32.0"),
    "OlmoHybridForCausalLM": Architecture(since="0.19.1"),
    "Qwen4ExpForCausalLM": _QWEN4,
    "Qwen4ExpForConditionalGeneration": _QWEN4,
    "KimiLinearForCausalLM": replace(_KIMI, layers_read_ssm_dtype=False),
    "KimiK3ForConditionalGeneration": replace(_KIMI, since="0.28.0"),
    "BailingMoeV3ForCausalLM": _LING3,
    "BailingMoeV3VLForConditionalGeneration": replace(_LING3, since="0.30.0"),
    "Glm5NextForCausalLM": _GLM5,
    "Glm5NextForConditionalGeneration": _GLM5,
    "AliceAIForCausalLM": Architecture(
        since="0.33.0",
        alignment_reads_ssm_dtype=False,
        layers_read_ssm_dtype=False,
        no_pipeline=(
            "AliceAI does not support pipeline parallelism; pipeline_parallel_size=1 is required"
        ),
        refused_methods=("dflash", "dspark", "eagle3", "extract_hidden_states"),
    ),
    "InklingForCausalLM": Architecture(since="0.26.0"),
    "InklingForConditionalGeneration": Architecture(since="0.26.0"),
    "BambaForCausalLM": replace(
        _MAMBA2_HYBRID,
        until="0.23.0",
        removed_words=(
            "Layer 0 (linear_attention) does not dispatch through the Transformers attention"
            " interface and vLLM has no other way to handle it."
        ),
    ),
    "MiniMaxForCausalLM": _MINIMAX,
    "MiniMaxText01ForCausalLM": _MINIMAX,
    "MiniMaxM1ForCausalLM": _MINIMAX,
    "MiniMaxVL01ForConditionalGeneration": _MINIMAX,
    "Plamo2ForCausalLM": Architecture(until="0.26.0"),
    "Phi4FlashForCausalLM": Architecture(until="0.10.2"),
}

UNLISTED = Architecture()
"""An architecture without recurrent state, or a description that names none."""


_REPRESENTATIVES = {
    "gated_delta_net": "Qwen3NextForCausalLM",
    "kimi_delta_attention": "KimiLinearForCausalLM",
    "mamba2": "GraniteMoeHybridForCausalLM",
    "mamba1": "JambaForCausalLM",
    "short_conv": "Lfm2ForCausalLM",
    "lightning_attention": "BailingMoeV2_5ForCausalLM",
}
"""Whose ways a description without an architecture is taken to have, by its first mixer."""


def find(name: str | None, state_kinds: tuple[str, ...]) -> tuple[Architecture, bool]:
    """The row of an architecture, and whether vLLM can have it.

    One that is not listed can only be had without recurrent state.
    """
    if name is None:
        likely = next((k for k in state_kinds if k in _REPRESENTATIVES), None)
        return (TABLE[_REPRESENTATIVES[likely]] if likely else UNLISTED), True
    if name in TABLE:
        return TABLE[name], True
    return UNLISTED, not state_kinds


def removed_words(name: str, architecture: Architecture) -> str:
    """What vLLM says about an architecture that it no longer has."""
    return architecture.removed_words or (
        f"Model architecture {name} was supported in vLLM until v{architecture.until}, and is not"
        " supported anymore. Please use an older version of vLLM if you want to use this model"
        " architecture."
    )


def unknown_words(name: str) -> str:
    """What vLLM says about an architecture that it never had, without the list that follows."""
    return f"Model architectures ['{name}'] are not supported for now."
