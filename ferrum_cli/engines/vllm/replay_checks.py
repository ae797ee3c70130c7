"""When --use-replayssm is refused, and in which words.

config/vllm.py, validate_mamba_cached_kernel, vLLM 0.32.0 and 0.33.0. It knows nothing about what
the ring buffers cost.
"""

from __future__ import annotations

from ferrum_cli.engines.vllm.configuration import Configuration

_FLASHINFER_ROWS = 16


def replayssm_words(name: str, config: Configuration) -> tuple[str, str] | None:
    """The words of vLLM and what to do, or None where it accepts the option."""
    backend = str(config.settings.value("mamba_backend")).lower()
    rows: int = config.settings.value("replayssm_buffer_len")
    if not config.architecture.replayssm:
        words = f"--use-replayssm is not supported for architecture {name!r}"
        return words, "leave out --use-replayssm"
    if backend == "flashinfer" and rows > _FLASHINFER_ROWS:
        words = "FlashInfer ReplaySSM requires --replayssm-buffer-len <= 16"
        return words, f"--replayssm-buffer-len {_FLASHINFER_ROWS}"
    if config.records_kept:
        return _recoverssm(config, backend)
    if config.speculation.tokens:
        return _with_drafts(config, backend, rows)
    return _plain(config, backend)


def _recoverssm(config: Configuration, backend: str) -> tuple[str, str] | None:
    if config.mode == "align" and not config.second_runner:
        what = "prefix caching" if config.rules.mode_option == "inert" else "align mode"
        words = f"RecoverSSM with {what} requires VLLM_USE_V2_MODEL_RUNNER=1"
        return words, "set VLLM_USE_V2_MODEL_RUNNER=1 or --no-enable-prefix-caching"
    if config.parallel.pp > 1:
        return "RecoverSSM currently requires pipeline_parallel_size=1", "use --pp 1"
    if backend != "triton":
        return "RecoverSSM requires --mamba-backend triton", "--mamba-backend triton"
    return None


def _with_drafts(config: Configuration, backend: str, rows: int) -> tuple[str, str] | None:
    window = 1 + config.speculation.tokens
    if config.mode != "none":
        words = (
            "FlashInfer ReplaySSM speculative decoding requires --mamba-cache-mode none"
            if config.rules.mode_option != "inert"
            else "FlashInfer ReplaySSM speculative decoding does not support prefix caching; use"
            " --disable-prefix-caching"
        )
        return words, "--no-enable-prefix-caching"
    if rows < window:
        words = (
            "FlashInfer ReplaySSM speculative decoding requires --replayssm-buffer-len >= 1 +"
            f" num_speculative_tokens ({window}); got {rows}"
        )
        return words, f"--replayssm-buffer-len {window}"
    if backend != "flashinfer":
        words = "Mamba2 ReplaySSM speculative decoding requires --mamba-backend flashinfer"
        return words, "--mamba-backend flashinfer"
    return None


def _plain(config: Configuration, backend: str) -> tuple[str, str] | None:
    if backend == "flashinfer":
        if config.mode != "align":
            return None
        words = (
            "FlashInfer ReplaySSM does not support --mamba-cache-mode align yet; use none"
            if config.rules.mode_option != "inert"
            else "FlashInfer ReplaySSM does not support prefix caching yet; use"
            " --disable-prefix-caching"
        )
        return words, "--no-enable-prefix-caching"
    if backend != "triton":
        words = "--use-replayssm requires --mamba-backend triton or flashinfer"
        return words, "--mamba-backend triton"
    if config.second_runner:
        words = (
            "Triton ReplaySSM requires Model Runner V1; use --mamba-backend flashinfer or Model"
            " Runner V1"
        )
        return words, "set VLLM_USE_V2_MODEL_RUNNER=0"
    return None
