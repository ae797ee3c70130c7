"""How evicted state comes back: as a snapshot of its bytes, or computed again from its tokens.

It knows nothing about which states are evicted.
"""

from __future__ import annotations

from ferrum_cli.live.resume._policy import NoResume, ResumePolicy, Saved

__all__ = ["NoResume", "ResumePolicy", "Saved"]
