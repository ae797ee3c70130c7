"""Compose files, Kubernetes manifests and lists of arguments: what their containers start.

It knows nothing about engines, and reads no other part of a manifest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ferrum_cli.errors import Location, UsageError
from ferrum_cli.serve.shell.values import Argument

_LINE = re.compile(r"[ \t]*(?:- +)*(?:[\w.\"'/-]+:(?:\s|$)|-(?:\s|$)|\[|\{)")
_OPTION = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
_MOST_NODES = 20_000
_WORDS = ("entrypoint", "command", "args", "cmd")
_SCRIPTS = ("run", "script")
_NOT_SERVING = ("initContainers", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle")
_REFERENCE = re.compile(r"\$\((?P<name>[A-Za-z_][\w.-]*)\)")


@dataclass(frozen=True, slots=True)
class Service:
    """One container: its image, what it is given as a list or as one text, its environment."""

    image: str | None
    words: tuple[str | tuple[str, ...], ...]
    """Entry point, command and arguments: a text is still to be split."""
    environment: dict[str, str] = field(default_factory=dict)
    scripts: tuple[str, ...] = ()
    """What a shell is given."""


def is_manifest(first_line: str) -> bool:
    """Whether a text that begins with this line may be YAML or JSON."""
    return bool(_LINE.match(first_line))


def services(text: str) -> list[Service] | None:
    """The containers of a manifest; None where the text is no YAML. Raises UsageError for bombs."""
    import yaml  # noqa: PLC0415 - most command lines are no YAML, and start-up counts

    try:
        documents = list(yaml.load_all(text, Loader=_loader(yaml)))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    count = [0]
    found: list[Service] = []
    for document in documents:
        if isinstance(document, list) and all(isinstance(item, str) for item in document):
            found.append(Service(None, (tuple(document),)))
        elif not isinstance(document, (dict, list)):
            return None
        found += _services(document, count)
    return found


def options(text: str) -> tuple[str, ...]:
    """A file of an engine's options as the flags that it stands for; nothing for other YAML.

    As vLLM 0.33.0, utils/argparse_utils.py: load_config_file. The text has been read as YAML.
    """
    import yaml  # noqa: PLC0415 - as above

    document = next(iter(yaml.load_all(text, Loader=_loader(yaml))), None)
    if not isinstance(document, dict) or not all(_OPTION.fullmatch(str(key)) for key in document):
        return ()
    return tuple(word for key, value in document.items() for word in _flag(str(key), value))


def _flag(key: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{key}" if value else f"--no-{key}"]
    if isinstance(value, list):
        return [f"--{key}", *map(str, value)] if value else []
    return [f"--{key}", json.dumps(value) if isinstance(value, dict) else str(value)]


def references(text: str, environment: Mapping[str, Argument]) -> Argument:
    """Text with Kubernetes' `$(NAME)` replaced; a name that is not set stays and is missing."""
    missing: list[str] = []

    def value(match: re.Match[str]) -> str:
        known = environment.get(match["name"])
        if known is None or known.missing:
            missing.append(match["name"])
            return match[0]
        return known.text

    return Argument(_REFERENCE.sub(value, text), tuple(missing))


def _loader(yaml: Any) -> Any:
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _services(node: Any, count: list[int], depth: int = 0) -> Iterator[Service]:
    count[0] += 1
    if count[0] > _MOST_NODES or depth > 64:  # noqa: PLR2004 - deeper than any manifest
        raise UsageError("the manifest is too large to be read", where=Location("--serve"))
    if isinstance(node, list):
        for item in node:
            yield from _services(item, count, depth + 1)
    elif isinstance(node, dict):
        words = tuple(_words(node[key]) for key in _WORDS if _is_words(node.get(key)))
        scripts = tuple(node[key] for key in _SCRIPTS if isinstance(node.get(key), str))
        image = node.get("image")
        if words or scripts or isinstance(image, str):
            image = image if isinstance(image, str) else None
            yield Service(image, words, _environment(node), scripts)
        for key, value in node.items():
            if key not in _NOT_SERVING:
                yield from _services(value, count, depth + 1)


def _is_words(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, (str, int, float)) for item in value)
    return isinstance(value, str)


def _words(value: Any) -> str | tuple[str, ...]:
    return value if isinstance(value, str) else tuple(_text(item) for item in value)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _environment(node: Mapping[Any, Any]) -> dict[str, str]:
    """Compose's mapping or list, or Kubernetes' list of names with values."""
    found: dict[str, str] = {}
    for entries in (node.get("environment"), node.get("env"), node.get("envs")):
        if isinstance(entries, dict):
            found |= {str(k): _text(v) for k, v in entries.items() if v is not None}
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and "value" in entry:
                found[str(entry.get("name"))] = _text(entry["value"])
            elif isinstance(entry, str) and "=" in entry:
                name, _, value = entry.partition("=")
                found[name] = value
    return found
