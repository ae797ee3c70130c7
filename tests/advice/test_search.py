"""How advice is found: cheapest first, no more than is needed, and nothing overlooked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from ferrum_cli.describe.source import read_model
from ferrum_cli.engines import Machine, Question, Setting, Settings, engine
from ferrum_cli.hardware import accelerator
from ferrum_cli.plan import Plan, Wanted, plan
from ferrum_cli.plan.advice import Outcome, runs
from ferrum_cli.plan.advice_search import changed
from tests.advice.asking import CONTEXT, ENGINES, MODELS


def missed(model: str, name: str, gpu: str, requests: int | None = None, **given: Any) -> Plan:
    """A plan of a target that is missed: more than twice what runs, or `requests`."""
    found = accelerator(gpu)
    machine = Machine(found.memory_bytes, found.name, found.compute_capability)
    options = {n: Setting(v, "flag") for n, v in given.items()}
    settings = Settings(engine(name).OPTIONS, options)

    def asked(count: int | None) -> Plan:
        wanted = Wanted(machine=machine, requests=count, context=CONTEXT)
        return plan(read_model(model), engine(name), wanted, settings)

    return asked(requests or 2 * runs(asked(None).answer) + 1)


def subsets(missing: Plan) -> Iterator[dict[str, Any]]:
    """Every set of changes at their last steps, in the order in which the engine gives them."""
    changes = missing.answer.changes
    for size in range(len(changes) + 1):
        for chosen in itertools.combinations(changes, size):
            yield {name: v for change in chosen for name, v in change.steps[-1].items()}


def reached(question: Question, name: str, options: dict[str, Any]) -> int:
    """Requests that run with options and the sizing that the engine asks for."""
    asked = changed(question, engine(name), options)
    answer = engine(name).answer(asked)
    sized = engine(name).answer(changed(asked, engine(name), answer.sizing))
    return max(runs(answer), runs(sized))


@pytest.mark.parametrize(("model", "name"), list(itertools.product(MODELS, ENGINES)))
def test_where_it_is_said_that_no_change_helps_no_set_of_changes_does(
    model: str, name: str
) -> None:
    missing = missed(model, name, "l40s")
    assert missing.advice is not None
    if missing.advice.outcome is Outcome.REACHED:
        return
    best = max(reached(missing.question, name, options) for options in subsets(missing))
    assert best < missing.question.requests
    here = [one.requests for one in missing.advice.tries if one.devices == 1]
    assert max(here, default=0) == best


def test_what_costs_nothing_comes_first_and_alone_where_it_is_enough() -> None:
    missing = missed("qwen3.5-27b", "vllm", "h100", 4)
    assert missing.advice is not None
    (only,) = missing.advice.tries
    assert (only.price, dict(only.options)) == ("nothing", {})
    assert only.requests >= 4


def test_a_single_change_that_is_enough_is_taken_before_several() -> None:
    advice = missed("qwen3.5-27b", "vllm", "h100", 28).advice
    assert advice is not None
    assert advice.chosen is not None
    assert dict(advice.chosen.options) == {"kv_cache_dtype": "fp8"}
    assert [one.options for one in advice.tries if one.devices == 1] == [
        {},
        {"gpu_memory_utilization": 0.97},
        {"enable_prefix_caching": False},
        {"kv_cache_dtype": "fp8"},
        {"mamba_ssm_cache_dtype": "bfloat16"},
    ]


def test_of_several_changes_none_can_be_left_out() -> None:
    missing = missed("qwen3.5-27b", "sglang", "h100", 26)
    advice = missing.advice
    assert advice is not None
    assert advice.chosen is not None
    assert advice.outcome is Outcome.REACHED
    options = dict(advice.chosen.options)
    assert len(options) > 1
    for name in options:
        fewer = {other: value for other, value in options.items() if other != name}
        assert reached(missing.question, "sglang", fewer) < 26


def test_no_more_layers_go_to_the_host_than_must() -> None:
    missing = missed("qwen3.5-35b-a3b", "llama.cpp", "rtx4090", 8)
    advice = missing.advice
    assert advice is not None
    assert advice.chosen is not None
    layers = advice.chosen.options["n_cpu_moe"]
    assert reached(missing.question, "llama.cpp", {"n_cpu_moe": layers}) >= 8
    assert reached(missing.question, "llama.cpp", {"n_cpu_moe": layers - 1}) < 8


def test_ranks_that_an_option_of_the_engine_says_are_raised_there() -> None:
    missing = missed("qwen3.5-27b", "vllm", "l40s", 60, tensor_parallel_size=2)
    advice = missing.advice
    assert advice is not None
    assert advice.outcome is Outcome.MORE_DEVICES
    assert advice.chosen is not None
    assert advice.chosen.question.settings.value("tensor_parallel_size") > 2
    assert advice.chosen.question.parallel.tp == 1


def test_a_shorter_context_that_is_said_to_do_does_and_one_token_more_does_not() -> None:
    missing = missed("qwen3.5-27b", "vllm", "h100", 60, max_num_seqs=60)
    advice = missing.advice
    assert advice is not None
    assert advice.context_instead is not None
    assert 1 < advice.context_instead < CONTEXT
    for context, enough in ((advice.context_instead, True), (advice.context_instead + 1, False)):
        question = replace(missing.question, context=context)
        assert (reached(question, "vllm", {}) >= 60) is enough


def test_what_was_measured_on_one_device_is_not_taken_for_others() -> None:
    wanted = Wanted(requests=400, context=CONTEXT)
    options = {"kv_cache_memory_bytes": Setting([10 * 2**30], "flag")}
    settings = Settings(engine("vllm").OPTIONS, options)
    found = plan(read_model("qwen3.5-27b"), engine("vllm"), wanted, settings)
    assert found.advice is not None
    assert all(one.devices == 1 for one in found.advice.tries)
