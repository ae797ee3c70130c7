"""How many devices there are and how the model is spread over them.

`--pp N` is N devices with whole layers each, `--tp N` N devices with a part of every tensor
(`--split-mode tensor`), and `--dp N` N servers. It knows nothing about bytes.
"""

from __future__ import annotations

from ferrum_cli.engines._engine import Question
from ferrum_cli.engines.llama_cpp.placement import Placement, place
from ferrum_cli.errors import ShardingError


def splits_tensors(question: Question) -> bool:
    """Whether tensors are split, rather than layers spread."""
    return question.parallel.tp > 1 or question.settings.value("split_mode") == "tensor"


def device_count(question: Question) -> int:
    """Devices of one server."""
    parallel = question.parallel
    return max(parallel.tp, parallel.pp) if splits_tensors(question) else len(shares(question))


def placement_of(question: Question, all_layers: int) -> Placement:
    """The device of every layer. Raises ShardingError for both ways of splitting at once."""
    if question.parallel.tp > 1 and question.parallel.pp > 1:
        raise ShardingError(
            "llama.cpp splits tensors or layers over devices, not both",
            hint="use --pp for layers, or --tp for tensors",
            where="--tp",
        )
    settings = question.settings
    host = not settings.value("kv_offload") or settings.value("no_kv_offload")
    layers = settings.value("n_gpu_layers")
    given = layers if isinstance(layers, int) and layers >= 0 else None
    return place(all_layers, given, shares(question), caches_on_host=host)


def shares(question: Question) -> list[float]:
    """Each device's share of the layers; `--tensor-split` also says how many devices there are."""
    stated: list[float] = question.settings.value("tensor_split") or []
    devices = question.parallel.pp
    if devices == 1 and not splits_tensors(question) and len(stated) > 1:
        devices = len(stated)
    if question.settings.value("split_mode") == "none" or splits_tensors(question):
        devices = 1
    if not any(stated[:devices]):
        return [1.0] * devices
    return [stated[i] if i < len(stated) else 0.0 for i in range(devices)]
