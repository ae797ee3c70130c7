"""Option sets written as command lines in any style are read back, and nothing makes it crash."""

from __future__ import annotations

import contextlib
import json
import random
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ferrum_cli.engines._command_line import Flag, Reads, Takes
from ferrum_cli.errors import FerrumError
from ferrum_cli.serve.beside import Beside
from ferrum_cli.serve.command import document
from ferrum_cli.serve.engine_lines import engine_lines
from ferrum_cli.serve.planning import served
from ferrum_cli.serve.presentation import present
from ferrum_cli.serve.reading import read

LINES = engine_lines()
STARTS = {
    "vllm": ["vllm serve A/B", "python -m vllm.entrypoints.openai.api_server --model A/B"],
    "sglang": ["sglang serve A/B", "python3 -m sglang.launch_server --model-path A/B"],
    "llama.cpp": ["llama-server -m A/B", "./build/bin/llama-server --model A/B"],
}
# Beside the plain command, what people have around it.
AROUND = [
    "{}",
    "X=1 nohup {} > log 2>&1 &",
    "#!/bin/bash\nset -euo pipefail\n# start\n{}\n",
    "run() {{\n  {}\n}}\nrun",
    "if true; then {}; fi",
    "$ {}",
    "exec {} | tee log",
]
TEXTS = st.text(st.characters(codec="ascii", exclude_categories=["C"]), min_size=1, max_size=8)
VALUES: dict[Reads, st.SearchStrategy[tuple[str, Any]]] = {
    Reads.TEXT: TEXTS.filter(lambda t: not t.startswith("-") and t != "None").map(lambda t: (t, t)),
    Reads.INTEGER: st.integers(1, 10**6).map(lambda n: (str(n), n)),
    Reads.LEADING_INTEGER: st.integers(1, 10**6).map(lambda n: (str(n), n)),
    Reads.POSITIVE: st.integers(1, 10**3).map(lambda n: (str(n), n)),
    Reads.COUNT: st.integers(0, 10**3).map(lambda n: (str(n), n)),
    Reads.NONZERO: st.integers(1, 10**3).map(lambda n: (str(n), n)),
    Reads.NUMBER: st.integers(1, 99).map(lambda n: (f"0.{n}", float(f"0.{n}"))),
    Reads.LEADING_NUMBER: st.integers(1, 99).map(lambda n: (f"0.{n}", f"0.{n}")),
    Reads.LEADING_NUMBERS: st.just(("12,10", "12,10")),
    Reads.PAIRS: st.just((r"blk\.(1|2)=CPU", r"blk\.(1|2)=CPU")),
    Reads.LAYERS: st.sampled_from([("99", "99"), ("all", "all")]),
    Reads.AMOUNT: st.integers(1, 10**6).map(lambda n: (str(n), n)),
    Reads.AUTO_AMOUNT: st.sampled_from([("auto", -1), ("4096", 4096)]),
    Reads.JSON: st.dictionaries(TEXTS, st.integers(0, 9), max_size=2).map(
        lambda d: (json.dumps(d), d)
    ),
    Reads.JSON_OBJECT: st.just(('{"a": "b c"}', {"a": "b c"})),
    Reads.JSON_OR_TEXT: st.just(('{"a": {"b": 1}}', {"a": {"b": 1}})),
    Reads.IDENTIFIER: st.just(("auto", "auto")),
}


def matters(engine: str) -> list[Flag]:
    line = LINES[engine]
    program = line.line.entry_points[0].program
    return [
        flag
        for flag in line.line.flags(line.version, program)
        if not (flag.ignored or flag.dropped or flag.refusal or flag.option in line.line.model)
        and flag.takes in (Takes.NONE, Takes.ONE, Takes.SOME)
    ]


MATTERS = {engine: matters(engine) for engine in LINES}


def quoted(draw: st.DrawFn, word: str) -> str:
    """A word in one of a shell's ways."""
    style = draw(st.integers(0, 3))
    if style == 0:
        return shlex.quote(word)
    if style == 1:
        inner = "".join(f"\\{c}" if c in '\\"$`' else c for c in word)
        return f'"{inner}"'
    if style == 2:
        return "".join(c if c.isalnum() or c in "-_/.,=:" else f"\\{c}" for c in word) or "''"
    middle = len(word) // 2
    return shlex.quote(word[:middle]) + shlex.quote(word[middle:]) if middle else shlex.quote(word)


@st.composite
def written(draw: st.DrawFn, engine: str) -> tuple[str, dict[str, Any]]:
    """A command line and the options that it sets."""
    line = LINES[engine].line
    chosen = draw(
        st.lists(st.sampled_from(MATTERS[engine]), max_size=6, unique_by=lambda f: f.option)
    )
    options: dict[str, Any] = {}
    words: list[str] = []
    for flag in chosen:
        words += _flag(
            draw, flag, options, underscores=line.underscores, exact=line.parser == "exact"
        )
    start = draw(st.sampled_from(STARTS[engine]))
    separator = draw(st.sampled_from([" ", "  ", " \\\n    ", "\t"]))
    command = separator.join([start, *words])
    return draw(st.sampled_from(AROUND)).format(command), options


def _flag(
    draw: st.DrawFn, flag: Flag, options: dict[str, Any], *, underscores: bool, exact: bool
) -> list[str]:
    spelling = draw(st.sampled_from([*flag.spellings, *flag.negations]))
    if underscores and spelling.startswith("--") and draw(st.booleans()):
        spelling = "--" + spelling[2:].replace("-", "_")
    if flag.takes is Takes.NONE:
        options[flag.option] = spelling.replace("_", "-") in flag.spellings
        return [spelling]
    if flag.choices:
        choice = draw(st.sampled_from(flag.choices))
        number = flag.reads is Reads.INTEGER
        text, value = choice, int(choice) if number else choice
    else:
        text, value = draw(VALUES[flag.reads])
    options[flag.option] = [value] if flag.takes is Takes.SOME else value
    if not exact and spelling.startswith("--") and draw(st.booleans()):
        return [quoted(draw, f"{spelling}={text}")]
    return [spelling, quoted(draw, text)]


@pytest.mark.parametrize("engine", sorted(LINES))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_options_in_any_style_are_read_back(engine: str, data: st.DataObject) -> None:
    text, options = data.draw(written(engine))
    found = document(read(text, {}))
    assert found["error"] is None, text
    assert found["engine"] == engine
    assert found["model"] == "A/B"
    model = LINES[engine].line.model[0]
    assert {n: v for n, v in found["options"].items() if n != model} == options


CASES = json.loads(
    (Path(__file__).parent.parent / "data" / "serve" / "command_lines.json").read_text("utf-8")
)
PIECES = [
    *("'", '"', "`", "$(", "${", "}", "{", "(", ")", "\\", "\n", "#", "<<EOF\n", "EOF", "&&", "||"),
    *(
        ";",
        ";;",
        "if ",
        "then ",
        "fi",
        "case x in ",
        "esac",
        "for i in ",
        "do ",
        "done",
        "$((",
        "))",
    ),
    *("[[", "]]", "\x00", "\ufeff", "--", "=", "-", "$@", "x=(", "| ", "> ", "<x>", "^\n", "%X%"),
    *(
        "é",
        "\r\n",
        "- ",
        "a: ",
        "[",
        "]",
        ",",
        '{"a":',
        "ExecStart=",
        "vllm serve ",
        "--tp",
        "*",
        "&a ",
    ),
    *("!!python/object:x", "CMD [", "FROM x\n", "9" * 40, "export ", "eval ", "f() ", "exit "),
]


def damaged(chance: random.Random) -> str:
    """A public command line with pieces put in, taken out, or cut off."""
    text: str = chance.choice(CASES)["raw"]
    for _ in range(chance.randint(1, 5)):
        place = chance.randint(0, len(text))
        match chance.randint(0, 3):
            case 0 | 1:
                text = text[:place] + chance.choice(PIECES) + text[place:]
            case 2:
                text = text[:place] + text[place + chance.randint(1, 8) :]
            case _:
                text = text[:place]
    return text


@settings(max_examples=150)
@given(st.randoms(use_true_random=False))
def test_a_damaged_text_is_read_or_refused_and_never_crashes(chance: random.Random) -> None:
    command = read(damaged(chance), {"MODEL": "A/B"})
    json.dumps(document(command), allow_nan=False)
    assert present(command).answer
    with contextlib.suppress(FerrumError):
        served(command, Beside())


@settings(max_examples=150)
@given(st.text(max_size=60))
def test_any_text_has_a_document(text: str) -> None:
    assert document(read(text, {}))["schema"] == "ferrum.command/1"
