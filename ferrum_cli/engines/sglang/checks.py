"""Combinations of flags that SGLang refuses before it measures any memory.

SGLang 0.5.23, arg_groups/. Each check gives the words with which the start ends. It knows nothing
about what the flags are for.
"""

from __future__ import annotations

from ferrum_cli.blocks.mamba2 import Mamba2
from ferrum_cli.engines._engine import Question
from ferrum_cli.engines._options import Settings
from ferrum_cli.engines.sglang.architectures import Architecture
from ferrum_cli.engines.sglang.refusals import (
    Refusal,
    assertion,
    configuration_refused,
    value_error,
)
from ferrum_cli.engines.sglang.speculation import Speculation


def inside_tp(settings: Settings) -> bool:
    """Whether `--dp` counts attention-DP workers inside tp."""
    return bool(settings.value("enable_dp_attention"))


def attention_dp(question: Question) -> int:
    """Workers that share one tp group, each with requests of its own."""
    width: int = question.settings.value("attn_dp_size")
    return question.parallel.dp if width == 1 and inside_tp(question.settings) else width


def check_configuration(question: Question) -> Refusal | None:
    """What the configuration class makes of an inner width that the heads do not make."""
    description = question.model.description
    taken = description.hints.class_inner_size
    mixers = (block for block in description.blocks.values() if isinstance(block, Mamba2))
    mixer = next(mixers, None)
    if taken is None or mixer is None:
        return None
    return configuration_refused(description.architecture, taken, mixer.num_heads, mixer.head_dim)


def check_parallel(question: Question, row: Architecture) -> Refusal | None:
    """How ranks are shared between tensor, attention-DP and pipeline parallelism."""
    settings, parallel = question.settings, question.parallel
    width = attention_dp(question)
    if settings.value("attn_dp_size") > 1 and parallel.dp > 1 and not inside_tp(settings):
        return value_error(
            "two-kinds-of-dp",
            f"--dp-size {parallel.dp} with --attn-dp-size {width}: data-parallel replicas combined"
            " with attention data parallelism are not supported.",
            "use one of the two",
        )
    if parallel.tp % (width * settings.value("attn_cp_size")):
        return assertion(
            "dp-not-divisible",
            "tp_size must be divisible by attn_dp_size * attn_cp_size",
            f"use a tp that is a multiple of {width * settings.value('attn_cp_size')}",
        )
    if row.no_attention_dp and width > 1:
        return value_error(
            "no-attention-dp", "MiniCPM does not support DP attention", "leave --dp out"
        )
    if row.no_pipeline and (parallel.pp > 1 or settings.value("ep_size") > 1):
        reasons = ["pipeline parallelism (--pp-size must be 1)"] * (parallel.pp > 1)
        reasons += ["expert parallelism (--ep-size must be 1)"] * (settings.value("ep_size") > 1)
        return value_error(
            "no-pipeline",
            f"Intern-S2-Mobius does not support: {'; '.join(reasons)}.",
            "use --pp 1",
        )
    return None


def check_features(question: Question, row: Architecture) -> Refusal | None:
    """Combinations that single features refuse."""
    settings, arch = question.settings, question.model.description.architecture
    if row.no_triton and settings.value("attention_backend") == "triton":
        return assertion(
            "no-triton-attention",
            f"{arch} does not support triton attention backend, as the first layer might not be an"
            " attention layer",
            "use --attention-backend flashinfer",
        )
    if settings.value("enable_int8_mamba_checkpoint") and settings.value(
        "enable_hierarchical_cache"
    ):
        return value_error(
            "int8-without-host-tier",
            "--enable-int8-mamba-checkpoint is not supported together with"
            " --enable-hierarchical-cache: the host-offload path is not int8-aware. Disable one of"
            " them.",
            "disable one of them",
        )
    if settings.value("enable_hierarchical_cache") and settings.value("disable_radix_cache"):
        return value_error(
            "host-tier-needs-radix",
            "The arguments enable-hierarchical-cache and disable-radix-cache are mutually exclusive"
            " and cannot be used at the same time. Please use only one of them.",
            "use one of them",
        )
    return _check_replay(settings)


def _check_replay(settings: Settings) -> Refusal | None:
    """arg_groups/attention_hook.py, the guards of ReplaySSM."""
    if not settings.value("enable_linear_replayssm_spec"):
        return None
    branches = settings.value("speculative_eagle_topk")
    if branches not in (None, 1):
        return value_error(
            "replay-needs-chain",
            "--enable-linear-replayssm-spec requires a linear draft chain (--speculative-eagle-topk"
            " in {None, 1}); the chunked verify kernel uses a strictly-lower causal mask and is"
            f" invalid for EAGLE tree verify. Got --speculative-eagle-topk={branches!r}.",
            "use --speculative-eagle-topk 1",
        )
    if settings.value("disaggregation_mode") == "prefill":
        return value_error(
            "replay-not-on-prefill",
            "--enable-linear-replayssm-spec is not supported on a PD prefill server: the ring is"
            " spec-verify-only scratch and the prefill server never runs spec verify.",
            "leave --enable-linear-replayssm-spec out",
        )
    if settings.value("enable_linear_replayssm"):
        return value_error(
            "replay-twice",
            "--enable-linear-replayssm-spec and --enable-linear-replayssm are mutually exclusive:"
            " they share the ring storage but drive it with incompatible cursor protocols"
            " (per-decode-forward vs per-verify-commit advance).",
            "use one of them",
        )
    return None


def check_speculation(
    question: Question, spec: Speculation | None, page: int | None
) -> Refusal | None:
    """Algorithms that do not go with a way of sharing ranks or with kernels."""
    settings = question.settings
    if spec is None:
        return None
    if spec.algorithm in ("NGRAM", "STANDALONE") and attention_dp(question) > 1:
        name = "ngram" if spec.algorithm == "NGRAM" else "standalone"
        return value_error(
            "speculation-without-dp",
            f"Currently {name} speculative decoding does not support dp attention.",
            "leave attention DP out",
        )
    if question.parallel.pp > 1 and spec.algorithm != "EAGLE":
        return assertion(
            "speculation-without-pp",
            "Pipeline parallelism currently only supports EAGLE (non-multi-layer) speculative"
            " decoding",
            "use --pp 1",
        )
    if spec.branches > 1 and (page or 1) > 1:
        problem = _paged_tree(settings, spec, page or 1)
        if problem is not None:
            return problem
    if settings.value("attention_backend") == "trtllm_mha" and spec.branches > 1:
        return value_error(
            "trtllm-needs-chain",
            "trtllm_mha backend only supports topk = 1 for speculative decoding.",
            "use --speculative-eagle-topk 1",
        )
    return None


def _paged_tree(settings: Settings, spec: Speculation, page: int) -> Refusal | None:
    """Trees of draft tokens over pages, which few attention kernels can verify."""
    backend = settings.value("attention_backend")
    if spec.algorithm == "NGRAM" and backend not in (None, "flashinfer"):
        return value_error(
            "paged-drafts",
            f"speculative_eagle_topk({spec.branches}) > 1 with page_size({page}) > 1 is unstable"
            " and produces incorrect results for paged attention backends. This combination is only"
            " supported for the 'flashinfer' backend.",
            "use --attention-backend flashinfer or --page-size 1",
        )
    known = ("flashinfer", "fa3", "triton")
    if spec.algorithm != "NGRAM" and backend not in (None, *known):
        return value_error(
            "paged-drafts",
            "speculative_eagle_topk > 1 with page_size > 1 is only supported on"
            f" {known}; got attention_backend={backend!r}. Use page_size == 1 or one of those"
            " backends.",
            "use --page-size 1 or --speculative-eagle-topk 1",
        )
    return None
