"""Scripts followed without running them; bash itself is asked where it is there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ferrum_cli.errors import UsageError
from ferrum_cli.serve.shell.interpreter import launches

BASH = shutil.which("bash")


def started(text: str, **variables: str) -> list[str]:
    """Every command as its words between bars."""
    found = launches(text, variables)
    return ["|".join(word.text for word in launch.words) for launch in found if launch.words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b; c | d && e", ["a|b", "c", "d", "e"]),
        ("X=1; a $X ${X}2", ["a|1|12"]),
        ("X=1 a $X", ["a|$X"]),
        ('A="b c"; x $A "$A"', ["x|b|c|b c"]),
        ("A=(b 'c d'); A+=(e); x \"${A[@]}\" ${#A} ${A[1]}", ["x|b|c d|e|1|c|d"]),
        ('set -- a b; x "$@" $# $2; shift; x $1', ["x|a|b|2|b", "x|b"]),
        ("f() { x $1; }; f a; f b", ["x|a", "x|b"]),
        ("function f { x; }\nf", ["x"]),
        ("f() { local a=1; x $a; return; y; }; f", ["x|1"]),
        ("for i in 1 2; do x $i; done", ["x|1", "x|2"]),
        ("for ((i=0;i<2;i++)); do x $i; done", ["x|$i"]),
        ("while true; do x; done", ["x"]),
        ("if [ 1 = 1 ]; then x; else y; fi", ["x"]),
        ('if [ -z "$U" ]; then U=1; fi; x $U', ["x|1"]),
        ("if [[ $A == b* ]]; then x; elif [ $A = c ]; then y; fi", []),
        ("A=bc; if [[ $A == b* ]]; then x; fi", ["x"]),
        ("if unknown; then x; else y; fi", ["unknown", "x", "y"]),
        ('[ -n "$U" ] && x; [ -n "$U" ] || y', ["y"]),
        ("case $A in b) x;; *) y;; esac", ["x", "y"]),
        ("A=b; case $A in a|b) x;; *) y;; esac", ["x"]),
        ("x; exit 0; y", ["x"]),
        ("unknown || exit 1; x", ["unknown", "x"]),
        ("unknown || { echo no; exit 1; }; x", ["unknown", "x"]),
        ("( x; y ) | z", ["x", "y", "z"]),
        ("{ x; } > log 2>&1 &", ["x"]),
        ('x $(echo a b) "$(echo a b)" `echo c`', ["x|a|b|a b|c"]),
        ("f() { echo y $1; }; $(f z)", ["y|z"]),
        ("x $(date) ", ["x|$(date)"]),
        ("x $((2 * (3 + 4))) $((2 ** 10)) $((7 / 2))", ["x|14|1024|3"]),
        ("N=4; x $((N * 1024)) $(($N % 3))", ["x|4096|1"]),
        ("eval 'x a'; C='x b'; $C", ["x|a", "x|b"]),
        ("exec x > log", ["exec|x"]),
        ("x <(tail -f log) < in", ["x|<(tail -f log)"]),
        ("x a>b 2>>c d", ["x|a|d"]),
        ("[[ a < b && c ]] && x", ["x"]),
        ("trap 'y' EXIT; x", ["x"]),
    ],
)
def test_a_script_starts_these_commands(text: str, expected: list[str]) -> None:
    assert started(text) == expected


@pytest.mark.parametrize(
    ("expansion", "expected"),
    [
        ("${U:-d e}", "d|e"),
        ('"${U:-d e}"', "d e"),
        ("${U:-'d e'}", "d e"),
        ("${U-d}", "d"),
        ("${E-d}", ""),
        ("${E:-d}", "d"),
        ("${A:+--flag $A}", "--flag|p/q.gguf"),
        ("${U:+--flag}", ""),
        ("${U:=d}$U", "dd"),
        ("${A##*/}", "q.gguf"),
        ("${A%.*}", "p/q"),
        ("${A/p/x}", "x/q.gguf"),
        ("${A:2:1}", "q"),
        ("${A:2}", "q.gguf"),
        ("${A^^}", "P/Q.GGUF"),
        ("${#A}", "8"),
        ("${U}", "${U}"),
        ("${A@Q}", "${A@Q}"),
    ],
)
def test_an_expansion_gives_these_words(expansion: str, expected: str) -> None:
    (found,) = started(f"E=; A=p/q.gguf; x {expansion}")
    assert found == "|".join(["x", expected] if expected else ["x"])


def test_a_command_inherits_what_is_exported_and_what_stands_before_it() -> None:
    text = "A=1; export B=2 C; C=3; declare -x D=4; E=5 x; set -a; F=6; y"
    environments = [
        {name: value.text for name, value in launch.environment.items()}
        for launch in launches(text, {"C": "0"})
        if launch.words
    ]
    assert environments == [
        {"B": "2", "C": "3", "D": "4", "E": "5"},
        {"B": "2", "C": "3", "D": "4", "F": "6"},
    ]


def test_variables_around_the_script_are_used() -> None:
    assert started("x $A ${B:-c}", A="a") == ["x|a|c"]


def test_what_is_not_set_is_named_in_the_word() -> None:
    (launch,) = launches("x a/$M/b $N", {})
    assert [word.missing for word in launch.words] == [(), ("M",), ("N",)]
    assert [word.vanishes for word in launch.words] == [False, False, True]


def test_commands_of_functions_that_nothing_calls_are_marked() -> None:
    found = launches("f() { x; }\ng() { y; }\ng", {})
    assert [(launch.words[0].text, launch.function) for launch in found] == [
        ("y", None),
        ("x", "f"),
    ]


def test_documents_are_what_the_command_reads() -> None:
    (launch,) = launches("cat > f <<E\n$A\\\\\nE", {"A": "1"})
    assert [document.text for document in launch.documents] == ["1\\\n"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f() { f; f; }; f", "does too much"),
        ("for a in 1 2 3 4 5 6 7 8 9; do " * 6 + "x;" + "done;" * 6, "does too much"),
        ("A=xx\n" + "A=$A$A\n" * 40, "grows beyond"),
        ("if x; then " * 60, "too deep"),
    ],
)
def test_a_script_without_end_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        launches(text, {})


WORDS = st.lists(
    st.sampled_from(
        [
            *("abc", "--y=1", "{x}", "'a b'", "'$A'", "'\\n'", '"a b"', '"$A"', '"${B}"', '"\\$A"'),
            *('"\\x"', '"it\'s"', "$A", "${B}", "${U:-q r}", '${U-"q r"}', "${A:+--f $B}", "${#A}"),
            *("${B%.*}", "${B##*/}", "${A/a/b}", "${L[1]}", '"${L[@]}"', "$@", '"$@"', "$#", "$1"),
            *("\\ ", "\\$A", "\\\n", "$(echo one two)", '"$(echo "x  y")"', "`echo a b`"),
            *("$((2 + 3 * 4))", "$'t\\tq'", '""', "${U:+no}", "${B:1:3}", "~", "é"),
        ]
    ),
    min_size=1,
    max_size=4,
).map("".join)
COMMANDS = st.lists(WORDS, min_size=1, max_size=4).map(lambda words: "show " + " ".join(words))
WAYS = [
    "{}",
    "if [ \"$A\" = 'a cat' ]; then {}; else show no; fi",
    "for i in 1 2; do {} $i; done",
    'f() {{ {} "$1"; }}\nf "z z"',
    '[ -z "$U" ] && {}',
    "{} > /dev/null # comment \\",
    'X=1 Y="$A" {}',
    "{{ {}; }}",
    'cat <<EOF > /dev/null\n $A "q\nEOF\n{}',
]
BEFORE = "A='a cat'\nB=path/to/file.gguf\nL=(one 'two three' four)\nset -- p1 'p 2'\n"
SHOW = 'show() { printf "%s\\0" show "$@" >&9; printf "\\1" >&9; }\n'


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(WAYS), COMMANDS), min_size=1, max_size=4))
def test_bash_gives_the_same_words(tmp_path: Path, parts: list[tuple[str, str]]) -> None:
    script = BEFORE + "\n".join(way.format(command) for way, command in parts)
    out = tmp_path / "words"
    run = f"exec 9>{out}\ncat() {{ :; }}\n{SHOW}{script}"
    environment = {"HOME": "~", "LC_ALL": "C.UTF-8"}
    subprocess.run([BASH or "", "-c", run], check=False, env=environment, capture_output=True)
    expected = [text.split("\0")[:-1] for text in out.read_text("utf-8").split("\1")[:-1]]
    found = [
        [word.text for word in launch.words]
        for launch in launches(script, {})
        if launch.words and launch.words[0].text == "show"
    ]
    assert found == expected
