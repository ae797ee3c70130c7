"""The tree of errors."""

import inspect
import re

import pytest

from ferrum_cli import errors
from ferrum_cli.errors import FerrumError, InputError, Location, MissingExtra, QuantityError

DEFINED = [
    kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, FerrumError)
]


def drawn() -> dict[str, tuple[str | None, str]]:
    """The tree in the module's docstring: each error with its parent and its exit code."""
    found: dict[str, tuple[str | None, str]] = {}
    branch: list[str] = []
    for name in re.finditer(r"^    ([│├└─ ]*)(\w+) +(\w+)  ", str(errors.__doc__), re.MULTILINE):
        del branch[len(name[1]) // 4 :]
        found[name[2]] = (branch[-1] if branch else None, name[3])
        branch.append(name[2])
    return found


def test_the_modules_docstring_draws_every_error_and_no_other() -> None:
    assert set(drawn()) == {kind.__name__ for kind in DEFINED}


@pytest.mark.parametrize("kind", [kind for kind in DEFINED if kind is not FerrumError])
def test_an_error_has_the_parent_and_the_exit_code_that_are_drawn(kind: type[FerrumError]) -> None:
    assert kind.__base__ is not None
    assert drawn()[kind.__name__] == (kind.__base__.__name__, str(kind.exit_code))


# 0 holds, 1 a budget or a drill failed, 2 bad input, 3 a defect, 4 the environment, 130 Ctrl-C.
@pytest.mark.parametrize(
    ("kind", "exit_code"),
    [
        (errors.UsageError, 2),
        (errors.QuantityError, 2),
        (errors.UnknownArchitecture, 2),
        (errors.ShardingError, 2),
        (errors.ContractError, 2),
        (errors.AlreadyExists, 1),
        (errors.ResourceExhausted, 1),
        (errors.MissingExtra, 4),
    ],
)
def test_an_error_ends_the_command_with_the_exit_code_of_its_family(
    kind: type[FerrumError], exit_code: int
) -> None:
    assert kind.exit_code == exit_code


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (InputError("no such model"), "no such model"),
        (
            InputError("no such model", hint="try 'ferrum models list'"),
            "no such model; try 'ferrum models list'",
        ),
        (InputError("is 0", where="--tp"), "--tp: is 0"),
        (InputError("is 0", where=Location("a.yaml", 3)), "a.yaml:3: is 0"),
        (
            InputError("is 0", where=Location("a.yaml", 3, 7), hint="at least 1"),
            "a.yaml:3:7: is 0; at least 1",
        ),
    ],
)
def test_an_error_says_where_what_and_what_to_do(error: FerrumError, text: str) -> None:
    assert str(error) == text


def test_a_place_is_added_once_and_the_innermost_wins() -> None:
    error = QuantityError("'80 GB' is no amount of bytes", hint="write 80GB")
    assert error.located("--memory") is error
    assert error.located(Location("ferrum.yaml", 1)) is error
    assert str(error) == "--memory: '80 GB' is no amount of bytes; write 80GB"


def test_an_error_given_its_place_when_raised_keeps_it() -> None:
    assert str(InputError("bad", where="--gpu").located("--tp")) == "--gpu: bad"


def test_a_missing_extra_says_how_to_install_it() -> None:
    error = MissingExtra("hub", "reading from the hub")
    assert error.extra == "hub"
    assert error.exit_code == 4
    assert str(error) == (
        "reading from the hub needs the extra 'hub', which is not installed; "
        "pip install 'ferrum-cli[hub]'"
    )


@pytest.mark.parametrize(
    ("location", "text"),
    [
        (Location("--memory"), "--memory"),
        (Location("a.yaml", 3), "a.yaml:3"),
        (Location("a.yaml", 3, 7), "a.yaml:3:7"),
    ],
)
def test_a_location_reads_as_compilers_write_it(location: Location, text: str) -> None:
    assert str(location) == text
