"""The least that any allocator of slots does: what the manager's speed is held against.

It checks nothing, counts nothing, and knows nothing but which slot is whose.
"""

from __future__ import annotations

from collections import deque

from ferrum_cli.contract import RequestId


class Yardstick:
    """A queue of free slots and a dictionary of live ones."""

    def __init__(self, slots: int) -> None:
        self.free = deque(range(slots))
        self.live: dict[RequestId, int] = {}

    def allocate(self, request_id: RequestId) -> int:
        """The next free slot."""
        slot = self.free.popleft()
        self.live[request_id] = slot
        return slot

    def deallocate(self, request_id: RequestId) -> None:
        """Its slot is free again."""
        self.free.append(self.live.pop(request_id))
