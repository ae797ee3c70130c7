"""Bytes of the weights by place and by type."""

from __future__ import annotations

from pathlib import Path

from ferrum_cli.describe.gguf_file.splits import Whole, read_whole
from ferrum_cli.describe.gguf_file.stored import stored_weights
from tests.gguf_files import Tensors, size_of, write_model

TENSORS: Tensors = {
    "token_embd.weight": ("Q4_K", (256, 100)),
    "output_norm.weight": ("F32", (256,)),
    "output.weight": ("Q6_K", (256, 100)),
    "rope_freqs.weight": ("F32", (8,)),
    "blk.0.attn_norm.weight": ("F32", (256,)),
    "blk.0.ffn_up_exps.weight": ("IQ2_XXS", (256, 64, 4)),
    "blk.0.ffn_gate_inp.weight": ("F32", (256, 4)),
    "blk.1.ffn_gate_up_exps.weight": ("MXFP4", (256, 128, 4)),
    "blk.1.ffn_down_chexps.weight": ("Q8_0", (64, 256, 4)),
    "blk.1.ffn_up_shexp.weight": ("Q8_0", (256, 64)),
    "blk.2.attn_q.weight": ("BF16", (256, 256)),
    "blk.2.nextn.eh_proj.weight": ("BF16", (512, 256)),
}


def whole(folder: Path, tensors: Tensors) -> Whole:
    return read_whole(write_model(folder / "m.gguf", {"k": 1}, tensors))


def sizes(*names: str) -> int:
    return sum(size_of(*TENSORS[name]) for name in names)


def test_every_tensor_counts_where_it_belongs(tmp_path: Path) -> None:
    found = stored_weights(whole(tmp_path, TENSORS), layers=2)
    assert found.embedding_bytes == sizes("token_embd.weight")
    assert found.head_bytes == sizes("output_norm.weight", "output.weight", "rope_freqs.weight")
    assert found.layer_bytes == (
        sizes("blk.0.attn_norm.weight", "blk.0.ffn_up_exps.weight", "blk.0.ffn_gate_inp.weight"),
        sizes(*(name for name in TENSORS if name.startswith("blk.1."))),
    )
    assert found.draft_bytes == sizes("blk.2.attn_q.weight", "blk.2.nextn.eh_proj.weight")
    assert found.known


def test_routed_experts_are_a_part_of_their_layer(tmp_path: Path) -> None:
    found = stored_weights(whole(tmp_path, TENSORS), layers=2)
    assert found.expert_bytes == (
        sizes("blk.0.ffn_up_exps.weight"),
        sizes("blk.1.ffn_gate_up_exps.weight", "blk.1.ffn_down_chexps.weight"),
    )


def test_nothing_is_lost_and_nothing_counted_twice(tmp_path: Path) -> None:
    found = stored_weights(whole(tmp_path, TENSORS), layers=2)
    assert found.total_bytes + found.draft_bytes == sizes(*TENSORS)


def test_the_source_says_the_bytes_of_each_type(tmp_path: Path) -> None:
    two: Tensors = {"blk.0.a": ("Q8_0", (64,)), "output.weight": ("F32", (64,))}
    found = stored_weights(whole(tmp_path, two), layers=1)
    assert found.source == "tensor table: F32 256 B, Q8_0 68 B"


def test_a_file_without_tensors_does_not_know_its_weights(tmp_path: Path) -> None:
    found = stored_weights(whole(tmp_path, {}), layers=2)
    assert (found.known, found.total_bytes) == (False, 0)
