"""Every option that matters with the value that vLLM runs with, and where that came from.

It knows nothing about what a value costs.
"""

from __future__ import annotations

from typing import Any

from ferrum_cli.engines._options import Setting, Source
from ferrum_cli.engines.vllm.memory import utilization
from ferrum_cli.engines.vllm.options import AUTO_LENGTH, DECIDING
from ferrum_cli.engines.vllm.start import Start


def effective_options(found: Start) -> dict[str, Setting]:
    """Options given, and what vLLM makes of those left out; options without a value are left out.

    A value that follows the checkpoint has the source `config`.
    """
    settings, parallel = found.config.settings, found.launch.parallel
    given = settings.given()
    options = {option.name: settings[option.name] for option in DECIDING} | given
    for name, value in (
        ("tensor_parallel_size", parallel.tp),
        ("pipeline_parallel_size", parallel.pp),
        ("data_parallel_size", parallel.dp),
    ):
        if name not in given:
            options[name] = Setting(value, "flag" if value > 1 else "default")
    options |= _resolved(found)
    return {name: setting for name, setting in options.items() if setting.value is not None}


def _resolved(found: Start) -> dict[str, Setting]:
    config, alignment = found.config, found.outcome.alignment
    settings = config.settings

    def _derived(name: str, value: Any, source: Source = "default") -> Setting:
        """The value that follows, from whatever the option itself was set by."""
        return Setting(value, settings[name].source if settings.is_given(name) else source)

    by_checkpoint: Source = "config" if settings.value("dtype") == "auto" else "flag"
    found_options = {
        "max_model_len": _length(found),
        "dtype": _derived("dtype", config.model_dtype.torch_name, by_checkpoint),
        "kv_cache_dtype": config.kv_dtype_source,
        "mamba_cache_dtype": _derived("mamba_cache_dtype", config.conv_dtype.torch_name),
        "mamba_ssm_cache_dtype": Setting(
            config.ssm_dtype.torch_name, config.ssm_dtype_option.source
        ),
        "enable_prefix_caching": config.prefix_caching,
        "mamba_cache_mode": _mode(found),
        "max_num_seqs": config.batching.max_num_seqs,
        "max_num_batched_tokens": config.batching.max_num_batched_tokens,
        "gpu_memory_utilization": _derived("gpu_memory_utilization", utilization(config)),
        "attention_backend": _derived("attention_backend", config.kernel.name),
        "VLLM_KV_CACHE_LAYOUT": _derived("VLLM_KV_CACHE_LAYOUT", config.kv_layout),
        "VLLM_USE_V2_MODEL_RUNNER": _derived("VLLM_USE_V2_MODEL_RUNNER", config.second_runner),
    }
    if alignment is not None:
        found_options["block_size"] = _derived("block_size", alignment.block_size)
        found_options["mamba_block_size"] = _derived("mamba_block_size", alignment.mamba_block_size)
    if any(c.placed.block.kind == "gated_delta_net" for c in found.outcome.inventory.state):
        found_options["gdn_prefill_backend"] = _derived("gdn_prefill_backend", config.gdn_prefill)
    return found_options


def _mode(found: Start) -> Setting:
    """The mode, which is the user's own only where it could be chosen and holds."""
    config = found.config
    asked = config.settings["mamba_cache_mode"]
    chosen = asked.value == config.mode and config.rules.mode_option != "inert"
    return Setting(config.mode, asked.source if chosen else "default")


def _length(found: Start) -> Setting:
    """max_model_len: set, taken from --context, fitted to memory, or the checkpoint's own."""
    config, question = found.config, found.question
    pool = found.outcome.pool
    length = pool.max_model_len if pool else config.max_model_len
    asked = question.settings["max_model_len"]
    if asked.value is not None and asked.value not in AUTO_LENGTH:
        return asked
    if config.auto_length:
        return Setting(length, asked.source)
    return Setting(length, "flag" if question.context_given else "config")
