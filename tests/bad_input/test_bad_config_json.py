"""Every bad configuration gives one line with its place, by `config_json/expected.txt`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ferrum_cli.describe import config_json
from ferrum_cli.errors import DescriptionError, UnknownArchitecture

FOLDER = Path(__file__).parent / "config_json"
TABLE = {
    line.partition(":")[0]: line
    for line in (FOLDER / "expected.txt").read_text(encoding="utf-8").splitlines()
}


def refusal(path: Path | str) -> str:
    with pytest.raises(DescriptionError) as caught:
        config_json.read(path)
    return str(caught.value)


def test_the_table_has_a_line_for_every_file() -> None:
    assert sorted(TABLE) == sorted(path.name for path in FOLDER.glob("*.json"))


@pytest.mark.parametrize("name", TABLE)
def test_a_bad_file_gives_its_one_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    said = refusal(name)
    assert said == TABLE[name]
    assert said.isprintable()


@pytest.mark.parametrize("name", TABLE)
def test_a_bad_file_is_bad_input(name: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        config_json.read(FOLDER / name)
    assert caught.value.exit_code == 2
    assert caught.value.where is not None
    assert caught.value.where.line


@pytest.mark.parametrize(
    "name", ["model_type_unknown", "architecture_unknown", "wrapper_text_unknown"]
)
def test_a_model_that_is_not_known_is_refused_by_name(name: str) -> None:
    with pytest.raises(UnknownArchitecture, match=r"'[^']+' is not known to Ferrum"):
        config_json.read(FOLDER / f"{name}.json")


def test_a_file_of_four_mebibytes_is_read_and_one_byte_more_is_refused(tmp_path: Path) -> None:
    text = '{"model_type": "llama"}'
    file = tmp_path / "config.json"
    file.write_text(text.ljust(config_json.MAX_BYTES))
    assert config_json.read(file).num_layers == 32
    file.write_text(text.ljust(config_json.MAX_BYTES + 1))
    assert "larger than 4,194,304 bytes" in refusal(file)


def test_a_folder_without_a_configuration_is_said_to_lack_it(tmp_path: Path) -> None:
    assert refusal(tmp_path).endswith("config.json: no such file; check the path")


def test_a_device_is_refused_without_reading_it() -> None:
    assert "this is a device" in refusal("/dev/zero")


@pytest.mark.parametrize("depth", [33, 500, 100_000, 1_000_000])
@pytest.mark.parametrize("bracket", ["[", '{"a":'])
def test_depth_is_refused_without_recursion(depth: int, bracket: str) -> None:
    close = "]" if bracket == "[" else "}"
    text = '{"model_type": "llama", "a": ' + bracket * depth + "1" + close * depth + "}"
    with pytest.raises(DescriptionError) as caught:
        config_json.parse(text.encode()[: config_json.MAX_BYTES], "x.json")
    assert "nested more than 32 deep" in str(caught.value) or "not JSON" in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_long_list_of_layers_is_one_short_line() -> None:
    layers = ", ".join(['"linear_attention"'] * 100_000)
    text = f'{{"model_type": "qwen3_next", "layer_types": [{layers}]}}'
    with pytest.raises(DescriptionError) as caught:
        config_json.parse(text.encode(), "x.json")
    assert str(caught.value) == (
        "x.json:1:45: layer_types: 100000 entries for 48 layers; give one entry for each layer"
    )
