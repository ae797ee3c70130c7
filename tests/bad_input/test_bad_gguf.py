"""Every broken GGUF file gives one line with file and byte, quickly and in little memory."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrum_cli.describe import gguf_file
from ferrum_cli.errors import DescriptionError, FerrumError
from tests.bad_input.gguf.files import BROKEN, Broken
from tests.gguf_files import MODELS, Tensors, model_bytes
from tests.running import ferrum

TENSORS: Tensors = {
    "token_embd.weight": ("Q4_K", (256, 8)),
    "blk.0.attn_q.weight": ("F16", (64, 3)),
    "output.weight": ("Q8_0", (32, 2)),
}


def refusal(path: Path) -> DescriptionError:
    with pytest.raises(DescriptionError) as caught:
        gguf_file.read(path)
    return caught.value


def test_there_are_many_ways_to_be_broken() -> None:
    assert len(BROKEN) >= 40


@pytest.mark.parametrize(("name", "broken"), BROKEN.items(), ids=BROKEN)
def test_a_broken_file_gives_its_one_line(tmp_path: Path, name: str, broken: Broken) -> None:
    path = broken.write(tmp_path / f"{name}.gguf")
    error = refusal(path)
    assert str(error) == f"{path}: {broken.said}"
    assert str(error).isprintable()
    assert error.exit_code == 2


@pytest.mark.parametrize(("name", "broken"), BROKEN.items(), ids=BROKEN)
def test_the_command_prints_the_line_and_nothing_else(
    tmp_path: Path, name: str, broken: Broken
) -> None:
    path = broken.write(tmp_path / f"{name}.gguf")
    outcome = ferrum("plan", str(path), "--engine", "llama.cpp", "--format", "json")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.stderr == f"ferrum: {path}: {broken.said}\n"


@pytest.mark.parametrize("name", ["zeros", "string_of_a_hole", "strings_over_all_arrays"])
def test_a_large_broken_file_takes_little_memory(tmp_path: Path, name: str) -> None:
    """A limit of address space that mapping or reading the file would break."""
    path = BROKEN[name].write(tmp_path / "m.gguf")
    code = (
        "import sys\n"
        "from ferrum_cli.describe import gguf_file\n"
        "from ferrum_cli.errors import DescriptionError\n"
        "try: gguf_file.read(sys.argv[1])\n"
        "except DescriptionError: print('refused')\n"
    )

    def _limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (400 * 2**20,) * 2)

    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_limit,
    )
    assert (done.stdout, done.stderr) == ("refused\n", "")


@pytest.mark.parametrize("name", ["zip", "data_missing"])
def test_nothing_large_is_imported_to_refuse_a_file(tmp_path: Path, name: str) -> None:
    path = BROKEN[name].write(tmp_path / "m.gguf")
    code = (
        "import sys\n"
        "from ferrum_cli.describe import gguf_file\n"
        "try: gguf_file.read(sys.argv[1])\n"
        "except Exception: print(sorted({'gguf', 'numpy', 'yaml', 'pydantic'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


WHOLES = {
    name: b"".join((start, bytes(size - len(start))))
    for name in ("qwen3.5-4b", "kimi-linear-48b-a3b", "nemotron-3-nano-30b-a3b", "plamo-2-8b")
    for start, size in [model_bytes(MODELS[name], TENSORS)]
}


@given(
    name=st.sampled_from(list(WHOLES)),
    seed=st.integers(0, 2**32),
    edits=st.integers(1, 6),
    cut=st.none() | st.floats(0, 1),
)
@settings(max_examples=500, deadline=None)
def test_whatever_is_changed_nothing_but_an_error_of_ours_comes_out(
    tmp_path_factory: pytest.TempPathFactory, name: str, seed: int, edits: int, cut: float | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.gguf"
    chance = random.Random(seed)  # noqa: S311 - damage is no secret
    path.write_bytes(damaged(WHOLES[name], chance, edits, cut))
    try:
        said = str(gguf_file.read(path).source)
    except FerrumError as error:
        said = str(error)
    assert said.startswith(str(path))
    assert said.isprintable()


def damaged(whole: bytes, chance: random.Random, edits: int, cut: float | None) -> bytes:
    """The file with single bits, bytes and words changed, and perhaps an end missing."""
    content = bytearray(whole)
    words = [0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]
    for _ in range(edits):
        position = chance.randrange(len(content))
        match chance.randrange(3):
            case 0:
                content[position] ^= 1 << chance.randrange(8)
            case 1:
                content[position] = chance.randrange(256)
            case 2:
                word = chance.choice(words).to_bytes(8, "little")[: chance.choice((4, 8))]
                content[position : position + len(word)] = word
    return bytes(content) if cut is None else bytes(content[: int(cut * len(content))])
