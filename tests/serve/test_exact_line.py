"""Arguments read as llama.cpp reads them: b11434, common/arg.cpp."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.serve.engine_lines import engine_line
from ferrum_cli.serve.exact_line import parse
from ferrum_cli.serve.parsed import Parsed
from ferrum_cli.serve.shell.values import Argument


def read(text: str, program: str = "server", **environment: str) -> Parsed:
    engine = engine_line("llama.cpp")
    assert engine is not None
    flags = engine.line.flags(engine.version, program)
    words = [Argument(word) for word in text.split()]
    return parse(words, flags, {}, {n: Argument(v) for n, v in environment.items()})


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("-m x.gguf -c 4096 -ngl 99", {"model": "x.gguf", "ctx_size": 4096, "n_gpu_layers": "99"}),
        ("--ctx_size 8 --n_gpu_layers all", {"ctx_size": 8, "n_gpu_layers": "all"}),
        ("-nkvo -kvu", {"kv_offload": False, "kv_unified": True}),
        ("-c 8k", {"ctx_size": 8}),
        ("-fa on -fa off", {"flash_attn": "off"}),
        ("-ot a=CPU -ot b=CPU", {"override_tensor": "a=CPU,b=CPU"}),
        ("--spec-type draft-mtp,ngram-cache", {"spec_type": "draft-mtp,ngram-cache"}),
        ("-ngl -1", {"n_gpu_layers": "-1"}),
        ("--control-vector-layer-range 1 2", {"control_vector_layer_range": ["1", "2"]}),
    ],
)
def test_values_are_read(text: str, values: dict[str, Any]) -> None:
    found = read(text)
    assert (found.values, found.problems) == (values, [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("--mlock", "error: invalid argument: --mlock"),
        ("--ctx-siz 8", "error: invalid argument: --ctx-siz"),
        ("--ctx-size=8", "error: invalid argument: --ctx-size=8"),
        ("x.gguf", "error: invalid argument: x.gguf"),
        ("-c", "expected value for argument"),
        ("-c x", "error while handling argument \"-c\": stoi: no integer begins 'x'"),
        ("-fa -ngl 9", "error while handling argument \"-fa\": invalid choice: '-ngl'"),
        ("-np 0", 'error while handling argument "-np": invalid value'),
        ("-ctk q9", "error while handling argument \"-ctk\": invalid choice: 'q9'"),
    ],
)
def test_what_the_parser_refuses_is_refused_in_its_words(text: str, message: str) -> None:
    assert read(text).problems[0].message == message


def test_a_flag_that_is_known_only_to_be_refused_says_what_to_use() -> None:
    found = read("--draft-max 16 -c 8")
    assert found.problems[0].message == (
        'error while handling argument "--draft-max": the argument has been removed.'
        " use --spec-draft-n-max or --spec-ngram-mod-n-max"
    )
    assert found.values == {"ctx_size": 8}


def test_an_unknown_flag_takes_its_value_along() -> None:
    found = read("--new 3 -c 8")
    assert (found.unknown, found.values) == (["--new"], {"ctx_size": 8})


def test_a_variable_sets_what_no_flag_sets() -> None:
    found = read(
        "-c 8", LLAMA_ARG_CTX_SIZE="4", LLAMA_ARG_N_PARALLEL="2", LLAMA_ARG_FLASH_ATTN="on"
    )
    assert found.values == {"parallel": 2, "flash_attn": "on", "ctx_size": 8}
    assert found.by_variable == {"parallel", "flash_attn"}


@pytest.mark.parametrize(
    ("variable", "text", "expected"),
    [
        ("LLAMA_ARG_KV_OFFLOAD", "off", {"kv_offload": False}),
        ("LLAMA_ARG_NO_KV_OFFLOAD", "anything", {"kv_offload": False}),
        ("LLAMA_ARG_SWA_FULL", "1", {"swa_full": True}),
        ("LLAMA_ARG_SWA_FULL", "0", {}),
    ],
)
def test_switches_are_set_by_variables(variable: str, text: str, expected: dict[str, bool]) -> None:
    assert read("", **{variable: text}).values == expected


def test_a_program_refuses_the_others_flags() -> None:
    assert read("-kvu", program="cli").problems
    assert not read("-sys x", program="cli").problems
    assert read("-sys x").problems
