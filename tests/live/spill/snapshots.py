"""A state's packed slots in host memory, and a folder to write them to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch

from ferrum_cli.contract import RecurrentStateSpec
from ferrum_cli.live.device import Region
from ferrum_cli.live.device.simulated import SimulatedDevice
from ferrum_cli.live.layout import SlotLayout
from ferrum_cli.live.resume._staging import Staging
from ferrum_cli.live.spill import Files, SnapshotFolder
from tests.live.specs import CONV_AND_DELTA, Tensors, spec


@dataclass
class Sample:
    """A state, where its file goes, and memory to read it back into."""

    folder: SnapshotFolder
    spec: RecurrentStateSpec
    layout: SlotLayout
    regions: list[Region]
    target: list[Region]

    @property
    def path(self) -> Path:
        return self.folder.file_of(self.spec.request_id)

    def write(self, files: Files | None = None) -> Path:
        """Write the state, perhaps through other files."""
        folder = SnapshotFolder(self.folder.path, files) if files else self.folder
        return folder.write(self.spec, self.layout, self.regions)

    def read(self) -> None:
        """Read it back into memory of its own."""
        for region in self.target:
            region.tensor.fill_(0xEE)
        self.folder.read(self.spec, self.layout, self.target)

    def refill(self, seed: int) -> None:
        """Other content: any bit pattern, NaNs and negative zeros included."""
        generator = torch.Generator().manual_seed(seed)
        for region in self.regions:
            content = torch.randint(0, 256, (region.size_bytes,), generator=generator)
            region.tensor.copy_(content.to(torch.uint8))

    def is_equal(self) -> bool:
        """Whether every tensor's bytes were read back; padding is nobody's."""
        return all(
            torch.equal(one.tensor[start : start + size], other.tensor[start : start + size])
            for one, other in zip(self.regions, self.target, strict=True)
            for start, size in zip(self.layout.offsets, self.layout.sizes, strict=True)
        )


@contextmanager
def sample(
    path: Path, tensors: Tensors = CONV_AND_DELTA, slots: int = 2, seed: int = 0
) -> Iterator[Sample]:
    """A sample of arbitrary bytes in a folder."""
    layout = SlotLayout.of(tensors)
    staging = Staging(SimulatedDevice(), 2 * slots * layout.stride_bytes)
    regions = [staging.take(layout.stride_bytes) for _ in range(2 * slots)]
    whole = [region for region in regions if region is not None]
    made = Sample(
        SnapshotFolder(path), spec(7, tensors, slots), layout, whole[:slots], whole[slots:]
    )
    made.refill(seed)
    yield made
    staging.close()
