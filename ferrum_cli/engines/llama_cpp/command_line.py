"""How llama.cpp's server and command-line tool are started, and what they make of a line.

Facts of llama.cpp b11434, common/arg.cpp and app/llama.cpp. It knows nothing about shells, or about
what an option decides.
"""

from __future__ import annotations

import functools
import re

from ferrum_cli.engines._command_line import CommandLine, EntryPoint, Flag, Reads, Takes, words
from ferrum_cli.engines.llama_cpp.command_line_flags import REFUSED, RELATED, UNRELATED

_TRUE_OR_FALSE = ("on", "enabled", "true", "1", "off", "disabled", "false", "0")
_CACHE_TYPES = ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1")
_CHOICES = {
    "cache_type_k": _CACHE_TYPES,
    "cache_type_v": _CACHE_TYPES,
    "fit": _TRUE_OR_FALSE,
    "flash_attn": (*_TRUE_OR_FALSE, "auto", "-1"),
    "log_colors": (*_TRUE_OR_FALSE, "auto", "-1"),
    "lazy_mode": ("on", "auto", "off"),
    "load_mode": ("auto", "none", "mmap", "mlock", "mmap+mlock", "dio"),
    "numa": ("distribute", "", "isolate", "numactl"),
    "pooling": ("none", "mean", "cls", "last", "rank"),
    "reasoning": (*_TRUE_OR_FALSE, "auto", "-1"),
    "reasoning_format": ("none", "auto", "deepseek", "deepseek-legacy"),
    "rope_scaling": ("none", "linear", "yarn"),
    "spec_draft_type_k": _CACHE_TYPES,
    "spec_draft_type_v": _CACHE_TYPES,
    "spec_type": (
        "none",
        "draft-simple",
        "draft-eagle3",
        "draft-mtp",
        "draft-dflash",
        "draft-dspark",
        "ngram-simple",
        "ngram-map-k",
        "ngram-map-k4v",
        "ngram-mod",
        "ngram-cache",
    ),
    "split_mode": ("none", "layer", "row", "tensor"),
}
_GATHERED = words(
    """
    control_vector control_vector_scaled lora lora_scaled override_kv override_tensor
    spec_draft_override_tensor spec_type
    """
)
_IMAGE = r"(^|/)llama\.cpp:[^/]*\b"

_ENTRY_POINTS = (
    EntryPoint(words=("llama-server",), program="server", image=re.compile(_IMAGE + "server")),
    EntryPoint(words=("llama", "serve"), program="server"),
    EntryPoint(words=("llama", "server"), program="server"),
    EntryPoint(words=("llama-cli",), program="cli", image=re.compile(_IMAGE + "light")),
    EntryPoint(words=("llama", "cli"), program="cli"),
    EntryPoint(words=("llama", "client"), program="cli"),
)


_READS = {
    "text": (Takes.ONE, Reads.TEXT),
    "integer": (Takes.ONE, Reads.LEADING_INTEGER),
    "count": (Takes.ONE, Reads.COUNT),
    "nonzero": (Takes.ONE, Reads.NONZERO),
    "positive": (Takes.ONE, Reads.POSITIVE),
    "decimal": (Takes.ONE, Reads.LEADING_NUMBER),
    "decimals": (Takes.ONE, Reads.LEADING_NUMBERS),
    "json": (Takes.ONE, Reads.JSON),
    "layers": (Takes.ONE, Reads.LAYERS),
    "pairs": (Takes.ONE, Reads.PAIRS),
    "two": (Takes.TWO, Reads.TEXT),
    "on": (Takes.NONE, Reads.TEXT),
    "switch": (Takes.NONE, Reads.TEXT),
}
_PREFIX = "LLAMA_ARG_"


@functools.lru_cache(maxsize=8)
def _flags(version: str, program: str) -> tuple[Flag, ...]:
    """The flags that `server` or `cli` knows; a spelling belongs to one of them."""
    del version  # the flags of one build were read
    related = [_flag(line, program, ignored=False) for line in _lines(RELATED)]
    others = [_flag(line, program, ignored=True) for line in _lines(UNRELATED)]
    refused = [_refused(line) for line in _lines(REFUSED)]
    return tuple(flag for flag in (*related, *others, *refused) if flag is not None)


def _lines(text: str) -> list[str]:
    """The lines of a table; one that ends in a colon goes on."""
    return text.strip().replace(":\n", ":").splitlines()


def _flag(line: str, program: str, *, ignored: bool) -> Flag | None:
    left, _, right = line.partition(" : ")
    spellings, _, negations = left.partition(" / ")
    kind, *rest = right.split()
    if rest and rest[0] in ("server", "cli") and rest.pop(0) != program:
        return None
    names = tuple(spellings.split())
    option = names[0].removeprefix("--").replace("-", "_")
    takes, reads = _READS[kind]
    return Flag(
        option=option,
        spellings=names,
        negations=tuple(negations.split()),
        takes=takes,
        reads=reads,
        choices=_CHOICES.get(option, ()),
        listed=option == "spec_type",
        gathers=option in _GATHERED,
        environment=_variable(rest[0]) if rest else None,
        ignored=ignored,
    )


def _variable(text: str) -> str:
    return text[1:] if text.startswith("=") else f"{_PREFIX}{text}"


def _refused(line: str) -> Flag:
    spellings, _, refusal = line.partition(" : ")
    names = tuple(spellings.split())
    return Flag(
        option=names[0].removeprefix("--").replace("-", "_"),
        spellings=names,
        reads=Reads.LEADING_INTEGER,
        ignored=True,
        refusal=f"the argument has been removed. {refusal}",
    )


COMMAND_LINE = CommandLine(
    title="llama.cpp",
    entry_points=_ENTRY_POINTS,
    flags=_flags,
    parser="exact",
    underscores=True,
    version_image=re.compile(r"ggml-org/llama\.cpp:[\w.-]*\b(?P<version>b\d+)\b"),
    model=("model", "hf_repo", "model_url", "docker_repo"),
    model_required=("cli",),
    without_model="llama-server chooses a model for each request then",
    context="ctx_size",
    replaced={
        "ctx_size_draft": "--ctx-size",
        "direct_io": "--load-mode dio",
        "mlock": "--load-mode mlock",
        "mmap": "--load-mode mmap",
        "no_mmap": "--load-mode none",
        "dio": "--load-mode dio",
    },
)
