"""Every engine's command line keeps the rules of the table, and agrees with its options."""

from __future__ import annotations

import pytest

from ferrum_cli.engines._command_line import Flag, Takes, is_known, ordered
from ferrum_cli.engines._options import Kind, Option
from ferrum_cli.serve.engine_lines import EngineLine, engine_lines

LINES = engine_lines()
PROGRAMS = [
    (name, program)
    for name, engine in LINES.items()
    for program in dict.fromkeys(point.program for point in engine.line.entry_points)
]


def flags(name: str, program: str) -> tuple[Flag, ...]:
    engine = LINES[name]
    return engine.line.flags(engine.version, program)


@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_a_spelling_belongs_to_one_flag(name: str, program: str) -> None:
    spellings = [s for flag in flags(name, program) for s in (*flag.spellings, *flag.negations)]
    assert len(spellings) == len(set(spellings))
    assert all(spelling.startswith("-") for spelling in spellings)


@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_only_a_switch_has_negations(name: str, program: str) -> None:
    wrong = [f for f in flags(name, program) if f.negations and f.takes is not Takes.NONE]
    assert wrong == []


@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_the_options_that_a_plan_needs_are_flags_that_matter(name: str, program: str) -> None:
    line = LINES[name].line
    named = (line.tensor_parallel, line.pipeline_parallel, line.data_parallel, line.context)
    matter = {flag.option for flag in flags(name, program) if not flag.ignored}
    assert matter >= {*line.model, *(option for option in named if option is not None)}


@pytest.mark.parametrize(("name", "engine"), LINES.items())
def test_what_decides_on_a_plan_is_not_ignored(name: str, engine: EngineLine) -> None:
    unrelated = {"port", "host", "api_key"}
    program = engine.line.entry_points[0].program
    ignored = {flag.option for flag in flags(name, program) if flag.ignored}
    assert unrelated <= ignored
    table = {option.name for option in engine.options if option.default is not None}
    assert ignored & table == set()


@pytest.mark.parametrize(("name", "engine"), LINES.items())
def test_every_option_of_the_table_that_is_a_flag_is_a_flag(name: str, engine: EngineLine) -> None:
    """But for those that only a planner may be told, and those of other versions."""
    told = {
        *("available_gpu_memory_gib", "pre_model_load_memory_gib", "gpu_mem_gib"),
        *("post_capture_kv_active", "n_rs_seq", "ctx_type", "n_outputs_max"),
    }
    line = engine.line
    found = flags(name, line.entry_points[0].program)
    known = {f.option for f in found}
    known |= {s.removeprefix("--").replace("-", "_") for f in found for s in f.spellings}
    known |= {s.removeprefix("--").replace("-", "_") for f in found for s in f.negations}
    table = {o.name for o in engine.options if not o.environment and is_known(o, engine.version)}
    assert table - known <= told


def test_llama_cpps_programs_know_other_flags() -> None:
    server = {flag.option for flag in flags("llama.cpp", "server")}
    tool = {flag.option for flag in flags("llama.cpp", "cli")}
    assert "kv_unified" in server - tool
    assert "system_prompt" in tool - server


# Shapes of vLLM 0.33.0's `make_arg_parser` and SGLang 0.5.23's `ServerArgs.add_cli_args`.
SHAPES = [
    ("vllm", "--tensor-parallel-size", "tensor_parallel_size", Takes.ONE),
    ("vllm", "-tp", "tensor_parallel_size", Takes.ONE),
    ("vllm", "--device-memory-utilization", "gpu_memory_utilization", Takes.ONE),
    ("vllm", "--served-model-name", "served_model_name", Takes.SOME),
    ("vllm", "--hf-token", "hf_token", Takes.OPTIONAL),
    ("vllm", "--disable-log-requests", "enable_log_requests", Takes.NONE),
    ("vllm", "--no-enable-prefix-caching", "enable_prefix_caching", Takes.NONE),
    ("sglang", "--model", "model_path", Takes.ONE),
    ("sglang", "--tensor-parallel-size", "tp_size", Takes.ONE),
    ("sglang", "--lora-paths", "lora_paths", Takes.ANY),
    ("sglang", "--no-enable-tf32-matmul", "enable_tf32_matmul", Takes.NONE),
    ("llama.cpp", "-ngl", "n_gpu_layers", Takes.ONE),
    ("llama.cpp", "-md", "model_draft", Takes.ONE),
    ("llama.cpp", "-hfd", "spec_draft_hf", Takes.ONE),
    ("llama.cpp", "-nkvo", "kv_offload", Takes.NONE),
    ("llama.cpp", "--control-vector-layer-range", "control_vector_layer_range", Takes.TWO),
]


@pytest.mark.parametrize(("name", "spelling", "option", "takes"), SHAPES)
def test_a_flag_has_the_shape_of_the_engines_own(
    name: str, spelling: str, option: str, takes: Takes
) -> None:
    program = LINES[name].line.entry_points[0].program
    (flag,) = [f for f in flags(name, program) if spelling in (*f.spellings, *f.negations)]
    assert (flag.option, flag.takes) == (option, takes)


@pytest.mark.parametrize(
    ("version", "numbers"),
    [
        ("0.33.0", (0, 33, 0)),
        ("v0.11", (0, 11)),
        ("b11434", (11434,)),
        ("0.5.23.post1", (0, 5, 23)),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, numbers: tuple[int, ...]) -> None:
    assert ordered(version) == numbers


def test_an_option_is_known_from_since_on_and_not_from_until_on() -> None:
    option = Option(name="x", kind=Kind.FLAG, meaning="", since="0.9.0", until="0.10.0")
    versions = ("0.8.5", "0.9.0", "0.9.9", "0.10.0", "0.11.0")
    assert [is_known(option, version) for version in versions] == [False, True, True, False, False]
