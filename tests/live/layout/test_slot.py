"""Where tensors lie within a slot."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.contract import DataType, RecurrentStateTensorSpec
from ferrum_cli.live.layout import SlotLayout
from tests.live.specs import CONV_AND_DELTA, EVERY_DTYPE, ODD, QWEN3_NEXT, Tensors


def test_qwen3_next_has_two_groups_and_no_padding() -> None:
    layout = SlotLayout.of(QWEN3_NEXT)
    assert [(g.start, g.tensor_bytes, len(g.members)) for g in layout.groups] == [
        (0, 49_152, 36),
        (36 * 49_152, 2_097_152, 36),
    ]
    # 77,266,944 = 512 x 150,912
    assert (layout.stride_bytes, layout.padding_bytes) == (77_266_944, 0)


def test_small_tensors_show_alignment_of_groups_and_slots() -> None:
    layout = SlotLayout.of(CONV_AND_DELTA)
    # 3 x 36 bytes, then the next multiple of 256, then 3 x 128; the slot ends at 1024.
    assert layout.offsets == (0, 256, 36, 384, 72, 512)
    assert (layout.payload_bytes, layout.stride_bytes) == (492, 1024)


def test_a_tensor_is_found_by_layer_and_name() -> None:
    layout = SlotLayout.of(CONV_AND_DELTA)
    assert layout.index_of[(2, "delta_state")] == 5
    assert layout.places[5] == (1, 2)


def test_no_tensors_make_an_empty_slot() -> None:
    layout = SlotLayout.of(())
    assert (layout.stride_bytes, layout.payload_bytes, layout.places) == (0, 0, ())


tensors = st.lists(
    st.builds(
        RecurrentStateTensorSpec.new,
        st.integers(0, 3),
        st.text("abc", max_size=3),
        st.lists(st.integers(0, 9), max_size=4),
        st.sampled_from(DataType),
    ),
    max_size=12,
).map(tuple)


@given(tensors)
def test_tensors_never_overlap_and_groups_are_aligned(found: Tensors) -> None:
    layout = SlotLayout.of(found)
    places = sorted(
        (offset, offset + size)
        for offset, size in zip(layout.offsets, layout.sizes, strict=True)
        if size
    )
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(places))
    assert all(group.start % 256 == 0 for group in layout.groups)
    assert layout.stride_bytes % 512 == 0
    assert max((end for _, end in places), default=0) <= layout.stride_bytes
    assert layout.payload_bytes == sum(t.num_elements() * t.dtype.size_bytes() for t in found)


@pytest.mark.parametrize("found", [EVERY_DTYPE, ODD])
def test_every_element_is_aligned_to_its_own_size(found: Tensors) -> None:
    layout = SlotLayout.of(found)
    for tensor, offset in zip(found, layout.offsets, strict=True):
        assert offset % tensor.dtype.size_bytes() == 0
