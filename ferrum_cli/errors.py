"""Every error that Ferrum raises on purpose, in one tree.

It knows nothing about terminals or processes: `app.py` alone turns an error into an exit code.

    FerrumError                     exit  what happened
    ├── InputError                     2  something from outside cannot be read
    │   ├── UsageError                 2  an option or argument
    │   ├── QuantityError              2  an amount of bytes or tokens
    │   ├── DescriptionError           2  a model's description: a file, line and column
    │   │   └── UnknownArchitecture    2  a model that Ferrum does not know, refused by name
    │   ├── ShardingError              2  a split over devices that no engine defines
    │   └── ContractError              2  JSON that is not the contract's
    ├── StateError                     1  a manager of recurrent state refuses
    │   ├── AlreadyExists              1  the request has state already
    │   ├── ResourceExhausted          1  bytes or slots have run out
    │   ├── UnknownRequest             1  the request has no state to work on
    │   ├── StaleHandle                1  the handle's state has been taken back
    │   ├── Withdrawn                  1  the request was taken back during the operation
    │   ├── RollbackRefused            1  no saved state lies far enough back
    │   └── SnapshotRefused            1  a snapshot's file is torn, damaged or foreign
    ├── EnvironmentFailure             4  this machine cannot do it
    │   ├── MissingExtra               4  an optional dependency is not installed
    │   ├── OutOfMemory                4  the device or the host has no memory left
    │   ├── CopyFailed                 4  bytes did not arrive; the device is still there
    │   └── DeviceLost                 4  the device has failed for good
    └── MemoryMisuse                   3  a defect: memory freed twice, or never allocated
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Location:
    """A place in something read from outside: a file with line and column, or an option's name."""

    source: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        numbers = [str(n) for n in (self.line, self.column) if n is not None]
        return ":".join([self.source, *numbers])


class FerrumError(Exception):
    """The root: `message` says what was wrong, `hint` what to do, `where` where it was."""

    exit_code: ClassVar[int] = 2

    def __init__(
        self, message: str, *, hint: str | None = None, where: Location | str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.where = Location(where) if isinstance(where, str) else where

    def located(self, where: Location | str) -> FerrumError:
        """This error with a place, unless it has one; who raises it need not know the file."""
        if self.where is None:
            self.where = Location(where) if isinstance(where, str) else where
        return self

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text}; {self.hint}" if self.hint else text


class InputError(FerrumError):
    """Something that came from outside cannot be read or makes no sense."""


class UsageError(InputError):
    """An option or argument is unknown, malformed or contradicts another."""


class QuantityError(InputError):
    """Text that is no amount of bytes or tokens."""


class DescriptionError(InputError):
    """A model's description is malformed or describes something impossible."""


class UnknownArchitecture(DescriptionError):
    """A model whose architecture Ferrum does not know. It is never guessed."""


class ShardingError(InputError):
    """A split over devices that no engine defines."""


class ContractError(InputError):
    """JSON or values that the recurrent-state contract does not allow."""


class StateError(FerrumError):
    """A manager of recurrent state refuses an operation."""

    exit_code = 1


class AlreadyExists(StateError):
    """The request has state already; the first one is untouched."""


class ResourceExhausted(StateError):
    """The manager's bytes or slots do not suffice."""


class UnknownRequest(StateError):
    """The request has no state that the operation could work on."""


class StaleHandle(StateError):
    """The handle's state was deallocated, evicted or reset."""


class Withdrawn(StateError):
    """The request was deallocated, or all state reset, while an operation on it was under way."""


class RollbackRefused(StateError):
    """No saved state lies at or before the position that was asked for."""


class SnapshotRefused(StateError):
    """A file that is no whole, undamaged snapshot of the expected layout.

    `problem` is a stable word for what is wrong with it.
    """

    def __init__(
        self,
        problem: str,
        message: str,
        *,
        hint: str | None = None,
        where: Location | str | None = None,
    ) -> None:
        super().__init__(message, hint=hint, where=where)
        self.problem = problem


class EnvironmentFailure(FerrumError):
    """This machine lacks what the command needs: a device, memory, a library, a network."""

    exit_code = 4


class MissingExtra(EnvironmentFailure):
    """An optional dependency is not installed."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the extra '{extra}', which is not installed",
            hint=f"pip install 'ferrum-cli[{extra}]'",
        )
        self.extra = extra


class OutOfMemory(EnvironmentFailure):
    """The device or the host has no memory left for what was asked."""


class CopyFailed(EnvironmentFailure):
    """Bytes did not arrive; the device itself still answers."""


class DeviceLost(EnvironmentFailure):
    """The device has failed for good: nothing on it can be reached any more."""


class MemoryMisuse(FerrumError):
    """Memory was freed twice, with a wrong size, or never allocated: a defect in Ferrum."""

    exit_code = 3
