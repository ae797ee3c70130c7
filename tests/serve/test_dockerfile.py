"""Dockerfiles: what the image of the last stage starts."""

from __future__ import annotations

import pytest

from ferrum_cli.serve.reading import read


@pytest.mark.parametrize(
    "text",
    [
        'FROM vllm/vllm-openai:v0.30.0\nCMD ["--model", "A/B", "--max-num-seqs", "4"]',
        'FROM x AS build\nCMD ["a"]\nFROM y\nCMD ["vllm", "serve", "A/B", "--max-num-seqs", "4"]',
        'FROM y\nENTRYPOINT ["vllm", "serve"]\nCMD ["A/B", \\\n "--max-num-seqs", "4"]',
        "FROM y\nCMD exec vllm serve A/B --max-num-seqs 4",
        'CMD ["vllm", "serve", "A/B", "--max-num-seqs", "4"]',
    ],
)
def test_an_images_command_is_read(text: str) -> None:
    command = read(text, {})
    assert (command.model, command.options.get("max_num_seqs")) == ("A/B", 4)


def test_variables_and_the_version_are_read() -> None:
    command = read('FROM vllm/vllm-openai:v0.30.0\nENV A=1 B="2 3"\nCMD ["A/B"]', {})
    assert (command.version, command.environment) == ("0.30.0", {"A": "1", "B": "2 3"})
