"""How many warps kernels run with."""

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
    assert find_warps(gemm(tile, element=element)) == warps


def find_warps(text: str) -> int:
    """The warps of a kernel."""
    module = load(text)
    for step in select_steps(to="tileas"):
        make_pass(step, "sm_80", "device-maps").apply(context(), module)
        if step.name == "convert-tileaa-to-tileas":
            break
    (kernel,) = (op for op in module.walk() if isinstance(op, FuncOp))
    return get_warps(kernel)


def rows(loads: int, columns: int, combine: str, element: str = "f32") -> str:
    """A kernel that combines rows."""
    view = f"partition_view<tile=({columns}), tensor_view<?x{element}, strides=[1]>>"
    tile = f"tile<{columns}x{element}>"
    lines: list[str] = []
    for number in range(loads):
        lines += [
            f"%k{number} = constant <i32: {number}> : tile<i32>",
            f"%x{number}, %t{number} = load_view_tko weak %v[%k{number}] : {view}, tile<i32> "
            f"-> {tile}, token",
        ]
    lines += [
        f"%y{number + 1} = {combine} %{'y' if number else 'x'}{number}, %x{number + 1} : {tile}"
        for number in range(loads - 1)
    ]
    body = "\n".join(lines)
    return f"""
cuda_tile.module @kernels {{
  entry @kernel(%p: tile<ptr<{element}>>, %n: tile<i32>) {{
    %m = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32>
        -> tensor_view<?x{element}, strides=[1]>
    %v = make_partition_view %m : {view}
    {body}
    %t = store_view_tko weak %y{loads - 1}, %v[%k0] : {tile}, {view}, tile<i32> -> token
    return
  }}
}}
"""


@pytest.mark.parametrize(
    ("loads", "columns", "combine", "warps"),
    [
        (2, 1024, "addf", 8),
        # 64 registers of a thread are tiles, of 16 warps 32: with 32 for all else, two CTAs fit.
        (2, 8192, "addf", 16),
        # Of 16 warps 48, so that only one fits, as two of 8 warps do.
        (3, 8192, "addf", 8),
        (4, 8192, "addf", 32),
        (3, 16384, "addf", 16),
        # Divisions are done one after the other, and all that they divide is live.
        (2, 16384, "addf", 32),
        (2, 16384, "divf", 32),
    ],
)
def test_warps_of_rows(loads: int, columns: int, combine: str, warps: int):
    """Twice as many as long as an SM has registers for as many CTAs."""
    assert find_warps(rows(loads, columns, combine)) == warps


@pytest.mark.parametrize(
    ("element", "columns", "warps"),
    [("f32", 512, 2), ("f32", 1024, 8), ("f16", 1024, 4), ("f16", 2048, 8), ("bf16", 1024, 4)],
)
def test_warps_of_copies(element: str, columns: int, warps: int):
    """Eight, if each of their threads has 16 bytes to access at once."""
    assert find_warps(rows(2, columns, "addf", element)) == warps
