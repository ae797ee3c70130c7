"""The recurrent-state contract in Python: names, fields and meaning of `recurrent_state.rs`.

It knows nothing about models, engines or real memory: it says what state is, not who makes it.
Sizes are Rust's `usize` on 64 bits, JSON is serde's. Reading JSON is stricter than serde: unknown
fields are refused, and structs are objects only.
"""

from ferrum_cli.contract.datatype import DataType
from ferrum_cli.contract.device import Device
from ferrum_cli.contract.handle import RecurrentStateHandle, RecurrentStateHandleStats
from ferrum_cli.contract.manager import RecurrentStateManager, RecurrentStateManagerStats
from ferrum_cli.contract.request_id import RequestId
from ferrum_cli.contract.resume_policy import RecurrentStateResumePolicy
from ferrum_cli.contract.spec import RecurrentStateSpec
from ferrum_cli.contract.tensor import RecurrentStateTensorSpec, contract_tensor

__all__ = [
    "DataType",
    "Device",
    "RecurrentStateHandle",
    "RecurrentStateHandleStats",
    "RecurrentStateManager",
    "RecurrentStateManagerStats",
    "RecurrentStateResumePolicy",
    "RecurrentStateSpec",
    "RecurrentStateTensorSpec",
    "RequestId",
    "contract_tensor",
]
