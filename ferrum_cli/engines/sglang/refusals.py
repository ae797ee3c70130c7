"""The words with which SGLang 0.5.23 exits at start-up, and what to do about them.

Each text is what the last line of the traceback prints: the class of the exception and its message.
It knows nothing about when a refusal comes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """What SGLang prints as it exits, a stable code, and a way out."""

    code: str
    text: str
    hint: str


def not_divisible(size: int, ranks: int) -> Refusal:
    """distributed/utils.py: divide."""
    return Refusal(
        "state-not-divisible",
        f"AssertionError: {size} is not divisible by {ranks}",
        f"use a tp that divides {size}; SGLang pads no state",
    )


def no_implementation(name: str) -> Refusal:
    """model_loader/utils.py: resolve_transformers_arch."""
    return Refusal(
        "architecture-not-served",
        f"ValueError: {name} has no SGlang implementation and the Transformers implementation is"
        " not compatible with SGLang.",
        "use another engine for this model",
    )


def configuration_refused(arch: str | None, taken: int, heads: int, width: int) -> Refusal:
    """validate_architecture of the class in transformers 5.19.0, which SGLang 0.5.23 reads with."""
    words = "The dimensions for the Mamba head state do not match the model intermediate_size"
    if arch == "Mamba2ForCausalLM":
        words = (
            f"Inconsistent configuration: hidden_size * expand ({taken}) must equal num_heads *"
            f" head_dim ({heads * width})."
        )
    elif taken % heads:
        words = "mamba_n_heads must divide mamba_expand * hidden_size"
    return Refusal(
        "configuration-refused",
        f"ValueError: {words}",
        f"give the configuration an inner width of {heads * width}",
    )


def context_too_long(asked: int, derived: int) -> Refusal:
    """configs/model_config.py: _derive_context_length."""
    return Refusal(
        "context-beyond-model",
        f"ValueError: Warning: User-specified context_length ({asked}) is greater than the derived"
        f" context_length ({derived}). This may lead to incorrect model outputs or CUDA errors."
        " Note that the derived context_length may differ from max_position_embeddings in the"
        " model's config. To allow overriding this maximum, set the env var"
        " SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1",
        f"ask for {derived} tokens or less, or set the variable",
    )


def no_room_for_state(slots: int, rest_gib: float, slot_bytes: int) -> Refusal:
    """mem_cache/kv_cache_configurator.py: _handle_max_mamba_cache."""
    return Refusal(
        "no-room-for-state",
        "RuntimeError: Not enough GPU memory for hybrid (mamba/linear-attention) state cache."
        f" Computed max_mamba_cache_size={slots} (total_rest_memory={rest_gib:.2f} GB,"
        f" mamba_cache_per_req={slot_bytes / (1 << 20):.2f} MB). Try: (1) reduce"
        " --max-running-requests, (2) increase --mem-fraction-static, (3) reduce"
        " --speculative-num-draft-tokens, or (4) use GPUs with more memory.",
        "raise --mem-fraction-static, or split the model over more devices",
    )


def no_room_for_kv(fraction: float, after_gib: float, before_gib: float) -> Refusal:
    """mem_cache/kv_cache_configurator.py: _profile_available_bytes."""
    least = 1 - after_gib / before_gib if before_gib else 1.0
    suggested = math.ceil(least * 1000) / 1000
    return Refusal(
        "no-room-for-kv",
        "ValueError: Loaded weights leave no GPU memory for the KV cache under"
        f" --mem-fraction-static={fraction}. Raise --mem-fraction-static above {suggested:.3f}"
        f" (minimum viable = 1 - available/pre = {least:.4f}). If using speculative decoding,"
        " draft weights are now counted.",
        "raise --mem-fraction-static, or lower --max-mamba-cache-size where it is set",
    )


def no_tokens() -> Refusal:
    """model_executor/pool_configurator.py: MemoryPoolConfig."""
    return Refusal(
        "no-kv-tokens",
        "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
        "raise --mem-fraction-static, or lower --mamba-full-memory-ratio",
    )


def window_pool_too_small(tokens: int, window: int, page: int) -> Refusal:
    """model_executor/pool_configurator.py: validate_swa_pool_size."""
    return Refusal(
        "window-pool-too-small",
        f"ValueError: SWA pool ({tokens} tokens) cannot hold even one request: the prefill"
        f" admission floor is sliding_window_size ({window}) + page_size ({page}). Increase"
        " --swa-full-tokens-ratio or the total KV budget.",
        "raise --swa-full-tokens-ratio or the memory for KV",
    )


def no_request_fits(slots: int, ratio: int) -> Refusal:
    """mem_cache/kv_cache_configurator.py: resolve_max_num_reqs."""
    return Refusal(
        "no-request-fits",
        "RuntimeError: Hybrid (mamba/linear-attention) state cache is too small to serve any"
        f" requests. max_mamba_cache_size={slots}, mamba_ratio={ratio}, resulting"
        f" max_num_reqs={slots // ratio}. Try: (1) reduce --max-running-requests, (2) increase"
        " --mem-fraction-static, or (3) use GPUs with more memory.",
        f"give at least {ratio} slots: --max-mamba-cache-size {ratio}",
    )


def window_cap_too_large(tokens: int, pool_bytes: int, rest_bytes: int) -> Refusal:
    """model_executor/pool_configurator.py: SWARequestCapPoolConfigurator."""
    return Refusal(
        "window-pool-too-large",
        f"RuntimeError: SWA pool cap ({tokens} tokens, {pool_bytes / (1 << 30):.2f} GiB) leaves no"
        f" room for the full KV pool within the available {rest_bytes / (1 << 30):.2f} GiB. Reduce"
        " --max-running-requests, lower SGLANG_SWA_EVICTION_INTERVAL, or increase"
        " --mem-fraction-static.",
        "lower --max-running-requests",
    )


def assertion(code: str, words: str, hint: str) -> Refusal:
    """A check of arg_groups that fails with `words`; some have none."""
    return Refusal(code, f"AssertionError: {words}".removesuffix(": "), hint)


def value_error(code: str, words: str, hint: str) -> Refusal:
    """A check of arg_groups that raises ValueError."""
    return Refusal(code, f"ValueError: {words}", hint)
