"""Models that are split over several files: the others are found by name and held together.

It knows nothing about architectures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ferrum_cli.describe.gguf_file.container import GgufFile, read_file
from ferrum_cli.describe.gguf_file.metadata import Metadata
from ferrum_cli.describe.gguf_file.tensor_table import Tensor
from ferrum_cli.describe.regular_file import shown_path
from ferrum_cli.errors import DescriptionError

MAX_PARTS = 4096
_PART = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.IGNORECASE)
_NO, _COUNT, _TENSORS = "split.no", "split.count", "split.tensors.count"


@dataclass(frozen=True, slots=True)
class Whole:
    """A model's pairs, from its first file, and the tensors of all files."""

    path: Path
    stem: str
    metadata: Metadata
    tensors: tuple[Tensor, ...]
    parts: int = 1


def read_whole(path: Path) -> Whole:
    """Read a file and, where it is one part of a model, all other parts.

    Raises DescriptionError where a part is missing, out of place or of another model.
    """
    file = read_file(path)
    count = _whole_number(file, _COUNT, 0)
    if count <= 1:
        return Whole(path, path.stem, file.metadata, file.tensors)
    named = _named(file, count)
    parts = [_part(named, number, count, file) for number in range(count)]
    _check_distinct(parts)
    tensors = tuple(tensor for part in parts for tensor in part.tensors)
    _check_tensors(parts, tensors)
    return Whole(parts[0].path, named["stem"], parts[0].metadata, tensors, count)


def _named(file: GgufFile, count: int) -> re.Match[str]:
    """What the file's name says, which must be what its pairs say."""
    match = _PART.fullmatch(file.path.name)
    if match is None:
        _fail(
            file,
            _COUNT,
            f"one of {count} parts, whose name does not say which",
            "name the files NAME-00001-of-00002.gguf as they were",
        )
    if count > MAX_PARTS:
        _fail(file, _COUNT, f"{count} parts, the most is {MAX_PARTS}")
    if int(match["count"]) != count:
        _fail(file, _COUNT, f"{count} parts, but the name says {int(match['count'])}")
    return match


def _part(named: re.Match[str], number: int, count: int, given: GgufFile) -> GgufFile:
    name = f"{named['stem']}-{number + 1:05}-of-{named['count']}{Path(named.string).suffix}"
    path = given.path.with_name(name)
    file = given if path == given.path else _read_part(path, number, count)
    found = _whole_number(file, _NO, None), _whole_number(file, _COUNT, None)
    if found != (number, count):
        _fail(
            file,
            _NO,
            f"part {found[0]} of {found[1]} where part {number} of {count} should be, from 0",
            "download the parts again",
        )
    return file


def _read_part(path: Path, number: int, count: int) -> GgufFile:
    if not path.exists():
        raise DescriptionError(
            f"part {number + 1} of {count} is missing",
            hint="put all parts into one folder",
            where=shown_path(path),
        )
    return read_file(path)


def _check_distinct(parts: list[GgufFile]) -> None:
    """Refuse parts that are one file under several names."""
    seen: dict[tuple[int, int], GgufFile] = {}
    for part in parts:
        if part.identity in seen:
            _fail(part, _NO, f"the same file as {seen[part.identity].path.name}")
        seen[part.identity] = part


def _check_tensors(parts: list[GgufFile], tensors: tuple[Tensor, ...]) -> None:
    stated = _whole_number(parts[0], _TENSORS, None)
    if stated != len(tensors):
        _fail(parts[0], _TENSORS, f"{stated} tensors, but all parts together have {len(tensors)}")
    names: set[str] = set()
    for part in parts:
        for tensor in part.tensors:
            if tensor.name in names:
                _fail(part, _NO, f"the tensor {tensor.name!r} stands in an earlier part too")
            names.add(tensor.name)


def _whole_number(file: GgufFile, key: str, default: int | None) -> int:
    """A whole number that is not negative; None for a default makes it required."""
    found = file.metadata.get(key)
    if found is None and default is not None:
        return default
    value = None if found is None else found.value
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        _fail(file, key, "is missing" if found is None else f"{ascii(value)[:40]} is no count")
    return value


def _fail(file: GgufFile, key: str, problem: str, hint: str | None = None) -> NoReturn:
    found = file.metadata.get(key)
    place = f": byte {found.offset}" if found else ""
    raise DescriptionError(f"{key}: {problem}", hint=hint, where=f"{shown_path(file.path)}{place}")
