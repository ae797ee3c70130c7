"""How an engine's command line is written: its programs, its flags, and what each takes.

Every engine that starts from a command line has a module `command_line` with one `COMMAND_LINE`.
It knows nothing about shells, about a particular engine, or about what is made of a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal

from ferrum_cli.engines._options import Kind, Option

Parser = Literal["argparse", "exact"]
"""`argparse` is Python's; `exact` knows a flag by its whole spelling alone, as llama.cpp does."""


class Takes(Enum):
    """How many words a flag takes."""

    NONE = "none"
    ONE = "one"
    OPTIONAL = "optional"
    SOME = "some"
    ANY = "any"
    TWO = "two"


class Reads(Enum):
    """What an engine's parser makes of a word."""

    TEXT = "text"
    INTEGER = "integer"
    LEADING_INTEGER = "leading_integer"
    """C++'s std::stoi: what stands behind the digits is dropped."""
    COUNT = "count"
    """A leading integer of at least 0."""
    POSITIVE = "positive"
    NONZERO = "nonzero"
    LEADING_NUMBER = "leading_number"
    """What C++'s std::stof reads; it stays text."""
    LEADING_NUMBERS = "leading_numbers"
    """Several of them between commas or slashes; they stay text."""
    PAIRS = "pairs"
    """`name=value` between commas; they stay text."""
    NUMBER = "number"
    AMOUNT = "amount"
    """An integer, or a number with one of the engine's suffixes, such as 12K."""
    AUTO_AMOUNT = "auto_amount"
    """An amount; `auto` is -1."""
    JSON = "json"
    JSON_OBJECT = "json_object"
    JSON_OR_TEXT = "json_or_text"
    """JSON if it stands in braces, else text."""
    LAYERS = "layers"
    """`auto`, `all`, or what begins with an integer; it stays text."""
    IDENTIFIER = "identifier"
    """Text in lower case, underscores for dashes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One flag of a command line, and the option that it sets."""

    option: str
    spellings: tuple[str, ...]
    negations: tuple[str, ...] = ()
    """Spellings that set the option to false."""
    takes: Takes = Takes.ONE
    reads: Reads = Reads.TEXT
    nullable: bool = False
    """Whether `None` and the empty word stand for no value."""
    choices: tuple[str, ...] = ()
    listed: bool = False
    """Whether the word is a comma-separated list of choices."""
    gathers: bool = False
    """Whether values add up where the flag is repeated, joined with commas."""
    constant: Any = None
    """What a flag with choices stores instead of the word itself."""
    environment: str | None = None
    """The variable that sets the same option."""
    ignored: bool = False
    """Whether it has nothing to do with memory, capacity or placement."""
    refusal: str | None = None
    """The engine's words where it knows the flag only to refuse it."""
    dropped: bool = False
    """Whether only older versions know it, and it decided nothing: it is read past."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPoint:
    """How a server is started: words that follow each other, the first one a program's name.

    `module` is a Python module instead, after `-m` or as the path of its file. `image` marks the
    programs that container images run by themselves, as a pattern for the image's name.
    """

    words: tuple[str, ...]
    program: str
    """The name that flags restrict themselves by."""
    module: bool = False
    image: re.Pattern[str] | None = None
    takes_model: bool = False
    """Whether the first bare word is the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """An engine's command line, as its own parser reads it."""

    title: str
    """The engine's name in a sentence."""
    entry_points: tuple[EntryPoint, ...]
    flags: Callable[[str, str], tuple[Flag, ...]]
    """The flags that a version knows, for a program of `entry_points`."""
    parser: Parser
    underscores: bool
    """Whether long flags may be written with underscores."""
    dotted: bool = False
    """Whether `--config.key value` sets a key of a JSON option."""
    version_image: re.Pattern[str] | None = None
    """Names of the engine's own images whose tag is its version, as the group `version`."""
    suffixes: Mapping[str, int] = field(default_factory=dict)
    """Suffixes of amounts; powers of two take no decimals."""
    model: tuple[str, ...]
    """The options that name a model; the first that is set wins."""
    model_required: tuple[str, ...] = ()
    """Programs that refuse to start without a model."""
    without_model: str
    """What the others do then."""
    tensor_parallel: str | None = None
    pipeline_parallel: str | None = None
    data_parallel: str | None = None
    context: str | None = None
    """The option that is the planner's `--context`."""
    config_file: str | None = None
    """The option that names a file with further options."""
    replaced: Mapping[str, str] = field(default_factory=dict)
    """Flags of other versions, and what is written now."""


def words(text: str) -> frozenset[str]:
    """Names as a set, written with spaces between them."""
    return frozenset(text.split())


def ordered(version: str) -> tuple[int, ...]:
    """A version's numbers, to compare: `v0.33.0` is (0, 33, 0), `b11434` is (11434,)."""
    return tuple(int(number) for number in re.findall(r"[0-9]{1,9}", version)[:3])


def is_known(option: Option, version: str) -> bool:
    """Whether `version` knows the option."""
    number = ordered(version)
    began = option.since is None or number >= ordered(option.since)
    return began and not is_dropped(option, version)


def is_dropped(option: Option, version: str) -> bool:
    """Whether only versions before `version` know the option."""
    return option.until is not None and ordered(version) >= ordered(option.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What an engine's table of options does not say, but its argparse parser knows."""

    more: tuple[Option, ...] = ()
    """Flags that are in no table because a plan takes their value elsewhere."""
    shorts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names of an option, as names."""
    takes: Mapping[Takes, frozenset[str]] = field(default_factory=dict)
    reads: Mapping[Reads, frozenset[str]] = field(default_factory=dict)
    nullable: frozenset[str] = frozenset()
    negatable: frozenset[str] | None = None
    """The booleans that have a `--no-` form; None for all but `one_way`."""
    one_way: frozenset[str] = frozenset()
    inverses: Mapping[str, str] = field(default_factory=dict)
    """Prefixes of names whose exchange negates, such as `enable_` and `disable_`."""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Choices of the version that was read; others are not refused by them."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    decides_nothing: frozenset[str] = frozenset()
    """Options without which a plan is the same: dropped ones of an older version do no harm."""


_READS = {
    Kind.INTEGER: Reads.INTEGER,
    Kind.INTEGERS: Reads.INTEGER,
    Kind.NUMBER: Reads.NUMBER,
    Kind.NUMBERS: Reads.NUMBER,
    Kind.TOKENS: Reads.AMOUNT,
    Kind.BYTES: Reads.AMOUNT,
    Kind.BYTES_LIST: Reads.AMOUNT,
    Kind.JSON: Reads.JSON,
}
_HELP = Flag(option="help", spellings=("--help", "-h"), takes=Takes.NONE, ignored=True)
_TAKES = {Kind.FLAG: Takes.NONE, Kind.INTEGERS: Takes.SOME, Kind.NUMBERS: Takes.SOME}


def argparse_flags(
    options: Sequence[Option], details: Details, version: str, *, read_version: bool
) -> tuple[Flag, ...]:
    """The flags of an argparse parser that was built from a table of options.

    `read_version` says whether `version` is the one whose choices `details` holds.
    """
    choices = details.choices if read_version else {}
    table = [option for option in (*options, *details.more) if not option.environment]
    found = [_HELP, *(_flag(o, details, choices) for o in table if is_known(o, version))]
    spellings = {s for flag in found for s in (*flag.spellings, *flag.negations)}
    for option in table:
        flag = replace(_flag(option, details, {}), negations=(), dropped=True)
        does_no_harm = option.name in details.decides_nothing and is_dropped(option, version)
        if does_no_harm and spellings.isdisjoint(flag.spellings):
            found.append(flag)
    return tuple(found)


def _flag(option: Option, details: Details, choices: Mapping[str, tuple[str, ...]]) -> Flag:
    name = option.name
    target = details.aliases.get(name, name)
    takes = next((t for t, names in details.takes.items() if name in names), None)
    reads = next((r for r, names in details.reads.items() if name in names), None)
    takes = takes or _TAKES.get(option.kind, Takes.ONE)
    return Flag(
        option=target,
        spellings=(f"--{name.replace('_', '-')}", *details.shorts.get(name, ())),
        negations=_negations(name, details) if takes is Takes.NONE else (),
        takes=takes,
        reads=reads or _READS.get(option.kind, Reads.TEXT),
        nullable=name in details.nullable,
        choices=choices.get(name) or choices.get(target) or option.choices,
        constant=details.constants.get(name),
        ignored=target in details.ignored,
    )


def _negations(name: str, details: Details) -> tuple[str, ...]:
    if details.negatable is None:
        has_negation = name not in details.one_way
    else:
        has_negation = name in details.negatable
    if not has_negation:
        return ()
    opposite = [
        inverse + name.removeprefix(prefix)
        for prefix, inverse in details.inverses.items()
        if name.startswith(prefix)
    ]
    return tuple(f"--{n.replace('_', '-')}" for n in (f"no_{name}", *opposite))
