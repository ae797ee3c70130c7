"""The tensors of one state slot on one rank: convolution windows and the temporal state.

Shapes are those of SGLang 0.5.23, configs/mamba_utils.py and the `mamba2_cache_params` of each
configuration class, with placeholders such as (0, 0) as they stand there. It knows nothing about
dtypes or pools.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ferrum_cli.blocks import Axis, Matrix, Split, Vector, Window
from ferrum_cli.engines.sglang.refusals import Refusal, assertion, not_divisible
from ferrum_cli.expand import Expanded
from ferrum_cli.expand.layers import Placed

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateShape:
    """One layer of one slot on one rank."""

    conv: tuple[Shape, ...]
    temporal: Shape
    names: tuple[str, ...]
    """A name for each convolution tensor, then one for the temporal state."""
    conv_kernel: int = 1
    key_heads: int = 1
    """Key heads on the rank, which size ReplaySSM's rings."""
    is_kda: bool = False
    is_gdn: bool = False
    dense_windows: bool = False
    """Windows of draft tokens are never stored overlapping."""

    @property
    def conv_elements(self) -> int:
        """Elements of all convolution tensors."""
        return sum(math.prod(shape) for shape in self.conv)

    @property
    def temporal_elements(self) -> int:
        """Elements of the temporal state."""
        return math.prod(self.temporal)


def state_shape(
    model: Expanded, mixer: Placed, tp: int, *, scattered: bool
) -> StateShape | Refusal:
    """The shape of a slot where `tp` ranks share the state."""
    build = _KINDS.get(mixer.block.kind)
    if build is not None:
        return build(model, mixer, tp, scattered)
    return _grouped(model, mixer, tp, scattered)


def _grouped(model: Expanded, mixer: Placed, tp: int, scattered: bool) -> StateShape | Refusal:
    """`Mamba2StateShape.create`: channels first, groups that do not divide raised to tp."""
    del model, scattered
    window, matrix = _window(mixer), _matrix(mixer)
    channels = sum(_raised(axis, tp) * axis.width for axis in window.channels) if window else 0
    heads = matrix.heads.units if matrix else tp
    for size in (channels, heads):
        if size % tp:
            return not_divisible(size, tp)
    kernel = window.kernel if window else 1
    temporal = (matrix.value_dim, matrix.key_dim) if matrix else (1, 0)
    return StateShape(
        conv=((channels // tp, kernel - 1),),
        temporal=(heads // tp, *temporal),
        names=(window.name if window else "conv_state", matrix.name if matrix else "ssm_state"),
        conv_kernel=kernel,
        key_heads=-(-_groups(window) // tp),
        is_gdn=mixer.block.kind in ("gated_delta_net", "jet"),
    )


def _channelwise(model: Expanded, mixer: Placed, tp: int, scattered: bool) -> StateShape | Refusal:
    """`Mamba2StateShape.create_full_rank` (Mamba-1): one head for each channel."""
    window, vector = _window(mixer), next(p for p in mixer.state if isinstance(p, Vector | Matrix))
    if window is None or isinstance(vector, Matrix):
        return _grouped(model, mixer, tp, scattered)
    width = window.channels[0].size
    if width % tp:
        return assertion(
            "state-not-divisible",
            f"Mamba-1 intermediate_size ({width}) must be divisible by tp_world_size ({tp})",
            f"use a tp that divides {width}",
        )
    return StateShape(
        conv=((width // tp, window.history),),
        temporal=(width // tp, 1, vector.axis.width),
        names=(window.name, vector.name),
        conv_kernel=window.kernel,
    )


def _window_first(model: Expanded, mixer: Placed, tp: int, scattered: bool) -> StateShape | Refusal:
    """`KimiLinearStateShape.create` (KDA): the window before the channels."""
    window = _window(mixer)
    for axis in window.channels if window else ():
        if axis.size % tp:
            return not_divisible(axis.size, tp)
    found = _grouped(model, mixer, tp, scattered)
    if isinstance(found, Refusal):
        return found
    (channels, history), *_ = found.conv
    return StateShape(
        conv=((history, channels),),
        temporal=found.temporal,
        names=found.names,
        conv_kernel=found.conv_kernel,
        key_heads=found.temporal[0],
        is_kda=True,
        dense_windows=True,
    )


def _short_conv(model: Expanded, mixer: Placed, tp: int, scattered: bool) -> StateShape | Refusal:
    """LFM2: the window runs over hidden_size; the temporal state is empty."""
    del scattered
    hidden, window = model.description.hidden_size, _window(mixer)
    if hidden % tp:
        return not_divisible(hidden, tp)
    kernel = window.kernel if window else 1
    return StateShape(
        conv=((hidden // tp, kernel - 1),),
        temporal=(1, hidden, 0),
        names=(window.name if window else "conv_state", "temporal"),
        conv_kernel=kernel,
    )


def _jet(model: Expanded, mixer: Placed, tp: int, scattered: bool) -> StateShape | Refusal:
    """Jet-Nemotron convolves values alone, but SGLang reserves windows for keys too."""
    window, matrix = _window(mixer), _matrix(mixer)
    if window is None or matrix is None:
        return _grouped(model, mixer, tp, scattered)
    keys = Axis(matrix.heads.units, matrix.key_dim, Split.GROUPS)
    whole = Window(window.name, (keys, keys, *window.channels), window.kernel)
    placed = Placed(mixer.name, mixer.block, (whole, matrix), mixer.caches)
    return _grouped(model, placed, tp, scattered)


def _cca(model: Expanded, mixer: Placed, tp: int, scattered: bool) -> StateShape | Refusal:
    """ZAYA: the windows of queries and keys, and the last hidden state whole on every rank."""
    window = _window(mixer)
    if window is None:
        return _grouped(model, mixer, tp, scattered)
    channels = sum(axis.size for axis in window.channels)
    if channels % tp:
        words = (
            f"CCA channels ({channels}) must be divisible by TP size ({tp}); both"
            " num_attention_heads and num_query_groups must be divisible by tp_size for ZAYA1"
            " head-parallel attention."
        )
        return assertion("state-not-divisible", words, f"use a tp that divides {channels}")
    return StateShape(
        conv=((channels // tp, window.history), (model.description.hidden_size, 1)),
        temporal=(1, 1, 0),
        names=(window.name, "previous_hidden_state", "temporal"),
        conv_kernel=window.kernel,
    )


def _streams(model: Expanded, mixer: Placed, tp: int, scattered: bool) -> StateShape | Refusal:
    """Inkling: every layer holds windows for full and for sliding attention and for two outputs."""
    hidden = model.description.hidden_size
    if scattered and hidden % tp:
        words = f"hidden_size {hidden} not divisible by attn tp {tp}"
        return assertion("state-not-divisible", words, f"use a tp that divides {hidden}")
    full, local = _stream_keys(model)
    kernel = max((w.kernel for w in mixer.state if isinstance(w, Window)), default=1)
    widths = [max(1, axis.units // tp) * axis.width for axis in (full, full, local, local)]
    widths += [hidden // tp if scattered else hidden] * 2
    return StateShape(
        conv=tuple((kernel - 1, width) for width in widths),
        temporal=(0, 0, 0),
        names=("key", "value", "local_key", "local_value", "attention", "feed_forward", "temporal"),
        conv_kernel=kernel,
        dense_windows=True,
    )


def _stream_keys(model: Expanded) -> tuple[Axis, Axis]:
    """Key-value heads of full and of sliding attention, from the first layer of each."""
    found: dict[bool, Axis] = {}
    for layer in model.layers:
        windowed = any(getattr(cache, "window", None) for _, cache in layer.caches)
        axes = (p.channels[0] for _, p in layer.state if isinstance(p, Window))
        axis = next(axes, None)
        if axis is not None:
            found.setdefault(windowed, axis)
    full = found.get(False) or found[True]
    return full, found.get(True, full)


def _window(mixer: Placed) -> Window | None:
    return next((part for part in mixer.state if isinstance(part, Window)), None)


def _matrix(mixer: Placed) -> Matrix | None:
    return next((part for part in mixer.state if isinstance(part, Matrix)), None)


def _raised(axis: Axis, tp: int) -> int:
    """Groups that do not divide become tp, even where there are more of them."""
    return tp if axis.split is Split.GROUPS and axis.units % tp else axis.units


def _groups(window: Window | None) -> int:
    grouped = [a.units for a in window.channels if a.split is Split.GROUPS] if window else []
    return grouped[0] if grouped else 1


_KINDS: Mapping[str, Callable[[Expanded, Placed, int, bool], StateShape | Refusal]] = {
    "mamba1": _channelwise,
    "kimi_delta_attention": _window_first,
    "short_conv": _short_conv,
    "jet": _jet,
    "compressed_convolutional_attention": _cca,
    "stream_convolution": _streams,
}
