"""The books read from other threads, and figures that cost the same however many states live."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from ferrum_cli.live.drills._station import Station
from tests.live.stations import run, station


def contradictions(s: Station) -> Iterator[str]:
    """What one look at the manager says twice and differently."""
    stats = s.manager.stats()
    if stats.used_memory_bytes != 492 * stats.active_states:
        yield f"bytes: {stats}"
    if stats.used_batch_slots != stats.active_states:
        yield f"slots: {stats}"
    if stats.active_state_tensors != 6 * stats.active_states:
        yield f"tensors: {stats}"
    handles = s.manager.list_handles()
    if len({handle.cache_id() for _, handle in handles}) != len(handles):
        yield "a handle is listed twice"


async def toggle(s: Station, times: int) -> None:
    """Allocate and deallocate 64 requests in a fixed disorder."""
    specs = [s.spec(number) for number in range(64)]
    for turn in range(times):
        spec = specs[turn * 37 % 64]
        if s.manager.get_handle(spec.request_id) is None:
            await s.manager.allocate(spec)
        else:
            await s.manager.deallocate(spec.request_id)


def test_statistics_from_another_thread_are_those_of_one_moment() -> None:
    wrong: list[str] = []
    stop = threading.Event()
    with station(64) as s:

        def read() -> None:
            while not stop.is_set():
                wrong.extend(contradictions(s))
                s.manager.can_allocate(s.spec(999))

        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        run(toggle(s, 4000))
        stop.set()
        for reader in readers:
            reader.join()
        assert s.auditor.check() == []
    assert wrong == []


def test_a_reader_that_finds_a_defect_does_not_read_for_ever() -> None:
    with station(1) as s:

        def broken() -> None:
            raise RuntimeError("a defect")

        with pytest.raises(RuntimeError, match="a defect"):
            s.manager.ledger.consistently(broken)
