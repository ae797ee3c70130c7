"""Whose state it is: the Rust `RequestId`, a UUID.

It knows nothing about requests beyond their identity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ferrum_cli.contract.strict import refusal, text

_HYPHENATED = "-".join(f"[0-9a-fA-F]{{{digits}}}" for digits in (8, 4, 4, 4, 12))
# What the parser of Rust's uuid crate takes (read in 1.23.1). Python's own takes hyphens anywhere.
_UUID = re.compile(rf"[0-9a-fA-F]{{32}}|{_HYPHENATED}|urn:uuid:{_HYPHENATED}|\{{{_HYPHENATED}\}}")


@dataclass(frozen=True, slots=True, init=False)
class RequestId:
    """A request's UUID, kept and displayed in lower case with hyphens.

    Accepts it hyphenated, as 32 digits, as `urn:uuid:…` or in braces.
    """

    uuid: str

    def __init__(self, uuid: str) -> None:
        object.__setattr__(self, "uuid", _canonical(uuid, ""))

    @classmethod
    def new(cls) -> RequestId:
        """A random identity (UUID version 4)."""
        # Imported here: uuid asks the platform for its name, 3.5 ms at each start of the command.
        from uuid import uuid4  # noqa: PLC0415

        return cls(str(uuid4()))

    def __str__(self) -> str:
        return self.uuid

    def to_json(self) -> str:
        """The UUID in lower case with hyphens."""
        return self.uuid

    @classmethod
    def from_json(cls, obj: object, path: str = "") -> RequestId:
        """Read any spelling that the constructor takes."""
        return cls(_canonical(obj, path))


def _canonical(value: object, path: str) -> str:
    spelling = text(value, path)
    if not _UUID.fullmatch(spelling):
        raise refusal(path, "a UUID", value, hint="such as 67e55044-10b1-426f-9247-bb680e5fe0c8")
    digits = spelling.removeprefix("urn:uuid:").strip("{}").replace("-", "").lower()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
