"""
Operands of WGMMA whose rows are not multiples of 16 bytes, which TMA cannot load: producer threads
copy them by `cp.async`, and kernels compute what they did before, as tiles and as threads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load, run
from tileiras_xdsl.compiler.explain import explain_schedule
from tileiras_xdsl.dialects.nv_tileas.decisions import get_schedule
from tileiras_xdsl.dialects.nvgpu import DeviceAsyncCopyOp
from tileiras_xdsl.dialects.nvvm import CpAsyncMBarrierArriveSharedOp
from tileiras_xdsl.pipeline import select_steps

from ..harness.cases import every
from ..harness.passes import verified_steps

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Matrix:
    """A matrix in memory, and what is known of it."""

    rows: int
    columns: int
    divisor: int = 2
    """Of its number of columns, and of the distance between rows, in elements."""
    gap: int = 0
    """Elements between rows."""
    transposed: bool = False
    """Whether columns are stored one after the other."""

    @property
    def pitch(self) -> int:
        """The distance between rows in memory, or columns."""
        return (self.rows if self.transposed else self.columns) + self.gap

    def make(self, numbers: np.random.Generator) -> tuple[Array, Array]:
        """Memory with poison around rows, and the matrix in it."""
        shape = (self.columns, self.rows) if self.transposed else (self.rows, self.columns)
        memory = np.full((shape[0] + 2, self.pitch), np.nan, np.float16)
        memory[1:-1, : shape[1]] = numbers.integers(-3, 4, shape)
        matrix = memory[1:-1, : shape[1]]
        return memory, matrix.T if self.transposed else matrix


@dataclass(frozen=True)
class Product:
    """`C = A · B` of matrices of f16, by tiles that need not divide them."""

    a: Matrix
    b: Matrix
    tile: tuple[int, int, int] = (64, 64, 64)
    padding: str = "zero"
    first: int = 0
    """The first tile along K, which may lie before the matrices."""
    changes: bool = False
    """Whether the kernel writes to A at its end."""

    def text(self) -> str:
        """The kernel as Tile IR; `%d…` are what sizes and pitches are known to be multiples of."""
        m, n, k = self.tile
        views: list[str] = []
        for name, matrix, tile in (("a", self.a, (m, k)), ("b", self.b, (k, n))):
            strides, dims = ("[1,?]", "[1, %p{0}]") if matrix.transposed else ("[?,1]", "[%p{0}, 1]")
            ty = f"tensor_view<?x?xf16, strides={strides}>"
            view = f"partition_view<tile=({tile[0]}x{tile[1]}), padding_value = {self.padding}, {ty}>"
            sizes = ("%r{0}", "%s{0}") if matrix.transposed else ("%r{0}", "%s{0}")
            views.append(
                f"""
    %r{name} = assume div_by<{matrix.divisor if matrix.transposed else 1}>, %r{name}0 : tile<i32>
    %s{name} = assume div_by<{1 if matrix.transposed else matrix.divisor}>, %s{name}0 : tile<i32>
    %p{name} = assume div_by<{matrix.divisor}>, %p{name}0 : tile<i32>
    %x{name} = assume div_by<16>, %x{name}0 : tile<ptr<f16>>
    %skip{name} = offset %x{name}, %p{name} : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %t{name} = make_tensor_view %skip{name}, shape = [{sizes[0]}, {sizes[1]}], strides = {dims}
        : tile<i32> -> {ty}
    %v{name} = make_partition_view %t{name} : {view}""".format(name)
            )
        typed = {
            name: f"partition_view<tile=({tile}), padding_value = {self.padding}, "
            f"tensor_view<?x?xf16, strides={'[1,?]' if matrix.transposed else '[?,1]'}>>"
            for name, matrix, tile in (("a", self.a, f"{m}x{k}"), ("b", self.b, f"{k}x{n}"))
        }
        c = "tensor_view<?x?xf32, strides=[?,1]>"
        change = f"""
    %old, %oldt = load_view_tko weak %va[%row, %zero]
        : {typed["a"]}, tile<i32> -> tile<{m}x{k}xf16>, token
    %new = store_view_tko weak %old, %va[%row, %zero] token=%oldt
        : tile<{m}x{k}xf16>, {typed["a"]}, tile<i32> -> token"""
        arguments = ", ".join(
            f"%x{each}0: tile<ptr<f16>>, %r{each}0: tile<i32>, %s{each}0: tile<i32>, "
            f"%p{each}0: tile<i32>"
            for each in "ab"
        )
        return f"""
cuda_tile.module @kernels {{
  entry @kernel({arguments}, %c: tile<ptr<f32>>, %steps: tile<i32>) {{
    %row, %column, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %first = constant <i32: {self.first}> : tile<i32>
    {"".join(views)}
    %tc = make_tensor_view %c, shape = [%ra, %sb], strides = [%sb, 1] : tile<i32> -> {c}
    %vc = make_partition_view %tc : partition_view<tile=({m}x{n}), {c}>
    %nothing = constant <f32: 0.0> : tile<{m}x{n}xf32>
    %sum = for %k in (%first to %steps, step %one) : tile<i32>
        iter_values(%acc = %nothing) -> (tile<{m}x{n}xf32>) {{
      %a, %at = load_view_tko weak %va[%row, %k]
          : {typed["a"]}, tile<i32> -> tile<{m}x{k}xf16>, token
      %b, %bt = load_view_tko weak %vb[%k, %column]
          : {typed["b"]}, tile<i32> -> tile<{k}x{n}xf16>, token
      %d = mmaf %a, %b, %acc : tile<{m}x{k}xf16>, tile<{k}x{n}xf16>, tile<{m}x{n}xf32>
      continue %d : tile<{m}x{n}xf32>
    }}
    %ct = store_view_tko weak %sum, %vc[%row, %column]
        : tile<{m}x{n}xf32>, partition_view<tile=({m}x{n}), {c}>, tile<i32> -> token
    {change if self.changes else ""}
    return
  }}
}}
"""

    def result(self, module: ModuleOp, check: list[str]) -> tuple[Array, Array]:
        """C after a run on one SM, and as it should be."""
        numbers = np.random.default_rng(1)
        m, n, k = self.tile
        (memory_a, a), (memory_b, b) = self.a.make(numbers), self.b.make(numbers)
        c = np.full((self.a.rows, self.b.columns), np.nan, np.float32)
        grid = (-(-self.a.rows // m), -(-self.b.columns // n))
        sizes = [
            (matrix.rows, matrix.columns, matrix.pitch) for matrix in (self.a, self.b)
        ]
        steps = -(-self.a.columns // k)
        args = [memory_a, *sizes[0], memory_b, *sizes[1], c, steps]
        run(module, grid=grid, args=args, check=check, sm_count=1)
        return c, a.astype(np.float32) @ b.astype(np.float32)


def lower(module: ModuleOp) -> tuple[ModuleOp, ModuleOp]:
    """A kernel as scheduled tiles, and as the code of a thread."""
    lowered = module.clone()
    tiles = lowered
    for step in verified_steps(lowered, select_steps(3, arch="sm_90a", to="nvgpu"), "sm_90a"):
        if step.name == "tileas-generate-schedule":
            tiles = lowered.clone()
    return tiles, lowered


def chunks_of(threads: ModuleOp) -> int:
    """How many copies by `cp.async` there are in the code of a thread, that of edges included."""
    return sum(isinstance(op, DeviceAsyncCopyOp) for op in threads.walk())


def is_copied(threads: ModuleOp) -> bool:
    """Whether threads arrive when their copies are complete."""
    return any(isinstance(op, CpAsyncMBarrierArriveSharedOp) for op in threads.walk())


def check(kernel: Product) -> tuple[ModuleOp, ModuleOp]:
    """Runs a kernel at three levels; returns it as tiles and as threads."""
    module = load(kernel.text())
    tiles, threads = lower(module)
    for lowered, checks in ((module, []), (tiles, []), (threads, ["races"])):
        found, expected = kernel.result(lowered, checks)
        np.testing.assert_array_equal(found, expected)
    return tiles, threads


PLAIN = Product(Matrix(70, 142), Matrix(142, 90))
COPIED = {
    "both": PLAIN,
    "chunks_of_8_bytes": Product(Matrix(70, 140, 4), Matrix(140, 92, 4)),
    "left": Product(Matrix(70, 136), Matrix(136, 96, 8)),
    "right": Product(Matrix(70, 136, 8), Matrix(136, 90)),
    "gaps": Product(Matrix(70, 142, gap=6), Matrix(142, 90, gap=2)),
    "left_transposed": replace(PLAIN, a=Matrix(70, 142, transposed=True)),
    "right_transposed": replace(PLAIN, b=Matrix(142, 90, transposed=True)),
    "before_the_first": replace(PLAIN, first=-1),
    "wide": replace(PLAIN, tile=(128, 128, 64)),
    "shallow": replace(PLAIN, tile=(64, 128, 32)),
}


@pytest.mark.parametrize("name", every(3, [*COPIED]))
def test_producer_threads_copy(name: str):
    """More tiles than there are stages, none of them whole."""
    tiles, threads = check(COPIED[name])
    assert is_copied(threads)
    (schedule,) = (found for op in tiles.walk() if (found := get_schedule(op)) is not None)
    assert schedule.producer_warps == 4
