"""A question as vLLM's command line: its version, its flags, and the ranks they ask for.

What the command line itself would reject is an error here, not an answer (engine/arg_utils.py of
the versions that were read). It knows nothing about models.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.engines._engine import Question
from ferrum_cli.engines._options import Option, Settings
from ferrum_cli.engines.vllm.options import OPTIONS
from ferrum_cli.engines.vllm.rules import Bracket, bracket
from ferrum_cli.engines.vllm.versions import Version, has_appeared, parse_version
from ferrum_cli.errors import UsageError
from ferrum_cli.expand import Parallel, check_parallel

_RANKS = {
    "tp": "tensor_parallel_size",
    "pp": "pipeline_parallel_size",
    "dp": "data_parallel_size",
}
_TABLE = {option.name: option for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Launch:
    """A command line that vLLM reads."""

    version: Version
    bracket: Bracket
    parallel: Parallel
    doubtful: tuple[str, ...]
    """Flags that appeared somewhere between two versions read, this one among them."""
    ignored: tuple[str, ...]
    """Variables that the version does not read."""


def launch(question: Question) -> Launch:
    """Read the question. Raises UsageError for what the version's command line does not know."""
    version = parse_version(question.version)
    found = bracket(version)
    doubtful, ignored = _unsure(question.settings, version)
    _check_mode(question.settings, found, version)
    parallel = _parallel(question)
    check_parallel(question.model, parallel)
    return Launch(version, found, parallel, doubtful, ignored)


def spelled(option: Option) -> str:
    """How a user writes an option: a long flag, or the variable's name."""
    return option.name if option.environment else "--" + option.name.replace("_", "-")


def _unsure(settings: Settings, version: Version) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Options that the version may not know, and variables it does not; raises for flags."""
    doubtful, ignored = [], []
    for name in settings.given():
        option = _TABLE.get(name)
        known = True if option is None else _known(option, version)
        if option is None or known is True:
            continue
        if known is None:
            doubtful.append(spelled(option))
        elif option.environment:
            ignored.append(name)
        else:
            raise UsageError(
                f"vLLM {version} does not know {spelled(option)}",
                hint=_when_known(option),
                where=f"--set {name}",
            )
    return tuple(doubtful), tuple(ignored)


def _known(option: Option, version: Version) -> bool | None:
    """Whether the version has the option; None where that was not read."""
    if option.until is not None and version >= Version.of(option.until):
        return False
    return has_appeared(option.since, version)


def _when_known(option: Option) -> str:
    if option.until is not None:
        return f"it was there before {option.until}; leave it out"
    return f"it came with {option.since}, as far as Ferrum knows; leave it out"


def _check_mode(settings: Settings, found: Bracket, version: Version) -> None:
    """0.32 took align and none alone; 0.33's engine ignores whatever its command line lets by."""
    if settings.value("mamba_cache_mode") != "all" or found.below.mode_option != "two":
        return
    raise UsageError(
        "argument --mamba-cache-mode: invalid choice: 'all' (choose from 'align', 'none')",
        hint=f"vLLM {version} caches states in mode align wherever prefixes are cached",
        where="--set mamba_cache_mode",
    )


def _parallel(question: Question) -> Parallel:
    """Ranks as --set gives them by vLLM's own flags, else as --tp, --pp and --dp do."""
    ranks = {
        short: question.settings.value(name) or getattr(question.parallel, short)
        for short, name in _RANKS.items()
    }
    return Parallel(**ranks)
