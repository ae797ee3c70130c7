"""States of two sizes come and go: an arena takes the same memory throughout.

The same requests are replayed with an allocation for each tensor on a simulated allocator, to show
what that would take. It knows nothing about what is in the states.
"""

from __future__ import annotations

from ferrum_cli.contract import DataType, RecurrentStateTensorSpec
from ferrum_cli.live.adaptors import Logged, replay
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Tensors
from ferrum_cli.live.layout import open_storage
from ferrum_cli.report import Unit

SLOTS, TURNS = 4, 400
TOTAL = 2**45


async def run(scene: Scene) -> None:
    """Churn two sizes on the device, and the same churn per tensor on the simulated one."""
    other = _half_as_large(scene.stage.tensors)
    with scene.station(SLOTS, layout="arena", others=((other, SLOTS),)) as s:
        start = s.device.stats()
        live: list[int] = []
        for number in range(TURNS):
            tensors = scene.rng.choice([scene.stage.tensors, other])
            spec = s.spec(number, tensors=tensors)
            if not s.manager.can_allocate(spec):
                await s.manager.deallocate(s.request(live.pop(scene.rng.randrange(len(live)))))
                continue
            await s.manager.allocate(spec)
            live.append(number)
            now = s.device.stats()
            steady = (now.requested_bytes, now.reserved_bytes, now.segments) == (
                start.requested_bytes,
                start.reserved_bytes,
                start.segments,
            )
            scene.expect(steady, f"after {number} requests the device holds {now}")
        scene.expect(s.device.peak_bytes == start.requested_bytes, "the arena grew")
        scene.row("arena", start.requested_bytes, Unit.BYTES)
    peak, reserved, trimmed = _per_tensor(scene, other)
    scene.row("per tensor: requested at most", peak, Unit.BYTES)
    scene.row("per tensor: reserved", reserved, Unit.BYTES)
    scene.row("per tensor: reserved after trimming", trimmed, Unit.BYTES)
    scene.expect(reserved >= peak, "the simulated allocator reserved less than was asked for")


def _half_as_large(tensors: Tensors) -> Tensors:
    """The same tensors and one more in each: another size, and another set of tensors."""
    extra = RecurrentStateTensorSpec.new(0, "another", (3, 2**18), DataType.FP32)
    return (*tensors, extra)


def _per_tensor(scene: Scene, other: Tensors) -> tuple[int, int, int]:
    """Peak of the requested bytes, reserved bytes at the end, and those that trimming leaves."""
    log: list[str] = []
    device = Logged(SimulatedDevice(TOTAL, backed=False), log.append)
    sizes = [open_storage("per-tensor", device, t, SLOTS) for t in (scene.stage.tensors, other)]
    taken: list[tuple[int, tuple[int, ...]]] = []
    peak = 0
    for _ in range(TURNS):
        size = scene.rng.randrange(2)
        if sizes[size].free:
            taken.append((size, sizes[size].take(1)))
        else:
            gone, slots = taken.pop(scene.rng.randrange(len(taken)))
            sizes[gone].give(slots)
        peak = max(peak, device.stats().requested_bytes)
    again = SimulatedDevice(TOTAL, backed=False)
    replay(log, again)
    scene.expect(again.stats() == device.stats(), "a replay takes other segments")
    reserved = again.stats().reserved_bytes or 0
    again.trim()
    return peak, reserved, again.stats().reserved_bytes or 0
