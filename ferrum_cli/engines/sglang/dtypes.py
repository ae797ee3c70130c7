"""Dtypes of convolution windows, recurrent state and KV cache, each with where it comes from.

SGLang 0.5.23, configs/mamba_utils.py (mamba2_state_dtype), arg_groups/serving_hook.py,
mem_cache/kv_cache_dtype.py and configs/model_config.py (_get_and_verify_dtype). It knows nothing
about shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ferrum_cli.describe.description import Description
from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import Question
from ferrum_cli.engines._options import Settings, Source
from ferrum_cli.engines.sglang.architectures import Architecture

_BLACKWELL = 10
_STATE_DTYPES: Mapping[str, DType] = {
    "float32": DType.FP32,
    "bfloat16": DType.BF16,
    "float16": DType.FP16,
}


@dataclass(frozen=True, slots=True)
class StateDTypes:
    """What a slot is stored in."""

    conv: DType
    temporal: DType
    source: Source
    """Where the dtype of the temporal state comes from."""
    ignored: str | None = None
    """A dtype that was asked for and does not count."""

    @property
    def origin(self) -> str:
        """Both dtypes and their sources in a few words."""
        where = {
            "flag": "--mamba-ssm-dtype",
            "environment": "SGLANG_MAMBA_SSM_DTYPE",
            "config": "mamba_ssm_dtype of the configuration",
            "default": "SGLang's default",
        }
        return (
            f"SGLang 0.5.23: {self.temporal.torch_name} state from {where[self.source]},"
            f" {self.conv.torch_name} convolutions whatever the model's dtype"
        )


def state_dtypes(
    settings: Settings, description: Description, row: Architecture, *, replay: bool
) -> StateDTypes:
    """Flag over environment over configuration over float32; an unknown word is passed over."""
    if row.fixed_dtypes:
        return StateDTypes(DType.BF16, DType.BF16, "default")
    conv = _STATE_DTYPES.get(settings.value("SGLANG_MAMBA_CONV_DTYPE"), DType.BF16)
    stated = description.hints.mamba_ssm_dtype
    asked = list(_asked(settings, stated if row.reads_ssm_dtype else None, replay=replay))
    for word, source in asked:
        if word is not None and word in _STATE_DTYPES:
            passed = stated if stated != word and source != "flag" else None
            return StateDTypes(conv, _STATE_DTYPES[word], source, passed)
    wished = next((word for word, _ in asked if word), stated)
    return StateDTypes(conv, DType.FP32, "default", None if wished == "float32" else wished)


def _asked(
    settings: Settings, stated: str | None, *, replay: bool
) -> Iterator[tuple[str | None, Source]]:
    """Every word that counts, the strongest first."""
    flag = settings.value("mamba_ssm_dtype")
    if flag:
        yield flag, "flag"
    elif replay:
        yield "float32", "default"
    else:
        # The flag works by setting the variable, so it hides what stood there before.
        yield settings.value("SGLANG_MAMBA_SSM_DTYPE"), "environment"
    yield stated, "config"


def model_dtype(settings: Settings, description: Description) -> DType:
    """The dtype the model runs in: float32 checkpoints run in float16."""
    asked = settings.value("dtype")
    if asked != "auto":
        return DType.parse(asked)
    return DType.FP16 if description.dtype is DType.FP32 else description.dtype


def kv_dtype(question: Question) -> tuple[str, DType, Source]:
    """SGLang's word for the KV dtype, the dtype itself, and its source."""
    setting, description = question.settings["kv_cache_dtype"], question.model.description
    word: str = setting.value
    if word != "auto":
        dtype = DType.BF16 if word in ("bf16", "bfloat16") else DType.FP8
        return word, dtype, setting.source
    hints = description.hints
    modelopt = (hints.quantization_method or "").startswith("modelopt")
    if modelopt and (hints.kv_cache_dtype or "").startswith("fp8"):
        return "fp8_e4m3", DType.FP8, "config"
    if _sparse_on_blackwell(question):
        return "fp8_e4m3", DType.FP8, "default"
    return word, model_dtype(question.settings, description), "default"


def _sparse_on_blackwell(question: Question) -> bool:
    """Sparse attention over latents defaults to fp8 on SM100 (_dsa_kv_cache_dtype_default)."""
    kinds = {block.kind for block in question.model.description.blocks.values()}
    capability = question.machine.compute_capability or (0, 0)
    return {"indexer", "latent_attention"} <= kinds and capability[0] >= _BLACKWELL
