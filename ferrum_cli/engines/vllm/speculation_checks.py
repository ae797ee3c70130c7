"""When a way of speculating is refused, and in which words.

config/speculative.py, model_executor/layers/mamba/abstract.py and the models' own files, read in
vLLM 0.11.2 to 0.33.0. It knows nothing about what drafts cost.
"""

from __future__ import annotations

from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.inventory import Inventory
from ferrum_cli.engines.vllm.speculation import gone_since
from ferrum_cli.engines.vllm.versions import Version

_LOOKAHEAD_CHECKED = Version(0, 33)
_LOOKING_AHEAD = ("mtp", "eagle", "eagle3", "draft_model", "dflash", "dspark")

Found = tuple[str, str, str]
"""Code, words and hint."""


def first(config: Configuration, inventory: Inventory) -> Found | None:
    """The first check that fails."""
    drafts = config.speculation
    if drafts.refusal is not None:
        hint = "give method, num_speculative_tokens and, for a draft of its own, model"
        return ("speculation-incomplete", drafts.refusal, hint)
    if drafts.method is None:
        return None
    return (
        _gone(config, drafts.method)
        or _with_state(config, inventory)
        or _by_architecture(config, drafts.method)
        or _batch(config)
    )


def _gone(config: Configuration, method: str) -> Found | None:
    gone = gone_since(method)
    if gone is None or config.version < Version.of(gone):
        return None
    words = f"speculative_config.method: Input should not be {method!r}"
    return ("speculation-method-gone", words, "use mtp, eagle3 or ngram")


def _with_state(config: Configuration, inventory: Inventory) -> Found | None:
    """At first Qwen3-Next alone could speculate among models with state."""
    if config.rules.state_drafts == "any" or not inventory.state:
        return None
    if config.architecture.first_to_speculate:
        return None
    words = "Mamba with speculative decoding is not supported yet."
    return ("speculation-with-state", words, "use vLLM 0.17.1 or newer")


def _by_architecture(config: Configuration, method: str) -> Found | None:
    architecture = config.architecture
    if architecture.methods is not None and method not in architecture.methods:
        words = (
            "Qwen4Exp speculative decoding supports only its native MTP checkpoint and linear"
            " n-gram proposers"
        )
        return ("speculation-method", words, "use mtp or ngram")
    if method in architecture.refused_methods:
        words = (
            f"AliceAI does not support speculative method {method!r} because it requires"
            " auxiliary hidden states"
        )
        return ("speculation-method", words, "use ngram")
    return None


def _batch(config: Configuration) -> Found | None:
    """A step must hold a token beside the drafts' own slots."""
    drafts, tokens = config.speculation, config.batching.max_num_batched_tokens.value
    lookahead = drafts.tokens + (drafts.method == "dflash")
    if drafts.method not in _LOOKING_AHEAD or config.version < _LOOKAHEAD_CHECKED:
        return None
    if tokens > lookahead:
        return None
    words = (
        "VllmConfig does not have enough slots to schedule a token and support the speculative"
        f" decoding settings. Got max_num_batched_tokens={tokens} and"
        f" num_lookahead_tokens={lookahead}."
    )
    return ("batched-tokens-below-drafts", words, "raise --max-num-batched-tokens")
