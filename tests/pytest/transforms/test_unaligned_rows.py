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
from tileiras_xdsl.dialects.nv_tileas.decisions import get_schedule
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
    """Of the distance between rows, in elements."""
    known_size: int = 1
    """What the length of rows is known to be a multiple of."""
    gap: int = 0
    """Elements between rows."""
    transposed: bool = False
    """Whether columns are stored one after the other."""

    @property
    def pitch(self) -> int:
        """The distance between rows in memory, or columns."""
        return (self.rows if self.transposed else self.columns) + self.gap

    @property
    def type(self) -> str:
        """The type of the tensor."""
        return f"tensor_view<?x?xf16, strides={'[1,?]' if self.transposed else '[?,1]'}>"

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
    first: int = 0
    """The first tile along K, which may lie before the matrices."""
    changes: bool = False
    """Whether the kernel writes to A at its end."""

    def view(self, matrix: Matrix, tile: tuple[int, int]) -> str:
        """The type of a view of tiles."""
        return f"partition_view<tile=({tile[0]}x{tile[1]}), padding_value = zero, {matrix.type}>"

    def text(self) -> str:
        """The kernel as Tile IR, given arrays with one row more before the first."""
        m, n, k = self.tile
        views: list[str] = []
        for name, matrix, tile in (("a", self.a, (m, k)), ("b", self.b, (k, n))):
            dims = f"1, %p{name}" if matrix.transposed else f"%p{name}, 1"
            known = [1, matrix.known_size]
            rows, columns = reversed(known) if matrix.transposed else known
            views.append(
                f"""
    %r{name} = assume div_by<{rows}>, %r{name}0 : tile<i32>
    %s{name} = assume div_by<{columns}>, %s{name}0 : tile<i32>
    %p{name} = assume div_by<{matrix.divisor}>, %p{name}0 : tile<i32>
    %x{name} = assume div_by<16>, %x{name}0 : tile<ptr<f16>>
    %y{name} = offset %x{name}, %p{name} : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %t{name} = make_tensor_view %y{name}, shape = [%r{name}, %s{name}], strides = [{dims}]
        : tile<i32> -> {matrix.type}
    %v{name} = make_partition_view %t{name} : {self.view(matrix, tile)}"""
            )
        typed = {"a": self.view(self.a, (m, k)), "b": self.view(self.b, (k, n))}
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
        sizes = [(matrix.rows, matrix.columns, matrix.pitch) for matrix in (self.a, self.b)]
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


PLAIN = Product(Matrix(70, 142, known_size=2), Matrix(142, 90, known_size=2))
COPIED = {
    "both": PLAIN,
    "partial_chunks": Product(Matrix(70, 141, gap=1), Matrix(141, 89, gap=3)),
    "partial_chunks_of_8_bytes": Product(Matrix(70, 139, 4, gap=1), Matrix(139, 89, 4, gap=3)),
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
