"""What is asked of an engine and what it answers; the interface of every folder beside this file.

An engine is a package with these names:

    NAME       as a user writes it, such as `llama.cpp`
    VERSION    the version whose rules are the default
    OPTIONS    the table of its options
    answer     Question → Answer

An engine knows nothing about files, commands or output, and never reads a file. A refusal at
start-up is an answer, not an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ferrum_cli.dtype import DType
from ferrum_cli.engines._options import Option, Settings
from ferrum_cli.expand import Expanded, Parallel
from ferrum_cli.quantity import checked_product
from ferrum_cli.report import Finding


@dataclass(frozen=True, slots=True)
class Machine:
    """One device, as far as it is known: name, memory, CUDA compute capability."""

    memory_bytes: int | None = None
    name: str | None = None
    compute_capability: tuple[int, int] | None = None
    overhead_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Weights:
    """Bytes of the weights for each pipeline rank, and where the figure comes from."""

    bytes_per_rank: tuple[int, ...]
    source: str
    known: bool = True
    """False where the file that was read does not hold its weights: they count as nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A model, how it is split, what is asked for, and on which machine."""

    model: Expanded
    parallel: Parallel
    settings: Settings
    version: str
    requests: int
    context: int
    """Tokens of one request: what was asked, or the model's own limit."""
    context_given: bool
    requests_given: bool
    machine: Machine
    weights: Weights


@dataclass(frozen=True, slots=True)
class StateTensor:
    """One tensor of recurrent state for one slot, on the first rank."""

    layer_index: int
    name: str
    shape: tuple[int, ...]
    dtype: DType

    @property
    def size_bytes(self) -> int:
        """Bytes of the tensor, without padding."""
        return (checked_product(self.shape) or 0) * self.dtype.size_bytes


@dataclass(frozen=True, slots=True)
class KeyValueBytes:
    """What the caches of one request cost on the first rank."""

    bytes_per_token: int
    """Layers that grow without limit."""
    window_bytes: int
    """All windows, full."""
    bytes_at_context: int


Reason = Literal["dtype", "padding", "slots", "reserved"]
"""Why one engine's figures differ from another's: the dtypes it keeps state and KV in, what it pads
them to, how many slots a request takes, and what it reserves whether it is used or not."""

LimitedBy = Literal["state", "kv", "slots", "max_num_seqs", "memory"]


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many requests fit; `low` and `high` bound it where it is not one number."""

    available_bytes: int | None
    max_requests: int | None
    limited_by: LimitedBy | None
    context: int
    low: int | None = None
    high: int | None = None
    tokens: int | None = None
    """Tokens that the engine's pool of KV counts, over all requests; None where there is none."""


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """One line of a device's memory: what it is for, its bytes, and how they come about."""

    name: str
    size_bytes: int
    formula: str = ""
    budgeted: bool = True
    """Whether `--budget` counts it: weights, state and KV do, overhead does not."""
    host: bool = False
    """In the host's memory: shown apart, in no total and no budget of the device."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A named figure with the formula, values and source that explain it."""

    name: str
    value: int | float | str
    formula: str
    """Arithmetic in the field's signs, each number followed by what it is."""
    source: str
    log: str = ""
    """What the engine's log calls it."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line that the engine will print at start-up."""

    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of options that may let more requests run, and what it costs besides memory."""

    price: str
    """One clause."""
    steps: tuple[Mapping[str, Any], ...]
    """Options by name; the later, the more they help. The first that is enough is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an engine would do with a model on a machine."""

    engine: str
    version: str
    layout: Mapping[str, Any]
    state: tuple[StateTensor, ...]
    bytes_per_slot: int
    dtype_source: str
    kv: KeyValueBytes
    capacity: Capacity
    memory: tuple[MemoryLine, ...] = ()
    figures: tuple[Figure, ...] = ()
    findings: tuple[Finding, ...] = ()
    log_lines: tuple[LogLine, ...] = ()
    sizing: Mapping[str, Any] = field(default_factory=dict)
    """Options without a price that the requests asked about need, or as many of them as run."""
    changes: tuple[Change, ...] = ()
    """What else may let more requests run, cheapest first; none for a model it cannot run."""
    spread: tuple[Literal["tp", "dp", "pp"], ...] = ("tp", "dp", "pp")
    """Ways of using more devices, the best first: tensors, replicas, layers."""
    refusal: str | None = None
    """The engine's own words where it would exit at start-up."""
    options: Mapping[str, Any] = field(default_factory=dict)
    weights: Weights | None = None
    """The weights as the engine holds them, where that is not what was given to it."""
    reasons: Mapping[Reason, str] = field(default_factory=dict)
    """One clause for each reason that holds for this engine."""


class Engine(Protocol):
    """A package of this folder."""

    NAME: str
    VERSION: str
    OPTIONS: tuple[Option, ...]

    def answer(self, question: Question) -> Answer:
        """What the engine would do. Raises ShardingError for a split that it does not define."""
        ...
