"""Compose files, Kubernetes manifests and lists of arguments: what their containers start.

It knows nothing about engines, and reads no other part of a manifest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ferrum_cli.errors import Location, UsageError
from ferrum_cli.serve.shell.values import Argument

_LINE = re.compile(r"[ \t]*(?:- +)*(?:[\w.\"'/-]+:(?:\s|$)|-(?:\s|$)|\[|\{)")
_MOST_NODES = 20_000
_WORDS = ("entrypoint", "command", "args")
_NOT_SERVING = ("initContainers", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle")
_REFERENCE = re.compile(r"\$\((?P<name>[A-Za-z_][\w.-]*)\)")


@dataclass(frozen=True, slots=True)
class Service:
    """One container: its image, what it is given as a list or as one text, its environment."""

    image: str | None
    words: tuple[str | tuple[str, ...], ...]
    """Entry point, command and arguments: a text is still to be split."""
    environment: dict[str, str] = field(default_factory=dict)


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
        image = node.get("image")
        if words or isinstance(image, str):
            yield Service(image if isinstance(image, str) else None, words, _environment(node))
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
    for entries in (node.get("environment"), node.get("env")):
        if isinstance(entries, dict):
            found |= {str(k): _text(v) for k, v in entries.items() if v is not None}
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and "value" in entry:
                found[str(entry.get("name"))] = _text(entry["value"])
            elif isinstance(entry, str) and "=" in entry:
                name, _, value = entry.partition("=")
                found[name] = value
    return found
