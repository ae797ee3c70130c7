"""Batch files and PowerShell: backslashes stay, carets and backticks continue."""

from __future__ import annotations

import pytest

from ferrum_cli.serve.reading import read
from ferrum_cli.serve.windows import is_windows


@pytest.mark.parametrize(
    "text",
    [
        r"llama-server.exe -m C:\m\x.gguf -c 4096",
        'llama-server.exe -m "C:\\m\\x.gguf" ^\n  -c 4096',
        ".\\llama-server.exe -m C:\\m\\x.gguf `\n  -c 4096 2>&1 | Tee-Object log.txt",
        "REM start\nset M=C:\\m\\x.gguf\nllama-server -m %M% -c 4096 > log.txt 2>&1\nexit /b 0",
        '$env:M = "C:\\m\\x.gguf"\nllama-server -m $env:M -c 4096',
        'start "" /B llama-server.exe -m C:\\m\\x.gguf -c 4096',
    ],
)
def test_a_command_of_windows_is_read(text: str) -> None:
    assert is_windows(text)
    command = read(text, {})
    assert (command.model, command.options["ctx_size"]) == (r"C:\m\x.gguf", 4096)


@pytest.mark.parametrize(
    "text",
    [
        "set -euo pipefail\nvllm serve A/B",
        "D=`pwd`\nvllm serve A/B",
        'llama-server -ot "blk\\.1\\.=CPU" -m A/B',
        "#!/bin/sh\nwine x.exe",
    ],
)
def test_a_shells_text_is_not_taken_for_windows(text: str) -> None:
    assert not is_windows(text)


def test_json_is_quoted_as_windows_quotes_it() -> None:
    text = r'vllm.exe serve A/B --speculative-config "{\"method\": \"mtp\"}"'
    assert read(text, {}).options["speculative_config"] == {"method": "mtp"}


def test_a_variable_that_is_not_set_is_named() -> None:
    assert read("llama-server.exe -m %MODEL%", {}).unresolved == ("MODEL",)
    assert read("llama-server.exe -m %MODEL%", {"MODEL": "x.gguf"}).model == "x.gguf"


def test_an_open_quote_has_its_place() -> None:
    assert "--serve:1:21" in str(read('llama-server.exe -m "C:\\x', {}).error)
