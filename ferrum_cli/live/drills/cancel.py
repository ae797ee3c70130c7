"""Every operation that waits is cancelled at every wait, and leaves nothing behind.

It knows nothing about why somebody would cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from ferrum_cli.live.audit import picture
from ferrum_cli.live.checkpoints import Checkpoints
from ferrum_cli.live.drills._cancelling import cancelled_at
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Station
from ferrum_cli.live.spill import SnapshotFolder
from ferrum_cli.report import Unit

Operation = Callable[[Station], Coroutine[Any, Any, object]]
MOST_WAITS = 100


async def run(scene: Scene) -> None:
    """Two live requests 0 and 1, and 2 swapped out, before every operation."""
    folder = SnapshotFolder(scene.stage.folder)
    operations: dict[str, Operation] = {
        "allocate, evicting": lambda s: s.manager.allocate(s.spec(9)),
        "allocate, evicting two": lambda s: s.manager.allocate(s.spec(9, slots=2)),
        "acquire, evicting": lambda s: s.manager.acquire(s.spec(9)),
        "acquire, waiting": lambda s: s.manager.acquire(s.spec(9), 60),
        "evict": lambda s: s.manager.evict(s.request(0)),
        "resume": lambda s: s.manager.resume(s.request(2)),
        "spill": lambda s: s.manager.spill(s.request(2), folder),
    }
    for what, operation in operations.items():
        await _cancel_everywhere(scene, what, operation)
    await _checkpoints(scene)


async def _cancel_everywhere(scene: Scene, what: str, operation: Operation) -> None:
    waiting = what == "acquire, waiting"
    waits = 0
    while waits < MOST_WAITS:
        with scene.station(2, eviction="lru", resume="snapshot") as s:
            await _prepare(s)
            if waiting:
                s.manager.pin(s.request(0))
                s.manager.pin(s.request(1))
            before = picture(s.manager)
            if waiting and waits:
                break
            cancelled = await cancelled_at(operation(s), waits + 1)
            if cancelled and what != "resume":
                scene.expect(picture(s.manager) == before, f"I10: {what}: cancelled, left traces")
            await _expect_whole(scene, s, what)
            if not cancelled:
                break
        waits += 1
    scene.row(f"{what}: waits", waits, Unit.COUNT)


async def _prepare(s: Station) -> None:
    s.feed(await s.manager.allocate(s.spec(2)), 4)
    await s.manager.evict(s.request(2))
    for number in (0, 1):
        s.feed(await s.manager.allocate(s.spec(number)), 4)


async def _expect_whole(scene: Scene, s: Station, what: str) -> None:
    """No request is lost, nothing is under way, and every state is right in the end."""
    scene.audit(s)
    scene.expect_right(s)
    await s.manager.deallocate(s.request(9))
    for number in range(3):
        request = s.request(number)
        handle = s.manager.get_handle(request)
        while handle is not None and handle.pins:
            s.manager.unpin(request)
        if handle is None:
            scene.expect(s.manager.is_swapped(request), f"{what}: request {number} was lost")
            handle = await s.manager.resume(request)
        scene.expect_right(s, [handle])


async def _checkpoints(scene: Scene) -> None:
    """Saving and rolling back, cancelled likewise."""
    with scene.station(1) as s:
        kept = Checkpoints(s.manager, 2 * scene.packed_bytes)
        handle = await s.manager.allocate(s.spec(0))
        s.feed(handle, 4)
        waits = 0
        while await cancelled_at(kept.save(handle, 4), waits + 1):
            waits += 1
            scene.expect(not kept.positions(handle), "a cancelled checkpoint is offered")
        scene.row("checkpoint: waits", waits, Unit.COUNT)
        s.feed(handle, 2)
        waits = 0
        while await cancelled_at(kept.rollback(handle, 4), waits + 1):
            waits += 1
        del s.tokens[s.request(0).uuid][4:]
        scene.expect_right(s, [handle])
        scene.row("rollback: waits", waits, Unit.COUNT)
        kept.close()
