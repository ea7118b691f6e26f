"""How many warps kernels with products run with."""

import pytest
from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl import load
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.common.kernel_spec import get_warps

from ..harness.modules import context
from ..strategies.hopper_kernels import gemm


@pytest.mark.parametrize(
    ("tile", "element", "warps"),
    [
        ((64, 64, 64), "f16", 4),
        ((128, 128, 32), "f16", 4),
        ((128, 128, 64), "f16", 8),
        ((128, 128, 16), "f32", 4),
        ((128, 128, 32), "f32", 8),
    ],
)
def test_warps_of_matmuls(tile: tuple[int, int, int], element: str, warps: int):
    """Four are enough for few sums, or for many of few and narrow terms."""
    module = load(gemm(tile, element=element))
    for step in select_steps(to="tileas"):
        make_pass(step, "sm_80", "device-maps").apply(context(), module)
        if step.name == "convert-tileaa-to-tileas":
            break
    (kernel,) = (op for op in module.walk() if isinstance(op, FuncOp))
    assert get_warps(kernel) == warps
