"""SVG with no more than boxes, bars and words; the same input gives the same text.

It knows nothing about models or engines.
"""  # noqa: INP001 - scripts beside the pages, no package

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

INK, PALE, FRAME = "#24292f", "#6e7781", "#8c959f"
STATE, KV, WEIGHTS, PADDING, FREE = "#0969da", "#1a7f37", "#8250df", "#d0d7de", "#ffffff"
LINE = 18


@dataclass
class Drawing:
    """A picture that grows downwards; `y` is where the next thing goes."""

    title: str
    width: int = 760
    y: int = 34
    parts: list[str] = field(default_factory=list)

    def words(self, text: str, *, x: int = 20, color: str = INK, size: int = 13) -> None:
        """One line, and down to the next."""
        self._text(x, self.y + size, text, color, size)
        self.y += LINE

    def note(self, text: str) -> None:
        """One line of explanation."""
        self.words(text, color=PALE, size=12)

    def legend(self, color: str, text: str) -> None:
        """A colour, and what it stands for."""
        self.box(20, self.y + 3, 11, 11, color)
        self.words(text, x=38, color=PALE, size=12)

    def box(
        self, x: float, y: float, width: float, height: float, color: str, label: str = ""
    ) -> None:
        """A filled box with a frame, and words in it."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{color}"'
            f' stroke="{FRAME}"/>'
        )
        if label:
            ink = INK if color in (FREE, PADDING) else "#ffffff"
            self._text(x + width / 2, y + height / 2 + 4, label, ink, 11, "middle")

    def bar(self, shares: Sequence[tuple[str, float, str]], height: int = 30) -> None:
        """A bar of the whole width, divided; words stand under it where a share is too narrow."""
        total, left = sum(share for _, share, _ in shares) or 1, 20.0
        room = self.width - 40
        for name, share, color in shares:
            width = room * share / total
            self.box(left, self.y, width, height, color, name if width > 7 * len(name) else "")
            left += width
        self.y += height + 8

    def row(
        self, labels: Sequence[str], colors: Sequence[str], *, x: int = 20, cell: int = 26
    ) -> None:
        """Equal cells side by side."""
        for position, (label, color) in enumerate(zip(labels, colors, strict=True)):
            self.box(x + position * (cell + 2), self.y, cell, cell, color, label)
        self.y += cell + 6

    def gap(self, height: int = 10) -> None:
        """Room."""
        self.y += height

    def svg(self) -> str:
        """The whole picture."""
        height = self.y + 16
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}"'
            f' viewBox="0 0 {self.width} {height}" role="img"'
            ' font-family="ui-sans-serif, system-ui, sans-serif">'
        )
        ground = f'<rect width="{self.width}" height="{height}" fill="#ffffff"/>'
        title = f"<title>{escape(self.title)}</title>"
        heading = _line(20, 22, self.title, INK, 15, "start", bold=True)
        return "\n".join((head, title, ground, heading, *self.parts, "</svg>", ""))

    def _text(
        self, x: float, y: float, text: str, color: str, size: int, anchor: str = "start"
    ) -> None:
        self.parts.append(_line(x, y, text, color, size, anchor))


def _line(
    x: float, y: float, text: str, color: str, size: int, anchor: str, *, bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" fill="{color}" font-size="{size}"{weight}'
        f' text-anchor="{anchor}">{escape(text)}</text>'
    )
