"""Models over several files: found by name, held together by number, count and tensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ferrum_cli.describe.gguf_file.splits import read_whole
from ferrum_cli.errors import DescriptionError
from tests.gguf_files import split, write_model


def write_parts(folder: Path, count: int = 3, **changes: dict[str, Any]) -> list[Path]:
    """`count` parts of one tensor each; `partN` changes the pairs of part N."""
    paths = []
    for number in range(count):
        metadata: dict[str, Any] = {} if number else {"general.architecture": "llama"}
        metadata |= split(number, count, count) | changes.get(f"part{number}", {})
        path = folder / f"m-{number + 1:05}-of-{count:05}.gguf"
        paths.append(write_model(path, metadata, {f"t{number}": ("F32", (8,))}))
    return paths


def refusal(path: Path) -> str:
    with pytest.raises(DescriptionError) as caught:
        read_whole(path)
    return str(caught.value).replace(f"{path.parent}/", "")


def test_a_single_file_is_a_whole_model(tmp_path: Path) -> None:
    path = write_model(tmp_path / "m.gguf", {"k": 1}, {"t": ("F32", (8,))})
    found = read_whole(path)
    assert (found.stem, found.parts, len(found.tensors)) == ("m", 1, 1)


def test_one_part_of_one_is_a_whole_model(tmp_path: Path) -> None:
    path = write_model(tmp_path / "m.gguf", split(0, 1, 1), {"t": ("F32", (8,))})
    assert read_whole(path).parts == 1


@pytest.mark.parametrize("given", [0, 1, 2])
def test_any_part_names_the_model(tmp_path: Path, given: int) -> None:
    paths = write_parts(tmp_path)
    found = read_whole(paths[given])
    assert (found.path, found.stem, found.parts) == (paths[0], "m", 3)
    assert [tensor.name for tensor in found.tensors] == ["t0", "t1", "t2"]
    assert found.metadata["general.architecture"].value == "llama"


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    paths = write_parts(tmp_path)
    paths[1].unlink()
    assert refusal(paths[0]) == (
        "m-00002-of-00003.gguf: part 2 of 3 is missing; put all parts into one folder"
    )


def test_a_broken_part_is_refused_by_its_own_name(tmp_path: Path) -> None:
    paths = write_parts(tmp_path)
    paths[2].write_bytes(b"GGUF")
    assert refusal(paths[0]).startswith("m-00003-of-00003.gguf: byte 4: the header needs")


def test_a_part_without_a_number_in_its_name_is_refused(tmp_path: Path) -> None:
    renamed = write_parts(tmp_path)[0].rename(tmp_path / "other.gguf")
    assert "split.count: one of 3 parts, whose name does not say which" in refusal(renamed)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"part0": split(1, 3)}, "split.no: part 1 of 3 where part 0 of 3 should be, from 0"),
        ({"part1": split(0, 3)}, "split.no: part 0 of 3 where part 1 of 3 should be, from 0"),
        ({"part2": split(2, 4)}, "split.no: part 2 of 4 where part 2 of 3 should be, from 0"),
        ({"part0": split(0, 3, 9)}, "split.tensors.count: 9 tensors, but all parts together have"),
        ({"part0": split(0, 4)}, "split.count: 4 parts, but the name says 3"),
        ({"part0": split(0, 5000)}, "split.count: 5000 parts, the most is 4096"),
        ({"part0": {"split.count": "3"}}, "split.count: '3' is no count"),
        ({"part0": {"split.count": -3}}, "split.count: -3 is no count"),
        ({"part1": {"split.no": True}}, "split.no: True is no count"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    assert message in refusal(write_parts(tmp_path, **changes)[0])


def test_a_part_of_another_model_is_refused(tmp_path: Path) -> None:
    paths = write_parts(tmp_path)
    write_model(paths[1], {}, {"t1": ("F32", (8,))})
    assert refusal(paths[0]) == "m-00002-of-00003.gguf: split.no: is missing"


def test_a_tensor_in_two_parts_is_refused(tmp_path: Path) -> None:
    paths = write_parts(tmp_path)
    write_model(paths[2], split(2, 3), {"t0": ("F32", (8,))})
    assert "split.no: the tensor 't0' stands in an earlier part too" in refusal(paths[0])


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_one_file_under_two_names_is_refused(tmp_path: Path, link: str) -> None:
    """Without it a circle of links would be a model of any number of parts."""
    paths = write_parts(tmp_path, part0=split(0, 2), part1=split(1, 2), count=2)
    paths[1].unlink()
    getattr(paths[1], link)(paths[0])
    said = refusal(paths[0])
    assert said.startswith("m-00002-of-00002.gguf: byte ")
    assert "part 0 of 2 where part 1 of 2 should be" in said


def test_links_that_go_round_in_a_circle_are_refused(tmp_path: Path) -> None:
    paths = write_parts(tmp_path)
    paths[1].unlink()
    paths[2].unlink()
    paths[1].symlink_to(paths[2])
    paths[2].symlink_to(paths[1])
    said = refusal(paths[0])
    assert "round in a circle" in said or "missing" in said
