"""What makes transformers stop, in its own words (5.24.0, each text as it was printed).

It knows nothing about memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines.transformers.architectures import NOT_RECOGNIZED, RUNS_WITHOUT_ATTENTION
from ferrum_cli.engines.transformers.key_value import layer_types
from ferrum_cli.engines.transformers.options import Chosen
from ferrum_cli.expand import Expanded


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a model does not run: a stable code, transformers' words, and what to do."""

    code: str
    words: str
    hint: str


def not_recognized(model: Expanded) -> Refusal | None:
    """A model type that transformers does not have: nothing of it is ever built."""
    model_type = NOT_RECOGNIZED.get(model.description.architecture or "")
    if model_type is None:
        return None
    return Refusal(
        "architecture-not-recognized",
        f"The checkpoint you are trying to load has model type `{model_type}` but Transformers does"
        " not recognize this architecture.",
        "plan it with another engine; code that comes with the checkpoint is not planned",
    )


def cannot_run(model: Expanded, chosen: Chosen) -> Refusal | None:
    """A model that is built but whose first forward with a cache raises."""
    return _no_attention(model) or _not_quantized(model, chosen)


def _no_attention(model: Expanded) -> Refusal | None:
    """Most models ask their cache for its length, which only attention layers know."""
    architecture = model.description.architecture
    runs = architecture is None or architecture in RUNS_WITHOUT_ATTENTION
    if runs or model.cache_layers or not model.state_layers:
        return None
    return Refusal(
        "no-attention-layer",
        "`get_seq_length` can only be called on Attention layers, and the current Cache seem to"
        " only contain LinearAttention layers.",
        "the configuration gives no layer of attention: check its layer_types",
    )


def _not_quantized(model: Expanded, chosen: Chosen) -> Refusal | None:
    invalid = layer_types(model) - {"full_attention"}
    if chosen.implementation != "quantized" or not invalid:
        return None
    found = ", ".join(repr(kind) for kind in sorted(invalid))
    return Refusal(
        "quantized-cache",
        "`QuantizedCache` is only supported for models with only full attention layers. We found"
        f" the following invalid layer types: {{{found}}}",
        "use cache_implementation=dynamic",
    )
