"""Parts → tensors of recurrent state, as the cache layers of transformers 5.24.0 hold them.

In general a convolution keeps K inputs, one more than it needs, in the model's dtype, and recurrent
state is float32 with the value axis before the key axis; `KINDS` lists what departs. It knows
nothing about keys and values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ferrum_cli.blocks import Context, Matrix, Part, Role, Vector, Window
from ferrum_cli.dtype import DType
from ferrum_cli.engines._engine import StateTensor
from ferrum_cli.expand import Expanded


@dataclass(frozen=True, slots=True)
class KindRule:
    """How one kind of block departs from the general layout.

    `names` gives the cache's names for the kind's parts, where one of them stands for several.
    """

    one_row_less: bool = False
    """The window keeps K - 1 inputs."""
    key_first: bool = False
    """A matrix is kept as (heads, key, value)."""
    conv_float32: bool = False
    recurrent_in_model_dtype: bool = False
    names: Mapping[str, str] = field(default_factory=dict)


GENERAL = KindRule()

_OWN_NAMES = frozenset(
    ("att_shift", "att_num", "att_den", "att_max", "ffn_shift", "c_state", "n_state", "m_state")
)
"""Parts of RWKV-4 and xLSTM, which transformers calls as the blocks do."""

KINDS: Mapping[str, KindRule] = {
    # models/qwen3_next, qwen3_5, olmo_hybrid, lara_mini, qwen4_exp
    "gated_delta_net": KindRule(key_first=True),
    # models/kimi_linear, bailing_hybrid, glm5_next
    "kimi_delta_attention": KindRule(key_first=True),
    # models/minimax: the matrix is made with the dtype of the values
    "lightning_attention": KindRule(key_first=True, recurrent_in_model_dtype=True),
    # models/xlstm: xLSTMCache takes the dtype of the embeddings
    "mlstm": KindRule(key_first=True, recurrent_in_model_dtype=True),
    # models/recurrent_gemma: conv1d_width - 1
    "rg_lru": KindRule(one_row_less=True),
    # models/zaya: (cca_time0 - 1) + (cca_time1 - 1)
    "compressed_convolutional_attention": KindRule(one_row_less=True),
    # models/qwen4_exp: (ple_conv_kernel_size - 1) × ngram_size, beside the mixer's state 0
    "ngram_context": KindRule(
        one_row_less=True,
        names={"ple_conv_state": "conv_state_1", "ngram_context": "conv_state_2"},
    ),
    # models/inkling, inkling2, inkling2_loop
    "stream_convolution": KindRule(
        conv_float32=True,
        names={
            "key_conv_state": "conv_state_0",
            "value_conv_state": "conv_state_1",
            "attention_conv_state": "conv_state_2",
            "feed_forward_conv_state": "conv_state_3",
        },
    ),
}
"""Kinds by name; all measured, with float16, bfloat16 and float32 models."""


def state_tensors(model: Expanded, model_dtype: DType) -> tuple[StateTensor, ...]:
    """The tensors of one sequence, layer by layer, without the batch axis."""
    first = "_0" if "ngram_context" in model.state_kinds else ""
    tensors = []
    for layer in model.layers:
        for placed, part in layer.state:
            rule = KINDS.get(placed.block.kind, GENERAL)
            name = _name(part, rule, first)
            dtype = dtype_of(part, rule, model_dtype)
            tensors.append(StateTensor(layer.index, name, shape_of(part, rule), dtype))
    return (*tensors, *_not_built(model, tensors))


def _not_built(model: Expanded, tensors: Sequence[StateTensor]) -> Iterator[StateTensor]:
    """Tensors of layers that only the cache has (xLSTM: num_blocks < num_hidden_layers)."""
    built = len(model.layers)
    last = [tensor for tensor in tensors if tensor.layer_index == built - 1]
    for index in range(built, model.description.hints.cached_layers or 0):
        yield from (replace(tensor, layer_index=index) for tensor in last)


def dtype_source(model: Expanded) -> str:
    """Where the dtypes of a model's state come from, its exceptions named."""
    words = ["convolutions in the model's dtype, recurrent state float32"]
    for kind in model.state_kinds:
        rule = KINDS.get(kind, GENERAL)
        if rule.conv_float32:
            words.append(f"{kind} in float32")
        if rule.recurrent_in_model_dtype:
            words.append(f"{kind} in the model's dtype")
    return "; ".join(words)


def shape_of(part: Part, rule: KindRule) -> tuple[int, ...]:
    """The shape of a part, channels before the rows of a window."""
    match part:
        case Window(channels=channels, kernel=kernel):
            rows = kernel - 1 if rule.one_row_less else kernel
            return (sum(axis.size for axis in channels), rows)
        case Matrix(heads=heads, value_dim=value_dim, key_dim=key_dim):
            inner = (key_dim, value_dim) if rule.key_first else (value_dim, key_dim)
            return (heads.size, *inner)
        case Vector(axis=axis, flat=flat):
            return (axis.size,) if flat else (axis.units, axis.width)
        case Context(length=length):
            return (length,)


def dtype_of(part: Part, rule: KindRule, model_dtype: DType) -> DType:
    """The dtype of a part; fields of a configuration that ask for another are never read."""
    match part.role:
        case Role.RECURRENT:
            return model_dtype if rule.recurrent_in_model_dtype else DType.FP32
        case Role.CONV:
            return DType.FP32 if rule.conv_float32 else model_dtype
        case Role.SHIFT:
            return model_dtype
        case Role.CONTEXT:
            return DType.INT64


def _name(part: Part, rule: KindRule, first: str) -> str:
    """The cache's name; `first` numbers the mixer's state where a model has several."""
    if part.name in rule.names:
        return rule.names[part.name]
    if part.name in _OWN_NAMES:
        return part.name
    return ("conv_state" if isinstance(part, Window) else "recurrent_state") + first
