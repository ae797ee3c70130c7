"""What --speculative-config asks for: method, draft tokens, and the draft's own layers.

config/speculative.py, vLLM 0.32.0 and 0.33.0. It knows nothing about what drafts cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ferrum_cli.describe.description import Description
from ferrum_cli.engines._options import Settings
from ferrum_cli.errors import UsageError

_WITHOUT_LAYERS = ("ngram", "ngram_gpu", "suffix", "custom_class")
_WITH_A_MODEL = ("eagle", "eagle3", "draft_model", "dflash", "dspark", "extract_hidden_states")
_GONE = {"medusa": "0.33.0", "mlp_speculator": "0.33.0"}
NO_MODEL = "num_speculative_tokens was provided but without speculative model."
NO_TOKENS = (
    "num_speculative_tokens must be provided with speculative model unless the draft model config"
    " contains an n_predict parameter."
)


@dataclass(frozen=True, slots=True)
class Speculation:
    """Draft tokens for each step, 0 without speculation."""

    method: str | None = None
    tokens: int = 0
    own_layers: bool = False
    """Whether the draft's layers are the checkpoint's own (MTP), which the description has."""
    foreign_layers: bool = False
    """Whether the draft is a checkpoint of its own, whose layers are not known here."""
    refusal: str | None = None
    """vLLM's words where it does not accept the configuration."""


NONE = Speculation()


def speculation(settings: Settings, description: Description) -> Speculation:
    """Read the configuration. Raises UsageError where it is no object or its numbers are not."""
    given = _given(settings)
    if not given:
        return NONE
    method = _method(given)
    tokens = _tokens(given)
    if method is None:
        return Speculation(refusal=NO_MODEL)
    if tokens is None and method == "mtp" and description.draft is not None:
        tokens = len(description.draft.layers)
    if tokens is None:
        return Speculation(method, refusal=NO_TOKENS)
    if method in _WITH_A_MODEL and not given.get("model"):
        described = description.draft is not None and description.draft.method == method
        return (
            Speculation(method, tokens, own_layers=True)
            if described
            else Speculation(method, tokens, refusal=NO_MODEL)
        )
    return Speculation(
        method,
        tokens,
        own_layers=method == "mtp" and description.draft is not None,
        foreign_layers=method not in (*_WITHOUT_LAYERS, "mtp"),
        refusal=_unknown(method),
    )


def _given(settings: Settings) -> dict[str, Any]:
    """The configuration, with --spec-method, --spec-model and --spec-tokens in it."""
    config = settings.value("speculative_config") or {}
    if not isinstance(config, Mapping):
        raise UsageError(
            "speculative_config is no JSON object",
            hint='write {"method": "mtp", "num_speculative_tokens": 2}',
            where="--set speculative_config",
        )
    short = {
        "method": settings.value("spec_method"),
        "model": settings.value("spec_model"),
        "num_speculative_tokens": settings.value("spec_tokens"),
    }
    return dict(config) | {key: value for key, value in short.items() if value is not None}


def _method(given: Mapping[str, Any]) -> str | None:
    """The method; such as qwen3_next_mtp are old spellings of mtp."""
    method, model = given.get("method"), given.get("model")
    if method is None:
        if model in ("ngram", "[ngram]"):
            return "ngram"
        return "draft_model" if model else None
    if not isinstance(method, str):
        raise UsageError(
            "method is no text", hint='such as "mtp"', where="--set speculative_config"
        )
    return "mtp" if method.endswith("_mtp") else method


def _tokens(given: Mapping[str, Any]) -> int | None:
    tokens = given.get("num_speculative_tokens")
    if tokens is None:
        return None
    if not isinstance(tokens, int) or isinstance(tokens, bool) or not 1 <= tokens <= 2**16:
        raise UsageError(
            f"num_speculative_tokens is a positive number, not {tokens!r}",
            hint="such as 2",
            where="--set speculative_config",
        )
    return tokens


def _unknown(method: str) -> str | None:
    known = (*_WITHOUT_LAYERS, *_WITH_A_MODEL, *_GONE, "mtp")
    if method in known:
        return None
    choices = ", ".join(repr(name) for name in known if name not in _GONE)
    return f"speculative_config.method: Input should be one of {choices}"


def gone_since(method: str | None) -> str | None:
    """The version that no longer has the method, if any."""
    return _GONE.get(method or "")
