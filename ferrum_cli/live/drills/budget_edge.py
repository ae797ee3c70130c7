"""N requests fit, N + 1 are refused, and N fit again; at every edge of the budget.

Bytes and slots are a limit each, to the last one. It knows nothing about the device's own limits.
"""

from __future__ import annotations

from ferrum_cli.errors import ResourceExhausted
from ferrum_cli.live.audit import picture
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.quantity import MAX_USIZE
from ferrum_cli.report import Unit

PLACES = 5


async def run(scene: Scene) -> None:
    """Budgets just at, just below and just above whole numbers of requests."""
    slot = scene.slot_bytes
    edges = [
        (3 * slot, PLACES, 3, "bytes, exactly"),
        (4 * slot - 1, PLACES, 3, "bytes, one too few for a fourth"),
        (3 * slot + 1, PLACES, 3, "bytes, one to spare"),
        (MAX_USIZE, 4, 4, "slots"),
        (MAX_USIZE, MAX_USIZE, PLACES, "places"),
        (slot - 1, PLACES, 0, "less than one"),
        (0, PLACES, 0, "nothing"),
    ]
    for memory, slots, fitting, what in edges:
        await _edge(scene, memory, slots, fitting, what)
        scene.row(what, fitting, Unit.COUNT)


async def _edge(scene: Scene, memory: int, slots: int, fitting: int, what: str) -> None:
    with scene.station(PLACES, total_memory_bytes=memory, total_batch_slots=slots) as s:
        for _ in range(2):
            for number in range(fitting):
                scene.expect(s.manager.can_allocate(s.spec(number)), f"{what}: too few fit")
                await s.manager.allocate(s.spec(number))
            before = picture(s.manager)
            for more in (1, 2, MAX_USIZE):
                spec = s.spec(90, slots=more)
                scene.expect(not s.manager.can_allocate(spec), f"{what}: too many fit")
                await scene.expect_refused(s.manager.allocate(spec), ResourceExhausted, what)
            scene.expect(picture(s.manager) == before, f"I10: {what}: a refusal left traces")
            used = s.manager.stats().used_memory_bytes
            scene.expect(used == fitting * scene.slot_bytes <= memory, f"{what}: {used} bytes used")
            for number in range(fitting):
                await s.manager.deallocate(s.request(number))
