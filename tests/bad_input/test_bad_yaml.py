"""Every bad description gives one error that names its place; `yaml/expected.txt` is the table.

A line of the table is how the error's line must begin, so that it need not hold what libyaml says
in its own words or which kinds of block there are.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from ferrum_cli.describe.yaml_file import guard
from ferrum_cli.describe.yaml_file.reader import parse_description, read_description
from ferrum_cli.errors import DescriptionError
from tests.describe.small import SMALL, small_with

FOLDER = Path(__file__).parent / "yaml"
TABLE = {
    line.partition(":")[0]: line
    for line in (FOLDER / "expected.txt").read_text(encoding="utf-8").splitlines()
}
LOADERS = [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)]


class Counted:
    """Counts the events that the guard takes from the parser, and so what it can have built."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taken = 0
        self._parse = yaml.parse
        monkeypatch.setattr(yaml, "parse", self.parse)

    def parse(self, *arguments: object, **named: object) -> Iterator[yaml.Event]:
        for event in self._parse(*arguments, **named):  # type: ignore[arg-type]
            self.taken += 1
            yield event


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def refusal(path: Path | str) -> str:
    with pytest.raises(DescriptionError) as caught:
        read_description(path)
    return str(caught.value)


def refusal_of(text: str) -> str:
    with pytest.raises(DescriptionError) as caught:
        parse_description(text.encode(), "x.yaml")
    return str(caught.value)


def test_the_file_that_the_bad_ones_were_made_of_is_good() -> None:
    assert parse_description(SMALL.encode(), "x.yaml").name == "small"


def test_the_table_has_a_line_for_every_file() -> None:
    assert sorted(TABLE) == sorted(path.name for path in FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("name", TABLE)
def test_a_bad_file_gives_its_one_line(
    name: str, loader: type[yaml.SafeLoader], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_LOADER", loader)
    monkeypatch.chdir(FOLDER)
    said = refusal(name)
    if "this is not YAML" in TABLE[name] and loader is yaml.SafeLoader:
        # The pure parser notices some mistakes at another place than libyaml.
        assert "this is not YAML" in said
    else:
        assert said.startswith(TABLE[name])
    assert said.isprintable()


@pytest.mark.parametrize("name", TABLE)
def test_a_hint_says_what_to_do(name: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        read_description(FOLDER / name)
    assert caught.value.hint


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no.yaml").endswith("no.yaml: no such file; check the path")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert refusal(tmp_path).endswith(": this is a folder, not a regular file; name a file in it")


def test_a_fifo_is_refused_without_waiting_for_its_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.yaml")
    program = (
        "import sys; from ferrum_cli.describe.yaml_file.reader import read_description;"
        "read_description(sys.argv[1])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "fifo.yaml"],
        capture_output=True,
        check=False,
        text=True,
        timeout=30,
    )
    assert "this is a FIFO, not a regular file" in ended.stderr


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_refused_without_reading_it(device: str) -> None:
    assert refusal(device) == f"{device}: this is a device, not a regular file; name a regular file"


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the address of a socket may only be 108 characters long
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.yaml")
        assert "this is a socket" in refusal("s.yaml")


def test_links_that_go_round_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to(tmp_path / "b.yaml")
    (tmp_path / "b.yaml").symlink_to(tmp_path / "a.yaml")
    assert "go round in a circle" in refusal(tmp_path / "a.yaml")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").touch(mode=0)
    assert "no permission to read this file" in refusal(tmp_path / "a.yaml")


def test_a_path_with_control_characters_is_escaped(tmp_path: Path) -> None:
    said = refusal(tmp_path / "\x1b[31mred\udcff.yaml")
    assert said.isprintable()
    assert "no such file" in said


@pytest.mark.parametrize(
    ("path", "words"), [("a\0b", "NUL"), ("a" * 5000, "too long"), ("/dev/null/x", "no folder")]
)
def test_a_path_that_cannot_be_is_refused(path: str, words: str) -> None:
    assert words in refusal(path)


def test_a_file_of_256_kib_is_read_and_one_byte_more_is_refused(tmp_path: Path) -> None:
    text = "a: 1\n#"
    file = tmp_path / "a.yaml"
    file.write_text(text.ljust(guard.MAX_BYTES, "x"))
    assert guard.read(file).data == {"a": 1}
    file.write_text(text.ljust(guard.MAX_BYTES + 1, "x"))
    assert "larger than 262,144 bytes" in refusal(file)


def test_forty_thousand_rows_are_refused_by_size_before_anything_is_parsed(
    counted: Counted,
) -> None:
    rows = "layers:\n" + "  - [mixer, mlp]\n" * 40_000
    assert "larger than" in refusal_of(rows)
    assert counted.taken == 0


def test_an_alias_bomb_is_refused_at_its_first_anchor(counted: Counted) -> None:
    levels = ["a0: &a0 [x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert "x.yaml:1:5: the anchor &a0" in refusal_of("\n".join(levels))
    assert counted.taken <= 6


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("depth", [33, 500, 5_000, 100_000])
def test_depth_is_refused_at_the_thirty_third_level(
    depth: int,
    counted: Counted,
    loader: type[yaml.SafeLoader],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard, "_LOADER", loader)
    assert ": nested more than 32 deep" in refusal_of("[" * depth)
    assert counted.taken <= 40


@pytest.mark.parametrize("depth", [33, 1_000])
def test_flow_mappings_are_refused_at_the_thirty_third_level(depth: int, counted: Counted) -> None:
    assert "nested more than 32 deep" in refusal_of("{a: " * depth + "}" * depth)
    assert counted.taken <= 80


def test_thirty_two_levels_are_read() -> None:
    text = "a: " + "[" * 31 + "]" * 31
    assert len(guard.parse(text.encode(), "x.yaml").values) == 32


def test_events_are_counted_and_the_next_one_refused(counted: Counted) -> None:
    items = guard.MAX_EVENTS + 1
    assert "more than 50,000 keys, values and brackets" in refusal_of("a: [" + "b," * items + "]")
    assert counted.taken == guard.MAX_EVENTS + 1


def test_fifty_thousand_events_are_read(counted: Counted) -> None:
    around = 10  # begin and end of the stream, document, mapping and list, and the key
    items = guard.MAX_EVENTS - around + 1
    found = guard.parse(b"a: [" + b"b," * items + b"]", "x.yaml").data
    assert len(found["a"]) == items
    assert counted.taken == guard.MAX_EVENTS


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("9" * 4_301, "text of 4,301 characters"),
        ("0x" + "f" * 100_000, "text of 100,002 characters"),
        ("1" + "0" * 400, "a number of 401 digits"),
        ("1e" + "9" * 4_000, "too large for a number"),
        ("0x" + "f" * 4_000, "not a whole number"),
        ("1_" * 2_000 + "1", "not a whole number"),
    ],
)
def test_numbers_without_end_are_refused_where_they_stand(number: str, words: str) -> None:
    said = refusal_of(small_with("64", number))
    assert said.startswith("x.yaml:4:14: ")
    assert words in said
    assert len(said) < 300


def test_thousands_of_unknown_keys_are_one_short_line() -> None:
    said = refusal_of(SMALL + "\n".join(f"hidden_size_{n}: 1" for n in range(9_000)))
    assert said == (
        "x.yaml:12:1: unknown key 'hidden_size_0' (and 8999 more); did you mean 'hidden_size'?"
    )


def test_thousands_of_unknown_blocks_are_one_short_line() -> None:
    known = "".join(f"  block{n}: {{kind: custom}}\n" for n in range(2_000))
    text = small_with("  mixer:", known + "  mixer:")
    uses = ", ".join(f"bolck{n}" for n in range(9_000))
    said = refusal_of(text.replace("[mixer, mlp]", f"[{uses}]"))
    assert said == (
        "x.yaml:2011:6: there is no block 'bolck0' (and 8999 more); did you mean 'block0'?"
    )


def test_a_hostile_row_of_parts_is_refused_by_its_length() -> None:
    parts = ", ".join("{name: a, length: 1}" for _ in range(257))
    block = f"{{kind: custom, contexts: [{parts}]}}"
    said = refusal_of(small_with("{kind: short_conv, conv_kernel: 4}", block))
    assert said == ("x.yaml:8:35: blocks.mixer.contexts has too many entries; the most is 256")
