"""Loading torch, which takes more than a second and must be interruptible.

It knows nothing about what torch is needed for.
"""

from __future__ import annotations

import importlib
import importlib.util
import signal
import threading

from ferrum_cli.errors import MissingExtra


def load_torch() -> None:
    """Import torch once. Raises MissingExtra without it.

    Some of torch's own start-up swallows an interrupt, so that the command would go on; it is kept
    for the end of it.
    """
    if importlib.util.find_spec("torch") is None:
        raise MissingExtra("live", "allocating real memory")
    if threading.current_thread() is not threading.main_thread():
        importlib.import_module("torch")
        return
    interrupts: list[int] = []
    previous = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        importlib.import_module("torch")
    finally:
        signal.signal(signal.SIGINT, previous)
    if interrupts:
        raise KeyboardInterrupt
