"""What can be set, and the options of one question with their defaults settled.

Names are those of `from_pretrained` and `generate`; batch and length are a caller's own choice in
transformers. It knows nothing about layouts.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import Question
from ferrum_cli.engines._options import Kind, Option, Setting

VERSION = "5.24.0"

OPTIONS: tuple[Option, ...] = (
    Option(
        name="batch_size",
        kind=Kind.INTEGER,
        meaning="sequences of one batch",
        default=1,
        lowest=1,
        highest=2**31,
    ),
    Option(
        name="seq_len",
        kind=Kind.TOKENS,
        meaning="tokens that each sequence of the batch has in the cache",
        lowest=1,
        highest=2**40,
    ),
    Option(
        name="dtype",
        kind=Kind.TEXT,
        meaning="dtype the weights are loaded in; auto takes the configuration's",
        default="auto",
        choices=("auto", "float32", "bfloat16", "float16"),
    ),
    Option(
        name="cache_implementation",
        kind=Kind.TEXT,
        meaning="the cache that generate makes",
        default="dynamic",
        choices=("dynamic", "static", "quantized"),
    ),
    Option(
        name="max_cache_len",
        kind=Kind.TOKENS,
        meaning="tokens that a static cache reserves; seq_len where it is not longer",
        lowest=1,
        highest=2**40,
    ),
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The options of a question, settled."""

    batch_size: int
    seq_len: int
    dtype: DType
    implementation: str
    """`dynamic`, `static` or `quantized`; dynamic where a model brings a cache of its own."""
    reserved_tokens: int
    """Tokens a static cache has room for (generation/utils.py, _prepare_static_cache)."""

    @property
    def static(self) -> bool:
        """Whether the cache reserves its whole length at once."""
        return self.implementation == "static"


def choose(question: Question, own_cache: bool) -> Chosen:
    """The options of `question`; a model with its `own_cache` ignores `cache_implementation`."""
    settings = question.settings
    seq_len = settings.value("seq_len") or question.context
    named = settings.value("dtype")
    dtype = question.model.description.dtype if named == "auto" else DType.parse(named)
    return Chosen(
        batch_size=settings.value("batch_size"),
        seq_len=seq_len,
        dtype=dtype,
        implementation="dynamic" if own_cache else settings.value("cache_implementation"),
        reserved_tokens=max(seq_len, settings.value("max_cache_len") or 0),
    )


def shown(question: Question, chosen: Chosen) -> dict[str, Setting]:
    """Every option with its value and where that came from."""
    options = {option.name: question.settings[option.name] for option in OPTIONS}
    if not question.settings.is_given("seq_len"):
        given = question.context_given
        options["seq_len"] = Setting(chosen.seq_len, "flag" if given else "config")
    if options["dtype"].value == "auto":
        options["dtype"] = Setting(chosen.dtype.torch_name, "config")
    return options
