"""One start of vLLM worked through, with its limits, and the same start with other options.

Between two versions that were read, the rules of both are tried. It knows nothing about what a
start means to a user.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ferrum_cli.engines._engine import Capacity, Question
from ferrum_cli.engines._options import Setting, Settings
from ferrum_cli.engines.vllm.capacity import Limits, capacity, limits
from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.evaluation import Outcome, evaluate
from ferrum_cli.engines.vllm.groups import Grouping
from ferrum_cli.engines.vllm.launch import Launch, launch
from ferrum_cli.engines.vllm.options import OPTIONS
from ferrum_cli.engines.vllm.rules import Rules


@dataclass(frozen=True, slots=True)
class Start:
    """A question, what vLLM makes of it, and the limits that follow."""

    question: Question
    launch: Launch
    outcome: Outcome
    limits: Limits
    capacity: Capacity
    """By the rules of `outcome` alone."""
    other: Start | None = None
    """The same by the rules of the next version read, where they differ."""

    @property
    def config(self) -> Configuration:
        """The configuration that vLLM would run with."""
        return self.outcome.config

    @property
    def grouping(self) -> Grouping:
        """The groups, for those who know that the start gets as far."""
        assert self.outcome.grouping is not None  # noqa: S101 - the caller has looked
        return self.outcome.grouping

    @property
    def replica_requests(self) -> int:
        """Requests asked about, on one replica."""
        return -(-self.question.requests // self.launch.parallel.dp)


def start(question: Question) -> Start:
    """Work through a question. Raises UsageError and ShardingError."""
    asked = launch(question)
    found = by_rules(question, asked, asked.bracket.below)
    above = asked.bracket.above
    return found if above is None else replace(found, other=by_rules(question, asked, above))


def by_rules(question: Question, asked: Launch, rules: Rules) -> Start:
    """Work through a question by one version's rules."""
    outcome = evaluate(question, asked.version, rules, asked.parallel)
    found = limits(outcome)
    return Start(question, asked, outcome, found, capacity(outcome, found, asked.parallel.dp))


def retried(before: Start, **options: Any) -> Start:
    """The same start with other options, None for an option's default; by the same rules."""
    given = dict(before.question.settings.given())
    for name, value in options.items():
        given.pop(name, None)
        if value is not None:
            given[name] = Setting(value, "flag")
    question = replace(before.question, settings=Settings(OPTIONS, given))
    return by_rules(question, before.launch, before.config.rules)
