"""What SGLang does differently for one architecture than for another, as data.

Rows are by Hugging Face class, read in SGLang 0.5.23: configs/, configs/hybrid_arch.py,
configs/model_config.py and arg_groups/overrides.py. It knows nothing about sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

SLIDING_WINDOW_RATIO = 0.8
"""Sliding-window tokens for each full token (arg_groups/fields/schedule.py)."""
MEMORY_RATIO = 0.9
"""Memory of state slots for each byte of KV (arg_groups/fields/schedule.py)."""


class Radix(Enum):
    """How the prefix cache treats a model with recurrent state."""

    EXTRA_BUFFER = "extra_buffer"
    """In the list of extra-buffer architectures: `auto` becomes extra_buffer."""
    NO_BUFFER = "no_buffer"
    """Only in the list of hybrid architectures: `auto` becomes no_buffer, without overlap."""
    PINNED = "pinned"
    """`auto` becomes extra_buffer, whatever the kernels and the overlap."""
    UNLISTED = "unlisted"
    """In neither list: the strategy stays `auto`, which keeps no extra slots."""
    OFF = "off"
    """The prefix cache is turned off."""


class Layers(Enum):
    """Which layers SGLang takes for state layers."""

    DESCRIBED = "described"
    INTERVAL = "interval"
    """All but every n-th; `layer_types` is not read."""
    GROUPS = "groups"
    """All but the last of each whole group of n."""
    EVEN = "even"
    """Every second, from the first on: attention and experts alternate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """One row: the special cases of a class."""

    radix: Radix = Radix.UNLISTED
    layers: Layers = Layers.DESCRIBED
    reads_ssm_dtype: bool = False
    """Whether `mamba_ssm_dtype` of the configuration counts."""
    fixed_dtypes: bool = False
    """Both dtypes are bfloat16; the environment is not read."""
    whole_tp: bool = False
    """State is split over all of tp, also under attention DP."""
    multimodal: bool = True
    """Whether a wrapper is served with images unless told otherwise."""
    tower: tuple[int, int] | None = (24, 1024)
    """Layers and width of a vision tower where the file gives none; None for no tower then."""
    weighs_tower: bool = True
    """Whether the size of a tower lowers `mem_fraction_static`."""
    hybrid_window: bool = False
    """Sliding windows have a pool of their own."""
    memory_ratio: float = MEMORY_RATIO
    window_ratio: float = SLIDING_WINDOW_RATIO
    no_triton: bool = False
    """The triton attention kernels are refused."""
    no_pipeline: bool = False
    """Pipeline and expert parallelism are refused."""
    no_attention_dp: bool = False
    prefill_graphs: bool = True
    """Whether prefill is captured in CUDA graphs unless told otherwise."""
    prefill_graphs_with_images: bool = False
    """The same for a wrapper that is served with images."""
    prefill_graphs_in_pipelines: bool = False
    """The same under pipeline parallelism."""
    counts_drafts: bool = False
    """Without draft layers in the configuration, a draft costs no KV."""
    indexed_page: int | None = None
    """Tokens of a page where a sparse attention has an indexer, times those that share a key."""


_GDN = Architecture(radix=Radix.EXTRA_BUFFER, layers=Layers.INTERVAL, reads_ssm_dtype=True)
_QWEN3_5 = replace(_GDN, prefill_graphs_with_images=True, tower=(24, 1152))
_KDA = Architecture(radix=Radix.EXTRA_BUFFER, prefill_graphs=False, counts_drafts=True)
_BAILING = Architecture(radix=Radix.EXTRA_BUFFER, layers=Layers.GROUPS, counts_drafts=True)
_EXTRA = Architecture(radix=Radix.EXTRA_BUFFER, reads_ssm_dtype=True)
_LISTED = Architecture(radix=Radix.NO_BUFFER, reads_ssm_dtype=True)
_PURE = Architecture(whole_tp=True)

ARCHITECTURES: Mapping[str, Architecture] = {
    "Qwen3NextForCausalLM": _GDN,
    "Qwen3_5ForConditionalGeneration": _QWEN3_5,
    "Qwen3_5MoeForConditionalGeneration": _QWEN3_5,
    "Qwen3_5ForCausalLM": _GDN,
    "Qwen3_5MoeForCausalLM": _GDN,
    "Qwen4ExpForConditionalGeneration": replace(_QWEN3_5, layers=Layers.DESCRIBED, indexed_page=64),
    "InternS2PreviewForConditionalGeneration": replace(_GDN, tower=(24, 1152)),
    "InternS2MobiusForConditionalGeneration": replace(
        _QWEN3_5, radix=Radix.NO_BUFFER, no_pipeline=True
    ),
    "MiniCPMV4_6ForConditionalGeneration": replace(_GDN, tower=(27, 1152)),
    "MiniCPMV4_7ForConditionalGeneration": replace(_GDN, tower=(27, 1152)),
    "GigaChat35ForCausalLM": replace(_LISTED, counts_drafts=True),
    "KimiLinearForCausalLM": _KDA,
    "KimiK3ForConditionalGeneration": replace(_KDA, tower=(27, 1024)),
    "Glm5NextForConditionalGeneration": replace(
        _KDA,
        prefill_graphs=True,
        prefill_graphs_with_images=True,
        counts_drafts=False,
        indexed_page=64,
        tower=None,
    ),
    "BailingMoeV2_5ForCausalLM": _BAILING,
    "BailingMoeV3ForCausalLM": _BAILING,
    "BailingMoeV3VLForConditionalGeneration": replace(_BAILING, tower=(24, 1152)),
    "NemotronHForCausalLM": _EXTRA,
    "NemotronHPuzzleForCausalLM": _EXTRA,
    "NemotronH_Omni_Reasoning_V3": replace(_EXTRA, weighs_tower=False),
    "NemotronH_Nano_VL_V2": Architecture(reads_ssm_dtype=True, weighs_tower=False),
    "NemotronH_Nano_Omni_Reasoning_V3": Architecture(reads_ssm_dtype=True, weighs_tower=False),
    "FalconH1ForCausalLM": _EXTRA,
    "GraniteMoeHybridForCausalLM": Architecture(radix=Radix.EXTRA_BUFFER),
    "JetNemotronForCausalLM": _LISTED,
    "JetVLMForConditionalGeneration": replace(_LISTED, tower=(12, 768)),
    "Lfm2ForCausalLM": Architecture(radix=Radix.NO_BUFFER, reads_ssm_dtype=True, no_triton=True),
    "Lfm2MoeForCausalLM": Architecture(radix=Radix.NO_BUFFER, no_triton=True),
    "Lfm2VlForConditionalGeneration": Architecture(tower=(12, 768)),
    "ZayaForCausalLM": Architecture(
        radix=Radix.NO_BUFFER, layers=Layers.EVEN, reads_ssm_dtype=True, whole_tp=True
    ),
    "MiniCPMSALAForCausalLM": Architecture(radix=Radix.OFF, no_attention_dp=True),
    "MambaForCausalLM": _PURE,
    "FalconMambaForCausalLM": _PURE,
    "Mamba2ForCausalLM": _PURE,
    "InklingForConditionalGeneration": Architecture(
        radix=Radix.PINNED,
        fixed_dtypes=True,
        prefill_graphs_with_images=True,
        prefill_graphs_in_pipelines=True,
        multimodal=False,
        hybrid_window=True,
        memory_ratio=0.1,
        window_ratio=0.1,
    ),
}

_INDEXED = ("DeepseekV32ForCausalLM", "GlmMoeDsaForCausalLM")
"""Architectures without recurrent state whose sparse attention forces the page size."""

_WINDOWED = (
    "GptOssForCausalLM",
    "GraniteSWAForCausalLM",
    "GraniteMoeSWAForCausalLM",
    "IQuestQ1ForCausalLM",
    "LagunaForCausalLM",
    "MellumForCausalLM",
    "Llama4ForConditionalGeneration",
    "MiMoV2FlashForCausalLM",
    "MiMoV2ForCausalLM",
    "Step3p5ForCausalLM",
    "Step3p7ForConditionalGeneration",
    "Gemma4ForCausalLM",
    "Gemma4ForConditionalGeneration",
)
"""Architectures without recurrent state whose sliding windows have a pool of their own."""


FALLS_BACK: tuple[str, ...] = ("RecurrentGemmaForCausalLM", "MiniMaxForCausalLM")
"""Recurrent models without an implementation of SGLang's own, whose transformers one it accepts."""


def is_served(name: str | None, keeps_state: bool) -> bool:
    """Whether SGLang has a model of this class.

    Models without recurrent state fall back to their transformers implementation. A class that has
    no name yet is given the benefit of the doubt.
    """
    known = name is None or name in ARCHITECTURES or name in FALLS_BACK
    return known or not keeps_state


def architecture(name: str | None) -> Architecture:
    """The row of a class; one without a row has no special cases."""
    if name in _WINDOWED:
        return Architecture(hybrid_window=True)
    if name in _INDEXED:
        return Architecture(indexed_page=64)
    return ARCHITECTURES.get(name or "", Architecture())
