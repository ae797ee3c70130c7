"""Snapshots in files are torn, flipped, cut and exchanged: none is served, and none is lost.

It knows nothing about the file's form: it damages bytes.
"""

from __future__ import annotations

from ferrum_cli.errors import SnapshotRefused
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.spill import SnapshotFolder
from ferrum_cli.report import Unit

FLIPS = 40


async def run(scene: Scene) -> None:
    """Damage one file in many ways, then give it back whole."""
    folder = SnapshotFolder(scene.stage.folder)
    with scene.station(2, resume="snapshot") as s:
        for number in range(2):
            s.feed(await s.manager.allocate(s.spec(number)), 5)
            await s.manager.evict(s.request(number))
            await s.manager.spill(s.request(number), folder)
        path = folder.file_of(s.request(0))
        good, other = path.read_bytes(), folder.file_of(s.request(1)).read_bytes()
        refused = 0
        for what, damaged in _damages(scene, good, other):
            path.write_bytes(damaged)
            error = await scene.expect_refused(
                s.manager.resume(s.request(0)), SnapshotRefused, what
            )
            refused += error is not None
            scene.expect(s.manager.is_swapped(s.request(0)), f"{what}: the request was lost")
            scene.audit(s)
        path.unlink()
        await scene.expect_refused(
            s.manager.resume(s.request(0)), SnapshotRefused, "a file that is gone"
        )
        path.write_bytes(good)
        for number in range(2):
            scene.expect_right(s, [await s.manager.resume(s.request(number))])
        scene.expect(not list(scene.stage.folder.iterdir()), "files are left behind")
        scene.row("bytes of the file", len(good), Unit.BYTES)
        scene.row("damages refused", refused, Unit.COUNT)


def _damages(scene: Scene, good: bytes, other: bytes) -> list[tuple[str, bytes]]:
    def flipped(bit: int) -> bytes:
        content = bytearray(good)
        content[bit // 8] ^= 1 << bit % 8
        return bytes(content)

    bits = [scene.rng.randrange(8 * len(good)) for _ in range(FLIPS)]
    return [
        *((f"bit {bit} flipped", flipped(bit)) for bit in (*range(0, 800, 40), *bits)),
        ("empty", b""),
        ("half of it", good[: len(good) // 2]),
        ("a byte short", good[:-1]),
        ("a byte too long", good + b"\0"),
        ("another request's", other),
        ("zeros", bytes(len(good))),
    ]
