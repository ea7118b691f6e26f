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
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl import load
from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp
from tileiras_xdsl.dialects.nv_tileas.atoms import is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import get_schedule
from tileiras_xdsl.dialects.nvvm import (
    BulkTensorLoadOp,
    CpAsyncMBarrierArriveSharedOp,
    FenceProxyOp,
    FragmentCpAsyncOp,
    MBarrierArriveExpectTxSharedOp,
    MBarrierArriveSharedOp,
)
from tileiras_xdsl.driver.compiler.options import ABIS, Abi
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import DEFAULT_ABI, select_steps

from ..harness.cases import every
from ..harness.passes import verified_steps
from ..harness.remarks import asked, told

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
    padding: str = "zero"

    def view(self, matrix: Matrix, tile: tuple[int, int]) -> str:
        """The type of a view of tiles."""
        shape, padding = f"{tile[0]}x{tile[1]}", f"padding_value = {self.padding}"
        return f"partition_view<tile=({shape}), {padding}, {matrix.type}>"

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
    %q{name} = assume bounded<0, ?>, %p{name}0 : tile<i32>
    %p{name} = assume div_by<{matrix.divisor}>, %q{name} : tile<i32>
    %x{name} = assume div_by<16>, %x{name}0 : tile<ptr<f16>>
    %y{name} = offset %x{name}, %p{name} : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %t{name} = make_tensor_view %y{name}, shape = [%r{name}, %s{name}], strides = [{dims}]
        : tile<i32> -> {matrix.type}
    %v{name} = make_partition_view %t{name} : {self.view(matrix, tile)}"""
            )
        typed = {"a": self.view(self.a, (m, k)), "b": self.view(self.b, (k, n))}
        c = "tensor_view<?x?xf32, strides=[?,1]>"
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


def lower(module: ModuleOp, abi: Abi = DEFAULT_ABI) -> tuple[ModuleOp, ModuleOp]:
    """A kernel as scheduled tiles, and as the code of a thread."""
    lowered = module.clone()
    tiles = lowered
    steps = select_steps(3, arch="sm_90a", to="nvgpu")
    for step in verified_steps(lowered, steps, "sm_90a", abi):
        if step.name == "tileas-generate-schedule":
            tiles = lowered.clone()
    return tiles, lowered


def is_copied(threads: ModuleOp) -> bool:
    """Whether threads arrive when their copies are complete."""
    return any(isinstance(op, CpAsyncMBarrierArriveSharedOp) for op in threads.walk())


def check(kernel: Product, abi: Abi = DEFAULT_ABI) -> tuple[ModuleOp, ModuleOp]:
    """Runs a kernel at three levels; returns it as tiles and as threads."""
    module = asked(load(kernel.text()), explain=True)
    tiles, threads = lower(module, abi)
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
    "two_bytes": Product(Matrix(70, 141, 1), Matrix(141, 89, 1)),
    "two_bytes_beside_four": Product(Matrix(70, 141, 1), Matrix(141, 90)),
    "two_bytes_beside_tma": Product(Matrix(70, 136, 8), Matrix(136, 89, 1)),
    "two_bytes_transposed": Product(
        Matrix(69, 141, 1, transposed=True), Matrix(141, 89, 1, transposed=True)
    ),
    "wide": replace(PLAIN, tile=(128, 128, 64)),
    "shallow": replace(PLAIN, tile=(64, 128, 32)),
}


@pytest.mark.part("kernels")
@pytest.mark.every(9)
@pytest.mark.parametrize("name", every(3, [*COPIED]))
def test_producer_threads_copy(name: str):
    """More tiles than there are stages, none of them whole."""
    tiles, threads = check(COPIED[name])
    assert is_copied(threads) != name.startswith("two_bytes") or name == "two_bytes_beside_four"
    (schedule,) = (found for op in tiles.walk() if (found := get_schedule(op)) is not None)
    assert schedule.producer_warps == 4


@pytest.mark.part("kernels")
@pytest.mark.every(2, first=1)
@pytest.mark.parametrize("abi", ABIS)
@pytest.mark.parametrize("name", every(2, ["left", "right"]))
def test_beside_tma(name: str, abi: Abi):
    """One operand is loaded by TMA, the other one is copied, and both fill a buffer stage."""
    _, threads = check(COPIED[name], abi)
    assert is_copied(threads)
    assert any(isinstance(op, BulkTensorLoadOp) for op in threads.walk())


@dataclass(frozen=True)
class ProductInTwoLoops(Product):
    """The first tile along K has a loop of its own."""

    def text(self) -> str:
        text = super().text()
        start, end = text.index("%sum = for"), text.index("%ct = store")
        loop = text[start:end]
        first = loop.replace("%sum", "%begun").replace("to %steps", "to %one")
        second = loop.replace("(%first to", "(%one to").replace("= %nothing", "= %begun")
        return text[:start] + first + second + text[end:]


@pytest.mark.part("kernels")
@pytest.mark.every(2, first=1)
@pytest.mark.parametrize("name", ["both", "left_transposed"])
def test_two_loops(name: str):
    """Loops whose copied tiles are alike fill the stages of one buffer."""
    product = COPIED[name]
    tiles, threads = check(ProductInTwoLoops(product.a, product.b))
    assert is_copied(threads)
    (schedule,) = (found for op in tiles.walk() if (found := get_schedule(op)) is not None)
    assert len(schedule.stages) == 1


def draw(seed: int) -> Product:
    """A product of random sizes, with partial tiles along all dimensions."""
    numbers = np.random.default_rng(seed)
    m, n, k = (int(size) for size in numbers.integers(1, 150, 3))
    tile = ((64, 64, 64), (64, 128, 32), (128, 64, 64), (64, 64, 128))[numbers.integers(4)]

    def matrix(rows: int, columns: int) -> Matrix:
        transposed, divisor = bool(numbers.integers(2)), (1, 2, 4, 8)[numbers.integers(4)]
        length = rows if transposed else columns
        gap = -length % divisor + divisor * int(numbers.integers(3))
        return Matrix(rows, columns, divisor, 1, gap, transposed)

    a, b = matrix(m, k), matrix(k, n)
    if a.divisor == b.divisor == 8:
        a = replace(a, divisor=4)
    return Product(a, b, tile)


@pytest.mark.part("kernels")
@pytest.mark.every(5)
@pytest.mark.parametrize("seed", every(4, range(16)))
def test_random_products(seed: int):
    kernel = draw(seed)
    tiles, threads = check(kernel)
    # TMA loads rows of 16 bytes, and elements of rows of 2 bytes are stored.
    assert is_copied(threads) == any(each.divisor in (2, 4) for each in (kernel.a, kernel.b))
    assert any(is_wgmma(op) for op in tiles.walk())


LEFT = {
    "padding": (replace(PLAIN, padding="neg_zero"), "copies pad with zeros"),
}


@pytest.mark.part("kernels")
@pytest.mark.parametrize("name", every(2, [*LEFT]))
def test_consumer_threads_load(name: str):
    kernel, reason = LEFT[name]
    tiles, threads = check(kernel)
    assert not is_copied(threads)
    expected = f"; producer threads cannot copy it: {reason}"
    assert any(remark.reason.endswith(expected) for remark in told(tiles))


@pytest.fixture(scope="module", name="threads")
def _threads() -> ModuleOp:
    return lower(load(COPIED["partial_chunks"].text()))[1]


def test_masks_leave_out_poison(threads: ModuleOp):
    """Without masks, edges of the matrices would have what lies around them."""
    kernel, threads = COPIED["partial_chunks"], threads.clone()
    for op in [op for op in threads.walk() if isinstance(op, FragmentCpAsyncOp)]:
        if op.mask is not None:
            Rewriter.replace_op(op, FragmentCpAsyncOp(op.dst, op.src, None, op.bytes))
    try:
        found, expected = kernel.result(threads, [])
    except ExecutionError:
        return
    assert not np.array_equal(found, expected)


@pytest.mark.part("kernels")
def test_bytes_of_a_chunk_count(threads: ModuleOp):
    """If a chunk at the end of a row is copied as a whole, its last element is not zero."""
    kernel, threads = COPIED["partial_chunks"], threads.clone()
    changed = 0
    for op in [op for op in threads.walk() if isinstance(op, arith.MuliOp)]:
        least = op.lhs.owner
        if isinstance(least, arith.MinSIOp) and isinstance(most := least.lhs.owner, arith.MaxSIOp):
            above = CmpiOp(op.lhs, most.rhs, "sgt")
            whole = SelectOp(above.result, least.rhs, op.lhs)
            Rewriter.insert_op([above, whole], InsertPoint.before(op))
            op.operands[0] = whole.results[0]
            changed += 1
    assert changed
    found, expected = kernel.result(threads, [])
    assert np.isnan(found).any()
    assert not np.isnan(expected).any()


@pytest.mark.part("kernels")
@pytest.mark.parametrize("name", every(2, ["two_bytes", "partial_chunks"]))
def test_consumers_need_a_proxy_fence(name: str):
    """WGMMA reads by the async proxy what threads have copied or stored by the generic one."""
    threads = lower(load(COPIED[name].text()))[1]
    fence = next(op for op in threads.walk() if isinstance(op, FenceProxyOp))
    Rewriter.erase_op(fence)
    with pytest.raises(ExecutionError, match="without a proxy fence in between"):
        COPIED[name].result(threads, ["races"])


@pytest.mark.part("kernels")
def test_threads_arrive_after_their_stores():
    """If threads arrive before they have stored, consumers may read what was there."""
    threads = lower(load(COPIED["two_bytes"].text()))[1]
    (expects,) = (op for op in threads.walk() if isinstance(op, MBarrierArriveExpectTxSharedOp))
    around = expects.parent_op()
    assert around is not None
    arrive = next(
        op
        for op in threads.walk()
        if isinstance(op, MBarrierArriveSharedOp) and op.parent is around.parent
    )
    arrive.detach()
    Rewriter.insert_op(arrive, InsertPoint.before(around))
    with pytest.raises(ExecutionError):
        COPIED["two_bytes"].result(threads, ["races"])
