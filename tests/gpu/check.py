"""Everything that only a GPU can show, in one script of under five minutes.

    python tests/gpu/check.py [cuda:0]

It needs torch and nothing else. Not yet run on a GPU: it was written where there is none.

1  layouts × slots: requested bytes are the estimate, allocated and reserved those of the simulation
2  out of memory at the segment that exceeds the limit, and a tensor that still works after it
3  the conformance of the device: copies, streams, events, pinned host memory
4  snapshot, restore and zeroing against plain copies and fills, and the manager's own work
5  every drill, with both ways of resuming
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

import torch

from ferrum_cli.contract import DataType, RecurrentStateTensorSpec
from ferrum_cli.errors import FerrumError, OutOfMemory
from ferrum_cli.live.check import Check, Verdict, equal, said
from ferrum_cli.live.device import Buffer, DeviceMemory, Stream, open_device
from ferrum_cli.live.drills import Stage, drills, run_drills
from ferrum_cli.live.layout import Storage, layouts
from ferrum_cli.live.manager import StatePool
from ferrum_cli.live.measure import bookkeeping, copy_times
from ferrum_cli.live.memory_checks import given_back, taken
from ferrum_cli.live.model import StateModel, scaled
from ferrum_cli.live.recurrences import BlockState
from ferrum_cli.live.recurrences.exact import Exact

MIB = 2**20


def say(line: str) -> None:
    """A line of the table, at once: the machine may be taken away."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def qwen3_next() -> StateModel:
    """36 layers of a window of 49,152 bytes and a matrix of 2,097,152."""
    tensors: list[RecurrentStateTensorSpec] = []
    blocks: list[BlockState] = []
    for layer in range(36):
        blocks.append(
            BlockState(
                layer,
                "gated_delta_net",
                {"conv_state": len(tensors), "delta_state": len(tensors) + 1},
            )
        )
        tensors += [
            RecurrentStateTensorSpec.new(layer, "conv_state", (8192, 3), DataType.BF16),
            RecurrentStateTensorSpec.new(layer, "delta_state", (32, 128, 128), DataType.FP32),
        ]
    return StateModel("qwen3-next-80b-a3b", 48, tuple(tensors), tuple(blocks))


def layouts_take_what_is_predicted(device: DeviceMemory) -> Iterator[Check]:
    """Step 1."""
    for layout in layouts():
        for slots in (1, 16, 64):
            before, free = device.stats(), device.limits().free_bytes
            pool = StatePool(device, [(qwen3_next().tensors, slots)], layout)
            pool.storages[0].take(slots)
            for check in taken(pool, before, free):
                yield named(check, f"{layout}, {slots} slots")
            pool.close()
            for check in given_back(device, before):
                yield named(check, f"{layout}, {slots} slots")


def memory_runs_out_at_the_segment(device: DeviceMemory) -> Iterator[Check]:
    """Step 2, in torch's own way: a fraction makes running out of memory cheap."""
    total = torch.cuda.get_device_properties(0).total_memory
    witness = device.allocate(64 * MIB)
    device.fill(witness.region(), 7, Stream.COMPUTE)
    fraction = (device.stats().reserved_bytes or 0) + 512 * MIB
    torch.cuda.set_per_process_memory_fraction(fraction / total)
    held: list[Buffer] = []
    try:
        held += [device.allocate(64 * MIB) for _ in range(8)]
        yield said("eighth of 64 MiB within 512 MiB", "fits", "fits")
        yield said("a ninth", "out of memory", outcome(lambda: device.allocate(64 * MIB)))
        yield equal("bytes of the witness", 7, int(witness.tensor[12345]))
        device.free(held.pop())
        yield said(
            "after one was freed", "fits", outcome(lambda: held.append(device.allocate(64 * MIB)))
        )
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
        for buffer in (*held, witness):
            device.free(buffer)
        device.trim()


def copies_and_streams_are_in_order(device: DeviceMemory) -> Iterator[Check]:
    """Step 3: what the conformance suite asks of every device."""
    buffer, host = device.allocate(64 * MIB), device.pin(64 * MIB)
    device.fill(buffer.region(), 1, Stream.COMPUTE)
    device.follow(Stream.COPIES, device.record(Stream.COMPUTE))
    device.copy(host.region(), buffer.region(), Stream.COPIES)
    device.fill(buffer.region(), 2, Stream.COPIES)
    device.wait(device.record(Stream.COPIES))
    yield equal(
        "the copy has the bytes from before the fill", 64 * MIB, int((host.tensor == 1).sum())
    )
    yield equal("the buffer has those of the fill", 64 * MIB, int((buffer.tensor == 2).sum()))
    device.copy(buffer.region(), host.region(), Stream.COPIES)
    device.follow(Stream.COMPUTE, device.record(Stream.COPIES))
    device.run(lambda: buffer.tensor.add_(1), [buffer.region()], Stream.COMPUTE)
    yield equal("a kernel after the event sees the copy", 64 * MIB, int((buffer.tensor == 2).sum()))
    device.free(buffer)
    device.unpin(host)


def measurements(device: DeviceMemory) -> Iterator[Check]:
    """Step 4: figures, and the bars where there are any."""
    times = copy_times(qwen3_next(), device)
    bars = {"snapshot": 90, "restore": 80, "zero": 40}
    for figure in (*bookkeeping(qwen3_next()), *times.measurements()):
        say(f"  {figure.name:28} {figure.value:18,.1f} {figure.unit:10} ratio {figure.ratio}")
        if figure.name in bars and figure.ratio is not None:
            percent = int(100 * figure.ratio)
            holds = "holds" if percent >= bars[figure.name] else f"{percent} %"
            yield said(f"{figure.name} against a plain one", "holds", holds)


def all_drills(name: str) -> Iterator[Check]:
    """Step 5, on the model scaled down, which keeps it under two minutes."""
    for resume in ("snapshot", "recompute"):
        with tempfile.TemporaryDirectory() as folder:
            stage = Stage(
                make_device=lambda: open_device(name),
                recurrence_of=on_device,
                tensors=scaled(qwen3_next()).tensors,
                folder=Path(folder),
                resume=resume,
            )
            for result in run_drills(drills(), stage, lambda _: None):
                failed = "holds" if result.passed else "; ".join(result.failures)
                yield said(f"drill {result.name} ({resume})", "holds", failed)


def on_device(storage: Storage) -> Exact:
    """The exact recurrence, with its constants on the device."""
    return Exact(storage.layout, torch.device("cuda"))


def outcome(work: Callable[[], object]) -> str:
    """Whether memory was out."""
    try:
        work()
    except OutOfMemory:
        return "out of memory"
    return "fits"


def named(check: Check, where: str) -> Check:
    """The check with the case it belongs to."""
    return Check(
        f"{where}: {check.name}",
        check.expected,
        check.measured,
        check.verdict,
        check.unit,
        check.tolerance,
    )


def main(name: str = "cuda:0") -> int:
    """Run all steps; 0 if nothing failed."""
    device = open_device(name)
    say(f"{torch.cuda.get_device_name(0)}, torch {torch.__version__}")
    used = device.limits().total_bytes - torch.cuda.mem_get_info()[0]
    say(f"context and other processes: {(used - torch.cuda.memory_reserved()) / MIB:.0f} MiB")
    steps: list[Callable[[], Iterator[Check]]] = [
        lambda: layouts_take_what_is_predicted(device),
        lambda: memory_runs_out_at_the_segment(device),
        lambda: copies_and_streams_are_in_order(device),
        lambda: measurements(device),
        lambda: all_drills(name),
    ]
    failed = 0
    for number, step in enumerate(steps, start=1):
        started = time.perf_counter()
        say(f"step {number}: {step.__code__.co_names[0]}")
        for check in step():
            failed += check.verdict is Verdict.FAILS
            say(f"  {check.verdict.value:9} {check.name}: {check.expected} | {check.measured}")
        say(f"  {time.perf_counter() - started:.1f} s")
    say("everything agrees" if not failed else f"{failed} checks failed")
    return int(failed > 0)


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except FerrumError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
