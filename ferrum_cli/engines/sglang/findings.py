"""What a user of SGLang should know about a start, each with a stable code and a way out.

It knows nothing about how findings are shown, nor about flags that reach a target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ferrum_cli.engines._engine import Question
from ferrum_cli.engines.sglang.architectures import FALLS_BACK, Layers
from ferrum_cli.engines.sglang.budget import ratio_for
from ferrum_cli.engines.sglang.device_memory import GIB
from ferrum_cli.engines.sglang.kv_cell import key_values
from ferrum_cli.engines.sglang.start import Start, version_of
from ferrum_cli.engines.sglang.unbudgeted import request_table_bytes
from ferrum_cli.quantity import format_bytes
from ferrum_cli.report import Finding, Level

_LARGE_TABLE = GIB
_OLDEST, _NEWEST = (0, 5, 17), (0, 5, 23)
_UNUSED_FACTOR = 4
"""Slots beyond those of running requests hold cached prefixes, so some are welcome."""


def findings(found: Start) -> tuple[Finding, ...]:
    """Everything there is to say, the refusal first."""
    return tuple(finding for check in _CHECKS for finding in check(found))


def _refused(found: Start) -> Iterator[Finding]:
    if found.refusal is None:
        return
    refusal = found.refusal
    yield Finding(Level.ERROR, f"{refusal.code}", refusal.text, refusal.hint)
    launch, slot, memory = found.launch, found.slot, found.memory
    if refusal.code == "no-room-for-kv" and launch and slot and memory and launch.slots:
        size = (launch.slots // launch.attention_dp + 1) * slot.charged_bytes
        yield Finding(
            Level.WARNING,
            "oversized-state-pool",
            f"the message speaks of weights, but {launch.slots // launch.attention_dp} + 1 state"
            f" slots of {slot.charged_bytes} B take {format_bytes(size)}",
            "lower --max-mamba-cache-size; raising --mem-fraction-static alone may not help",
        )


def _concurrency(found: Start) -> Iterator[Finding]:
    """Fewer requests run than were asked for."""
    launch, requests, slots = found.launch, found.requests, found.slots
    if launch is None or requests is None:
        return
    if requests.capped_by_slots and requests.asked is not None and slots is not None:
        ratio = launch.strategy.slots_per_request
        needed = requests.asked * ratio
        yield Finding(
            Level.WARNING,
            "concurrency-capped",
            f"{requests.asked} running requests were asked for, {requests.count} run:"
            f" {slots} slots // {ratio} per request = {slots // ratio}; the API goes on reporting"
            f" {launch.requests}",
            _three_ways(found, needed),
        )
    elif requests.asked is not None and requests.count < requests.asked:
        yield Finding(
            Level.WARNING,
            "concurrency-reduced-by-kv",
            f"{requests.asked} running requests were asked for, {requests.count} run: half of"
            f" {found.tokens.full if found.tokens else 0} KV tokens",
            "raise --mem-fraction-static or lower --mamba-full-memory-ratio",
        )


def _three_ways(found: Start, needed: int) -> str:
    """SGLang names them itself; here they come with numbers."""
    launch, slot, divided = found.launch, found.slot, found.split
    ways = ["--mamba-ssm-dtype bfloat16, which about halves a slot"]
    if launch is not None and launch.speculation is None and slot is not None and divided:
        ratio = ratio_for((needed + 2) * slot.charged_bytes, divided.rest_gib * GIB)
        if ratio != float("inf"):
            ways.insert(0, f"--mamba-full-memory-ratio {ratio:g}")
    if launch is not None:
        ways.insert(0, f"--max-mamba-cache-size {needed * launch.attention_dp}")
    return "one of: " + "; ".join(ways)


def _context(found: Start) -> Iterator[Finding]:
    """KV tokens do not hold the running requests at the context asked for."""
    question, launch = found.question, found.launch
    if launch is None or found.requests is None or found.tokens is None or not has_kv(found):
        return
    fitting = found.tokens.full // launch.context
    wanted = -(-question.requests // launch.workers)
    if not question.context_given and fitting < max(wanted, found.requests.count):
        yield Finding(
            Level.WARNING if question.requests_given and fitting < wanted else Level.INFO,
            "kv-below-context",
            f"{found.requests.count} requests run at once, but {found.tokens.full} KV tokens hold"
            f" {fitting} of the whole {launch.context} tokens; more are retracted as they grow",
            "say with --context how long they get",
        )
    elif question.context_given and fitting < wanted:
        yield Finding(
            Level.WARNING,
            "kv-below-context",
            f"{found.tokens.full} KV tokens hold {fitting} requests of {launch.context} tokens, not"
            f" {wanted}; more would be retracted as they grow",
            "lower --context or --mamba-full-memory-ratio, or use more devices",
        )


def has_kv(found: Start) -> bool:
    """Whether any layer keeps KV."""
    return any(cell.size_bytes for cell in found.cells)


def _idle_slots(found: Start) -> Iterator[Finding]:
    """A model of tiny state gives memory to slots that no request can use."""
    launch, slot, requests = found.launch, found.slot, found.requests
    if launch is None or slot is None or requests is None or found.slots is None:
        return
    used = requests.count * launch.strategy.slots_per_request
    if launch.slots is not None or found.slots <= _UNUSED_FACTOR * used or found.split is None:
        return
    rest = found.split.rest_gib * GIB
    share = (found.slots + 1) * slot.charged_bytes / rest
    ratio = ratio_for((used + 2) * slot.charged_bytes, rest)
    yield Finding(
        Level.WARNING,
        "idle-state-slots",
        f"{share:.0%} of the memory for state and KV goes to {found.slots} slots, of which"
        f" {requests.count} requests use {used}; the others can only hold cached prefixes",
        f"--mamba-full-memory-ratio {ratio:g} keeps enough slots and gives the rest to KV"
        if has_kv(found)
        else "nothing else can use that memory: raise --max-total-tokens for more requests",
    )


def _overlap(found: Start) -> Iterator[Finding]:
    launch = found.launch
    if launch is not None and launch.strategy.overlap_lost_to is not None:
        yield Finding(
            Level.WARNING,
            "overlap-off",
            f"{launch.strategy.overlap_lost_to} switches the overlap of scheduler and device off",
            "expect a lower throughput; --mamba-radix-cache-strategy extra_buffer keeps it where it"
            " is supported",
        )


def _attention_dp(found: Start) -> Iterator[Finding]:
    """Totals are divided by the workers, and each rank keeps more heads of state."""
    launch = found.launch
    if launch is None or launch.attention_dp == 1:
        return
    given = [
        f"--{name.replace('_', '-')} {value}"
        for name in ("max_running_requests", "max_mamba_cache_size")
        if (value := found.question.settings.value(name)) is not None
    ]
    if given:
        yield Finding(
            Level.INFO,
            "divided-by-dp",
            f"{' and '.join(given)} are totals: each of {launch.attention_dp} attention-DP workers"
            f" gets 1/{launch.attention_dp}",
            f"give {launch.attention_dp} times what one worker should have",
        )
    if found.slot is not None and not launch.row.whole_tp:
        yield Finding(
            Level.INFO,
            "state-grows-with-dp",
            f"state is split over {launch.attention_tp} ranks instead of {launch.tp}: a slot costs"
            f" each rank {found.slot.bytes_on_stage} B",
            "the slots of one rank serve the requests of its own worker alone",
        )


def _speculation(found: Start) -> Iterator[Finding]:
    launch = found.launch
    if launch is None or launch.speculation is None:
        return
    if found.question.settings.value("max_running_requests") is None:
        yield Finding(
            Level.INFO,
            "speculation-default-requests",
            "Max running requests is reset to 48 for speculative decoding.",
            "set --max-running-requests",
        )
    if launch.speculation.assumed_draft:
        yield Finding(
            Level.INFO,
            "draft-assumed",
            "the draft model is not described: its KV is taken to be one more layer like the"
            " model's, and its weights are not counted",
            "add its weights with --overhead",
        )


def _dtype(found: Start) -> Iterator[Finding]:
    if found.dtypes is not None and found.dtypes.ignored is not None:
        yield Finding(
            Level.WARNING,
            "ssm-dtype-ignored",
            f"mamba_ssm_dtype {found.dtypes.ignored!r} does not count here: state is"
            f" {found.dtypes.temporal.torch_name}",
            "set --mamba-ssm-dtype",
        )


def _layers(found: Start) -> Iterator[Finding]:
    """The architecture's rule contradicts the layers of the configuration."""
    if found.launch is None or found.launch.row.layers is not Layers.INTERVAL:
        return
    stated = tuple(layer.index for layer in found.question.model.state_layers)
    if stated and stated != found.layers.state:
        yield Finding(
            Level.WARNING,
            "layer-types-ignored",
            f"SGLang takes {len(found.layers.state)} layers for state layers by"
            f" full_attention_interval, the configuration lists {len(stated)}",
            "check layer_types and full_attention_interval",
        )


def _replicated_kv(found: Start) -> Iterator[Finding]:
    launch = found.launch
    cache, _ = key_values(found.question.model)
    if launch is not None and cache is not None and cache.heads < launch.attention_tp:
        yield Finding(
            Level.INFO,
            "kv-heads-replicated",
            f"{cache.heads} KV heads on {launch.attention_tp} ranks: each keeps one, so KV tokens"
            " stop growing with tp while slots go on",
            "a larger --mamba-full-memory-ratio does not help; attention DP may",
        )


def _version(found: Start) -> Iterator[Finding]:
    version = found.question.version
    if not _OLDEST <= version_of(version) <= _NEWEST:
        yield Finding(
            Level.INFO,
            "version-not-measured",
            f"the rules are those of SGLang 0.5.17 to 0.5.23, not of {version}",
            "compare with the start-up log of that version",
        )


def _fallback(found: Start) -> Iterator[Finding]:
    name = found.question.model.description.architecture
    if name in FALLS_BACK:
        yield Finding(
            Level.WARNING,
            "state-not-managed",
            f"{name} has no SGlang implementation, falling back to Transformers implementation:"
            " SGLang reserves no recurrent state for it and takes every layer for attention",
            "use another engine for this model",
        )


def _unbudgeted(found: Start) -> Iterator[Finding]:
    launch, requests = found.launch, found.requests
    if launch is None or requests is None:
        return
    table = request_table_bytes(launch, requests.count)
    if table >= _LARGE_TABLE:
        yield Finding(
            Level.WARNING,
            "request-table",
            f"the req_to_token table takes {format_bytes(table)} that no budget knows of:"
            f" {requests.count} requests of {launch.context} tokens",
            "lower --context-length or --max-running-requests, or leave slack with"
            " --mem-fraction-static",
        )
    if found.question.settings.value("enable_int8_mamba_checkpoint"):
        yield Finding(
            Level.WARNING,
            "int8-pool-unbudgeted",
            "the int8 checkpoint pool is allocated from the slack of --mem-fraction-static",
            "make sure the slack covers it, or lower --int8-mamba-ckpt-size",
        )


def _pure_state(found: Start) -> Iterator[Finding]:
    if found.slot is None or found.tokens is None or has_kv(found) or found.split is None:
        return
    limit = found.question.settings.value("max_total_tokens")
    if limit is None and found.requests is not None and not found.requests.capped_by_slots:
        yield Finding(
            Level.WARNING,
            "tokens-are-context",
            f"without KV, max_total_num_tokens is the context of {found.tokens.full} tokens, and no"
            f" more than half of that many requests run",
            "set --max-total-tokens",
        )
    yield Finding(
        Level.INFO,
        "memory-unused",
        f"{format_bytes(found.split.kv_bytes)} are set aside for KV that this model does not have",
        "raise --mamba-full-memory-ratio",
    )


def _contradictions(found: Start) -> Iterator[Finding]:
    question: Question = found.question
    length = question.settings.value("context_length")
    if length is not None and question.context_given and question.context != length:
        yield Finding(
            Level.WARNING,
            "context-given-twice",
            f"context_length {length} beats --context {question.context}",
            "give one of them",
        )
    strategy = question.settings.value("mamba_scheduler_strategy")
    if strategy is not None:
        yield Finding(
            Level.INFO,
            "renamed-option",
            "mamba_scheduler_strategy is called mamba_radix_cache_strategy now",
            f"use --mamba-radix-cache-strategy {strategy}",
        )


_CHECKS: tuple[Callable[[Start], Iterator[Finding]], ...] = (
    _refused,
    _concurrency,
    _context,
    _idle_slots,
    _overlap,
    _attention_dp,
    _speculation,
    _dtype,
    _layers,
    _replicated_kv,
    _fallback,
    _unbudgeted,
    _pure_state,
    _contradictions,
    _version,
)
