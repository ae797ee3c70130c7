"""The options of one question, settled as llama.cpp settles them before it makes a context.

Tokens are rounded up to 256, batches are capped by the context, four slots over one unified cache
are the server's default (tools/server/server.cpp, src/llama-context.cpp, common/fit.cpp of
0c1e57098). It knows nothing about what layers keep.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines._engine import Question
from ferrum_cli.engines._options import Settings
from ferrum_cli.engines.llama_cpp.architectures import Architecture, training_context
from ferrum_cli.engines.llama_cpp.cache_types import TYPES, CacheType
from ferrum_cli.errors import UsageError

DEFAULT_SLOTS = 4
_PADDING = 256
_LARGEST_CONTEXT = 2**32 - 1
_FALSE = ("off", "disabled", "false", "0")
_AUTO = ("auto", "-1")
_WITH_SNAPSHOTS = ("draft-mtp", "draft-eagle3", "draft-dflash", "draft-dspark")
_PROPOSED = {"ngram-simple": 48, "ngram-map-k": 48, "ngram-map-k4v": 48, "ngram-mod": 64}
_PROPOSED_BY_CACHE = 8


@dataclass(frozen=True, slots=True)
class Sizes:
    """Slots, and the tokens of all of them and of one; `streams` share no cell."""

    slots: int
    n_ctx: int
    n_ctx_seq: int
    streams: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Everything settled but the model's own sizes."""

    slots: int
    default_slots: bool
    """Whether the slots are llama-server's default and not chosen."""
    unified: bool
    asked_context: int
    """`n_ctx` before it is rounded."""
    training_context: int
    batch: int
    ubatch: int
    batches_are_zero: bool
    type_k: CacheType
    type_v: CacheType
    draft_type_k: CacheType
    draft_type_v: CacheType
    flash: bool | None
    """None is automatic, which every known device resolves to yes."""
    asked_snapshots: int
    snapshots: int
    """Rollback snapshots that the architecture really gets."""
    draft_context: bool
    """Whether the context that is laid out is that of the draft layers."""
    swa_full: bool
    speculation: tuple[str, ...]
    proposed: int
    """Tokens proposed at once."""
    draft_model: str | None
    """A draft model's own file."""
    fits: bool
    """Whether `--fit` may lower what was not set."""

    @property
    def has_mtp(self) -> bool:
        """Whether a second context for the model's own draft layers is made."""
        return "draft-mtp" in self.speculation and self.draft_model is None

    @property
    def transposed_v(self) -> bool:
        """Without flash attention values are transposed, and as wide as the widest layer's."""
        return self.flash is False

    def sizes(self, slots: int | None = None, asked_context: int | None = None) -> Sizes:
        """Slots and cells, of this launch or with others in place of its own."""
        count = self.slots if slots is None else slots
        context = self.asked_context if asked_context is None else asked_context
        return sizes(count, context, self.unified)

    @property
    def tokens(self) -> int:
        """Tokens of the largest graph that is reserved."""
        return min(self.sizes().n_ctx, self.ubatch)


def sizes(slots: int, asked_context: int, unified: bool) -> Sizes:
    """`n_ctx` is rounded up, divided, and each share rounded up again: it can become more."""
    n_ctx = padded(asked_context)
    if unified:
        return Sizes(slots, n_ctx, n_ctx, 1)
    n_ctx_seq = padded(n_ctx // slots)
    return Sizes(slots, n_ctx_seq * slots, n_ctx_seq, slots)


def padded(tokens: int) -> int:
    """Tokens rounded up to 256."""
    return -(-tokens // _PADDING) * _PADDING


def settle(question: Question, architecture: Architecture) -> Launch:
    """The options of a question. Raises UsageError for no slots at all."""
    settings = question.settings
    slots, unified = _slots(settings)
    context = training_context(question.model, architecture)
    asked = _context(question, slots, unified, context)
    batch = min(asked, settings.value("batch_size"))
    speculation = tuple(settings.value("spec_type"))
    snapshots = _snapshots(settings, speculation)
    return Launch(
        slots=slots,
        default_slots=settings.value("parallel") < 0,
        unified=unified,
        asked_context=asked,
        training_context=context,
        batch=batch,
        ubatch=min(batch, settings.value("ubatch_size") or settings.value("batch_size")),
        batches_are_zero=not settings.value("batch_size") and not settings.value("ubatch_size"),
        type_k=TYPES[settings.value("cache_type_k")],
        type_v=TYPES[settings.value("cache_type_v")],
        draft_type_k=TYPES[settings.value("spec_draft_type_k")],
        draft_type_v=TYPES[settings.value("spec_draft_type_v")],
        flash=_flash(settings.value("flash_attn")),
        asked_snapshots=snapshots,
        snapshots=snapshots if architecture.rollback else 0,
        draft_context=settings.value("ctx_type") == "mtp",
        swa_full=settings.value("swa_full"),
        speculation=speculation,
        proposed=max(_proposed(settings, kind) for kind in speculation),
        draft_model=settings.value("spec_draft_model"),
        fits=settings.value("fit") not in _FALSE,
    )


def _slots(settings: Settings) -> tuple[int, bool]:
    """Slots, and whether they share one cache; automatic slots always do."""
    slots: int = settings.value("parallel")
    if slots == 0:
        raise UsageError("invalid value for n_parallel", hint="-1 or more", where="--set parallel")
    if slots < 0:
        return DEFAULT_SLOTS, True
    return slots, bool(settings.value("kv_unified"))


def _context(question: Question, slots: int, unified: bool, training: int) -> int:
    """`n_ctx`: stated, or a share for each slot, or the model's own.

    Where nothing is stated and slots have streams of their own, `--fit` gives each the model's own
    context (common/fit.cpp: n_ctx_train × n_streams).
    """
    settings = question.settings
    if settings.value("ctx_size"):
        return int(settings.value("ctx_size"))
    if settings.is_given("ctx_size"):
        return training
    if question.context_given:
        return question.context * slots
    if settings.value("kv_unified_per_slot"):
        return int(settings.value("kv_unified_per_slot")) * slots
    each = 1 if unified or settings.value("fit") in _FALSE else slots
    return min(training * each, _LARGEST_CONTEXT)


def _flash(word: str) -> bool | None:
    if word in _AUTO:
        return None
    return word not in _FALSE


def _snapshots(settings: Settings, speculation: tuple[str, ...]) -> int:
    """As many as tokens are proposed, for the methods that roll back (need_n_rs_seq)."""
    if settings.is_given("n_rs_seq"):
        return int(settings.value("n_rs_seq"))
    if any(kind in _WITH_SNAPSHOTS for kind in speculation):
        return int(settings.value("spec_draft_n_max"))
    return 0


def _proposed(settings: Settings, kind: str) -> int:
    """Tokens that a method proposes at most (common_speculative_n_max)."""
    if kind.startswith("draft-"):
        return int(settings.value("spec_draft_n_max"))
    return _PROPOSED_BY_CACHE if kind == "ngram-cache" else _PROPOSED.get(kind, 0)
