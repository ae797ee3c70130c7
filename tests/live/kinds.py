"""One small block of every kind that keeps state, in two layers each."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields

from ferrum_cli.blocks import Block, block_class, kinds
from ferrum_cli.blocks.custom import CustomContext, CustomMatrix, CustomVector, CustomWindow
from ferrum_cli.contract import contract_tensor
from ferrum_cli.dtype import DType
from ferrum_cli.engines.native.layout import dtype_of_role, shape_on_rank
from ferrum_cli.live.recurrences import BlockState
from tests.live.specs import Tensors

HIDDEN = 32
LAYERS = 2
SIZE = 8
SMALLER = {"num_heads": 4, "num_key_heads": 2, "num_value_heads": 4}
SMALLER |= {"num_kv_heads": 2, "num_groups": 2, "conv_kernel": 4, "ngram_vocab_size": 64}
SMALLER |= {"qk_head_dim": 16, "v_head_dim": 16}
CUSTOM: dict[str, object] = {
    "windows": (CustomWindow(name="window", units=6, kernel=4),),
    "matrices": (CustomMatrix(name="matrix", num_heads=2, value_dim=4, key_dim=6),),
    "vectors": (CustomVector(name="vector", units=10),),
    "contexts": (CustomContext(name="ids", length=3),),
}


@dataclass(frozen=True, slots=True)
class BlockSpec:
    """The state of one kind of block in some layers."""

    kind: str
    tensors: Tensors


def small_block(kind: str) -> Block:
    """A block with a small number wherever a size is required."""
    chosen = block_class(kind)
    required = (f.name for f in fields(chosen) if f.default is MISSING)
    sizes: dict[str, object] = {name: SMALLER.get(name, SIZE) for name in required}
    block = chosen(**(CUSTOM if kind == "custom" else sizes))  # type: ignore[arg-type]
    assert not block.state(HIDDEN) or block.check(HIDDEN) is None
    return block


def block_spec(kind: str) -> BlockSpec:
    """Its state by the contract's rules."""
    parts = small_block(kind).state(HIDDEN)
    shapes = [(p.name, shape_on_rank(p, 1), dtype_of_role(p.role, DType.BF16)) for p in parts]
    return BlockSpec(kind, tuple(contract_tensor(n, *s) for n in range(LAYERS) for s in shapes))


def block_states(spec: BlockSpec) -> list[BlockState]:
    """The same, as recurrences want it: which tensors each layer's block keeps."""
    return [
        BlockState(
            layer,
            spec.kind,
            {t.name: i for i, t in enumerate(spec.tensors) if t.layer_index == layer},
        )
        for layer in range(LAYERS)
    ]


KINDS = {kind: spec for kind in kinds() if (spec := block_spec(kind)).tensors}
