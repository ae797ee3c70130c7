"""Why vLLM would exit before it sizes its cache: one check each, in the order in which it looks.

Every check gives vLLM's own words, or None. config/model.py, config/scheduler.py, config/vllm.py,
config/speculative.py, models/config.py and the layers' constructors, vLLM 0.33.0. It knows nothing
about memory; what fails there is in `shortages`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ferrum_cli.blocks import KeyValue
from ferrum_cli.blocks.mamba2 import Mamba2
from ferrum_cli.engines._engine import Question
from ferrum_cli.engines.vllm import layer_checks, speculation_checks
from ferrum_cli.engines.vllm.architectures import removed_words, unknown_words
from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.inventory import Inventory
from ferrum_cli.engines.vllm.mixers import MIXERS
from ferrum_cli.engines.vllm.replay_checks import replayssm_words


@dataclass(frozen=True, slots=True)
class Refusal:
    """A stable code, vLLM's words, and what to do."""

    code: str
    words: str
    hint: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a check may look at."""

    question: Question
    config: Configuration
    inventory: Inventory

    @property
    def name(self) -> str:
        """The architecture's name as the checkpoint gives it."""
        return self.question.model.description.architecture or "unnamed"


Check = Callable[[Candidate], Refusal | None]


def first(candidate: Candidate) -> Refusal | None:
    """The refusal vLLM runs into first."""
    return next(_found(candidate), None)


def _found(candidate: Candidate) -> Iterator[Refusal]:
    for check in _CHECKS:
        refusal = check(candidate)
        if refusal is not None:
            yield refusal


def _architecture(candidate: Candidate) -> Refusal | None:
    architecture, version = candidate.config.architecture, candidate.config.version
    if architecture.removed_in(version):
        words = removed_words(candidate.name, architecture)
        return Refusal("architecture-removed", words, f"use vLLM {architecture.until} or older")
    if architecture.known_in(version) is False:
        words = unknown_words(candidate.name)
        return Refusal("architecture-unknown", words, f"use vLLM {architecture.since} or newer")
    kinds = {c.placed.block.kind for c in candidate.inventory.state}
    strange = sorted(kinds - set(MIXERS))
    if strange or not candidate.config.listed:
        blocks = f"; it has no layer for {', '.join(strange)}" if strange else ""
        hint = f"vLLM keeps the state of {', '.join(MIXERS)}{blocks}"
        return Refusal("architecture-unknown", unknown_words(candidate.name), hint)
    return None


def _inner_size(candidate: Candidate) -> Refusal | None:
    """What the configuration class of transformers demands of Mamba-2's inner width."""
    taken = candidate.question.model.description.hints.class_inner_size
    blocks = (counted.placed.block for counted in candidate.inventory.state)
    mixer = next((block for block in blocks if isinstance(block, Mamba2)), None)
    if taken is None or mixer is None:
        return None
    inner = mixer.num_heads * mixer.head_dim
    words = "The dimensions for the Mamba head state do not match the model intermediate_size"
    if candidate.name == "Mamba2ForCausalLM":
        words = (
            f"Inconsistent configuration: hidden_size * expand ({taken}) must equal num_heads *"
            f" head_dim ({inner})."
        )
    elif taken % mixer.num_heads:
        words = "mamba_n_heads must divide mamba_expand * hidden_size"
    hint = f"give the configuration an inner width of {inner}"
    return Refusal("configuration-refused", words, hint)


def _length(candidate: Candidate) -> Refusal | None:
    description, config = candidate.question.model.description, candidate.config
    asked, limit = config.max_model_len, description.max_context
    allowed = config.settings.value("VLLM_ALLOW_LONG_MAX_MODEL_LEN")
    if asked <= limit or allowed or description.hints.unlimited_context:
        return None
    words = (
        f"User-specified max_model_len ({asked}) is greater than the derived max_model_len"
        f" (max_position_embeddings={limit} or model_max_length=None in model's config.json). To"
        " allow overriding this maximum, set the env var VLLM_ALLOW_LONG_MAX_MODEL_LEN=1."
    )
    return Refusal("max-model-len-beyond-model", words, f"--max-model-len {limit}")


def _speculation(candidate: Candidate) -> Refusal | None:
    found = speculation_checks.first(candidate.config, candidate.inventory)
    return None if found is None else Refusal(*found)


def _chunked_prefill(candidate: Candidate) -> Refusal | None:
    config = candidate.config
    if config.mode != "align" or config.settings.value("enable_chunked_prefill") is not False:
        return None
    words = "Chunked prefill is required for Mamba prefix caching."
    if config.rules.mode_option != "inert":
        words = "Chunked prefill is required for mamba cache mode 'align'."
    return Refusal("chunked-prefill-required", words, "leave chunked prefill on")


def _float_kv(candidate: Candidate) -> Refusal | None:
    config = candidate.config
    name, model = config.kv_dtype.name, config.model_dtype.torch_name
    if not config.rules.float_kv_checked or name not in ("float16", "bfloat16") or name == model:
        return None
    allowed = f"`auto` or `{model}`" if model in ("float16", "bfloat16") else "`auto`"
    words = (
        f'kv_cache_dtype="{name}" is incompatible with dtype="{model}". Please set'
        f" `--kv-cache-dtype` to {allowed}."
    )
    return Refusal("kv-cache-dtype-differs", words, "--kv-cache-dtype auto")


def _nvfp4_latent(candidate: Candidate) -> Refusal | None:
    config = candidate.config
    if config.kv_dtype.packing != "nvfp4" or candidate.inventory.latent is None:
        return None
    words = (
        "nvfp4 KV cache is not supported with MLA (Multi-head Latent Attention) backends. Please"
        " use a different --kv-cache-dtype (e.g., 'fp8', 'auto', or 'nvfp4_ds_mla' with a sparse"
        " MLA backend) for MLA models such as DeepSeek."
    )
    return Refusal("kv-cache-dtype-latent", words, "--kv-cache-dtype fp8")


def _heads(candidate: Candidate) -> Refusal | None:
    heads, tp = layer_checks.attention_heads(candidate.inventory), candidate.config.tp
    if heads % tp == 0:
        return None
    words = (
        f"Total number of attention heads ({heads}) must be divisible by tensor parallel size"
        f" ({tp})."
    )
    return Refusal("attention-heads-indivisible", words, f"use a tp that divides {heads}")


def _pipeline(candidate: Candidate) -> Refusal | None:
    words = candidate.config.architecture.no_pipeline
    ngrams = any(c.placed.block.kind == "ngram_context" for c in candidate.inventory.state)
    if ngrams and words is None:
        words = (
            "Qwen4Exp N-gram PLE embedding requires pipeline_parallel_size=1 because non-first"
            " pipeline ranks do not receive the raw input_ids it needs. Please run with PP=1."
        )
    if candidate.config.parallel.pp == 1 or words is None:
        return None
    return Refusal("pipeline-unsupported", words, "use --pp 1 and a larger --tp")


def _context_parallel(candidate: Candidate) -> Refusal | None:
    dcp, tp = candidate.config.dcp, candidate.config.tp
    if dcp == 1:
        return None
    if tp % dcp:
        words = f"tp_size={tp} must be divisible by dcp_size={dcp}."
        return Refusal("dcp-indivisible", words, f"use a dcp that divides {tp}")
    if candidate.inventory.latent is not None:
        return None
    heads = next(
        (
            k.heads
            for c in candidate.inventory.caches
            for k in c.placed.caches
            if isinstance(k, KeyValue)
        ),
        tp,
    )
    return _too_many_for_heads(dcp, tp, heads)


def _too_many_for_heads(dcp: int, tp: int, heads: int) -> Refusal | None:
    """Ranks of a decode share out the copies of KV heads, so there must be copies."""
    if tp <= heads:
        words = (
            f"Decode context parallelism for GQA/MQA requires `--tensor-parallel-size` ({tp}) to be"
            f" greater than the model's total number of KV heads ({heads}). Increase"
            " `--tensor-parallel-size` or set `--decode-context-parallel-size 1`."
        )
        return Refusal("dcp-kv-heads", words, "--decode-context-parallel-size 1")
    if dcp > tp // heads:
        words = (
            f"`--decode-context-parallel-size` ({dcp}) exceeds the maximum supported value"
            f" ({tp // heads}) for `--tensor-parallel-size` ({tp}) and {heads} model KV heads."
        )
        return Refusal("dcp-kv-heads", words, f"--decode-context-parallel-size {tp // heads}")
    return None


def _batch(candidate: Candidate) -> Refusal | None:
    """Tokens of a step must hold one for each request."""
    batching = candidate.config.batching
    seqs, tokens = batching.max_num_seqs.value, batching.max_num_batched_tokens.value
    active = batching.max_num_active_seqs
    if tokens < seqs:
        words = (
            f"max_num_batched_tokens ({tokens}) must be greater than or equal to max_num_seqs"
            f" ({seqs})."
        )
        return Refusal("batched-tokens-below-seqs", words, f"--max-num-batched-tokens {seqs}")
    if active is not None and active > seqs:
        words = f"max_num_active_seqs ({active}) cannot be greater than max_num_seqs ({seqs})."
        return Refusal("active-seqs-above-seqs", words, f"--max-num-active-seqs {seqs}")
    return None


def _mamba_block_size(candidate: Candidate) -> Refusal | None:
    config = candidate.config
    asked = config.settings.value("mamba_block_size")
    if asked in (None, config.max_model_len) or config.prefix_caching.value:
        return None
    words = "--mamba-block-size can only be set with --enable-prefix-caching"
    return Refusal("mamba-block-size-unused", words, "--enable-prefix-caching")


def _replayssm(candidate: Candidate) -> Refusal | None:
    config = candidate.config
    found = replayssm_words(candidate.name, config) if config.replayssm else None
    return None if found is None else Refusal("replayssm", *found)


def _layers(candidate: Candidate) -> Refusal | None:
    found = layer_checks.first(
        candidate.inventory, candidate.config, candidate.question.model.description
    )
    return None if found is None else Refusal(*found)


_CHECKS: tuple[Check, ...] = (
    _architecture,
    _inner_size,
    _length,
    _speculation,
    _chunked_prefill,
    _float_kv,
    _nvfp4_latent,
    _heads,
    _pipeline,
    _context_parallel,
    _batch,
    _mamba_block_size,
    _replayssm,
    _layers,
)
