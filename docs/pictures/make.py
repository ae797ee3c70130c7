"""The pictures of the pages beside: pages, groups and slots of a real model under each engine.

`python docs/pictures/make.py` plans the model and writes the files; a test holds them against what
it would write. It knows no engine's rules: every number comes from a plan.
"""  # noqa: INP001 - a script beside the pages, no package

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from drawing import FREE, KV, PADDING, STATE, WEIGHTS, Drawing

from ferrum_cli.describe.source import read_model
from ferrum_cli.engines import Machine, Setting, Settings, engine
from ferrum_cli.plan import Plan, Wanted, plan
from ferrum_cli.quantity import format_bytes

FOLDER = Path(__file__).parent
MODEL, CONTEXT, REQUESTS = "qwen3.5-27b", 32_768, 4
DEVICE_BYTES = 150_109_945_856
H200 = Machine(DEVICE_BYTES, "NVIDIA H200", (9, 0), 4 * 2**30)
_MOST_CELLS = 24
_SMALLEST_SHARE = 500
"""Parts below one in so many are drawn but not named."""


def planned(name: str, **options: Any) -> Plan:
    """The model with an engine, four requests of 32,768 tokens, on one H200."""
    given = {option: Setting(value, "flag") for option, value in options.items()}
    wanted = Wanted(machine=H200, context=CONTEXT, requests=REQUESTS)
    return plan(read_model(MODEL), engine(name), wanted, Settings(engine(name).OPTIONS, given))


def vllm() -> Drawing:
    """Pages of equal size, groups of layers, and the blocks of one request."""
    found = planned("vllm", max_num_seqs=64)
    layout = found.answer.layout
    drawing = _titled(found, "one pool of equal pages")
    page, content = layout["state_page_bytes_per_layer"], layout["state_bytes_per_layer"]
    drawing.words(f"One block of every group: {format_bytes(_first(layout, 'pool'))}")
    for group in layout["kv_cache_groups"]:
        _group(drawing, group, content / page)
    drawing.note(
        f"a page is {page:,} B: {layout['block_size']} tokens of KV in one layer, or one layer's"
        f" state of {content:,} B and padding"
    )
    drawing.gap()
    drawing.words(f"Blocks that the log counts for a request of {CONTEXT:,} tokens")
    for group in layout["kv_cache_groups"]:
        for _ in range(group["groups"]):
            _counted(drawing, group["blocks_per_request"], _color(group))
    drawing.gap()
    blocks, need = layout["num_gpu_blocks"], layout["blocks_per_max_len_request"]
    drawing.words(
        f"The pool: {blocks:,} blocks, one of them never used; / {need} ="
        f" {layout['max_concurrency']:.2f}x in the log, {layout['running_limit']} requests really"
        " run at once"
    )
    _memory(drawing, found)
    return drawing


def sglang() -> Drawing:
    """Two pools, made at start: slots of state and tokens of KV."""
    found = planned("sglang")
    layout = found.answer.layout
    drawing = _titled(found, "a pool of state slots beside a pool of KV tokens")
    slots, ratio = layout["max_mamba_cache_size"], layout["mamba_ratio_slots_per_request"]
    size = _first(layout, "bytes_per_slot")
    drawing.words(f"{slots} slots of {format_bytes(size)}, and one row of padding")
    colors = [STATE] * ratio + [FREE] * (_MOST_CELLS - ratio - 2) + [FREE, PADDING]
    labels = ["1"] * ratio + [""] * (_MOST_CELLS - ratio - 2) + ["…", ""]
    drawing.row(labels, colors)
    strategy = layout["mamba_radix_cache_strategy"]
    drawing.note(f"one request holds {ratio} of them with the {strategy} strategy of the cache")
    drawing.note(f"{slots} // {ratio} = {slots // ratio} requests at once by slots")
    drawing.gap()
    cell, tokens = layout["kv_cell_size_bytes_per_token"], layout["max_total_num_tokens"]
    drawing.words(f"{tokens:,} KV tokens of {cell:,} B, over the 16 layers of attention")
    drawing.bar(
        [(f"{CONTEXT:,}", CONTEXT, KV)] * min(REQUESTS, tokens // CONTEXT)
        + [("for others, and for cached prefixes", max(0, tokens - REQUESTS * CONTEXT), FREE)]
    )
    drawing.gap()
    drawing.words("The device")
    _memory(drawing, found)
    return drawing


def llama_cpp() -> Drawing:
    """Slots with rows of state, and a stream of cells for each."""
    found = planned("llama.cpp", parallel=REQUESTS, spec_type=["draft-mtp"])
    layout = found.answer.layout
    drawing = _titled(found, f"{REQUESTS} slots, speculating with MTP")
    snapshots = layout["n_rs_seq"]
    drawing.words(f"State: {layout['rs_cells']} cells of 1 + {snapshots} rows, in float32 always")
    for slot in range(layout["rs_cells"]):
        y = drawing.y
        drawing.box(20, y, 70, 24, FREE, f"slot {slot}")
        for row in range(1 + snapshots):
            label = "R and S" if not row else f"snapshot {row}"
            drawing.box(96 + row * 112, y, 108, 24, STATE if not row else PADDING, label)
        drawing.y += 28
    drawing.note(
        f"R {format_bytes(layout['rs_bytes_R'])}, S {format_bytes(layout['rs_bytes_S'])}: snapshots"
        f" make it {1 + snapshots} times as much"
    )
    drawing.gap()
    cache = layout["kv_caches"]["full"]
    drawing.words(
        f"KV: {cache['streams']} streams of {cache['cells']:,} cells,"
        f" {format_bytes(layout['kv_bytes'])}; MTP's own {format_bytes(layout['draft_kv_bytes'])}"
    )
    for stream in range(cache["streams"]):
        drawing.box(20, drawing.y, 70, 20, FREE, f"slot {stream}")
        drawing.box(96, drawing.y, 620, 20, KV, f"{layout['n_ctx_seq']:,} cells in 16 layers")
        drawing.y += 24
    drawing.gap()
    drawing.words("The device")
    _memory(drawing, found)
    return drawing


def transformers() -> Drawing:
    """One cache object: a layer of it for every layer of the model."""
    found = planned("transformers", batch_size=REQUESTS)
    drawing = _titled(found, f"one cache for a batch of {REQUESTS}")
    tensors = found.answer.layout["state_tensors"]
    first = [t for t in tensors if t["layer_index"] == tensors[0]["layer_index"]]
    drawing.words("Layers of the cache, in the order of the model's; three of four keep state")
    stateful = {t["layer_index"] for t in tensors}
    layers = range(_MOST_CELLS)
    drawing.row([str(layer) for layer in layers], [STATE if n in stateful else KV for n in layers])
    drawing.gap()
    for tensor in first:
        shape = " × ".join(map(str, tensor["shape"]))
        name, dtype = tensor["name"], tensor["dtype"]
        drawing.words(f"{name}: {shape}, {dtype}, {format_bytes(tensor['bytes'])} a layer")
    drawing.note("state has its size from the first token on, whatever the length")
    drawing.gap()
    size = found.answer.kv.bytes_per_token
    drawing.words(f"Keys and values grow by {size:,} B for each token of each sequence")
    shares = [(f"{quarter * CONTEXT // 4:,} tokens", quarter) for quarter in (1, 2, 3, 4)]
    for text, quarter in shares:
        drawing.box(20, drawing.y, 170 * quarter, 18, KV, text)
        drawing.y += 22
    drawing.gap()
    drawing.words("The device")
    _memory(drawing, found)
    return drawing


def native() -> Drawing:
    """The contract: nothing but content."""
    found = planned("native")
    drawing = _titled(found, "what the contract itself costs")
    slot, kv = found.answer.bytes_per_slot, found.answer.kv.bytes_at_context
    drawing.words(f"One request of {CONTEXT:,} tokens")
    drawing.bar([(f"state {format_bytes(slot)}", slot, STATE), (f"KV {format_bytes(kv)}", kv, KV)])
    drawing.note("no pages, no pools, nothing reserved: a second request costs the same again")
    drawing.gap()
    drawing.words(f"The device with {REQUESTS} of them")
    _memory(drawing, found)
    return drawing


PICTURES: dict[str, Callable[[], Drawing]] = {
    "vllm": vllm,
    "sglang": sglang,
    "llama.cpp": llama_cpp,
    "transformers": transformers,
    "native": native,
}


def _titled(found: Plan, what: str) -> Drawing:
    answer = found.answer
    return Drawing(
        f"{found.question.model.description.name}, {answer.engine} {answer.version}: {what}"
    )


def _first(layout: Any, start: str) -> int:
    """The first rank's value of the layout's list whose name begins so."""
    value = next(v for k, v in layout.items() if k.startswith(start) and k.endswith("_per_rank"))
    return int(value[0])


def _color(group: dict[str, Any]) -> str:
    return STATE if group["kind"] == "mamba" else KV


def _group(drawing: Drawing, group: dict[str, Any], filled: float) -> None:
    """Every group of a kind: a cell for each of its layers, filled as far as it has content."""
    layers = -(-group["layers"] // group["groups"])
    for number in range(group["groups"]):
        kind = f"state {number + 1}" if group["kind"] == "mamba" else "attention"
        drawing.box(20, drawing.y, 76, 24, FREE, kind)
        for layer in range(layers):
            x = 102 + layer * 38
            drawing.box(x, drawing.y, 36, 24, PADDING)
            share = filled if group["kind"] == "mamba" else 1.0
            drawing.box(x, drawing.y + 24 * (1 - share), 36, 24 * share, _color(group))
        drawing.y += 28


def _counted(drawing: Drawing, blocks: int, color: str) -> None:
    """Blocks one by one, as far as there is room for them."""
    shown = min(blocks, _MOST_CELLS - 2)
    more = blocks - shown
    labels = [""] * shown + ([f"+{more}"] if more else [])
    drawing.row(labels, [color] * shown + ([FREE] if more else []))


def _memory(drawing: Drawing, found: Plan) -> None:
    """The device's memory as one bar, and its parts in words."""
    colors = {"weights": WEIGHTS, "recurrent state": STATE, "KV cache": KV}
    parts = [
        (line.name, line.size_bytes, colors.get(line.name.partition(",")[0], PADDING))
        for line in found.answer.memory
        if line.size_bytes and not line.host
    ]
    left = DEVICE_BYTES - sum(size for _, size, _ in parts)
    if left > 0:
        parts.append(("left", left, FREE))
    drawing.bar(parts)
    for name, size, color in parts:
        if size * _SMALLEST_SHARE > DEVICE_BYTES:
            drawing.legend(color, f"{name}: {format_bytes(size)}")


def main() -> None:
    """Write every picture."""
    for name, picture in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(picture().svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
