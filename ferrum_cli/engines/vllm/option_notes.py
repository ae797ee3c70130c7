"""Options that do not do what they seem to, contradict each other, or are not worked through.

It knows nothing about what a plan assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ferrum_cli.engines.vllm.mixers import MIXERS
from ferrum_cli.engines.vllm.start import Start
from ferrum_cli.report import Finding, Level

_UNMODELLED = {
    "kv_cache_dtype_skip_layers": "the layers named keep wider keys and values",
    "kv_transfer_config": "a KV connector may want another layout",
    "hf_overrides": "a changed configuration may change every size",
    "prefill_context_parallel_size": "ranks that split a prefill",
}
"""Options that can change sizes, but whose effect is not worked through."""


def option_notes(found: Start) -> Iterator[Finding]:
    """Everything there is to say about the options given."""
    for check in _CHECKS:
        yield from check(found)


def _context(found: Start) -> Iterator[Finding]:
    """`--set max_model_len` beats `--context`."""
    question, config = found.question, found.config
    asked = question.settings.value("max_model_len")
    if question.context_given and asked is not None and question.context > config.max_model_len:
        yield Finding(
            Level.WARNING,
            "context-above-max-model-len",
            f"--context {question.context} is more than max_model_len {config.max_model_len}, at"
            " which vLLM ends a request",
            "raise max_model_len or lower --context",
        )


def _ranks(found: Start) -> Iterator[Finding]:
    given, used = found.question.parallel, found.launch.parallel
    for short, name in (
        ("tp", "tensor_parallel_size"),
        ("pp", "pipeline_parallel_size"),
        ("dp", "data_parallel_size"),
    ):
        before, after = getattr(given, short), getattr(used, short)
        if before not in (1, after):
            yield Finding(
                Level.WARNING,
                "ranks-contradict",
                f"--{short} {before} and {name} {after} contradict each other; {after} is used",
                f"leave out --{short}",
            )


def _mode(found: Start) -> Iterator[Finding]:
    config = found.config
    asked = config.settings.value("mamba_cache_mode")
    if asked is None or not found.outcome.inventory.state:
        return
    if config.rules.mode_option == "inert":
        cli = "; the command line takes align and none alone" if asked == "all" else ""
        yield Finding(
            Level.WARNING,
            "mamba-cache-mode-inert",
            f"--mamba-cache-mode has no effect from vLLM 0.33 on{cli}: the mode is {config.mode}",
            "leave it out; the mode follows --enable-prefix-caching",
        )
    elif asked != config.mode:
        yield Finding(
            Level.WARNING,
            "mamba-cache-mode-overridden",
            f"--mamba-cache-mode {asked} becomes {config.mode}, which prefix caching"
            f" {'on' if config.prefix_caching.value else 'off'} asks for",
            "set --enable-prefix-caching or --no-enable-prefix-caching instead",
        )


def _mamba_block_size(found: Start) -> Iterator[Finding]:
    config, alignment = found.config, found.outcome.alignment
    asked = config.settings.value("mamba_block_size")
    hybrid = found.outcome.inventory.model_type == "hybrid"
    if asked is not None and hybrid and config.mode == "align" and alignment is not None:
        yield Finding(
            Level.WARNING,
            "mamba-block-size-ignored",
            f"--mamba-block-size {asked} has no effect on a hybrid model: states are"
            f" {alignment.mamba_block_size} tokens apart, as blocks are",
            "use --block-size, or --prefix-match-unit for finer hits",
        )


def _ssm_dtype(found: Start) -> Iterator[Finding]:
    """Some layers keep their recurrent state in a dtype of their own."""
    config = found.config
    asked = config.settings.value("mamba_ssm_cache_dtype")
    if asked == "auto" or not found.outcome.states:
        return
    kinds = {MIXERS[c.placed.block.kind].matrix_dtype for c in found.outcome.inventory.state}
    fixed = "kda" in kinds and not config.architecture.layers_read_ssm_dtype
    if fixed or kinds == {"cache"}:
        what = "float32" if fixed else config.conv_dtype.torch_name
        yield Finding(
            Level.WARNING,
            "ssm-dtype-ignored",
            f"--mamba-ssm-cache-dtype {asked} has no effect on these layers: state is {what}",
            "leave it out" if fixed else "use --mamba-cache-dtype",
        )


def _checkpoint_kv(found: Start) -> Iterator[Finding]:
    source = found.config.kv_dtype_source
    if source.source == "config":
        yield Finding(
            Level.INFO,
            "kv-dtype-from-checkpoint",
            f"the checkpoint's quantization makes the KV cache {source.value}",
            f"--kv-cache-dtype {found.config.model_dtype.torch_name} keeps it as the model",
        )


def _override(found: Start) -> Iterator[Finding]:
    override = found.config.settings.value("num_gpu_blocks_override")
    grouping, budget = found.outcome.grouping, found.outcome.budget
    if override is None or grouping is None or budget is None:
        return
    need = max(override * size for size in grouping.block_bytes)
    room = min(budget.cache_bytes)
    if need > room:
        yield Finding(
            Level.WARNING,
            "override-exceeds-memory",
            f"{override} blocks take {need} B, and {room} B are there: vLLM does not look, and runs"
            " out of memory when it allocates them",
            "leave out --num-gpu-blocks-override",
        )


def _unmodelled(found: Start) -> Iterator[Finding]:
    for name, why in _UNMODELLED.items():
        if found.question.settings.value(name) is not None:
            yield Finding(
                Level.WARNING,
                "option-not-modelled",
                f"{name} is not worked through: {why}",
                "compare with the engine's own log",
            )


def _doubtful(found: Start) -> Iterator[Finding]:
    for name in found.launch.doubtful:
        yield Finding(
            Level.WARNING,
            "option-doubtful",
            f"{name} appeared at about this version: vLLM {found.config.version} may not know it",
            "see `vllm serve --help=all`",
        )
    for name in found.launch.ignored:
        yield Finding(
            Level.WARNING,
            "variable-ignored",
            f"vLLM {found.config.version} does not read {name}",
            "leave it out",
        )


_CHECKS: tuple[Callable[[Start], Iterator[Finding]], ...] = (
    _context,
    _ranks,
    _mode,
    _mamba_block_size,
    _ssm_dtype,
    _checkpoint_kv,
    _override,
    _unmodelled,
    _doubtful,
)
