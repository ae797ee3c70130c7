"""The contract's arithmetic gives what the Rust gives."""

import pytest

from ferrum_cli.contract import (
    DataType,
    Device,
    RecurrentStateSpec,
    RecurrentStateTensorSpec,
    RequestId,
)

MAX = 2**64 - 1
CONV, DELTA = ("BF16", [8192, 3]), ("FP32", [32, 128, 128])

# Slots, tensors, then what rustc 1.95.0 computed on x86-64: `estimated_memory_bytes` of the spec
# and `checked_num_elements` of each tensor. The three functions of recurrent_state.rs were
# transcribed into a program without crates and run once over these rows and 200,000 random ones,
# in which this contract agreed with it everywhere.
ROWS = [
    (1, [], 0, []),
    (MAX, [], 0, []),
    (0, [("FP32", [MAX])], 0, [MAX]),
    (0, [("UINT8", [2**32, 2**32])], 0, [None]),
    (1, [("INT8", [MAX])], MAX, [MAX]),
    (1, [("INT8", [])], 1, [1]),
    (3, [("FP32", [])], 12, [1]),
    (1, [("INT4", [3])], 3, [3]),
    (1, [("FP32", [2**63, 4, 0])], MAX, [None]),
    (1, [("FP32", [0, 2**63, 4])], 0, [0]),
    (1, [("INT8", [2**63, 0, 4])], 0, [0]),
    (1, [("INT16", [2**63, 2, 0])], MAX, [None]),
    (1, [("INT16", [2**63, 1, 0])], 0, [0]),
    (1, [("FP32", [2**62])], MAX, [2**62]),
    (1, [("FP32", [2**62 - 1])], MAX - 3, [2**62 - 1]),
    (1, [("UINT8", [2**32, 2**32])], MAX, [None]),
    (1, [("UINT8", [2**32, 2**32 - 1])], 18446744069414584320, [18446744069414584320]),
    (1, [("UINT8", [2**32 - 1, 2**32 + 1])], MAX, [MAX]),
    (1, [("INT8", [MAX]), ("INT8", [])], MAX, [MAX, 1]),
    (1, [("INT8", [MAX - 1]), ("INT8", [])], MAX, [MAX - 1, 1]),
    (1, [("INT8", [MAX - 2]), ("INT8", [])], MAX - 1, [MAX - 2, 1]),
    (2, [("INT8", [2**63])], MAX, [2**63]),
    (2, [("INT8", [2**63 - 1])], MAX - 1, [2**63 - 1]),
    (MAX, [("BOOL", [])], MAX, [1]),
    (MAX, [("BF16", [])], MAX, [1]),
    (MAX, [("BOOL", [0])], 0, [0]),
    (2**32, [("UINT32", [2**30])], MAX, [2**30]),
    (2**32 - 1, [("UINT32", [2**30])], 18446744069414584320, [2**30]),
    (1, [CONV, DELTA], 2146304, [24576, 524288]),
    (4, [CONV, DELTA] * 36, 309067776, [24576, 524288] * 36),
    (281474976710658, [("UINT16", [33]), ("BF16", [1])], 19140298416324744, [33, 1]),
    (299148390, [("UINT8", [35849]), ("FP8", [])], 10724469781500, [35849, 1]),
    (
        137438953472,
        [("UINT16", [26109, 1005]), ("FP8", [4])],
        7212671758518714368,
        [26239545, 4],
    ),
    (
        1840,
        [
            ("INT32", []),
            ("FP16", [17592186044415, 0, 2, 16859496920376283200]),
            ("FP32", [3106220, 511]),
            ("FP32", [14, 7, 524290]),
        ],
        12060529069760,
        [1, 0, 1587278420, 51380420],
    ),
]


@pytest.mark.parametrize(("slots", "tensors", "estimate", "elements"), ROWS)
def test_estimates_and_element_counts_are_those_of_rust(
    slots: int, tensors: list[tuple[str, list[int]]], estimate: int, elements: list[int | None]
) -> None:
    specs = [
        RecurrentStateTensorSpec.new(i, "state", shape, DataType[dtype])
        for i, (dtype, shape) in enumerate(tensors)
    ]
    spec = RecurrentStateSpec(
        request_id=RequestId.new(),
        num_layers=len(specs),
        tensors=specs,
        device=Device.cpu(),
        max_batch_slots=slots,
    )
    assert spec.estimated_memory_bytes() == estimate
    assert [tensor.checked_num_elements() for tensor in specs] == elements
    assert [t.num_elements() for t in specs] == [MAX if n is None else n for n in elements]
