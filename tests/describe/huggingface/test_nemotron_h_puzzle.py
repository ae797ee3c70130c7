"""Nemotron-H Puzzle: every block may have sizes of its own, which stand before the shared ones."""

from __future__ import annotations

from typing import Any

import pytest

from ferrum_cli.errors import DescriptionError
from tests.describe.huggingface.measure import mixers, read, state, total

SHARED = {
    "vocab_size": 256,
    "hidden_size": 64,
    "hybrid_override_pattern": "ME*E-",
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "mamba_num_heads": 8,
    "mamba_head_dim": 16,
    "n_groups": 2,
    "ssm_state_size": 16,
    "intermediate_size": 96,
    "n_routed_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "moe_shared_expert_intermediate_size": 48,
}
KINDS = ("mamba", "moe", "attention", "moe", "mlp")


def puzzle(*own: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A configuration whose blocks have these sizes, kind by kind."""
    blocks = [{"block_type": kind, **o} for kind, o in zip(KINDS, own, strict=True)]
    return SHARED | {"model_type": "nemotron_h_puzzle", "block_configs": blocks} | fields


ALIKE: tuple[dict[str, Any], ...] = ({}, {}, {}, {}, {})


def test_blocks_without_sizes_of_their_own_make_a_nemotron_h() -> None:
    plain = read(model_type="nemotron_h", **SHARED)
    same = read(**puzzle(*ALIKE))
    assert total(same) == total(plain)
    assert dict(same.blocks) == dict(plain.blocks)


def test_sizes_of_a_block_stand_before_the_shared_ones() -> None:
    own = ({}, {"n_routed_experts": 3, "num_experts_per_tok": 1}, {}, {}, {"intermediate_size": 10})
    model = read(**puzzle(*own))
    fewer_experts = 5 * (64 + 2 * 64 * 32)
    assert total(model) == total(read(**puzzle(*ALIKE))) - fewer_experts - 2 * 64 * (96 - 10)
    assert [next(iter(layer.names)) for layer in model.layers] == [
        *("mamba", "experts", "attention", "experts_2", "mlp")
    ]


def test_a_mixer_with_state_is_alike_in_all_layers() -> None:
    own = ({"ssm_state_size": 999}, {}, {}, {}, {})
    assert state(read(**puzzle(*own))) == state(read(**puzzle(*ALIKE)))


def test_draft_layers_have_blocks_of_their_own() -> None:
    drafts = [{"block_type": "attention"}, {"block_type": "moe", "moe_intermediate_size": 16}]
    fields = {"num_nextn_predict_layers": 1, "mtp_block_configs": drafts}
    model = read(**puzzle(*ALIKE, **fields))
    assert model.draft is not None
    assert [list(layer.names) for layer in model.draft.layers] == [["attention", "experts_2"]]
    assert mixers(model) == "meaem"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"block_configs": []}, "block_configs: 0 blocks for 5 layers"),
        ({"block_configs": {}}, "block_configs: expected a list, found an object"),
        ({"block_configs": [1]}, r"block_configs\[0\]: expected an object, found 1"),
        (
            {"block_configs": [{"block_type": kind} for kind in ("moe", *KINDS[1:])]},
            r"block_configs\[0\].block_type: 'moe' in place of mamba",
        ),
        (
            puzzle({}, {"n_routed_experts": 0}, {}, {}, {}),
            r"block_configs\[1\].n_routed_experts: expected 1 to",
        ),
        (puzzle(*ALIKE, head_dim="x"), "^.*:1:.*: head_dim: expected a whole number"),
    ],
)
def test_a_block_that_cannot_be_is_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read(**puzzle(*ALIKE) | fields)


def test_a_wrapper_may_hold_a_puzzle() -> None:
    model = read(model_type="nemotron_h_omni", llm_config=puzzle(*ALIKE))
    assert total(model) == total(read(**puzzle(*ALIKE)))
