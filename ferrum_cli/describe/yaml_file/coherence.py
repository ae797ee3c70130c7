"""Whether the parts of a description fit together: names, uses, sizes and limits on the whole.

Its input has the file's form already. It works on counts, never on the expanded model, because
until it has looked that may be of any size. It knows nothing about places in a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ferrum_cli.blocks import Block
from ferrum_cli.describe.yaml_file import build
from ferrum_cli.describe.yaml_file.guard import Route
from ferrum_cli.describe.yaml_file.problem import Problem, shown_route

MAX_LAYERS = 4096
MAX_BLOCKS_RUN = 65_536
MAX_STATE_TENSORS = 65_536


def incoherences(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Everything in a description of the right form that does not fit together."""
    blocks = {name: build.block(fields) for name, fields in data["blocks"].items()}
    yield from _impossible_sizes(blocks, data["hidden_size"])
    uses = list(_uses(data))
    unknown = list(_unknown_names(uses, blocks))
    # Where a name is unknown, a block that nothing uses was probably meant by it.
    yield from unknown or _unused(uses, blocks)
    yield from _twice_side_by_side(data)
    yield from _too_much(data, blocks)


def _impossible_sizes(blocks: Mapping[str, Block], hidden_size: int) -> Iterator[Problem]:
    for name, block in blocks.items():
        if complaint := block.check(hidden_size):
            route = ("blocks", name)
            yield Problem(route, f"{shown_route(route)}: {complaint}", "change one of them")


def _layers(data: Mapping[str, Any]) -> Iterator[tuple[Route, list[Any], int]]:
    """Every layer that is written, with its place and how often it runs."""
    for route in (("layers",), ("draft", "layers")):
        found: Any = data
        for step in route:
            found = found.get(step, {})
        for position, item in enumerate(found):
            yield from _layers_of(item, (*route, position))


def _layers_of(item: Any, route: Route) -> Iterator[tuple[Route, list[Any], int]]:
    if isinstance(item, list):
        yield route, item, 1
        return
    times = item.get("repeat", 1) * item.get("passes", 1)
    for position, layer in enumerate(item["pattern"]):
        yield (*route, "pattern", position), layer, times


def _uses(data: Mapping[str, Any]) -> Iterator[tuple[Route, str]]:
    """Every mention of a block in a layer, with its place."""
    for route, layer, _ in _layers(data):
        for position, entry in enumerate(layer):
            if isinstance(entry, str):
                yield (*route, position), entry
            else:
                yield from (((*route, position, i), name) for i, name in enumerate(entry))


def _unknown_names(uses: list[tuple[Route, str]], known: Mapping[str, Block]) -> Iterator[Problem]:
    for route, name in uses:
        if name not in known:
            yield Problem(route, f"there is no block {name!r}", unknown=(name, known))


def _twice_side_by_side(data: Mapping[str, Any]) -> Iterator[Problem]:
    for route, layer, _ in _layers(data):
        for position, entry in enumerate(layer):
            if isinstance(entry, list) and len(set(entry)) < len(entry):
                name = Counter(entry).most_common(1)[0][0]
                message = f"block {name!r} stands twice side by side"
                yield Problem((*route, position), message, "name each block once")


def _unused(uses: list[tuple[Route, str]], blocks: Mapping[str, Block]) -> Iterator[Problem]:
    used = {name for _, name in uses}
    for name in blocks:
        if name not in used:
            message = f"block {name!r} stands in no layer"
            yield Problem(("blocks", name), message, "use it or remove it", at_key=True)


def _too_much(data: Mapping[str, Any], blocks: Mapping[str, Block]) -> Iterator[Problem]:
    """The first limit that the layers run into, at the layer that crosses it."""
    hidden_size = data["hidden_size"]
    tensors = {name: len(block.state(hidden_size)) for name, block in blocks.items()}
    total: Counter[str] = Counter()
    for route, layer, times in _layers(data):
        names = [n for entry in layer for n in (entry if isinstance(entry, list) else [entry])]
        total["layers"] += times
        total["blocks in all layers"] += times * len(names)
        total["state tensors"] += times * sum(tensors.get(name, 0) for name in names)
        for noun, limit in _LIMITS.items():
            if total[noun] > limit:
                message = f"{total[noun]:,} {noun} up to here"
                yield Problem(route, message, f"the most is {limit:,}")
                return


_LIMITS = {
    "layers": MAX_LAYERS,
    "blocks in all layers": MAX_BLOCKS_RUN,
    "state tensors": MAX_STATE_TENSORS,
}
