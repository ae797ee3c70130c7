"""Dtypes of model, cache and state: option, then checkpoint, then the architecture's own default.

model_executor/models/config.py, layers/mamba/mamba_utils.py (MambaStateDtypeCalculator) and
utils/torch_utils.py (get_kv_cache_quant_algo_string), vLLM 0.33.0. It knows nothing about shapes.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.describe.description import Description
from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import Question
from ferrum_cli.engines._options import Setting, Settings
from ferrum_cli.engines.vllm.architectures import Architecture
from ferrum_cli.engines.vllm.cache_dtypes import CacheDType, cache_dtype
from ferrum_cli.engines.vllm.inventory import Inventory
from ferrum_cli.engines.vllm.kernels import AttentionKernel, Device
from ferrum_cli.engines.vllm.rules import Rules

_AMPERE = 8
_MODELOPT = {"fp8": "fp8_e4m3", "nvfp4": "nvfp4"}


@dataclass(frozen=True, slots=True)
class StateDtypes:
    """Dtypes of windows and of recurrent matrices, and the option the latter follow."""

    conv: DType
    ssm: DType
    option: Setting


def model_dtype(settings: Settings, description: Description, device: Device) -> DType:
    """`auto` is the checkpoint's dtype, except that FP32 is computed in 16 bits."""
    name = settings.value("dtype")
    if name != "auto":
        return DType.parse(name)
    if description.dtype is not DType.FP32:
        return description.dtype
    before_ampere = device.capability is not None and device.major < _AMPERE
    return DType.FP16 if before_ampere else DType.BF16


def kv_cache_dtype(
    question: Question, rules: Rules, inventory: Inventory, device: Device
) -> Setting:
    """The name of the KV cache's dtype as vLLM resolves it; `auto` is the model's."""
    given = question.settings["kv_cache_dtype"]
    if given.value != "auto":
        return given
    checkpoint = _checkpoint_kv_dtype(question.model.description, inventory)
    if checkpoint is not None:
        return Setting(checkpoint, "config")
    indexer = inventory.indexer
    pooled = indexer is not None and bool(indexer.pool_size)
    if pooled and rules.pooled_fp8 and device.major == 10:  # noqa: PLR2004 - SM10x
        return Setting("fp8", "default")
    return given


def _checkpoint_kv_dtype(description: Description, inventory: Inventory) -> str | None:
    """What the checkpoint's quantization switches on; latent attention heeds modelopt alone."""
    hints = description.hints
    if hints.kv_cache_dtype is None:
        return None
    method = hints.quantization_method or ""
    if method.startswith("modelopt"):
        return _MODELOPT.get(hints.kv_cache_dtype)
    if method == "compressed-tensors" and inventory.latent is None:
        return "fp8" if hints.kv_cache_dtype == "fp8" else None
    return None


def stored(name: str, kernel: AttentionKernel, dtype: DType) -> CacheDType:
    """The dtype in which keys and values lie: FlashMLA's sparse kernel packs FP8 rows."""
    if kernel.name == "FLASHMLA_SPARSE" and name.startswith("fp8"):
        return cache_dtype("fp8_ds_mla", dtype)
    return cache_dtype(name, dtype)


def state_dtypes(
    question: Question, rules: Rules, architecture: Architecture, dtype: DType
) -> StateDtypes:
    """Windows follow --mamba-cache-dtype, matrices --mamba-ssm-cache-dtype, each `auto` by default.

    An automatic matrix follows the checkpoint where the architecture says so, else the window.
    """
    settings = question.settings
    window = settings.value("mamba_cache_dtype")
    conv = dtype if window == "auto" else DType.parse(window)
    option = _ssm_option(question, rules, architecture)
    ssm = conv if option.value == "auto" else DType.parse(option.value)
    return StateDtypes(conv, ssm, option)


def _ssm_option(question: Question, rules: Rules, architecture: Architecture) -> Setting:
    given = question.settings["mamba_ssm_cache_dtype"]
    hints = question.model.description.hints
    if given.value != "auto":
        return given
    if architecture.ssm_dtype == "mamba_ssm_dtype" and hints.mamba_ssm_dtype:
        return Setting(hints.mamba_ssm_dtype, "config")
    if architecture.ssm_dtype == "mamba_ssm_cache_dtype" and rules.nemotron_ssm_dtype != "auto":
        return (
            Setting(hints.mamba_ssm_cache_dtype, "config")
            if hints.mamba_ssm_cache_dtype
            else Setting(rules.nemotron_ssm_dtype, "default")
        )
    return given
