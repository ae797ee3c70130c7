"""What SGLang makes of flags, environment and model before it measures any memory.

SGLang 0.5.23, arg_groups/pipeline.py and the hooks it runs in order. It knows nothing about bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.blocks.indexer import Indexer
from ferrum_cli.engines._engine import Question
from ferrum_cli.engines._options import Settings
from ferrum_cli.engines.sglang.architectures import Architecture, architecture, is_served
from ferrum_cli.engines.sglang.checks import (
    attention_dp,
    check_configuration,
    check_features,
    check_parallel,
    check_speculation,
    inside_tp,
)
from ferrum_cli.engines.sglang.refusals import Refusal, context_too_long, no_implementation
from ferrum_cli.engines.sglang.speculation import (
    REQUESTS_WITH_SPECULATION,
    Speculation,
    speculation,
)
from ferrum_cli.engines.sglang.strategy import ModelFacts, Strategy, resolve_strategy

UNSTATED_CONTEXT = 2048
"""Tokens of a request where the configuration gives no length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A resolved start."""

    row: Architecture
    tp: int
    pp: int
    replicas: int
    """Whole copies of the server (`--dp-size` without attention DP)."""
    attention_dp: int
    attention_tp: int
    page_size: int
    context: int
    requests: int | None
    """`max_running_requests` over all workers; None lets SGLang estimate."""
    slots: int | None
    """`max_mamba_cache_size` over all workers; None fits it to memory."""
    memory_ratio: float
    strategy: Strategy
    speculation: Speculation | None
    multimodal: bool
    replay: bool
    """`--enable-linear-replayssm-spec`."""
    is_prefill_server: bool
    is_decode_server: bool

    @property
    def workers(self) -> int:
        """Schedulers, each with pools of its own."""
        return self.attention_dp * self.replicas

    @property
    def state_tp(self) -> int:
        """Ranks that share the state of one request."""
        return self.tp if self.row.whole_tp else self.attention_tp

    @property
    def requests_per_worker(self) -> int | None:
        """`max_running_requests` of one worker."""
        return None if self.requests is None else max(1, self.requests // self.attention_dp)

    @property
    def draft_tokens(self) -> int:
        """Draft tokens that are verified together; 0 without speculation."""
        return self.speculation.draft_tokens if self.speculation else 0


def resolve(question: Question) -> Launch | Refusal:
    """Resolve every decision that needs no memory; the first refusal ends it."""
    description, settings = question.model.description, question.settings
    row, keeps_state = architecture(description.architecture), bool(question.model.state_layers)
    context = _context(question)
    problem = (
        check_configuration(question)
        or _served(description.architecture, keeps_state=keeps_state)
        or (context if isinstance(context, Refusal) else None)
        or check_parallel(question, row)
        or check_features(question, row)
    )
    if problem is not None:
        return problem
    parallel, workers = question.parallel, attention_dp(question)
    spec = speculation(settings, description, row)
    page = _page_size(question, row)
    facts = ModelFacts(row, description.architecture, keeps_state)
    strategy = resolve_strategy(settings, facts, page=page, pp=parallel.pp)
    problem = next((found for found in (strategy, spec) if isinstance(found, Refusal)), None)
    problem = problem or (
        None if isinstance(spec, Refusal) else check_speculation(question, spec, page)
    )
    if problem is not None:
        return problem
    assert isinstance(strategy, Strategy) and not isinstance(spec, Refusal)  # noqa: S101, PT018 - for mypy
    assert isinstance(context, int)  # noqa: S101 - as above
    ranks = workers * settings.value("attn_cp_size")
    return Launch(
        row=row,
        tp=parallel.tp,
        pp=parallel.pp,
        replicas=1 if inside_tp(settings) else parallel.dp,
        attention_dp=workers,
        attention_tp=parallel.tp // ranks,
        page_size=page or 1,
        context=context,
        requests=_requests(settings, spec),
        slots=settings.value("max_mamba_cache_size"),
        memory_ratio=_given(settings.value("mamba_full_memory_ratio"), row.memory_ratio),
        strategy=strategy,
        speculation=spec,
        multimodal=_multimodal(question, row),
        replay=settings.value("enable_linear_replayssm_spec"),
        is_prefill_server=settings.value("disaggregation_mode") == "prefill",
        is_decode_server=settings.value("disaggregation_mode") == "decode",
    )


def _served(name: str | None, *, keeps_state: bool) -> Refusal | None:
    return None if is_served(name, keeps_state) else no_implementation(str(name))


def _context(question: Question) -> int | Refusal:
    """Tokens of one request: the flag, then `--context`, then the model's own length."""
    description = question.model.description
    derived = UNSTATED_CONTEXT if description.hints.unlimited_context else description.max_context
    asked = question.settings.value("context_length")
    if asked is None:
        asked = question.context if question.context_given else derived
    may_exceed = question.settings.value("SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN")
    return asked if asked <= derived or may_exceed else context_too_long(asked, derived)


def _given(value: float | None, default: float) -> float:
    return default if value is None else value


def _page_size(question: Question, row: Architecture) -> int | None:
    """Tokens of a page: what an indexer forces, else the flag; None leaves one token."""
    blocks = question.model.description.blocks.values()
    indexer = next((block for block in blocks if isinstance(block, Indexer)), None)
    if row.indexed_page is not None and indexer is not None:
        return row.indexed_page * (indexer.pool_size or 1)
    asked: int | None = question.settings.value("page_size")
    return asked


def _requests(settings: Settings, spec: Speculation | None) -> int | None:
    asked: int | None = settings.value("max_running_requests")
    return REQUESTS_WITH_SPECULATION if asked is None and spec is not None else asked


def _multimodal(question: Question, row: Architecture) -> bool:
    settings = question.settings
    if settings.value("language_model_only"):
        return False
    wrapper = bool(question.model.description.hints.multimodal)
    return wrapper and (row.multimodal or settings.value("enable_multimodal"))
