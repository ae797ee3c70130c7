"""A plan as the JSON object `ferrum.plan/1`.

Field by field the surface that scripts rely on; a change of meaning is a new schema number. It
knows nothing about tables or terminals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferrum_cli.engines import Setting
from ferrum_cli.plan.advice_shown import start_flags, to_json
from ferrum_cli.plan.result import Budget, Plan

SCHEMA = "ferrum.plan/1"


def document(plan: Plan) -> dict[str, Any]:
    """The whole plan; every key is always there."""
    question, answer = plan.question, plan.answer
    parallel = question.parallel
    found = {
        "schema": SCHEMA,
        "model": _model(plan),
        "parallel": {"tp": parallel.tp, "pp": parallel.pp, "dp": parallel.dp},
        "state": _state(plan),
        "kv": {
            "bytes_per_token": answer.kv.bytes_per_token,
            "window_bytes": answer.kv.window_bytes,
            "bytes_at_context": answer.kv.bytes_at_context,
        },
        "weights": _weights(plan),
        "engine": _engine(plan),
        "capacity": _capacity(plan),
        "findings": [finding.to_json() for finding in plan.findings],
        "verdict": plan.verdict.value,
    }
    if plan.budget is not None:
        found["budget"] = _budget(plan.budget)
    return found


def _weights(plan: Plan) -> dict[str, Any]:
    """Bytes of the fullest rank and of each; null where the file does not hold them."""
    weights = plan.weights
    return {
        "bytes": max(weights.bytes_per_rank) if weights.known else None,
        "bytes_per_rank": list(weights.bytes_per_rank) if weights.known else None,
        "source": weights.source,
    }


def _model(plan: Plan) -> dict[str, Any]:
    description, counts = plan.question.model.description, plan.parameters
    return {
        "name": description.name,
        "source": description.source,
        "architecture": description.architecture,
        "num_layers": description.num_layers,
        "parameters": {
            "total": counts.total,
            "active": counts.active,
            "vision": counts.vision,
            "draft": counts.draft,
            "exact": description.parameters == "exact",
        },
    }


def _state(plan: Plan) -> dict[str, Any]:
    answer = plan.answer
    return {
        "tensors": [
            {
                "layer_index": tensor.layer_index,
                "name": tensor.name,
                "shape": list(tensor.shape),
                "dtype": tensor.dtype.name,
                "bytes": tensor.size_bytes,
            }
            for tensor in answer.state
        ],
        "bytes_per_slot": answer.bytes_per_slot,
        "dtype_source": answer.dtype_source,
    }


def _engine(plan: Plan) -> dict[str, Any]:
    answer = plan.answer
    return {
        "name": answer.engine,
        "version": answer.version,
        "options": {name: _setting(value) for name, value in answer.options.items()},
        "layout": dict(answer.layout),
        "log_lines": [{"key": line.key, "text": line.text} for line in answer.log_lines],
        "flags": list(start_flags(plan.question, answer, plan.advice)),
        "advice": to_json(plan.advice) if plan.advice is not None else None,
    }


def _setting(setting: Setting | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(setting, Setting):
        return {"value": setting.value, "source": setting.source}
    return dict(setting)


def _capacity(plan: Plan) -> dict[str, Any]:
    capacity = plan.answer.capacity
    return {
        "memory_bytes": plan.question.machine.memory_bytes,
        "available_bytes": capacity.available_bytes,
        "max_requests": capacity.max_requests,
        "low": capacity.max_requests if capacity.low is None else capacity.low,
        "high": capacity.max_requests if capacity.high is None else capacity.high,
        "limited_by": capacity.limited_by,
        "context": capacity.context,
    }


def _budget(budget: Budget) -> dict[str, Any]:
    return {
        "limit_bytes": budget.limit_bytes,
        "needed_bytes": budget.needed_bytes,
        "holds": budget.holds,
        "remedies": list(budget.remedies),
    }
