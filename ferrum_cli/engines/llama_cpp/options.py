"""What can be set, by llama-server's long flag names with underscores.

Meanings and defaults are those of b11434 (common/arg.cpp, common/common.h). It knows nothing about
models.
"""

from __future__ import annotations

from ferrum_cli.engines._options import Kind, Option
from ferrum_cli.engines.llama_cpp.cache_types import TYPES

VERSION = "b11434"

MAX_SEQUENCES = 256
"""LLAMA_MAX_SEQ: more sequences are refused, not read."""

_LARGEST = 2**31 - 1
_TYPES = tuple(TYPES)
_ON_OFF = ("on", "off", "enabled", "disabled", "true", "false", "1", "0")
SPECULATION = (
    "none",
    "draft-simple",
    "draft-eagle3",
    "draft-mtp",
    "draft-dflash",
    "draft-dspark",
    "ngram-simple",
    "ngram-map-k",
    "ngram-map-k4v",
    "ngram-mod",
    "ngram-cache",
)

_CONTEXT: tuple[Option, ...] = (
    Option(
        name="ctx_size",
        kind=Kind.TOKENS,
        meaning="tokens of all slots together; 0 takes the model's own",
        default=0,
        lowest=0,
        highest=_LARGEST,
    ),
    Option(
        name="parallel",
        kind=Kind.INTEGER,
        meaning="slots, each with a state of its own; -1 is four slots over one unified cache",
        default=-1,
        lowest=-1,
        highest=_LARGEST,
    ),
    Option(
        name="kv_unified",
        kind=Kind.FLAG,
        meaning="one KV cache that all slots share; on by default where parallel is -1",
    ),
    Option(
        name="kv_unified_per_slot",
        kind=Kind.TOKENS,
        meaning="tokens of one slot at most; without ctx_size it sizes the cache",
        default=0,
        lowest=0,
        highest=_LARGEST,
    ),
    Option(
        name="batch_size",
        kind=Kind.INTEGER,
        meaning="tokens of one logical batch",
        default=2048,
        lowest=0,
        highest=_LARGEST,
    ),
    Option(
        name="ubatch_size",
        kind=Kind.INTEGER,
        meaning="tokens of one computed batch; 0 is batch_size",
        default=512,
        lowest=0,
        highest=_LARGEST,
    ),
    Option(
        name="swa_full",
        kind=Kind.FLAG,
        meaning="keep the whole context in layers with a sliding window",
        default=False,
    ),
    Option(
        name="ctx_type",
        kind=Kind.TEXT,
        meaning="which context is laid out: the model's own, or that of its MTP layers",
        default="default",
        choices=("default", "mtp"),
    ),
)

_CACHE: tuple[Option, ...] = (
    Option(
        name="cache_type_k",
        kind=Kind.TEXT,
        meaning="type of keys in the KV cache; state is f32 always",
        default="f16",
        choices=_TYPES,
    ),
    Option(
        name="cache_type_v",
        kind=Kind.TEXT,
        meaning="type of values in the KV cache; quantized ones need flash attention",
        default="f16",
        choices=_TYPES,
    ),
    Option(
        name="flash_attn",
        kind=Kind.TEXT,
        meaning="flash attention: on, off, or auto",
        default="auto",
        choices=("auto", *_ON_OFF, "-1"),
    ),
)

_DEVICES: tuple[Option, ...] = (
    Option(
        name="n_gpu_layers",
        kind=Kind.INTEGER,
        meaning="layers on the devices, counted from the last; auto and all are all of them",
        default="auto",
        words=("auto", "all"),
        lowest=-2,
        highest=_LARGEST,
    ),
    Option(
        name="tensor_split",
        kind=Kind.NUMBERS,
        meaning="each device's share of the layers; equal by default",
        lowest=0,
    ),
    Option(
        name="split_mode",
        kind=Kind.TEXT,
        meaning="how several devices share the model",
        default="layer",
        choices=("none", "layer", "row", "tensor"),
    ),
    Option(
        name="kv_offload",
        kind=Kind.FLAG,
        meaning="keep KV and state on the device of their layer",
        default=True,
    ),
    Option(
        name="no_kv_offload",
        kind=Kind.FLAG,
        meaning="keep KV and state in host memory",
        default=False,
    ),
    Option(
        name="cpu_moe",
        kind=Kind.FLAG,
        meaning="keep all routed experts in host memory",
        default=False,
    ),
    Option(
        name="n_cpu_moe",
        kind=Kind.INTEGER,
        meaning="keep the routed experts of the first N layers in host memory",
        default=0,
        lowest=0,
        highest=_LARGEST,
    ),
    Option(
        name="override_tensor",
        kind=Kind.TEXTS,
        meaning="where tensors lie, by patterns; it is not planned",
    ),
    Option(
        name="fit",
        kind=Kind.TEXT,
        meaning="whether what is not set is lowered until the model fits",
        default="on",
        choices=_ON_OFF,
    ),
    Option(
        name="fit_target",
        kind=Kind.NUMBERS,
        meaning="MiB that fit leaves free on each device",
        default=[1024.0],
        lowest=0,
    ),
    Option(
        name="fit_ctx",
        kind=Kind.TOKENS,
        meaning="tokens of a slot that fit does not go below",
        default=4096,
        lowest=0,
        highest=_LARGEST,
    ),
)

_SERVER: tuple[Option, ...] = (
    Option(
        name="ctx_checkpoints",
        kind=Kind.INTEGER,
        meaning="copies of state in host memory that each slot keeps at most",
        default=32,
        lowest=0,
        highest=_LARGEST,
    ),
    Option(
        name="checkpoint_min_step",
        kind=Kind.TOKENS,
        meaning="tokens between two copies",
        default=8192,
        lowest=0,
        highest=_LARGEST,
    ),
    Option(
        name="cache_ram",
        kind=Kind.INTEGER,
        meaning="MiB of host memory for prompts; 0 is none, -1 is no limit",
        default=8192,
        lowest=-1,
        highest=_LARGEST,
    ),
)

_SPECULATION: tuple[Option, ...] = (
    Option(
        name="spec_type",
        kind=Kind.TEXTS,
        meaning="how tokens are proposed",
        default=["none"],
        choices=SPECULATION,
    ),
    Option(
        name="spec_draft_model",
        kind=Kind.TEXT,
        meaning="a draft model's own file, which is not planned",
    ),
    Option(
        name="spec_draft_n_max",
        kind=Kind.INTEGER,
        meaning="tokens proposed at once",
        default=3,
        lowest=0,
        highest=_LARGEST,
    ),
    Option(
        name="spec_draft_type_k",
        kind=Kind.TEXT,
        meaning="type of keys in the draft's KV cache",
        default="f16",
        choices=_TYPES,
    ),
    Option(
        name="spec_draft_type_v",
        kind=Kind.TEXT,
        meaning="type of values in the draft's KV cache",
        default="f16",
        choices=_TYPES,
    ),
    Option(
        name="n_rs_seq",
        kind=Kind.INTEGER,
        meaning="snapshots of state for rollback; by default what speculation asks for",
        lowest=0,
        highest=_LARGEST,
    ),
)

OPTIONS: tuple[Option, ...] = (*_CONTEXT, *_CACHE, *_DEVICES, *_SERVER, *_SPECULATION)
