"""A block's parts → the tensors of one layer's state page on one rank, unpadded.

layers/mamba/mamba_utils.py, MambaStateShapeCalculator: windows keep K − 1 rows and channels last,
matrices value before key, all packed back to back. It knows nothing about pages or pools.
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrum_cli.blocks import Axis, Matrix, Part, Role, Split, Vector, Window
from ferrum_cli.dtype import DType
from ferrum_cli.engines.vllm.configuration import Configuration
from ferrum_cli.engines.vllm.kernels import flashkda_prefill
from ferrum_cli.engines.vllm.mixers import MIXERS, Mixer
from ferrum_cli.expand import Placed


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of a layer's state for one slot on one rank."""

    name: str
    shape: tuple[int, ...]
    dtype: DType

    @property
    def size_bytes(self) -> int:
        """Bytes without padding."""
        size = self.dtype.size_bytes
        for extent in self.shape:
            size *= extent
        return size


@dataclass(frozen=True, slots=True)
class State:
    """What one layer of a kind keeps for one slot."""

    tensors: tuple[Tensor, ...]
    aligned_bytes: int
    """Bytes for which the page is aligned; a few models state others than their layers have."""
    checkpoint_grid: int | None
    """Tokens at whose multiples a prefill may leave a checkpoint; None where it cannot."""
    holds_checkpoint: bool
    """Whether a block more is held for it, if nothing else decides."""
    replicated: bool

    @property
    def content_bytes(self) -> int:
        """Bytes of the tensors."""
        return sum(tensor.size_bytes for tensor in self.tensors)


def state_of(placed: Placed, config: Configuration) -> State:
    """The state page of a block. Sizes are taken to divide by tp (`refusals` has looked)."""
    mixer = MIXERS[placed.block.kind]
    drafts = _window_drafts(mixer, config)
    ssm = _matrix_dtype(mixer, config, layer=True)
    tensors = [
        tensor for part in placed.state for tensor in _tensors(part, mixer, config, drafts, ssm)
    ]
    if mixer.calculator == "mamba2" and config.replayssm:
        tensors += _replay_ring(placed, config)
    if mixer.matrix_dtype == "kda" and config.records_kept and config.rules.records_in_page:
        tensors += _records(placed, config)
    grid, holds = _checkpoints(placed, mixer, config)
    return State(
        tuple(tensors),
        _aligned_bytes(placed, mixer, config, tensors),
        grid,
        holds,
        mixer.replicated,
    )


def _aligned_bytes(
    placed: Placed, mixer: Mixer, config: Configuration, tensors: list[Tensor]
) -> int:
    """Bytes by the model class's own calculation, which aligns pages before layers are asked."""
    size = sum(tensor.size_bytes for tensor in tensors)
    declared = _matrix_dtype(mixer, config, layer=False)
    actual = _matrix_dtype(mixer, config, layer=True)
    if declared is not actual:
        matrices = [t for t in tensors if len(t.shape) == 3]  # noqa: PLR2004 - heads × value × key
        size += sum(
            t.size_bytes // actual.size_bytes * (declared.size_bytes - actual.size_bytes)
            for t in matrices
        )
    counted = config.rules.mamba2_drafts_align or config.architecture.alignment_counts_drafts
    if _window_drafts(mixer, config) and not (counted and mixer.window_drafts_align):
        windows = [p for p in placed.state if isinstance(p, Window)]
        rows = _window_drafts(mixer, config)
        channels = sum(_channels(w, mixer, config.tp) for w in windows)
        size -= rows * channels * config.conv_dtype.size_bytes
    return size


def _tensors(
    part: Part, mixer: Mixer, config: Configuration, drafts: int, ssm: DType
) -> list[Tensor]:
    match part:
        case Window():
            return _windows(part, mixer, config, drafts)
        case Matrix(heads=heads, value_dim=value_dim, key_dim=key_dim):
            units = _units(heads, config.tp)
            return [Tensor(part.name, (units, value_dim, key_dim), ssm)]
        case Vector(axis=axis, flat=flat):
            units = _units(axis, config.tp)
            shape = (units * axis.width,) if flat else (units, axis.width)
            dtype = ssm if part.role is Role.RECURRENT else config.conv_dtype
            return [Tensor(part.name, shape, dtype)]
        case _:  # token ids are kept beside the pool
            return []


def _windows(part: Window, mixer: Mixer, config: Configuration, drafts: int) -> list[Tensor]:
    """One fused tensor, or one for each axis where a version kept them apart."""
    apart = mixer.separate_windows is not None and not getattr(config.rules, mixer.separate_windows)
    parts = [Window(part.name, (axis,), part.kernel) for axis in part.channels] if apart else [part]
    rows = part.history + drafts
    dim_first = config.settings.value("VLLM_SSM_CONV_STATE_LAYOUT") == "DS"
    found = []
    for window in parts:
        channels = _channels(window, mixer, config.tp)
        shape = (channels, rows) if dim_first else (rows, channels)
        found.append(Tensor(part.name, shape, config.conv_dtype))
    return found


def _channels(window: Window, mixer: Mixer, tp: int) -> int:
    """Channels on one rank: groups raised to tp where the mixer does that, then the sum divided."""
    total = 0
    for axis in window.channels:
        raised = mixer.raises_groups and axis.split is Split.GROUPS and axis.units % tp
        total += tp * axis.width if raised else axis.size
    return total if mixer.replicated else total // tp


def _units(axis: Axis, tp: int) -> int:
    return axis.units if axis.split is Split.REPLICATED else axis.units // tp


def _window_drafts(mixer: Mixer, config: Configuration) -> int:
    """Rows that draft tokens add to a window."""
    widens = mixer.window_drafts
    if isinstance(widens, str):
        widens = bool(getattr(config.rules, widens))
    return config.speculation.tokens if widens else 0


def _matrix_dtype(mixer: Mixer, config: Configuration, *, layer: bool) -> DType:
    """The recurrent dtype, as the layer has it or as the model class states it for alignment."""
    if mixer.matrix_dtype == "cache":
        return config.conv_dtype
    if mixer.matrix_dtype == "kda":
        architecture = config.architecture
        reads = (
            architecture.layers_read_ssm_dtype if layer else architecture.alignment_reads_ssm_dtype
        )
        asked = config.ssm_dtype_option.value
        given = reads and config.rules.kda_ssm_dtype and asked != "auto"
        return DType.parse(asked) if given else DType.FP32
    if mixer.calculator == "gated_delta_net" and not config.rules.gdn_ssm_dtype:
        return config.conv_dtype
    return config.ssm_dtype


def _replay_ring(placed: Placed, config: Configuration) -> list[Tensor]:
    """ReplaySSM's ring of inputs, time steps and B (append_replayssm_ring)."""
    rows: int = config.settings.value("replayssm_buffer_len")
    if str(config.settings.value("mamba_backend")).lower() == "flashinfer":
        rows += 1 + config.speculation.tokens
    matrix = next(part for part in placed.state if isinstance(part, Matrix))
    window = next(part for part in placed.state if isinstance(part, Window))
    heads = matrix.heads.units // config.tp
    groups = next(axis for axis in window.channels if axis.split is Split.GROUPS)
    extended = config.rules.ring_extends_groups and groups.units % config.tp
    on_rank = 1 if extended else max(1, groups.units // config.tp)
    model = config.model_dtype
    return [
        Tensor("replay_x", (heads, rows, matrix.value_dim), model),
        Tensor("replay_dt", (heads, rows), DType.FP32),
        Tensor("replay_b", (on_rank, rows, groups.width), model),
    ]


def _records(placed: Placed, config: Configuration) -> list[Tensor]:
    """RecoverSSM's verify records, in the page until 0.33."""
    matrix = next(part for part in placed.state if isinstance(part, Matrix))
    heads, window = matrix.heads.units // config.tp, 1 + config.speculation.tokens
    return [
        Tensor("verify_u", (heads, window, matrix.value_dim), DType.FP32),
        Tensor("verify_k_g", (heads, window, 2 * matrix.key_dim), config.model_dtype),
    ]


def _checkpoints(placed: Placed, mixer: Mixer, config: Configuration) -> tuple[int | None, bool]:
    """The grid a layer declares, and whether it holds a block for a checkpoint by itself.

    A declared grid counts only where every layer declares one (layers/mamba/abstract.py).
    """
    rules = config.rules
    match mixer.checkpoints:
        case "mamba2":
            return None, rules.mamba2_checkpoints
        case "kda":
            return None, rules.kda_checkpoints and runs_flashkda(placed, config)
        case "gdn":
            aligned = config.mode == "align" and config.gdn_prefill == "flashinfer"
            return (64 if aligned and rules.gdn_checkpoints else None), False
        case "ple":
            aligned = config.mode == "align" and config.device.capability is not None
            return (1 if aligned and rules.gdn_checkpoints else None), False
        case "none":
            return None, False


def runs_flashkda(placed: Placed, config: Configuration) -> bool:
    """Whether FlashKDA runs the prefill of a KDA layer."""
    if MIXERS[placed.block.kind].matrix_dtype != "kda" or not config.architecture.bounded_gate:
        return False
    asked = config.settings.value("kda_prefill_backend") or "auto"
    head_dim = getattr(placed.block, "head_dim", 0)
    return flashkda_prefill(
        config.device, asked, head_dim, config.model_dtype, config.gate_lower_bound
    )
