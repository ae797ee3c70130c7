"""Speculative decoding as far as it costs memory: draft tokens, branches, draft layers.

SGLang 0.5.23, arg_groups/speculative_hook.py and
model_executor/model_runner_components/spec_aux_hidden_state.py. It knows nothing about bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.describe.description import Description
from ferrum_cli.engines._options import Settings
from ferrum_cli.engines.sglang.architectures import Architecture
from ferrum_cli.engines.sglang.refusals import Refusal, assertion, value_error

REQUESTS_WITH_SPECULATION = 48
"""`max_running_requests` where an algorithm is set and the flag is not."""

_EAGLE = ("EAGLE", "EAGLE3", "STANDALONE", "FROZEN_KV_MTP")
_FIVE_STEPS = ("LlamaForCausalLM", "Grok1ForCausalLM", "Grok1VForCausalLM")
_NGRAM_DRAFT_TOKENS = 12
_BLOCK_TOKENS = {"DFLASH": 16, "DSPARK": 8}
"""Tokens of a block where neither flag nor draft checkpoint says; DSPARK counts one more."""


@dataclass(frozen=True, slots=True)
class Speculation:
    """A resolved algorithm."""

    algorithm: str
    draft_tokens: int
    steps: int
    branches: int
    draft_layers: int
    """Layers of the draft model whose KV lies beside the target's; 0 for n-gram drafts."""
    assumed_draft: bool = False
    """The draft model is not described: one layer like the target's is assumed."""

    @property
    def tokens_per_decode(self) -> int:
        """KV positions that one request may take in one step, at page size 1."""
        return max(self.steps * self.branches, self.draft_tokens)


def speculation(
    settings: Settings, description: Description, row: Architecture
) -> Speculation | Refusal | None:
    """What the flags ask for; None without an algorithm."""
    name = settings.value("speculative_algorithm")
    if name is None:
        return None
    algorithm = "EAGLE" if name.upper() == "NEXTN" else name.upper()
    if algorithm == "NGRAM":
        return _ngram(settings)
    if algorithm in _EAGLE:
        return _eagle(settings, description, row, algorithm)
    return _block(settings, description, algorithm)


def _ngram(settings: Settings) -> Speculation:
    draft_tokens = settings.value("speculative_num_draft_tokens") or _NGRAM_DRAFT_TOKENS
    branches = settings.value("speculative_ngram_max_bfs_breadth")
    steps = settings.value("speculative_num_steps") or draft_tokens // branches
    return Speculation("NGRAM", draft_tokens, steps, branches, 0)


def _eagle(
    settings: Settings, description: Description, row: Architecture, algorithm: str
) -> Speculation | Refusal:
    steps = settings.value("speculative_num_steps")
    branches = settings.value("speculative_eagle_topk")
    draft_tokens = settings.value("speculative_num_draft_tokens")
    adaptive = settings.value("speculative_adaptive")
    if steps is None and not adaptive:
        if branches is not None or draft_tokens is not None:
            return assertion(
                "speculation-incomplete",
                "",
                "give --speculative-num-steps too, or none of the three",
            )
        wide = description.architecture in _FIVE_STEPS and algorithm != "STANDALONE"
        steps, branches, draft_tokens = (5, 4, 8) if wide else (3, 1, 4)
    branches = branches or 1
    steps = steps or 3
    if branches == 1 or draft_tokens is None:
        draft_tokens = steps + 1
    layers = _draft_layers(description, row)
    assumed = description.draft is None and layers > 0
    return Speculation(algorithm, draft_tokens, steps, branches, layers, assumed)


def _draft_layers(description: Description, row: Architecture) -> int:
    """Layers of the draft model: the checkpoint's own, or one of a model that is not described."""
    if description.draft is not None:
        return len(description.draft.layers)
    return 0 if row.counts_drafts else 1


def _block(settings: Settings, description: Description, algorithm: str) -> Speculation | Refusal:
    """DFLASH and DSPARK draft a block, whose length stands in their own checkpoint."""
    if algorithm not in _BLOCK_TOKENS:
        return value_error(
            "unknown-speculative-algorithm",
            f"Unknown speculative algorithm name: {algorithm}",
            "use EAGLE, EAGLE3, NEXTN, STANDALONE, NGRAM, DFLASH or DSPARK",
        )
    if algorithm == "DFLASH" and settings.value("speculative_draft_model_path") is None:
        return value_error(
            "no-draft-model",
            "DFLASH speculative decoding requires setting --speculative-draft-model-path.",
            "name the checkpoint of the draft model",
        )
    draft_tokens = settings.value("speculative_num_draft_tokens") or _BLOCK_TOKENS[algorithm]
    layers = len(description.draft.layers) if description.draft else 1
    return Speculation(algorithm, draft_tokens, 1, 1, layers, assumed_draft=True)
