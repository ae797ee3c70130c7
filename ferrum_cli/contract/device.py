"""Where state lives: the Rust `Device`.

It knows nothing about whether the device exists on this machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.contract.strict import refusal, usize

_UNNUMBERED = ("CPU", "Metal")
_NUMBERED = ("CUDA", "ROCm")
_WANTED = '"CPU", "Metal", {"CUDA": index} or {"ROCm": index}'


@dataclass(frozen=True, slots=True)
class Device:
    """A device: the Rust variant's name, and the number that CUDA and ROCm devices carry.

    Made by `cpu()`, `cuda(i)`, `rocm(i)` and `metal()`.
    """

    variant: str
    number: int | None = None

    def __post_init__(self) -> None:
        if self.variant in _NUMBERED:
            usize(self.number, self.variant)
        elif self.variant not in _UNNUMBERED or self.number is not None:
            raise refusal("", "a Device", self.variant, hint=f"one of {_WANTED}")

    @classmethod
    def cpu(cls) -> Device:
        """The host's memory."""
        return cls("CPU")

    @classmethod
    def cuda(cls, index: int) -> Device:
        """An NVIDIA device."""
        return cls("CUDA", index)

    @classmethod
    def rocm(cls, index: int) -> Device:
        """An AMD device."""
        return cls("ROCm", index)

    @classmethod
    def metal(cls) -> Device:
        """Apple's GPU. Rust has it on Apple's systems only; a plan may name it anywhere."""
        return cls("Metal")

    def is_gpu(self) -> bool:
        """Whether it is anything but the CPU."""
        return self.variant != "CPU"

    def index(self) -> int | None:
        """The number of a CUDA or ROCm device, None for the others."""
        return self.number

    def __str__(self) -> str:
        name = self.variant.lower()
        return name if self.number is None else f"{name}:{self.number}"

    def to_json(self) -> str | dict[str, int]:
        """Serde's form: `"CPU"`, `{"CUDA": 0}`, `{"ROCm": 1}`, `"Metal"`."""
        return self.variant if self.number is None else {self.variant: self.number}

    @classmethod
    def from_json(cls, obj: object, path: str = "") -> Device:
        """Read serde's form."""
        if isinstance(obj, str) and obj in _UNNUMBERED:
            return cls(obj)
        if isinstance(obj, dict) and len(obj) == 1:
            [(variant, number)] = obj.items()
            if variant in _NUMBERED:
                return cls(variant, usize(number, f"{path}.{variant}" if path else variant))
        raise refusal(path, "a Device", obj, hint=f"one of {_WANTED}")
