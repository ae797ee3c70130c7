"""llama-server's series on /metrics that say something about slots, contexts and drafts.

It has none for bytes of state or KV. Names are those of 0c1e57098, tools/server/server-task.cpp. It
knows nothing about reading them.
"""

from __future__ import annotations

from collections.abc import Mapping

METRICS: Mapping[str, str] = {
    "llamacpp:requests_processing": "slots that work on a request",
    "llamacpp:requests_deferred": "requests that wait for a slot",
    "llamacpp:n_busy_slots_per_decode": "busy slots of a decode, on average since the start",
    "llamacpp:n_tokens_max": "the longest sequence so far, to hold against n_ctx_seq",
    "llamacpp:prompt_tokens_total": "prompt tokens that were computed (a counter)",
    "llamacpp:prompt_tokens_cached_total": "prompt tokens taken from a cache (a counter)",
    "llamacpp:spec_decode_num_draft_tokens_total": "tokens proposed (a counter)",
    "llamacpp:spec_decode_num_accepted_tokens_total": "proposed tokens accepted (a counter)",
}
"""Each series and what it counts."""
