"""What llama.cpp knows of each architecture, and for which Hugging Face classes.

One row is one `general.architecture`: which memory it gets, what of it can be rolled back, and what
the converter writes otherwise than the configuration has it. Sources are files of 0c1e57098:
src/llama-arch.cpp, src/llama-model.cpp (create_memory), conversion/. It knows nothing about sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ferrum_cli.expand import Expanded


class Drafts(Enum):
    """What the model's own context does with the layers that propose tokens (NextN)."""

    SKIPPED = "skipped"
    """Their caches are left out (`il < n_layer`)."""
    CACHED = "cached"
    """The default filter takes every layer that is not recurrent."""


class DraftContext(Enum):
    """What a context of type MTP holds."""

    CACHES = "caches"
    """KV of the draft layers alone."""
    WHOLE = "whole"
    """The same as the model's own: nothing treats it apart."""
    MISSING = "missing"
    """Memory is made, then the graph is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """One row."""

    name: str
    classes: tuple[str, ...]
    recurrent: bool = False
    """State alone, no KV (llm_arch_is_recurrent)."""
    hybrid: bool = False
    """State and KV (llm_arch_is_hybrid)."""
    rollback: bool = False
    """Snapshots of state for speculation (llm_arch_supports_rs_rollback)."""
    drafts: Drafts = Drafts.SKIPPED
    draft_context: DraftContext = DraftContext.WHOLE
    feed_forward_layers_hold_nothing: bool = False
    """Nemotron-H: a layer with a feed-forward length has neither state nor KV."""
    even_streams: bool = False
    """A graph is reserved for one sequence over the streams of all (TAG_RESERVE_DIAG_DECAY)."""
    windows: bool = False
    """Sliding windows get a cache of their own; elsewhere the whole context is kept."""
    written_context: int | None = None
    """The context length that the converter writes, whatever the configuration says."""
    splits_tensors: bool = True
    """`--split-mode tensor` (llm_arch_supports_sm_tensor)."""
    streams: int = 1
    """Residual streams, which widen the compute buffers."""


_UNLIMITED = 2**20


def _pure(name: str, *classes: str, splits_tensors: bool = True) -> Architecture:
    return Architecture(
        name=name,
        classes=classes,
        recurrent=True,
        written_context=_UNLIMITED,
        splits_tensors=splits_tensors,
    )


ARCHITECTURES: tuple[Architecture, ...] = (
    _pure("mamba", "MambaForCausalLM", "FalconMambaForCausalLM", splits_tensors=False),
    _pure("mamba2", "Mamba2ForCausalLM", splits_tensors=False),
    _pure("rwkv6", "Rwkv6ForCausalLM"),
    _pure("rwkv7", "RWKV7ForCausalLM", "Rwkv7ForCausalLM"),
    _pure("rwkv6qwen2", "RWKV6Qwen2ForCausalLM"),
    _pure("arwkv7", "RwkvHybridForCausalLM"),
    Architecture(
        name="jamba",
        classes=("JambaForCausalLM",),
        hybrid=True,
        drafts=Drafts.CACHED,
        splits_tensors=False,
    ),
    Architecture(
        name="falcon-h1",
        classes=("FalconH1ForCausalLM",),
        hybrid=True,
        drafts=Drafts.CACHED,
        splits_tensors=False,
    ),
    Architecture(
        name="plamo2",
        classes=("Plamo2ForCausalLM", "PLaMo2ForCausalLM"),
        hybrid=True,
        drafts=Drafts.CACHED,
        splits_tensors=False,
    ),
    Architecture(
        name="granitehybrid",
        classes=("GraniteMoeHybridForCausalLM",),
        hybrid=True,
        drafts=Drafts.CACHED,
        written_context=_UNLIMITED,
        splits_tensors=False,
    ),
    Architecture(
        name="granitehybrid",
        classes=("BambaForCausalLM",),
        hybrid=True,
        drafts=Drafts.CACHED,
        splits_tensors=False,
    ),
    Architecture(
        name="lfm2",
        classes=("Lfm2ForCausalLM", "Lfm2VlForConditionalGeneration", "Lfm2Model"),
        hybrid=True,
        rollback=True,
        drafts=Drafts.CACHED,
        windows=True,
    ),
    Architecture(
        name="lfm2moe",
        classes=("Lfm2MoeForCausalLM",),
        hybrid=True,
        rollback=True,
        drafts=Drafts.CACHED,
    ),
    Architecture(
        name="nemotron_h",
        classes=("NemotronHForCausalLM",),
        hybrid=True,
        rollback=True,
        drafts=Drafts.CACHED,
        feed_forward_layers_hold_nothing=True,
        written_context=_UNLIMITED,
        splits_tensors=False,
    ),
    Architecture(
        name="nemotron_h_moe",
        classes=("NemotronHForCausalLM", "NemotronHPuzzleForCausalLM"),
        hybrid=True,
        rollback=True,
        drafts=Drafts.CACHED,
        draft_context=DraftContext.CACHES,
        feed_forward_layers_hold_nothing=True,
        written_context=_UNLIMITED,
        splits_tensors=False,
    ),
    Architecture(
        name="qwen3next",
        classes=("Qwen3NextForCausalLM",),
        hybrid=True,
        draft_context=DraftContext.CACHES,
    ),
    Architecture(
        name="qwen35",
        classes=(
            "Qwen3_5ForConditionalGeneration",
            "Qwen3_5ForCausalLM",
            "MiniCPMV4_6ForConditionalGeneration",
        ),
        hybrid=True,
        rollback=True,
        draft_context=DraftContext.CACHES,
    ),
    Architecture(
        name="qwen35moe",
        classes=("Qwen3_5MoeForConditionalGeneration", "Qwen3_5MoeForCausalLM"),
        hybrid=True,
        rollback=True,
        draft_context=DraftContext.CACHES,
    ),
    Architecture(
        name="qwen4exp",
        classes=("Qwen4ExpForConditionalGeneration", "Qwen4ExpForCausalLM"),
        hybrid=True,
        rollback=True,
        splits_tensors=False,
        streams=4,
    ),
    Architecture(
        name="kimi-linear",
        classes=("KimiLinearForCausalLM",),
        hybrid=True,
        drafts=Drafts.CACHED,
        even_streams=True,
        splits_tensors=False,
    ),
    Architecture(
        name="kimi-k3",
        classes=("KimiK3ForConditionalGeneration",),
        hybrid=True,
        rollback=True,
        drafts=Drafts.CACHED,
        splits_tensors=False,
    ),
    Architecture(
        name="bailingmoe3",
        classes=("BailingMoeV3ForCausalLM",),
        hybrid=True,
        rollback=True,
        drafts=Drafts.CACHED,
        draft_context=DraftContext.CACHES,
        splits_tensors=False,
    ),
    Architecture(
        name="glm5-next",
        classes=("Glm5NextForConditionalGeneration",),
        hybrid=True,
        rollback=True,
        draft_context=DraftContext.MISSING,
        splits_tensors=False,
        streams=4,
    ),
    Architecture(
        name="minimax-01",
        classes=("MiniMaxText01ForCausalLM", "MiniMaxM1ForCausalLM"),
        hybrid=True,
        even_streams=True,
        splits_tensors=False,
    ),
    Architecture(
        name="llama",
        classes=("LlamaForCausalLM", "MistralForCausalLM", "MixtralForCausalLM"),
    ),
    Architecture(name="llama4", classes=("Llama4ForCausalLM",), windows=True),
    Architecture(name="llama4", classes=("Llama4ForConditionalGeneration",), windows=True),
    Architecture(name="qwen2", classes=("Qwen2ForCausalLM",)),
    Architecture(name="qwen2moe", classes=("Qwen2MoeForCausalLM",)),
    Architecture(name="qwen3", classes=("Qwen3ForCausalLM",)),
    Architecture(name="qwen3moe", classes=("Qwen3MoeForCausalLM",)),
    Architecture(name="granite", classes=("GraniteForCausalLM",)),
    Architecture(
        name="granitemoe", classes=("GraniteMoeForCausalLM", "GraniteMoeSharedForCausalLM")
    ),
    Architecture(name="gemma", classes=("GemmaForCausalLM",)),
    Architecture(name="gemma2", classes=("Gemma2ForCausalLM",), windows=True),
    Architecture(
        name="gemma3",
        classes=("Gemma3ForCausalLM", "Gemma3ForConditionalGeneration"),
        windows=True,
    ),
    Architecture(name="gpt-oss", classes=("GptOssForCausalLM",), windows=True),
    Architecture(
        name="deepseek2",
        classes=("DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM"),
        splits_tensors=False,
    ),
)

CUSTOM = Architecture(name="custom", classes=(), hybrid=True, drafts=Drafts.CACHED)
"""A description that names no architecture is laid out by the common rules."""

_BY_CLASS: Mapping[str, Architecture] = {
    found: row for row in reversed(ARCHITECTURES) for found in row.classes
}
_BY_NAME: Mapping[str, Architecture] = {row.name: row for row in reversed(ARCHITECTURES)}


def architecture_of(model: Expanded) -> Architecture | None:
    """The row of a model, or None where llama.cpp does not have it.

    A GGUF file says its own; a class is looked up, and its layers may make it another's.
    """
    description = model.description
    if description.hints.gguf_architecture is not None:
        return _BY_NAME.get(description.hints.gguf_architecture)
    if description.architecture is None:
        return CUSTOM
    found = _BY_CLASS.get(description.architecture)
    return None if found is None else _by_layers(found, model)


def _by_layers(found: Architecture, model: Expanded) -> Architecture:
    """Nemotron-H with experts, and Granite 4 without any state, are converted to other names."""
    blocks = model.description.blocks.values()
    routed = any(block.kind == "mixture_of_experts" for block in blocks)
    if found.name == "nemotron_h" and routed:
        return _BY_NAME["nemotron_h_moe"]
    if found.name == "granitehybrid" and not model.state_layers:
        return _BY_NAME["granitemoe" if routed else "granite"]
    return found


def training_context(model: Expanded, architecture: Architecture) -> int:
    """`n_ctx_train`: a GGUF file says it, else what the converter would write."""
    description = model.description
    if description.hints.gguf_architecture is not None:
        return description.max_context
    return architecture.written_context or description.max_context
