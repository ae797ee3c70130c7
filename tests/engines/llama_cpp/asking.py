"""Questions to the llama.cpp engine, as the tests of this folder ask them."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from ferrum_cli.describe import config_json, gguf_file
from ferrum_cli.describe.description import Description
from ferrum_cli.engines import Answer, Machine, Question, Setting, Settings, engine
from ferrum_cli.engines.llama_cpp.architectures import architecture_of
from ferrum_cli.engines.llama_cpp.launch import settle
from ferrum_cli.engines.llama_cpp.options import OPTIONS, VERSION
from ferrum_cli.engines.llama_cpp.requirement import Deployment
from ferrum_cli.expand import Parallel, expand
from ferrum_cli.plan.weights import weights_of
from ferrum_cli.report import Finding
from tests.gguf_files import CONVERTED, MODELS, Tensors, write_model

GIB = 2**30
MIB = 2**20
CONFIGS = Path(__file__).parents[2] / "data" / "configs"

QWEN35_27B = "Qwen__Qwen3.5-27B"
QWEN35_35B = "Qwen__Qwen3.5-35B-A3B"
QWEN3_NEXT = "Qwen__Qwen3-Next-80B-A3B-Instruct"
LFM25 = "LiquidAI__LFM2.5-2.6B"
LLAMA = "meta-llama__Meta-Llama-3.1-8B"
GRANITE = "ibm-granite__granite-4.0-h-tiny"
MAMBA = "state-spaces__mamba-2.8b-hf"


@cache
def model(name: str) -> Description:
    """A model by the name of its metadata or of its configuration."""
    metadata = MODELS.get(name)
    return config_json.read(CONFIGS / f"{name}.json") if metadata is None else gguf(metadata)


@cache
def converted(name: str) -> Description:
    """The GGUF file that llama.cpp's converter makes of a configuration."""
    return gguf(CONVERTED[name])


def gguf(metadata: dict[str, Any], tensors: Tensors | None = None) -> Description:
    """A GGUF file of these metadata, described."""
    with tempfile.TemporaryDirectory() as folder:
        return gguf_file.read(write_model(Path(folder) / "model.gguf", metadata, tensors))


def question(
    described: Description | str, options: dict[str, Any] | None = None, **changes: Any
) -> Question:
    """A question; `memory` is that of a device, `requests` and `context` what is asked for."""
    description = model(described) if isinstance(described, str) else described
    given = {name: Setting(value, "flag") for name, value in (options or {}).items()}
    parallel = changes.pop("parallel", Parallel())
    machine = Machine(memory_bytes=changes.pop("memory", None))
    for name in ("requests", "context"):
        if name in changes:
            changes[f"{name}_given"] = True
    fields: dict[str, Any] = {
        "model": expand(description),
        "parallel": parallel,
        "settings": Settings(OPTIONS, given),
        "version": VERSION,
        "requests": 1,
        "context": description.max_context,
        "context_given": False,
        "requests_given": False,
        "machine": machine,
        "weights": weights_of(description, parallel),
    }
    return Question(**(fields | changes))


def answered(
    described: Description | str, options: dict[str, Any] | None = None, **changes: Any
) -> Answer:
    """The engine's answer."""
    return engine("llama.cpp").answer(question(described, options, **changes))


def deployed(
    described: Description | str, options: dict[str, Any] | None = None, **changes: Any
) -> Deployment:
    """What the engine lays out."""
    asked = question(described, options, **changes)
    architecture = architecture_of(asked.model)
    assert architecture is not None
    return Deployment(asked, architecture, settle(asked, architecture))


def codes(answer: Answer) -> set[str]:
    """The codes of all findings."""
    return {finding.code for finding in answer.findings}


def finding(answer: Answer, code: str) -> Finding:
    """The finding of that code, which must be the only one."""
    (found,) = (f for f in answer.findings if f.code == code)
    return found
