"""llama.cpp's start-up lines: one table that is used to write them and to read them.

Forms are printf's, as they stand in src/ of 0c1e57098. llama-server shows them from `-lv 4` on. It
knows nothing about how the numbers come about.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ferrum_cli.engines._engine import LogLine

_MIB = 1024.0 * 1024.0


@dataclass(frozen=True, slots=True)
class Form:
    """A line: printf's text, and a name for each of its values in order.

    Lines of older versions are read, too, but not written.
    """

    text: str
    names: tuple[str, ...]
    written: bool = True


_STATE_SIZES = ("size", "cells", "layers", "seqs")
_CACHE = "llama_kv_cache: size = %7.2f MiB (%6u cells, %3d layers, %2u/%u seqs)"

FORMS: Mapping[str, Form] = {
    "n_seq_max": Form("llama_context: n_seq_max             = %u", ("n_seq_max",)),
    "n_ctx": Form("llama_context: n_ctx                 = %u", ("n_ctx",)),
    "n_ctx_seq": Form("llama_context: n_ctx_seq             = %u", ("n_ctx_seq",)),
    "n_batch": Form("llama_context: n_batch               = %u", ("n_batch",)),
    "n_ubatch": Form("llama_context: n_ubatch              = %u", ("n_ubatch",)),
    "flash_attn": Form("llama_context: flash_attn            = %s", ("flash_attn",)),
    "kv_unified": Form("llama_context: kv_unified            = %s", ("kv_unified",)),
    "n_rs_seq": Form("llama_context: n_rs_seq              = %u", ("n_rs_seq",)),
    "rollback_clamped": Form(
        "llama_context: n_rs_seq=%u requested but model does not support recurrent partial"
        " rollback; clamping to 0",
        ("asked",),
    ),
    "context_rounded": Form(
        "llama_context: n_ctx is not divisible by n_seq_max - rounding down to %u", ("n_ctx",)
    ),
    "context_below_training": Form(
        "llama_context: n_ctx_seq (%u) < n_ctx_train (%u) -- the full capacity of the model will"
        " not be utilized",
        ("n_ctx_seq", "n_ctx_train"),
    ),
    "context_beyond_training": Form(
        "llama_context: n_ctx_seq (%u) > n_ctx_train (%u) -- possible training context overflow",
        ("n_ctx_seq", "n_ctx_train"),
    ),
    "output_buffer": Form(
        "llama_context: %10s  output buffer size = %8.2f MiB", ("device", "size")
    ),
    "values_padded": Form(
        "llama_kv_cache: the V embeddings have different sizes across layers and FA is not enabled"
        " - padding V cache to %d",
        ("width",),
    ),
    "window_cache_base": Form(
        "llama_kv_cache_iswa: creating non-SWA KV cache, size = %u cells", ("cells",)
    ),
    "window_cache": Form(
        "llama_kv_cache_iswa: creating     SWA KV cache, size = %u cells", ("cells",)
    ),
    "indexer_cache": Form("operator(): creating indexer KV cache, size = %u cells", ("cells",)),
    "kv_buffer": Form("llama_kv_cache: %10s KV buffer size = %8.2f MiB", ("device", "size")),
    "kv_size": Form(
        f"{_CACHE}, K (%s): %7.2f MiB, V (%s): %7.2f MiB",
        ("size", "cells", "layers", "seqs", "streams", "type_k", "k", "type_v", "v"),
    ),
    "state_buffer": Form(
        "llama_memory_recurrent: %10s RS buffer size = %8.2f MiB", ("device", "size")
    ),
    "state_size": Form(
        "llama_memory_recurrent: size = %7.2f MiB (%6u cells, %3d layers, %2u seqs %2u rs_seq),"
        " R (%s): %7.2f MiB, S (%s): %7.2f MiB, P (%s): %7.2f MiB",
        (*_STATE_SIZES, "rs_seq", "type_r", "r", "type_s", "s", "type_p", "p"),
    ),
    "state_size_without_p": Form(
        "llama_memory_recurrent: size = %7.2f MiB (%6u cells, %3d layers, %2u seqs %2u rs_seq),"
        " R (%s): %7.2f MiB, S (%s): %7.2f MiB",
        (*_STATE_SIZES, "rs_seq", "type_r", "r", "type_s", "s"),
        written=False,
    ),
    "state_size_without_rs_seq": Form(
        "llama_memory_recurrent: size = %7.2f MiB (%6u cells, %3d layers, %2u seqs), R (%s): %7.2f"
        " MiB, S (%s): %7.2f MiB",
        (*_STATE_SIZES, "type_r", "r", "type_s", "s"),
        written=False,
    ),
    "compute_buffer": Form(
        "sched_reserve: %10s compute buffer size = %8.2f MiB", ("device", "size")
    ),
    "slots": Form(
        "initializing, n_slots = %d, n_ctx_slot = %d, kv_unified = '%s'",
        ("slots", "context", "unified"),
    ),
    "mtp_context": Form(
        "creating MTP draft context against the target model '%s'", ("path",), written=False
    ),
}
"""A compute buffer is read but never promised."""

_FIELD = re.compile(r"%[0-9]*(?:\.[0-9]+)?[usdf]")
_PATTERNS = {"u": r"\d+", "d": r"-?\d+", "f": r"-?\d+\.\d+", "s": r"[^\s:,()']*"}


def write(key: str, /, *values: float | str) -> LogLine:
    """The line `key` with its values, as printf writes them."""
    return LogLine(key, FORMS[key].text % values)


def read(text: str) -> tuple[str, dict[str, float | str]] | None:
    """Which line `text` holds, whatever stands around it, and its values; None for others.

    Blanks count as one. Of several lines that fit, the one that says most is meant.
    """
    matches = {key: match for key in FORMS if (match := _reader(key).search(text)) is not None}
    if not matches:
        return None
    key = max(matches, key=lambda key: (len(FORMS[key].names), len(FORMS[key].text)))
    return key, _values(FORMS[key], matches[key])


def mib(size_bytes: int) -> float:
    """MiB of a total, which is divided in float32: `(float) size / (1024.0f * 1024.0f)`."""
    total: float = struct.unpack("f", struct.pack("f", float(size_bytes)))[0]
    return total / _MIB


def buffer_mib(size_bytes: int) -> float:
    """MiB of a buffer, which is divided in double precision."""
    return size_bytes / _MIB


@cache
def _reader(key: str) -> re.Pattern[str]:
    """A pattern for one line, in which any run of blanks stands for any other."""
    pattern, position = "", 0
    text = FORMS[key].text
    for field in _FIELD.finditer(text):
        pattern += _spaced(text[position : field.start()])
        pattern += rf"\s*({_PATTERNS[field[0][-1]]})"
        position = field.end()
    return re.compile(pattern + _spaced(text[position:]))


def _spaced(text: str) -> str:
    return re.sub(r"(?:\\\s)+", r"\\s*", re.escape(text))


def _values(form: Form, match: re.Match[str]) -> dict[str, float | str]:
    kinds = [field[0][-1] for field in _FIELD.finditer(form.text)]
    readers = {"u": int, "d": int, "f": float, "s": str}
    found = zip(form.names, kinds, match.groups(), strict=True)
    return {name: readers[kind](text) for name, kind, text in found}
