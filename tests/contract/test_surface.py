"""The Python contract has every public name of `recurrent_state.rs` and imports nothing heavy."""

import dataclasses
import inspect
import subprocess
import sys

import pytest

from ferrum_cli import contract

# Every `pub fn` and field of recurrent_state.rs, and of the types it imports, by Rust type.
RUST_FUNCTIONS = {
    "RecurrentStateTensorSpec": ["new", "checked_num_elements", "num_elements"],
    "RecurrentStateSpec": ["estimated_memory_bytes"],
    "RecurrentStateHandle": [
        "request_id",
        "device",
        "num_layers",
        "state_bytes",
        "clone_handle",
        "as_any",
        "stats",
        "is_valid",
        "cache_id",
    ],
    "RecurrentStateManager": [
        "allocate",
        "deallocate",
        "can_allocate",
        "get_handle",
        "list_handles",
        "stats",
        "reset",
    ],
    "DataType": ["size_bytes", "is_float", "is_integer", "is_quantized"],
    "Device": ["is_gpu", "index"],
    "RequestId": ["new"],
}
RUST_FIELDS = {
    "RecurrentStateTensorSpec": ["layer_index", "name", "shape", "dtype"],
    "RecurrentStateSpec": ["request_id", "num_layers", "tensors", "device", "max_batch_slots"],
    "RecurrentStateHandleStats": ["memory_bytes", "state_tensors", "batch_slots", "last_access"],
    "RecurrentStateManagerStats": [
        "total_memory_bytes",
        "used_memory_bytes",
        "active_states",
        "active_state_tensors",
        "total_batch_slots",
        "used_batch_slots",
        "allocation_count",
        "allocation_failures",
        "eviction_count",
    ],
}
RUST_VARIANTS = {
    "DataType": [
        "FP32",
        "FP16",
        "BF16",
        "FP8",
        "INT32",
        "INT16",
        "INT8",
        "INT4",
        "UINT32",
        "UINT16",
        "UINT8",
        "UINT4",
        "BOOL",
    ],
    "RecurrentStateResumePolicy": ["RecomputeOnResume", "SnapshotOnPreempt"],
}
RUST_ASYNC = {"allocate", "deallocate", "reset"}


@pytest.mark.parametrize(("name", "functions"), RUST_FUNCTIONS.items())
def test_every_public_function_of_the_rust_is_a_method(name: str, functions: list[str]) -> None:
    kind = getattr(contract, name)
    assert [f for f in functions if not callable(getattr(kind, f, None))] == []


@pytest.mark.parametrize(("name", "fields"), RUST_FIELDS.items())
def test_every_field_of_the_rust_is_a_field_in_the_same_order(name: str, fields: list[str]) -> None:
    declared = dataclasses.fields(getattr(contract, name))
    assert [f.name for f in declared if not f.name.startswith("_")] == fields


@pytest.mark.parametrize(("name", "variants"), RUST_VARIANTS.items())
def test_every_variant_of_a_rust_enum_is_a_member_in_the_same_order(
    name: str, variants: list[str]
) -> None:
    assert list(getattr(contract, name).__members__) == variants


@pytest.mark.parametrize("name", ["RecurrentStateHandle", "RecurrentStateManager"])
def test_a_trait_is_an_abstract_class_with_no_default_methods(name: str) -> None:
    kind = getattr(contract, name)
    assert sorted(kind.__abstractmethods__) == sorted(RUST_FUNCTIONS[name])
    with pytest.raises(TypeError, match="abstract"):
        kind()


@pytest.mark.parametrize("name", ["RecurrentStateHandle", "RecurrentStateManager"])
def test_a_method_is_a_coroutine_exactly_where_the_trait_is_async(name: str) -> None:
    kind = getattr(contract, name)
    coroutines = {f for f in RUST_FUNCTIONS[name] if inspect.iscoroutinefunction(getattr(kind, f))}
    assert coroutines == RUST_ASYNC & set(RUST_FUNCTIONS[name])


@pytest.mark.parametrize("name", ["RequestId", "Device", *RUST_FIELDS])
def test_every_value_is_frozen_and_has_no_room_for_other_attributes(name: str) -> None:
    kind = getattr(contract, name)
    assert kind.__dataclass_params__.frozen
    assert "__slots__" in vars(kind)


def test_the_package_exports_its_public_names_and_no_others() -> None:
    assert sorted(contract.__all__) == sorted(
        {*RUST_FUNCTIONS, *RUST_FIELDS, *RUST_VARIANTS, "contract_tensor"}
    )


def test_importing_the_contract_imports_nothing_heavy() -> None:
    heavy = {"asyncio", "torch", "numpy", "pydantic", "uuid", "json", "typer", "rich"}
    script = "import sys, ferrum_cli.contract; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert heavy.isdisjoint(run.stdout.split())
