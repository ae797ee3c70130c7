"""`mem_fraction_static`: the flag, or what SGLang's heuristic makes of the device's memory.

SGLang 0.5.23, arg_groups/memory_hook.py (handle_gpu_memory_settings), runtime_context.py
(pre_capture_activation_reserve_mb) and arg_groups/cuda_graph_hook.py. It knows nothing about pools.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from ferrum_cli.blocks import Latent
from ferrum_cli.engines._engine import Question
from ferrum_cli.engines._formula import number
from ferrum_cli.engines._options import Settings
from ferrum_cli.engines.sglang.launch import Launch

_UNKNOWN_DEVICE = 0.95
_CLASSES = (
    # memory below (MiB), prefill chunk, decode batch with tp < 4 and with more
    (20 * 1024, 2048, 8, 8),
    (35 * 1024, 4096, 48, 160),
    (60 * 1024, 4096, 32, 160),
    (90 * 1024, 8192, 256, 512),
    (160 * 1024, 8192, 256, 512),
    (None, 16384, 512, 512),
)
_LARGE_DEVICE_MIB = 60 * 1024
_LARGE_RESERVE_MIB = 10 * 1024
_POST_CAPTURE_RESERVE_MIB = 1536
_MLA_PREFILL_GRAPHS_MIB = 1536
_MANY_GRAPHS = 300
_VISION_MIB = 8 * 1024
_VISION_LAYERS, _VISION_WIDTH = 24, 1024


@dataclass(frozen=True, slots=True)
class Fraction:
    """The share of free memory for weights and pools, and how it comes about."""

    value: float
    formula: str
    chunk: int
    """Tokens of a prefill chunk."""
    activation_mib: float
    """What post-capture sizing keeps for activations at least."""


def memory_fraction(question: Question, launch: Launch, device_mib: float | None) -> Fraction:
    """The fraction for a device of `device_mib`, which is None where it is not known."""
    settings = question.settings
    chunk, batch = _by_class(settings, device_mib, question.parallel.tp)
    activations = _activations(question, launch, chunk, batch, device_mib)
    flag = settings.value("mem_fraction_static")
    if flag is not None:
        return Fraction(flag, f"{flag} as given", chunk, activations)
    if not device_mib:
        unknown = f"{_UNKNOWN_DEVICE}, where the device's memory is not known"
        return Fraction(_UNKNOWN_DEVICE, unknown, chunk, activations)
    reserved, terms = _reserved(question, launch, chunk, batch, device_mib)
    value = round((device_mib - reserved) / device_mib, 3)
    size = f"{number(device_mib)} MiB"
    formula = f"round(({size} − {number(reserved)} MiB reserved) / {size}, 3)"
    value, vision = _for_vision(question, launch, value, device_mib)
    return Fraction(value, f"{formula}{vision}; reserved: {terms}", chunk, activations)


def _by_class(settings: Settings, device_mib: float | None, tp: int) -> tuple[int, int]:
    """Prefill chunk and largest decode batch with a graph, by the size of the device."""
    chunk, few, many = 4096, 160, 160
    if device_mib is not None:
        row = next(row for row in _CLASSES if row[0] is None or device_mib < row[0])
        chunk, few, many = row[1:]
    batch = few if tp < 4 else many  # noqa: PLR2004 - SGLang's own threshold
    asked = settings.value("cuda_graph_max_bs_decode")
    requests = settings.value("max_running_requests")
    if asked is None and requests is not None:
        batch = min(batch, requests)
    given = settings.value("chunked_prefill_size")
    return (chunk if given is None else given), asked or batch


def _activations(
    question: Question, launch: Launch, chunk: int, batch: int, device_mib: float | None
) -> float:
    """MiB kept for activations: 512 + 1.5 for each token + 128 for each rank."""
    reserve = 512 + _tokens(question, launch, chunk, batch) * 1.5
    reserve += launch.tp * launch.pp / 8 * 1024
    large = device_mib is not None and device_mib > _LARGE_DEVICE_MIB
    return max(reserve, _LARGE_RESERVE_MIB) if large else reserve


def _tokens(question: Question, launch: Launch, chunk: int, batch: int) -> int:
    """Tokens of one forward pass at most."""
    if launch.is_decode_server:
        requests: int = question.settings.value("max_running_requests") or batch or 1
        drafts = question.settings.value("speculative_num_draft_tokens") or 1
        return max(requests * int(drafts), 2048)
    if chunk > 0:
        return max(chunk, 2048)
    prefill: int = question.settings.value("max_prefill_tokens")
    return max(prefill, 2048)


def _reserved(
    question: Question, launch: Launch, chunk: int, batch: int, device_mib: float
) -> tuple[float, str]:
    """MiB that are not for weights and pools, and the terms they are made of."""
    ranks = launch.tp * launch.pp / 8 * 1024
    if post_capture(question):
        return _POST_CAPTURE_RESERVE_MIB + ranks, f"{_POST_CAPTURE_RESERVE_MIB} + ranks {ranks:g}"
    tokens = _tokens(question, launch, chunk, batch)
    graphs = _graphs(question, launch, chunk, batch)
    reserved = 512 + tokens * 1.5 + ranks + graphs
    terms = f"512 + 1.5 × {tokens} tokens + ranks {ranks:g} + graphs {graphs:g}"
    if device_mib > _LARGE_DEVICE_MIB and reserved < _LARGE_RESERVE_MIB:
        return _LARGE_RESERVE_MIB, f"{_LARGE_RESERVE_MIB}, which is more than {terms}"
    return reserved, terms


def _graphs(question: Question, launch: Launch, chunk: int, batch: int) -> float:
    """MiB for CUDA graphs of decode and prefill."""
    total = 0.0
    if not launch.is_prefill_server:
        if _decode_graphs(question.settings):
            total += batch * 2
        if launch.attention_dp > 1:
            many = 1.5 if batch > _MANY_GRAPHS else 0
            total += batch * launch.attention_dp * (3 + many)
    if not launch.is_decode_server and _prefill_graphs(question, launch):
        largest = _largest_prefill(question, chunk)
        total += _MLA_PREFILL_GRAPHS_MIB if is_mla(question) else _captured(largest) * 8
    return total


def _decode_graphs(settings: Settings) -> bool:
    off = settings.value("disable_cuda_graph") or settings.value("disable_decode_cuda_graph")
    backend = settings.value("cuda_graph_backend_decode")
    return backend != "disabled" if backend is not None else not off


def _prefill_graphs(question: Question, launch: Launch) -> bool:
    """Whether prefill is captured: the flag, else off for pipelines and some architectures."""
    settings, row = question.settings, launch.row
    backend = settings.value("cuda_graph_backend_prefill")
    if backend is not None:
        return bool(backend != "disabled")
    if settings.value("disable_cuda_graph") or settings.value("disable_prefill_cuda_graph"):
        return False
    if launch.pp > 1 and not row.prefill_graphs_in_pipelines:
        return False
    if not row.prefill_graphs:
        return False
    return row.prefill_graphs_with_images or not launch.multimodal


def _largest_prefill(question: Question, chunk: int) -> int:
    asked = question.settings.value("cuda_graph_max_bs_prefill")
    if asked is not None:
        return int(asked)
    largest = min(8192, chunk) if is_mla(question) else chunk
    limit: int | None = question.settings.value("max_total_tokens")
    return largest if limit is None else min(largest, limit)


def _captured(largest: int) -> int:
    """How many sizes of prefill are captured (generate_prefill_cuda_graph_batch_sizes)."""
    sizes = chain(
        range(4, 33, 4),
        range(48, 257, 16),
        range(288, 513, 32),
        range(576, 1025, 64),
        range(1280, 4097, 256),
        range(4608, largest + 1, 512),
    )
    return sum(1 for size in sizes if size <= largest)


def _for_vision(
    question: Question, launch: Launch, value: float, device_mib: float
) -> tuple[float, str]:
    """Wrappers with vision keep 5 % back for a tower of 24 layers of 1024, more for larger ones.

    The share that is left, and how it comes about.
    """
    if not launch.multimodal or launch.is_decode_server:
        return value, ""
    if post_capture(question):
        share = _VISION_MIB / device_mib
        return value - share, f" − {_VISION_MIB} MiB for vision / {number(device_mib)} MiB"
    hints, row = question.model.description.hints, launch.row
    stated = hints.vision_layers, hints.vision_hidden_size
    if not row.weighs_tower or (row.tower is None and stated == (None, None)):
        return value, ""
    layers, width = row.tower or (_VISION_LAYERS, _VISION_WIDTH)
    size = (stated[0] or layers) * (stated[1] or width) ** 2
    ratio = size / (_VISION_LAYERS * _VISION_WIDTH**2)
    factor = max(0.8, min(1.05, 1.0 - 0.1 * (ratio - 1.0)))
    return value * 0.95 * factor, f" × 0.95 × {factor} for the tower of images"


def is_mla(question: Question) -> bool:
    """Whether attention is latent."""
    caches = (cache for layer in question.model.layers for _, cache in layer.caches)
    return any(isinstance(cache, Latent) for cache in caches)


def post_capture(question: Question) -> bool:
    """Whether KV is sized after the graphs are captured (never for MLA)."""
    settings = question.settings
    told = settings.value("post_capture_kv_active")
    wanted = settings.value("SGLANG_ENABLE_POST_CAPTURE_KV_SIZING")
    return bool(told or (wanted and not is_mla(question)))
