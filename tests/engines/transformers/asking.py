"""Questions to the transformers engine, as the tests of this folder ask them."""

from __future__ import annotations

from typing import Any

from ferrum_cli.describe.description import Description, Layer, Span
from ferrum_cli.describe.huggingface import describe
from ferrum_cli.engines import Answer, Machine, Question, Setting, Settings, Weights, engine
from ferrum_cli.engines.transformers.options import OPTIONS, VERSION
from ferrum_cli.expand import Parallel, expand, weight_bytes_per_rank
from tests.models import described

GIB = 2**30


def asked(model: Description | dict[str, Any], **options: Any) -> Answer:
    """The answer for a description or a `config.json`; options by their names.

    `parallel`, `machine`, `version`, `weights`, `requests` and `context` are of the question.
    """
    description = model if isinstance(model, Description) else describe(model, "model")
    parallel = options.pop("parallel", Parallel())
    counted = weight_bytes_per_rank(description, parallel)
    fields: dict[str, Any] = {
        "model": expand(description),
        "parallel": parallel,
        "version": options.pop("version", VERSION),
        "requests": options.get("requests", 1),
        "requests_given": "requests" in options,
        "context": options.get("context", description.max_context),
        "context_given": "context" in options,
        "machine": options.pop("machine", Machine()),
        "weights": options.pop("weights", Weights(counted, "parameters × BF16")),
    }
    given = {n: Setting(v, "flag") for n, v in options.items() if n not in ("requests", "context")}
    return engine("transformers").answer(Question(**fields, settings=Settings(OPTIONS, given)))


def layers_of(*names: str) -> tuple[Span, ...]:
    """One layer for each name; `a+b` stands side by side."""
    return (Span(tuple(Layer((tuple(name.split("+")),)) for name in names)),)


def built_from(*names: str, **blocks: Any) -> Description:
    """A small BF16 model of these blocks; without names each block is one layer."""
    return described(blocks=blocks, spans=layers_of(*(names or blocks)))


def codes(answer: Answer) -> list[str]:
    """The codes of an answer's findings."""
    return [finding.code for finding in answer.findings]
