"""Options, checkpoint and device → the configuration vLLM would run with.

engine/arg_utils.py, config/cache.py and model_executor/models/config.py. Nothing is refused here.
It knows nothing about bytes of layers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import Question
from ferrum_cli.engines._options import Setting, Settings
from ferrum_cli.engines.vllm import dtypes
from ferrum_cli.engines.vllm.architectures import Architecture, find
from ferrum_cli.engines.vllm.batching import Batching, batching
from ferrum_cli.engines.vllm.cache_dtypes import CacheDType
from ferrum_cli.engines.vllm.inventory import Inventory
from ferrum_cli.engines.vllm.kernels import (
    AttentionKernel,
    Device,
    attention_kernel,
    device_of,
    gdn_prefill,
)
from ferrum_cli.engines.vllm.options import AUTO_LENGTH
from ferrum_cli.engines.vllm.rules import Rules
from ferrum_cli.engines.vllm.speculation import Speculation
from ferrum_cli.engines.vllm.versions import Version
from ferrum_cli.expand import Parallel

CacheMode = Literal["none", "align", "all"]
_LAYOUT_ALIASES = {"NHD": "LBNHC", "HND": "LBHNC"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Everything that layout and capacity hang on, besides the model's sizes."""

    version: Version
    rules: Rules
    """Those by which the version is worked through."""
    architecture: Architecture
    listed: bool
    """Whether vLLM can have the architecture at all."""
    parallel: Parallel
    dcp: int
    device: Device
    kernel: AttentionKernel
    kv_layout: str
    """vLLM's name for the order of layers, blocks, heads, tokens (N) and content."""
    model_dtype: DType
    kv_dtype: CacheDType
    kv_dtype_source: Setting
    conv_dtype: DType
    ssm_dtype: DType
    ssm_dtype_option: Setting
    """The option after the architecture's own default: its value, or auto."""
    prefix_caching: Setting
    mode: CacheMode
    speculation: Speculation
    max_model_len: int
    auto_length: bool
    """Whether max_model_len shrinks to what memory allows."""
    context: int
    """Tokens of the requests that are asked about, at most max_model_len."""
    batching: Batching
    replayssm: bool
    records_kept: bool
    """Whether KDA's RecoverSSM keeps verify records."""
    second_runner: bool
    gdn_prefill: str
    chunk_size: int | None
    """Tokens of the checkpoint's prefill chunk."""
    gate_lower_bound: float | None
    index_pool: int
    """Tokens that share one key of a sparse attention's indexer."""
    multimodal: bool
    """Whether positions have three axes, which such an indexer keeps."""
    settings: Settings

    @property
    def tp(self) -> int:
        """Ranks that split each layer."""
        return self.parallel.tp

    @property
    def speculative_blocks(self) -> int:
        """State blocks more for each request, S; ReplaySSM verifies from one checkpoint."""
        return 0 if self.replayssm else self.speculation.tokens

    @property
    def block_outermost(self) -> bool:
        """Whether all layers of one block lie together, so that pages may differ in size."""
        return self.kv_layout.startswith("B")


def resolve(
    question: Question,
    version: Version,
    rules: Rules,
    parallel: Parallel,
    inventory: Inventory,
    drafts: Speculation,
) -> Configuration:
    """Put the parts together. Raises UsageError for values that are no choice of vLLM's."""
    settings = question.settings
    device = device_of(question.machine)
    kinds = tuple(c.placed.block.kind for c in inventory.counted if c.placed.state)
    architecture, listed = find(question.model.description.architecture, kinds)
    model_dtype = dtypes.model_dtype(settings, question.model.description, device)
    kv_name = dtypes.kv_cache_dtype(question, rules, inventory, device)
    kernel = _kernel(settings, device, inventory, kv_name)
    kv_dtype = dtypes.stored(kv_name.value, kernel, model_dtype)
    caching = _prefix_caching(settings, rules, architecture, inventory)
    length, auto, context = lengths(question)
    replayssm = bool(settings.value("use_replayssm"))
    hints = question.model.description.hints
    pool = (inventory.indexer and inventory.indexer.pool_size) or hints.index_compress_ratio or 1
    states = dtypes.state_dtypes(question, rules, architecture, model_dtype)
    return Configuration(
        version=version,
        rules=rules,
        architecture=architecture,
        listed=listed,
        parallel=parallel,
        dcp=settings.value("decode_context_parallel_size"),
        device=device,
        kernel=kernel,
        kv_layout=_kv_layout(settings, device, kernel, pool),
        model_dtype=model_dtype,
        kv_dtype=kv_dtype,
        kv_dtype_source=kv_name,
        conv_dtype=states.conv,
        ssm_dtype=states.ssm,
        ssm_dtype_option=states.option,
        prefix_caching=caching,
        mode=_mode(settings, rules, architecture, inventory, caching.value, drafts),
        speculation=drafts,
        max_model_len=length,
        auto_length=auto,
        context=context,
        batching=batching(settings, question.machine, rules, length),
        replayssm=replayssm,
        records_kept=replayssm and drafts.tokens > 0 and architecture.bounded_gate,
        second_runner=_second_runner(settings, rules, drafts),
        gdn_prefill=_gdn_prefill(settings, rules, architecture, inventory, device),
        chunk_size=hints.chunk_size,
        gate_lower_bound=hints.gate_lower_bound,
        index_pool=pool,
        multimodal=bool(hints.multimodal),
        settings=settings,
    )


def lengths(question: Question) -> tuple[int, bool, int]:
    """max_model_len, whether it may shrink, and the context asked about.

    `--set max_model_len` beats `--context`, which then is the length of the requests alone.
    """
    asked = question.settings.value("max_model_len")
    auto = asked in AUTO_LENGTH
    if asked is None:
        return question.context, False, question.context
    length = question.model.description.max_context if auto else asked
    context = question.context if question.context_given else length
    return length, auto, min(context, length)


def _kernel(
    settings: Settings, device: Device, inventory: Inventory, kv_dtype: Setting
) -> AttentionKernel:
    asked = settings.value("attention_backend") or settings.value("VLLM_ATTENTION_BACKEND")
    return attention_kernel(
        device,
        asked=asked.upper() if asked else None,
        latent=inventory.latent is not None,
        sparse=inventory.latent is not None and inventory.indexer is not None,
        quantized=kv_dtype.value not in ("auto", "float16", "bfloat16"),
        head_dim=inventory.head_dim,
    )


def _kv_layout(settings: Settings, device: Device, kernel: AttentionKernel, index_pool: int) -> str:
    """The variable, or what the backends want; a pooled indexer packs pages side by side."""
    given = settings.value("VLLM_KV_CACHE_LAYOUT")
    if given:
        return str(_LAYOUT_ALIASES.get(given, given))
    if index_pool > 1:
        return "BLHNC"
    trtllm = kernel.name == "FLASHINFER" and device.major == 10  # noqa: PLR2004 - SM100
    return "LBHNC" if trtllm else "LBNHC"


def _prefix_caching(
    settings: Settings, rules: Rules, architecture: Architecture, inventory: Inventory
) -> Setting:
    given = settings["enable_prefix_caching"]
    state = inventory.model_type != "decoder"
    if state and rules.state_slots == "positions" and not architecture.all_mode:
        return Setting(False, "default")
    if given.value is not None:
        return given
    hybrid = inventory.model_type == "hybrid"
    return Setting(rules.hybrid_prefix_caching if hybrid else not state, "default")


def _mode(
    settings: Settings,
    rules: Rules,
    architecture: Architecture,
    inventory: Inventory,
    caching: bool,
    drafts: Speculation,
) -> CacheMode:
    """Mode none without prefix caching or state; with them align, or all where a version had it."""
    if not caching or inventory.model_type == "decoder":
        return "none"
    if rules.state_slots == "positions":
        return "all"
    if rules.all_mode == "gone":
        return "align"
    asked = settings.value("mamba_cache_mode")
    by_default = rules.all_mode == "default" or (
        rules.all_mode == "default_without_drafts" and not drafts.tokens
    )
    wanted = by_default if asked in (None, "none") else asked == "all"
    return "all" if wanted and architecture.all_mode else "align"


def _second_runner(settings: Settings, rules: Rules, drafts: Speculation) -> bool:
    given = settings.value("VLLM_USE_V2_MODEL_RUNNER")
    if given is not None:
        return bool(given)
    return rules.second_runner == "default" and drafts.method not in ("suffix", "custom_class")


def _gdn_prefill(
    settings: Settings,
    rules: Rules,
    architecture: Architecture,
    inventory: Inventory,
    device: Device,
) -> str:
    """The kernel of Qwen's Gated DeltaNet layers; other models' layers always run Triton's."""
    blocks = (c.placed.block for c in inventory.state)
    mixer = next((b for b in blocks if b.kind == "gated_delta_net"), None)
    if mixer is None or not architecture.flashinfer_prefill:
        return "triton"
    asked = settings.value("gdn_prefill_backend") or _additional(settings, "gdn_prefill_backend")
    width = getattr(mixer, "key_head_dim", 0)
    return gdn_prefill(device, asked or "auto", width, rules.gdn_prefill_devices)


def _additional(settings: Settings, name: str) -> str | None:
    config = settings.value("additional_config")
    value = config.get(name) if isinstance(config, dict) else None
    return value if isinstance(value, str) else None
