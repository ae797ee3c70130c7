"""Second names of SGLang's flags, so that everything behind knows one name for each.

SGLang 0.5.23, `ServerArgs.add_cli_args`. It knows nothing about what the flags do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ferrum_cli.engines._engine import Question
from ferrum_cli.engines._options import Settings
from ferrum_cli.engines.sglang.options import OPTIONS

ALIASES: Mapping[str, str] = {
    "tensor_parallel_size": "tp_size",
    "pipeline_parallel_size": "pp_size",
    "data_parallel_size": "dp_size",
    "attention_data_parallel_size": "attn_dp_size",
    "attention_context_parallel_size": "attn_cp_size",
    "decode_context_parallel_size": "dcp_size",
    "expert_parallel_size": "ep_size",
    "enable_hicache": "enable_hierarchical_cache",
    "speculative_draft_model": "speculative_draft_model_path",
    "mamba_scheduler_strategy": "mamba_radix_cache_strategy",
}
"""Each second name and the first; the last is an older release's."""


def canonical(question: Question) -> Question:
    """The question with every flag under its first name, which wins where both are given."""
    given = question.settings.given()
    first = {
        name: given[alias]
        for alias, name in ALIASES.items()
        if alias in given and name not in given
    }
    if not first:
        return question
    return replace(question, settings=Settings(OPTIONS, {**given, **first}))
