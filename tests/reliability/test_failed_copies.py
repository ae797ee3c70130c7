"""R3: a copy fails at every tensor of every slot, out and back, and in files at every write."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from ferrum_cli.errors import CopyFailed, EnvironmentFailure
from ferrum_cli.live.adaptors import Fault
from ferrum_cli.live.audit import picture
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.layout import layouts
from ferrum_cli.live.resume.snapshot import SnapshotOnPreempt
from ferrum_cli.live.spill import FailingFiles, SnapshotFolder
from tests.live.device.devices import BARE
from tests.live.kinds import KINDS
from tests.live.specs import CONV_AND_DELTA
from tests.live.stations import evicting, run

SLOTS = 2


async def swapped_in_and_out(s: Station) -> None:
    s.feed(await s.manager.allocate(s.spec(0, slots=SLOTS)), 5)


def host_bytes_used(s: Station) -> int:
    assert isinstance(s.resume, SnapshotOnPreempt)
    return s.resume.staging.used_bytes


@pytest.mark.parametrize("device", BARE)
@pytest.mark.parametrize("layout", layouts())
@pytest.mark.parametrize("kind", KINDS)
def test_at_every_tensor_of_a_snapshot_and_of_a_restore(
    kind: str, layout: str, device: str
) -> None:
    tensors = KINDS[kind].tensors
    copies = SLOTS * (1 if layout == "arena" else sum(t.num_elements() > 0 for t in tensors))

    async def scenario() -> None:
        with evicting(SLOTS, tensors=tensors, layout=layout, make_device=BARE[device]) as s:
            await swapped_in_and_out(s)
            for nth in range(1, copies + 1):
                before = picture(s.manager)
                s.failing.arm(Fault("copy", nth, CopyFailed))
                with pytest.raises(CopyFailed):
                    await s.manager.evict(s.request(0))
                assert s.failing.fired == 1
                s.failing.fired = 0
                assert picture(s.manager) == before
                assert host_bytes_used(s) == 0
                assert s.mismatches(h for _, h in s.manager.list_handles()) == []
                assert s.auditor.check() == []
            s.failing.arm(None)
            await s.manager.evict(s.request(0))
            for nth in range(1, copies + 1):
                before = picture(s.manager)
                s.failing.arm(Fault("copy", nth, CopyFailed))
                with pytest.raises(CopyFailed):
                    await s.manager.resume(s.request(0))
                assert picture(s.manager) == before
                assert s.auditor.check() == []
            s.failing.arm(None)
            assert s.mismatch(await s.manager.resume(s.request(0))) is None
            assert s.auditor.check() == []

    run(scenario())


def test_at_every_write_of_a_file(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")

    async def scenario() -> None:
        with evicting(SLOTS) as s:
            await swapped_in_and_out(s)
            await s.manager.evict(s.request(0))
            nth, writes = 1, 0
            while True:
                files = FailingFiles(nth, full)
                before = picture(s.manager)
                try:
                    await s.manager.spill(s.request(0), SnapshotFolder(tmp_path, files))
                except EnvironmentFailure:
                    assert picture(s.manager) == before
                    assert not any_file(tmp_path)
                    nth, writes = nth + 1, writes + 1
                    continue
                break
            # Open, header, every tensor of both slots, flush, rename.
            assert writes == 2 + SLOTS * len(CONV_AND_DELTA) + 2
            assert s.mismatch(await s.manager.resume(s.request(0))) is None
            assert not any_file(tmp_path)
            assert s.auditor.check() == []

    run(scenario())


def any_file(folder: Path) -> bool:
    return any(folder.iterdir())
