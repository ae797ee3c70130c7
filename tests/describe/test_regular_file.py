"""Reading one regular file; the refusals are in tests/bad_input."""

from pathlib import Path

import pytest

from ferrum_cli.describe.regular_file import read_bytes, shown_path
from ferrum_cli.errors import DescriptionError


def test_a_file_at_the_limit_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bytes(tmp_path / "a", 5) == b"12345"


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"123456")
    with pytest.raises(DescriptionError, match="larger than 5 bytes, the most that is read"):
        read_bytes(tmp_path / "a", 5)


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").symlink_to("a")
    assert read_bytes(tmp_path / "b", 5) == b"1"


def test_a_link_to_nothing_is_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(DescriptionError, match="no such file"):
        read_bytes(tmp_path / "b", 5)


def test_a_file_without_permission_names_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a").touch()
    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(DescriptionError, match="no permission to read this file"):
        read_bytes(tmp_path / "a", 5)


def test_what_became_a_folder_between_asking_and_opening_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").touch()
    status = (tmp_path / "a").stat()
    monkeypatch.setattr("os.stat", lambda _: status)
    with pytest.raises(DescriptionError, match="folder"):
        read_bytes(tmp_path, 5)


@pytest.mark.parametrize(
    ("path", "shown"),
    [("a/b.yaml", "a/b.yaml"), ("Zürich", "Zürich"), ("\x1b[1m", r"'\x1b[1m'")],
)
def test_a_path_is_shown_as_it_is_unless_a_terminal_would_act_on_it(path: str, shown: str) -> None:
    assert shown_path(path) == shown
