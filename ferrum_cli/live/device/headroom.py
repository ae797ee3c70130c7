"""How much host memory can still be had: the kernel's figure and every control group above.

It knows nothing about what the memory is for. Only Linux says so; elsewhere there is no bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ferrum_cli.quantity import MAX_USIZE

# Version 1 writes "no limit" as the largest multiple of a page below 2⁶³.
_UNLIMITED = 2**62
_V1, _V2 = "memory", ""


def available_bytes(root: Path = Path("/")) -> int:
    """The smallest of MemAvailable and what each control group has left."""
    return min(_kernel_available(root), *_left_in_groups(root), MAX_USIZE)


def total_bytes(root: Path = Path("/")) -> int:
    """The smaller of the machine's memory and the tightest control group's limit."""
    limits = [limit for limit, _ in _groups(root)]
    return min(_meminfo(root, "MemTotal"), *limits, MAX_USIZE)


def resident_bytes(root: Path = Path("/")) -> int | None:
    """The process's resident memory, from /proc/self/statm; None where there is none."""
    text = _read(root / "proc/self/statm")
    if text is None:
        return None
    import resource  # noqa: PLC0415 - not on every platform

    return int(text.split()[1]) * resource.getpagesize()


def _kernel_available(root: Path) -> int:
    return _meminfo(root, "MemAvailable")


def _meminfo(root: Path, name: str) -> int:
    text = _read(root / "proc/meminfo") or ""
    found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 2**10 if found else MAX_USIZE


def _left_in_groups(root: Path) -> Iterator[int]:
    return (max(0, limit - used) for limit, used in _groups(root))


def _groups(root: Path) -> Iterator[tuple[int, int]]:
    """Limit and use of every group from the process's own up to the root, of both versions."""
    for line in (_read(root / "proc/self/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == _V2:
            mount, files = root / "sys/fs/cgroup", ("memory.max", "memory.current")
            idle = "inactive_file"
        elif _V1 in controllers.split(","):
            mount, files = (
                root / "sys/fs/cgroup/memory",
                (
                    "memory.limit_in_bytes",
                    "memory.usage_in_bytes",
                ),
            )
            idle = "total_inactive_file"
        else:
            continue
        for folder in _ancestors(mount, path):
            yield from _group(folder, files, idle)


def _ancestors(mount: Path, path: str) -> Iterator[Path]:
    """The folders of a group and of all above it. Inside a container its own may not exist."""
    folder = mount / path.lstrip("/")
    while True:
        yield folder
        if folder == mount or mount not in folder.parents:
            return
        folder = folder.parent


def _group(folder: Path, files: tuple[str, str], idle: str) -> Iterator[tuple[int, int]]:
    limit, used = (_number(folder / name) for name in files)
    high = _number(folder / "memory.high")
    limits = [value for value in (limit, high) if value is not None and value < _UNLIMITED]
    if limits and used is not None:
        # Cached files that nobody uses count as use, but the kernel gives them up first.
        found = re.search(rf"^{idle} (\d+)$", _read(folder / "memory.stat") or "", re.MULTILINE)
        yield min(limits), max(0, used - int(found[1] if found else 0))


def _number(path: Path) -> int | None:
    """A file's number; None for "max" and for files that do not exist."""
    text = (_read(path) or "").strip()
    return int(text) if text.isdigit() else None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return None
