"""A run report read back: the manager's and the handles' tables, every field of the contract.

It knows nothing about the run itself, and needs no torch.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

from ferrum_cli.contract import Device, RecurrentStateManagerStats, RequestId
from ferrum_cli.errors import ContractError, InputError
from ferrum_cli.report import Cell, Report, Table, Unit, cell, table

SCHEMA, READ_SCHEMA = "ferrum.stats/1", "ferrum.run/1"
LARGEST = 256 * 2**20
_UNITS = {
    "total_memory_bytes": Unit.BYTES,
    "used_memory_bytes": Unit.BYTES,
    "memory_bytes": Unit.BYTES,
    "state_bytes": Unit.BYTES,
}
_HANDLE = ("request_id", "cache_id", "device", "num_layers", "state_bytes", "is_valid", "stats")
_STATS = ("memory_bytes", "state_tensors", "batch_slots", "seconds_since_last_access")


def read(path: Path) -> Report:
    """The statistics in a run report. Raises InputError with the place of what is wrong."""
    try:
        return _report(_parse(path))
    except InputError as error:
        raise error.located(str(path)) from None


def _parse(path: Path) -> dict[str, Any]:
    try:
        # Opening a FIFO would wait for a writer that may never come.
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError("is no regular file", hint="give a run report: -o run.json makes one")
        if path.stat().st_size > LARGEST:
            raise InputError("is too large for a run report")
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror or error}",
            hint="'ferrum allocate MODEL -o run.json' makes a run report",
        ) from None
    except (ValueError, RecursionError):
        raise InputError("is not JSON", hint="give a run report: -o run.json makes one") from None
    if not isinstance(data, dict) or data.get("schema") != READ_SCHEMA:
        raise InputError("is no run report", hint="'ferrum allocate MODEL -o run.json' makes one")
    return data


def _report(data: dict[str, Any]) -> Report:
    if data.get("manager") is None:
        raise InputError("holds no statistics: nothing fitted into the budget of that run")
    manager = RecurrentStateManagerStats.from_json(data["manager"], "manager").to_json()
    handles = data.get("handles")
    if not isinstance(handles, list):
        raise ContractError("handles: expected an array")
    checked = [_handle(handle, f"handles[{number}]") for number, handle in enumerate(handles)]
    used, total = manager["used_batch_slots"], manager["total_batch_slots"]
    return Report(
        answer=(
            f"{manager['active_states']} live states use {used} of {total} slots of"
            f" {data.get('model')} on {data.get('device')}."
        ),
        data={
            "schema": SCHEMA,
            "model": data.get("model"),
            "device": data.get("device"),
            "manager": manager,
            "handles": checked,
        },
        tables=(_manager_table(manager), _handle_table(checked)),
    )


def _handle(handle: Any, path: str) -> dict[str, Any]:
    """A handle with exactly the contract's fields."""
    facts = _fields(handle, _HANDLE, path)
    _fields(facts["stats"], _STATS, f"{path}.stats")
    RequestId.from_json(facts["request_id"], f"{path}.request_id")
    Device.from_json(facts["device"], f"{path}.device")
    return facts


def _fields(value: Any, names: tuple[str, ...], path: str) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != set(names):
        raise ContractError(f"{path}: expected the fields {', '.join(names)}")
    return value


def _manager_table(manager: dict[str, int]) -> Table:
    rows = [(cell(name), _value(name, value)) for name, value in manager.items()]
    return table("Manager", ("field", "value"), rows)


def _handle_table(handles: list[dict[str, Any]]) -> Table:
    """One row a handle; the fields of its statistics stand beside its own."""
    names = [name for name in _HANDLE if name != "stats"]
    rows = [
        tuple(
            [_value(name, _plain(name, handle[name])) for name in names]
            + [_value(name, handle["stats"][name]) for name in _STATS]
        )
        for handle in handles
    ]
    return table("Handles", (*names, *_STATS), rows)


def _plain(name: str, value: Any) -> Any:
    return str(Device.from_json(value)) if name == "device" else value


def _value(name: str, value: Any) -> Cell:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return cell(value if isinstance(value, str | bool) else str(value))
    if isinstance(value, float):
        return cell(f"{value:.3f}")
    return cell(value, _UNITS.get(name, Unit.COUNT))
