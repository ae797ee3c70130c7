"""Starts that fail for want of memory, with the words of the allocation that fails.

`--fit` lowers the context or takes layers off the device before that happens, but only where these
were not set (common/fit.cpp of 0c1e57098). It knows nothing about how the bytes come about.
"""

from __future__ import annotations

from ferrum_cli.engines.llama_cpp.capacity import room_of
from ferrum_cli.engines.llama_cpp.launch import Sizes
from ferrum_cli.engines.llama_cpp.placement import HOST
from ferrum_cli.engines.llama_cpp.refusals import Refusal
from ferrum_cli.engines.llama_cpp.requirement import Deployment, Share

OUT_OF_MEMORY = "out-of-memory"
_AUTOMATIC = ("auto", -1)
_HINT = "use a smaller --ctx-size or --parallel, or leave --n-gpu-layers to --fit"


def out_of_memory(deployment: Deployment) -> Refusal | None:
    """The allocation that fails for certain, with the smallest compute buffers."""
    room = room_of(deployment)
    if room.memory_bytes is None or not _layers_are_fixed(deployment):
        return None
    sizes = _least_sizes(deployment)
    free = room.memory_bytes - room.overhead_bytes
    least = deployment.compute(sizes).low
    for device, share in sorted(deployment.shares(sizes).items()):
        if device != HOST and share.total + least > free:
            return Refusal(OUT_OF_MEMORY, _words(device, share, free), _HINT)
    return None


def _layers_are_fixed(deployment: Deployment) -> bool:
    """Whether no layer can be taken off the device."""
    settings = deployment.question.settings
    layers = settings.is_given("n_gpu_layers") and settings.value("n_gpu_layers") not in _AUTOMATIC
    spread = any(settings.is_given(name) for name in ("tensor_split", "override_tensor"))
    return not deployment.launch.fits or layers or spread


def _least_sizes(deployment: Deployment) -> Sizes:
    """The context that is set, or the smallest that `--fit` lowers it to."""
    question, launch = deployment.question, deployment.launch
    is_set = question.settings.value("ctx_size") or question.context_given
    if is_set or not launch.fits:
        return launch.sizes()
    least = question.settings.value("fit_ctx") * launch.sizes().streams
    return launch.sizes(asked_context=min(least, launch.asked_context))


def _words(device: int, share: Share, free: int) -> str:
    """Weights come first, then KV, then state, then compute buffers."""
    if share.weights > free:
        return f"unable to allocate CUDA{device} buffer"
    if share.weights + share.kv > free:
        return "failed to initialize the context: failed to allocate buffer for kv cache"
    if share.total > free:
        return "failed to initialize the context: failed to allocate buffer for rs cache"
    return "failed to initialize the context: failed to allocate compute pp buffers"
