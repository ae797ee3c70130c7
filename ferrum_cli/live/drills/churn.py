"""Requests of all sizes come, go, are evicted and resumed in disorder.

Every state is checked against its tokens throughout. It knows nothing about how states are saved.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ferrum_cli.errors import ResourceExhausted
from ferrum_cli.live.drills._scene import Scene
from ferrum_cli.live.drills._station import Station
from ferrum_cli.report import Unit

SLOTS, TURNS = 6, 240
AUDIT_EVERY = 20


async def run(scene: Scene) -> None:
    """Take a random action each turn."""
    with scene.station(SLOTS, eviction=scene.stage.eviction, resume=scene.stage.resume) as s:
        actions: list[Callable[[Scene, Station], Awaitable[None]]] = [
            _arrive,
            _arrive,
            _read,
            _read,
            _read,
            _leave,
            _evict,
            _resume,
        ]
        for turn in range(TURNS):
            await scene.rng.choice(actions)(scene, s)
            if turn % AUDIT_EVERY == 0:
                scene.audit(s)
                scene.expect_right(s)
        stats = s.manager.stats()
        scene.row("operations", TURNS, Unit.COUNT)
        scene.row("allocations", stats.allocation_count, Unit.COUNT)
        scene.row("evictions", stats.eviction_count, Unit.COUNT)
        scene.row("refusals", stats.allocation_failures, Unit.COUNT)
        scene.expect_right(s)


async def _arrive(scene: Scene, s: Station) -> None:
    number = len(s.tokens)
    spec = s.spec(number, slots=scene.rng.choice([1, 1, 1, 2, 3]))
    promised = s.manager.can_allocate(spec)
    try:
        handle = await s.manager.allocate(spec)
    except ResourceExhausted:
        scene.expect(not promised, "I9: can_allocate was true, allocate refused")
        return
    scene.expect(promised, "I9: can_allocate was false, allocate succeeded")
    scene.expect_zero(handle)
    s.feed(handle, scene.rng.randint(1, 4))


async def _read(scene: Scene, s: Station) -> None:
    live = s.manager.list_handles()
    if live:
        s.feed(scene.rng.choice(live)[1], scene.rng.randint(1, 4))


async def _leave(scene: Scene, s: Station) -> None:
    known = [*s.manager.books.live, *s.manager.books.elsewhere]
    if known:
        uuid = scene.rng.choice(known)
        request = next(s.request(n) for n in range(len(s.tokens)) if s.request(n).uuid == uuid)
        await s.manager.deallocate(request)
        s.tokens[uuid] = []


async def _evict(scene: Scene, s: Station) -> None:
    live = s.manager.list_handles()
    if live and s.resume.can_save([live[0][1]]):
        request, handle = live[0]
        await s.manager.evict(request)
        scene.expect(not handle.is_valid(), "an evicted handle is still valid")


async def _resume(scene: Scene, s: Station) -> None:
    away = list(s.manager.books.elsewhere)
    if away:
        uuid = scene.rng.choice(away)
        request = next(s.request(n) for n in range(len(s.tokens)) if s.request(n).uuid == uuid)
        try:
            handle = await s.manager.resume(request)
        except ResourceExhausted:
            return
        scene.expect_right(s, [handle])
