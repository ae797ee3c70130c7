"""vLLM's start-up lines: one table that is used to write them and to read them.

A row holds from one version to the next row of its key; texts are those of the files named, with
fields as Python formats them. It knows nothing about how the numbers come about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ferrum_cli.engines._engine import LogLine
from ferrum_cli.engines.vllm.versions import READ, Version

_GIB = 2**30
_MORE = " See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details."
_NEED = (
    "To serve at least one request with the {owner} max seq len ({tokens:d}), ({need{size}} GiB KV"
    " cache is needed, which is larger than the available KV cache memory ({room{size}} GiB)."
)
_LONGEST = " Based on the available memory, the estimated maximum model length is {longest:d}."
_TRY = (
    " Try increasing `gpu_memory_utilization`{cpu} or decreasing `max_model_len` when initializing"
    " the engine."
)
_ON_CPU = " (which also controls CPU memory on the CPU backend)"
_NO_MEMORY = (
    "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when"
    " initializing the engine"
)
_KV_DTYPE = (
    " data type to store kv cache. It reduces the GPU memory footprint and boosts the performance."
    " Meanwhile, it may cause accuracy drop without a proper scaling factor"
)


@dataclass(frozen=True, slots=True)
class Form:
    """A line from `since` on, until the next row of its key; no text where it is no longer said."""

    since: str
    text: str | None


def _too_long(longest: str, *, owner: str, size: str, cpu: str, more: str) -> str:
    """The parts of one sentence that versions put together differently."""
    text = _NEED.replace("{owner}", owner).replace("{size}", size) + longest
    return text + _TRY.replace("{cpu}", cpu) + more


def _too_long_rows(longest: str) -> tuple[Form, ...]:
    rounded, plain = ":.2f", ""
    return (
        Form("0.11.2", _too_long(longest, owner="models's", size=rounded, cpu="", more="")),
        Form("0.13.0", _too_long(longest, owner="models's", size=rounded, cpu="", more=_MORE)),
        Form("0.15.1", _too_long(longest, owner="models's", size=plain, cpu="", more=_MORE)),
        Form("0.23.0", _too_long(longest, owner="model's", size=plain, cpu=_ON_CPU, more=_MORE)),
    )


FORMS: Mapping[str, tuple[Form, ...]] = {
    # config/model.py, config/scheduler.py, config/cache.py
    "max_model_len": (Form("0.11.2", "Using max model len {tokens:d}"),),
    "chunked_prefill": (
        Form("0.11.2", "Chunked prefill is enabled with max_num_batched_tokens={tokens:d}."),
    ),
    "kv_cache_dtype": (
        Form("0.11.2", "Using fp8" + _KV_DTYPE + "."),
        Form("0.20.2", "Using {dtype:s}" + _KV_DTYPE),
    ),
    "kv_cache_dtype_per_head": (
        Form(
            "0.20.2",
            "Using {dtype:s} data type to store kv cache. It reduces the GPU memory footprint and"
            " boosts the performance. Dynamic per-token-head scales will be computed at runtime.",
        ),
    ),
    # model_executor/models/config.py, engine/arg_utils.py
    "mamba_cache_mode": (
        Form(
            "0.15.1",
            "Mamba cache mode is set to '{mode:s}' for {architecture:s} by default when prefix"
            " caching is enabled",
        ),
    ),
    "mamba_cache_mode_off": (
        Form("0.15.1", "Mamba cache mode is set to 'none' when prefix caching is disabled"),
        Form("0.33.0", None),
    ),
    "mamba_cache_mode_inert": (
        Form(
            "0.33.0",
            "--mamba-cache-mode is deprecated and will be removed in v0.33.0. It has no effect:"
            " Mamba prefix caching follows --enable-prefix-caching.",
        ),
    ),
    "nemotron_ssm_dtype": (
        Form("0.13.0", "Updating mamba_ssm_cache_dtype to '{dtype:s}' for NemotronH model"),
    ),
    "glm_fp8_kv": (Form("0.33.0", "Using fp8 KV cache for GLM-5.3-Flash"),),
    # platforms/interface.py, until 0.19 model_executor/models/config.py
    "attention_block_size": (
        Form(
            "0.11.2",
            "Setting attention block size to {tokens:d} tokens to ensure that attention page size"
            " is >= mamba page size.",
        ),
    ),
    "mamba_page_padding": (
        Form(
            "0.11.2",
            "Padding mamba page size by {percent:.2f}% to ensure that mamba page size and attention"
            " page size are exactly equal.",
        ),
    ),
    # layers/mamba/gdn, models/kimi_k3/nvidia/kda.py
    "gdn_prefill": (
        Form("0.19.1", "Using {kernel:s} GDN prefill kernel"),
        Form(
            "0.23.0",
            "Using {kernel:s} GDN prefill kernel (requested={asked:s}, head_k_dim={width:d}).",
        ),
    ),
    "kda_prefill": (Form("0.28.0", "Using FlashKDA KDA prefill backend."),),
    "recoverssm_records": (
        Form(
            "0.33.0",
            "Allocated the KDA RecoverSSM verify records: {gib:.2f} GiB in total for {requests:d}"
            " requests ({mib:.2f} MiB per request).",
        ),
    ),
    # v1/worker/gpu_worker.py, v1/attention/backends/utils.py
    "available_memory": (
        Form("0.11.2", "Available KV cache memory: {gib:.2f} GiB"),
        Form("0.15.1", "Available KV cache memory: {gib} GiB"),
    ),
    "kv_cache_layout": (Form("0.30.0", "Using {layout:s} KV cache layout."),),
    # v1/core/kv_cache_utils.py, from 0.33 on kv_cache_planning.py
    "group_block_sizes": (
        Form("0.30.0", "kv cache group sizes [{sizes:s}]"),
        Form("0.32.0", "kv cache group sizes ({sizes:s})"),
    ),
    "common_block_size": (Form("0.30.0", "kv lcm block sizes {tokens:d}"),),
    "padding_layers": (
        Form(
            "0.11.2",
            "Add {layers:d} padding layers, may waste at most {percent:.2f}% KV cache memory",
        ),
    ),
    "num_gpu_blocks_override": (
        Form(
            "0.11.2",
            "Overriding num_gpu_blocks={blocks:d} with num_gpu_blocks_override={override:d}",
        ),
    ),
    "auto_length_full": (
        Form(
            "0.15.1",
            "Auto-fit max_model_len: full model context length {tokens:d} fits in available GPU"
            " memory",
        ),
        Form(
            "0.33.0",
            "Auto-fit max_model_len: full model context length {tokens:d} fits in available KV"
            " cache memory ({gib} GiB)",
        ),
    ),
    "auto_length_reduced": (
        Form(
            "0.15.1",
            "Auto-fit max_model_len: reduced from {asked:d} to {tokens:d} to fit in available GPU"
            " memory ({gib} GiB available for KV cache)",
        ),
        Form(
            "0.33.0",
            "Auto-fit max_model_len: reduced from {asked:d} to {tokens:d} to fit in available KV"
            " cache memory ({gib} GiB)",
        ),
    ),
    "kv_cache_size": (
        Form("0.11.2", "GPU KV cache size: {tokens:,d} tokens"),
        Form(
            "0.28.0",
            "GPU KV cache size: {tokens:,d} tokens, Maximum concurrency for {length:,d} tokens per"
            " request: {concurrency:.2f}x",
        ),
    ),
    "max_concurrency": (
        Form(
            "0.11.2",
            "Maximum concurrency for {length:,d} tokens per request: {concurrency:.2f}x",
        ),
        Form("0.28.0", None),
    ),
    # The words with which vLLM exits once it sizes its cache; config/compilation.py for the third.
    "no_cache_memory": (
        Form("0.11.2", _NO_MEMORY + "."),
        Form("0.13.0", _NO_MEMORY + "." + _MORE),
        Form(
            "0.23.0",
            _NO_MEMORY
            + " (this flag also controls CPU memory reservation on the CPU backend, despite its"
            + " name)."
            + _MORE,
        ),
    ),
    "too_long": _too_long_rows(_LONGEST),
    "too_long_for_any": _too_long_rows(""),
    "too_many_sequences": (
        Form(
            "0.20.2",
            "max_num_seqs ({requests:d}) exceeds available Mamba cache blocks ({blocks:d}). Each"
            " decode sequence requires one Mamba cache block, so CUDA graph capture cannot proceed."
            " Please lower max_num_seqs to at most {blocks:d} or increase gpu_memory_utilization.",
        ),
    ),
    "not_one_type": (
        Form(
            "0.11.2",
            "Hybrid KV cache manager is disabled but failed to convert the KV cache specs to one"
            " unified type.",
        ),
        Form("0.28.0", "Failed to promote local KV cache specs to one unified type."),
    ),
}
"""Each line's texts by version; a version before the first row does not print it."""

_FIELD = re.compile(r"\{(\w+)(?::([^}]*))?\}")
_NUMBER = r"-?\d+(?:\.\d+)?"
_PATTERNS = {
    "d": r"-?\d+",
    ",d": r"-?\d[\d,]*",
    ".2f": r"-?\d+\.\d\d",
    "s": r".+?",
    "": _NUMBER,
}


def gib(size: int) -> float:
    """Bytes as vLLM prints them: GiB, rounded to two digits."""
    return round(size / _GIB, 2)


def write(version: Version, key: str, /, **values: float | str) -> tuple[LogLine, ...]:
    """The line `key` as the version prints it; nothing where it does not."""
    text = _text(max(version, READ[0]), key)
    return () if text is None else (LogLine(key, text.format(**values)),)


def words(version: Version, key: str, /, **values: float | str) -> str:
    """A sentence that every version has, or the oldest one known."""
    text = _text(max(version, READ[0]), key) or FORMS[key][0].text or ""
    return text.format(**values)


@cache
def _text(version: Version, key: str) -> str | None:
    rows = [form.text for form in FORMS[key] if Version.of(form.since) <= version]
    return rows[-1] if rows else None


def read(text: str) -> tuple[str, dict[str, float | str]] | None:
    """Which line `text` holds, whatever stands around it, and its values; None for others.

    Of two lines that fit, the longer one is meant.
    """
    best: tuple[str, dict[str, float | str]] | None = None
    length = -1
    for key, pattern, kinds in _readers():
        match = pattern.search(text)
        if match is not None and len(match[0]) > length:
            best, length = (key, _values(match, kinds)), len(match[0])
    return best


@cache
def _readers() -> tuple[tuple[str, re.Pattern[str], dict[str, str]], ...]:
    return tuple(
        (key, *_reader(form.text)) for key, forms in FORMS.items() for form in forms if form.text
    )


def _reader(text: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern for one text and the kinds of its fields; a field named twice is read once."""
    pattern, position = "", 0
    kinds: dict[str, str] = {}
    for field in _FIELD.finditer(text):
        name, kind = field[1], field[2] or ""
        pattern += re.escape(text[position : field.start()])
        pattern += f"(?P={name})" if name in kinds else f"(?P<{name}>{_PATTERNS[kind]})"
        kinds[name] = kind
        position = field.end()
    return re.compile(pattern + re.escape(text[position:])), kinds


def _values(match: re.Match[str], kinds: Mapping[str, str]) -> dict[str, float | str]:
    return {name: _value(text, kinds[name]) for name, text in match.groupdict().items()}


def _value(text: str, kind: str) -> float | str:
    if kind == "s":
        return text
    number = text.replace(",", "")
    return int(number) if kind.endswith("d") else float(number)
