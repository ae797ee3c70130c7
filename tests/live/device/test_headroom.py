"""Available memory read from trees of files as kernels lay them out."""

from __future__ import annotations

from pathlib import Path

import pytest

from ferrum_cli.live.device import headroom
from ferrum_cli.quantity import MAX_USIZE

GIB = 2**30
MEMINFO = "MemTotal:       24684096 kB\nMemFree:  20071660 kB\nMemAvailable:   16777216 kB\n"


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in {"proc/meminfo": MEMINFO, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
    return root


V2 = "sys/fs/cgroup"
V1 = "sys/fs/cgroup/memory"
CASES = [
    ("no control group", {}, 16 * GIB),
    ("no limit", {"proc/self/cgroup": "0::/a\n", f"{V2}/a/memory.max": "max\n"}, 16 * GIB),
    (
        "version 2",
        {
            "proc/self/cgroup": "0::/a\n",
            f"{V2}/a/memory.max": f"{8 * GIB}\n",
            f"{V2}/a/memory.current": f"{3 * GIB}\n",
        },
        5 * GIB,
    ),
    (
        "the tightest of all above counts",
        {
            "proc/self/cgroup": "0::/a/b\n",
            f"{V2}/a/b/memory.max": "max\n",
            f"{V2}/a/memory.max": f"{4 * GIB}\n",
            f"{V2}/a/memory.current": f"{GIB}\n",
        },
        3 * GIB,
    ),
    (
        "memory.high throttles before memory.max kills",
        {
            "proc/self/cgroup": "0::/a\n",
            f"{V2}/a/memory.max": f"{8 * GIB}\n",
            f"{V2}/a/memory.high": f"{6 * GIB}\n",
            f"{V2}/a/memory.current": f"{GIB}\n",
        },
        5 * GIB,
    ),
    (
        "cached files that nobody uses do not count",
        {
            "proc/self/cgroup": "0::/a\n",
            f"{V2}/a/memory.max": f"{8 * GIB}\n",
            f"{V2}/a/memory.current": f"{7 * GIB}\n",
            f"{V2}/a/memory.stat": f"anon 1\ninactive_file {2 * GIB}\n",
        },
        3 * GIB,
    ),
    (
        "version 1 without a limit, in a hybrid",
        {
            "proc/self/cgroup": "4:memory:/p/id\n0::/\n",
            f"{V1}/p/id/memory.limit_in_bytes": "9223372036854771712\n",
            f"{V1}/p/id/memory.usage_in_bytes": f"{GIB}\n",
        },
        16 * GIB,
    ),
    (
        "version 1 with a limit",
        {
            "proc/self/cgroup": "9:cpu,memory:/p\n",
            f"{V1}/p/memory.limit_in_bytes": f"{2 * GIB}\n",
            f"{V1}/p/memory.usage_in_bytes": f"{GIB}\n",
            f"{V1}/p/memory.stat": f"inactive_file 5\ntotal_inactive_file {GIB // 2}\n",
        },
        GIB + GIB // 2,
    ),
    (
        "a group whose folder is outside the container's view",
        {
            "proc/self/cgroup": "0::/not/here\n",
            f"{V2}/memory.max": f"{2 * GIB}\n",
            f"{V2}/memory.current": f"{GIB}\n",
        },
        GIB,
    ),
    (
        "a group that is over its limit has nothing left",
        {
            "proc/self/cgroup": "0::/\n",
            f"{V2}/memory.max": f"{GIB}\n",
            f"{V2}/memory.current": f"{2 * GIB}\n",
        },
        0,
    ),
]


@pytest.mark.parametrize(("what", "files", "expected"), CASES)
def test_available_memory_is_the_smallest_of_all_bounds(
    tmp_path: Path, what: str, files: dict[str, str], expected: int
) -> None:
    del what  # it names the case
    assert headroom.available_bytes(tree(tmp_path, files)) == expected


def test_without_a_kernel_that_says_so_there_is_no_bound(tmp_path: Path) -> None:
    assert headroom.available_bytes(tmp_path) == MAX_USIZE


def test_total_memory_is_the_tighter_of_machine_and_group(tmp_path: Path) -> None:
    assert headroom.total_bytes(tree(tmp_path, {})) == 24684096 * 1024
    files = {
        "proc/self/cgroup": "0::/\n",
        f"{V2}/memory.max": f"{GIB}\n",
        f"{V2}/memory.current": "0\n",
    }
    assert headroom.total_bytes(tree(tmp_path, files)) == GIB


def test_this_process_has_resident_memory_and_this_machine_a_bound() -> None:
    resident = headroom.resident_bytes()
    assert resident is not None
    assert 2**20 < resident < headroom.total_bytes()


def test_without_a_kernel_that_says_so_no_resident_memory_is_known(tmp_path: Path) -> None:
    assert headroom.resident_bytes(tmp_path) is None
