"""One configuration worked through as vLLM does at start-up: checks, pages, groups, pool.

It calls the steps in order and keeps what each found, as far as they get. It knows nothing about
findings, log lines or output.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines._engine import Question
from ferrum_cli.engines.vllm import layer_checks, prefix_cache, refusals, shortages
from ferrum_cli.engines.vllm.alignment import Alignment, align
from ferrum_cli.engines.vllm.configuration import Configuration, resolve
from ferrum_cli.engines.vllm.groups import Grouping, group, promoted
from ferrum_cli.engines.vllm.inventory import Inventory, partition, take
from ferrum_cli.engines.vllm.memory import Budget, budget
from ferrum_cli.engines.vllm.pages import Bucket, buckets
from ferrum_cli.engines.vllm.pool import Pool, fill
from ferrum_cli.engines.vllm.refusals import Candidate, Refusal
from ferrum_cli.engines.vllm.rules import Rules
from ferrum_cli.engines.vllm.speculation import speculation
from ferrum_cli.engines.vllm.states import State, state_of
from ferrum_cli.engines.vllm.versions import Version
from ferrum_cli.expand import Parallel


@dataclass(frozen=True, slots=True)
class Outcome:
    """What every step found; None from the step on that vLLM does not reach."""

    config: Configuration
    inventory: Inventory
    states: dict[str, State]
    refusal: Refusal | None = None
    alignment: Alignment | None = None
    buckets: tuple[Bucket, ...] = ()
    grouping: Grouping | None = None
    budget: Budget | None = None
    pool: Pool | None = None


def evaluate(question: Question, version: Version, rules: Rules, parallel: Parallel) -> Outcome:
    """Work through a question by the rules of one version."""
    model, settings = question.model, question.settings
    drafts = speculation(settings, model.description)
    given = settings.value("VLLM_PP_LAYER_PARTITION")
    stages = partition(len(model.layers), parallel.pp, given)
    inventory = take(model, stages, with_draft=drafts.own_layers)
    config = resolve(question, version, rules, parallel, inventory, drafts)
    refusal = refusals.first(Candidate(question, config, inventory))
    if refusal is not None:
        return Outcome(config, inventory, {}, refusal)
    return _laid_out(question, config, inventory)


def _laid_out(question: Question, config: Configuration, inventory: Inventory) -> Outcome:
    states = {c.placed.name: state_of(c.placed, config) for c in inventory.state}
    alignment = align(inventory, list(states.values()), config)
    for state in states.values():
        padded = alignment.padded_page_bytes
        drafts = config.speculation.tokens
        found = padded and layer_checks.padded_too_small(state.content_bytes, padded, drafts)
        if found:
            return Outcome(config, inventory, states, Refusal(*found), alignment)
    pages = buckets(inventory, states, config, alignment)
    if not pages:
        return Outcome(config, inventory, states, None, alignment)
    return _pooled(question, Outcome(config, inventory, states, None, alignment, tuple(pages)))


def _pooled(question: Question, so_far: Outcome) -> Outcome:
    config, inventory = so_far.config, so_far.inventory
    found: list[Bucket] | None = list(so_far.buckets)
    if config.settings.value("disable_hybrid_kv_cache_manager"):
        found = promoted(list(so_far.buckets))
    grouping = group(found, config) if found else None
    parts = (config, inventory, so_far.states)
    rest = (so_far.alignment, so_far.buckets)
    if grouping is None:
        return Outcome(*parts, shortages.ungrouped(config, inventory), *rest)
    room = budget(question, config, inventory)
    pool = fill(grouping, config, room.cache_bytes if room else None)
    refusal = (
        shortages.too_little_memory(grouping, config, pool)
        or prefix_cache.refused_unit(grouping, config)
        or shortages.too_many_sequences(config, inventory, pool)
    )
    return Outcome(*parts, refusal, *rest, grouping, room, pool)
