"""Models that transformers 5.24.0 does not load or cannot run, in its own words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ferrum_cli import discover
from ferrum_cli.blocks.attention import Attention
from ferrum_cli.blocks.mamba2 import Mamba2
from ferrum_cli.describe import huggingface
from ferrum_cli.engines import Machine
from ferrum_cli.engines.transformers.architectures import (
    NOT_RECOGNIZED,
    OWN_STATE,
    RUNS_WITHOUT_ATTENTION,
)
from ferrum_cli.report import Level
from tests.engines.transformers.asking import GIB, asked, codes, layers_of
from tests.models import described

DATA = Path(__file__).parents[2] / "data" / "engines"
MODEL_TYPES = {
    word
    for line in (DATA / "transformers_model_types.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
    for word in line.split()
}
INNER = {"inkling_model"}
"""Model types that stand inside a wrapper, whose class reads them whatever they are called."""

MIXER = Mamba2(num_heads=8, head_dim=16, num_groups=2, state_size=16, conv_kernel=4)
NO_LENGTH = (
    "`get_seq_length` can only be called on Attention layers, and the current Cache seem to only"
    " contain LinearAttention layers."
)


def classes_by_type() -> dict[str, tuple[str, ...]]:
    """The classes of every model type that some family reads."""
    found: dict[str, tuple[str, ...]] = {}
    for family in huggingface.families():
        found |= getattr(discover.load(huggingface.__name__, family), "ARCHITECTURES", {})
    return found


@pytest.mark.parametrize(("architecture", "model_type"), sorted(NOT_RECOGNIZED.items()))
def test_a_model_type_that_transformers_lacks_is_refused_by_name(
    architecture: str, model_type: str
) -> None:
    answer = asked(described(architecture=architecture), machine=Machine(memory_bytes=80 * GIB))
    assert answer.refusal == (
        f"The checkpoint you are trying to load has model type `{model_type}` but Transformers does"
        " not recognize this architecture."
    )
    assert (answer.layout, answer.state, answer.capacity.max_requests) == ({}, (), None)
    (finding,) = answer.findings
    assert (finding.level, finding.code) == (Level.ERROR, "architecture-not-recognized")
    assert finding.message == answer.refusal


def test_every_family_is_either_in_transformers_or_refused() -> None:
    missing = {t: c for t, c in classes_by_type().items() if t not in MODEL_TYPES | INNER}
    assert {name for classes in missing.values() for name in classes} <= set(NOT_RECOGNIZED)
    assert not set(NOT_RECOGNIZED.values()) & MODEL_TYPES


def test_the_default_class_of_a_known_model_type_is_never_refused() -> None:
    known = [classes[0] for t, classes in classes_by_type().items() if t in MODEL_TYPES]
    assert not set(known) & set(NOT_RECOGNIZED)
    assert set(OWN_STATE) | RUNS_WITHOUT_ATTENTION <= set(known)


def only_mixers(architecture: str | None) -> Any:
    return described(architecture=architecture, blocks={"mixer": MIXER}, spans=layers_of("mixer"))


# Small models of these types without a layer of attention, run with transformers 5.24.0.
@pytest.mark.parametrize(
    ("architecture", "refusal"),
    [
        ("BambaForCausalLM", NO_LENGTH),
        ("GraniteMoeHybridForCausalLM", NO_LENGTH),
        ("NemotronHForCausalLM", NO_LENGTH),
        ("Qwen3_5ForCausalLM", NO_LENGTH),
        ("RecurrentGemmaForCausalLM", NO_LENGTH),
        ("ZambaForCausalLM", NO_LENGTH),
        ("MambaForCausalLM", None),
        ("Mamba2ForCausalLM", None),
        ("FalconMambaForCausalLM", None),
        (None, None),
    ],
)
def test_a_hybrid_without_attention_fails_in_its_first_forward(
    architecture: str | None, refusal: str | None
) -> None:
    answer = asked(only_mixers(architecture), machine=Machine(memory_bytes=80 * GIB))
    assert answer.refusal == refusal
    assert ("no-attention-layer" in codes(answer)) == (refusal is not None)
    assert answer.layout["state_bytes"] == 192 * 4 * 2 + 8 * 16 * 16 * 4
    assert (answer.capacity.max_requests is None) == (refusal is not None)


@pytest.mark.parametrize(
    ("layers", "types"),
    [
        (("mixer", "full"), "'linear_attention'"),
        (("mixer+full",), "'hybrid'"),
        (("mixer+sliding",), "'hybrid_sliding'"),
        (("full", "sliding"), "'sliding_attention'"),
        (("full", "chunked"), "'chunked_attention'"),
        (("mixer", "full", "mlp"), "'dummy', 'linear_attention'"),
    ],
)
def test_a_quantized_cache_takes_full_attention_alone(layers: tuple[str, ...], types: str) -> None:
    sizes = {"num_heads": 4, "num_kv_heads": 2, "head_dim": 16}
    blocks = {
        "mixer": MIXER,
        "full": Attention(**sizes),
        "sliding": Attention(**sizes, window=8),
        "chunked": Attention(**sizes, chunk=8),
        "mlp": described().blocks["mlp"],
    }
    model = described(blocks=blocks, spans=layers_of(*layers))
    answer = asked(model, cache_implementation="quantized")
    assert answer.refusal == (
        "`QuantizedCache` is only supported for models with only full attention layers. We found"
        f" the following invalid layer types: {{{types}}}"
    )
