"""PLaMo 2's mixer: parameters as its modules list them, and the state llama.cpp keeps."""

from __future__ import annotations

from ferrum_cli.blocks import Axis, Matrix, Window
from tests.blocks.measure import build, parameters

# pfnet/plamo-2-1b, config.json
PLAMO_1B = {
    "num_heads": 32,
    "head_dim": 128,
    "state_size": 64,
    "conv_kernel": 4,
    "time_step_rank": 128,
}


def test_parameters_are_those_of_its_modules() -> None:
    # vLLM 0.25.0 plamo2.py: in_proj, conv1d, bcdt_proj, dt_proj, three vectors, norms, out_proj
    inner, projected = 32 * 128, 128 + 2 * 64
    assert parameters("plamo_mamba", 2048, **PLAMO_1B) == (
        2048 * 2 * inner
        + inner * 4
        + inner * projected
        + 128 * 32
        + 3 * 32
        + projected
        + inner * 2048
    )


def test_the_window_covers_x_alone() -> None:
    # llama.cpp 0c1e57098: the converter writes group_count 0
    assert build("plamo_mamba", 2048, **PLAMO_1B).state(2048) == (
        Window("conv_state", (Axis(32, 128),), 4),
        Matrix("ssm_state", Axis(32), 128, 64),
    )
