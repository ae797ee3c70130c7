"""The README cannot rot: what it shows is what Ferrum prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from ferrum_cli.describe import shipped
from tests.running import ferrum

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
SHELL = re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
SHOWN = re.search(r"```console\n\$ (.*?)\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = [
    line.partition("  #")[0].strip()
    for block in SHELL
    for line in block.splitlines()
    if line.startswith("ferrum ") and "config.json" not in line
]


def test_the_table_is_the_one_that_ferrum_prints() -> None:
    assert SHOWN is not None
    command, printed = SHOWN.groups()
    assert ferrum(*shlex.split(command)[1:]).stdout == printed


def test_the_first_command_plans_what_the_table_shows() -> None:
    assert SHOWN is not None
    assert SHOWN.group(1) in SHELL[0]
    assert SHELL[0].startswith("pip install . && ")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_readme_runs(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = ferrum(*shlex.split(command)[1:])
    if outcome.exit_code == 4:
        assert "extra 'live'" in outcome.stderr
        return
    assert outcome.exit_code in (0, 1), outcome.stderr
    assert outcome.stdout


def test_the_description_is_a_shipped_one() -> None:
    shown = re.search(r"```yaml\n(.*?)```", README, flags=re.DOTALL)
    assert shown is not None
    name = yaml.safe_load(shown.group(1))["name"]
    assert shipped.path(name).read_text(encoding="utf-8") == shown.group(1)


def test_the_exit_codes_are_the_ones_of_the_errors() -> None:
    from ferrum_cli import errors  # noqa: PLC0415

    codes = {
        cls.exit_code
        for cls in vars(errors).values()
        if isinstance(cls, type) and issubclass(cls, errors.FerrumError)
    }
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", README, flags=re.MULTILINE)}
    assert codes <= documented
    assert documented == {0, 1, 2, 3, 4, 130}
