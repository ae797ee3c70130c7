"""`docker run` and its like: which words are the image's, and what is set."""

from __future__ import annotations

import pytest

from ferrum_cli.serve.container import container, named_image
from ferrum_cli.serve.shell.values import Argument


def words(text: str) -> list[Argument]:
    return [Argument(word) for word in text.split()]


@pytest.mark.parametrize(
    ("text", "image", "rest"),
    [
        ("docker run i:1 a b", "i:1", "a b"),
        ("sudo docker run --rm -it --gpus all -p 1:1 i a", "i", "a"),
        ("docker run -itd --name n -v /a:/b -e A=1 i a", "i", "a"),
        ("docker run --shm-size=1g --ipc=host i a", "i", "a"),
        ("docker run -p8000:8000 -eA=1 i a", "i", "a"),
        ("docker run --entrypoint vllm i serve a", "i", "vllm serve a"),
        ("docker --context x run i a", "i", "a"),
        ("docker compose run --rm s a", "s", "a"),
        ("docker container run i a", "i", "a"),
        ("podman run --replace i a", "i", "a"),
        ("docker exec -it c a b", "c", "a b"),
        ("nerdctl run --privileged i", "i", ""),
    ],
)
def test_the_image_stands_behind_the_options(text: str, image: str, rest: str) -> None:
    found = container(words(text))
    assert found is not None
    assert (found.image, " ".join(word.text for word in found.words)) == (image, rest)


def test_variables_are_taken_from_every_spelling() -> None:
    found = container(words("docker run -e A=1 --env B=2 --env=C=3 -eD=4 -e HOME i"))
    assert found is not None
    assert {n: v.text for n, v in found.environment.items()} == {
        "A": "1",
        "B": "2",
        "C": "3",
        "D": "4",
    }


@pytest.mark.parametrize("text", ["docker ps", "docker build .", "docker", "docker run --rm", "ls"])
def test_other_commands_start_no_container(text: str) -> None:
    assert container(words(text)) is None


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("apptainer run --nv docker://i a b", "a b"),
        ("kubectl run n --image=i --restart=Never -- a b", "a b"),
    ],
)
def test_other_runtimes_are_read_from_the_image_on(text: str, rest: str) -> None:
    found = named_image(words(text), lambda image: image == "i")
    assert found is not None
    assert " ".join(word.text for word in found.words) == rest
