"""Valid values of the contract that several tests draw from."""

from hypothesis import strategies as st

from ferrum_cli.contract import (
    DataType,
    Device,
    RecurrentStateSpec,
    RecurrentStateTensorSpec,
    RequestId,
)
from ferrum_cli.quantity import MAX_USIZE

TENSOR = {"layer_index": 3, "name": "delta_state", "shape": [32, 128, 128], "dtype": "FP32"}

usizes = st.integers(0, MAX_USIZE)
tensors = st.builds(
    RecurrentStateTensorSpec,
    layer_index=usizes,
    name=st.text(),
    shape=st.lists(usizes | st.integers(0, 9), max_size=5),
    dtype=st.sampled_from(DataType),
)
devices = st.sampled_from([Device.cpu(), Device.metal()]) | st.builds(Device.cuda, usizes)
specs = st.builds(
    RecurrentStateSpec,
    request_id=st.builds(RequestId, st.uuids().map(str)),
    num_layers=usizes,
    tensors=st.lists(tensors, max_size=4),
    device=devices,
    max_batch_slots=usizes | st.integers(0, 9),
)
