"""The accelerators of this folder's data files, one file each, and the search among their names.

`memory_bytes` is what the driver reports to torch (`cudaMemGetInfo`), because that is what engines
multiply by their share; where only another figure is public, `memory_source` says so. It knows
nothing about what an engine makes of a device.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ferrum_cli.discover import nearest
from ferrum_cli.errors import UsageError

_FOLDER = Path(__file__).parent / "accelerators"
_WORD = re.compile(r"[a-z0-9]+")
_NOISE = frozenset(
    {"nvidia", "amd", "intel", "tesla", "geforce", "instinct", "radeon"}
    | {"gpu", "graphics", "oam", "tm", "r"}
)
"""Words that drivers, clouds and shops put around a model's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """One kind of device. Rates are of one device; None where no figure is public."""

    id: str
    name: str
    vendor: str
    memory_source: str
    aliases: tuple[str, ...] = ()
    memory_bytes: int | None = None
    memory_marketing_gb: int | None = None
    nvidia_smi_mib: int | None = None
    """MiB that nvidia-smi reports, which some engines' heuristics read instead."""
    compute_capability: tuple[int, int] | None = None
    """CUDA compute capability; None for other vendors."""
    architecture: str | None = None
    """AMD's target name, such as gfx942."""
    bandwidth_gbps: float | None = None
    bf16_dense_tflops: float | None = None
    fp8_dense_tflops: float | None = None
    host_link_gbps: float | None = None
    """To the host, in one direction."""
    link_gbps: float | None = None
    """To its peers (NVLink, Infinity Fabric), both directions together."""
    unified_memory: bool = False
    """Memory is shared with the host, so its total says little about what is free."""
    notes: str | None = None

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every way this accelerator is written: id, name, aliases."""
        return (self.id, self.name, *self.aliases)


def accelerator_names() -> tuple[str, ...]:
    """The id of every accelerator, sorted; no file is read."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))


@cache
def load(identifier: str) -> Accelerator:
    """The accelerator of one data file."""
    fields = json.loads((_FOLDER / f"{identifier}.json").read_text(encoding="utf-8"))
    capability = fields.pop("compute_capability", None)
    if capability is not None:
        major, minor = capability.split(".")
        fields["compute_capability"] = (int(major), int(minor))
    fields["aliases"] = tuple(fields.pop("aliases", ()))
    return Accelerator(id=identifier, **fields)


def accelerator(name: str) -> Accelerator:
    """The accelerator that `name` means: an id, a driver's name, or what people say for short.

    Raises UsageError for a name that none or several have.
    """
    everything = [load(identifier) for identifier in accelerator_names()]
    wanted = _words(name)
    owner = _by_spelling(everything).get("".join(wanted))
    if owner is not None:
        return owner
    matching = [a for a in everything if wanted and set(wanted) <= _vocabulary(a)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise UsageError(
            f"{name!r} names several accelerators",
            hint="write one of " + ", ".join(a.id for a in matching),
            where="--gpu",
        )
    raise UsageError(f"unknown accelerator {name!r}", hint=_hint(wanted, everything), where="--gpu")


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in _NOISE]


def _by_spelling(everything: list[Accelerator]) -> dict[str, Accelerator]:
    return {"".join(_words(spelling)): a for a in everything for spelling in a.spellings}


def _vocabulary(candidate: Accelerator) -> set[str]:
    return {word for spelling in candidate.spellings for word in _words(spelling)}


def _hint(wanted: list[str], everything: list[Accelerator]) -> str:
    spellings = _by_spelling(everything)
    close = nearest("".join(wanted), list(spellings))
    if close is not None:
        return f"did you mean {spellings[close].id!r}? otherwise give --memory"
    return "'ferrum gpus' lists them; for any other give --memory"
