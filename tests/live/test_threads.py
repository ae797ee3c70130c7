"""Work in threads that is cancelled is waited for, never dropped."""

from __future__ import annotations

import asyncio
import threading

import pytest

from ferrum_cli.live.threads import in_thread
from tests.live.stations import run


def test_the_result_of_the_thread_is_the_result() -> None:
    assert run(in_thread(lambda stop: stop.is_set())) is False


def test_an_error_of_the_thread_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        run(in_thread(lambda _: 1 / 0))


def test_a_cancelled_wait_stops_the_thread_and_outlives_it_however_often_it_is_cancelled() -> None:
    ended = threading.Event()

    def work(stop: threading.Event) -> None:
        stop.wait()
        ended.set()

    async def scenario() -> None:
        task = asyncio.ensure_future(in_thread(work))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended.is_set()

    run(scenario())


def test_an_error_after_the_cancellation_is_not_reported_as_forgotten() -> None:
    def work(stop: threading.Event) -> None:
        stop.wait()
        raise ZeroDivisionError

    async def scenario() -> None:
        task = asyncio.ensure_future(in_thread(work))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(scenario())
