"""
Operands of WGMMA that threads of producer warps copy by `cp.async`, such as gathered rows: which
these are, and that kernels compute what they did before, as tiles and as threads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.decisions import get_schedule
from tileiras_xdsl.dialects.nvvm import (
    CpAsyncMBarrierArriveSharedOp,
    FenceProxyOp,
    FragmentStoreOp,
    MBarrierArriveSharedOp,
)
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import select_steps

from ..harness.cases import every
from ..harness.passes import verified_steps
from ..harness.remarks import asked, told

Array = npt.NDArray[Any]

M, N, K = 64, 32, 64
"""Of tiles."""
DEPTH, TOKENS = 3 * K, 40
"""Columns and rows of A."""
BLOCKS = 2
"""Of M rows of the result."""


@dataclass(frozen=True)
class Gathered:
    """`C[i] = A[rows[i]] · B`, with zeros for rows outside of A."""

    index: Literal["view", "pointers", "in_loop", "none"] = "view"
    """Where the numbers of rows come from; `none`: they follow each other."""
    other: str | None = "0.000000e+00"
    """What the mask of the load leaves out; None without a mask."""
    turned: bool = False
    """Whether columns of A are stored one after the other, and gathered."""
    writes: bool = False
    """Whether the kernel changes numbers of rows at its end."""
    aligned: int = 8
    """What the distance between rows is known to be a multiple of."""
    element: str = "f16"
    """Of A and B; B is stored as [N, K] if it has 8 bits, which WGMMA reads K-major only."""

    view: bool = False
    """Whether rows are gathered from a view."""
    pointers_b: Literal["rows", "columns", "masked"] | None = None
    """
    Whether B is loaded through pointers as well, and what is contiguous; `masked`: rows, of which
    the last ones are left out.
    """

    @property
    def view_a(self) -> str:
        """The type of a view of A whose rows are gathered."""
        tensor = f"tensor_view<?x{DEPTH}x{self.element}, strides=[?,1]>"
        padding = "padding_value = zero"
        return f"gather_scatter_view<tile=({M}x{K}), {padding}, {tensor}, sparse_dim=0>"

    def make_view_a(self) -> str:
        """Such a view, as `%va`."""
        tensor = f"tensor_view<?x{DEPTH}x{self.element}, strides=[?,1]>"
        return f"""
    %bound = assume bounded<0, ?>, %tokens : tile<i32>
    %ta = make_tensor_view %pa, shape = [%bound, {DEPTH}], strides = [%pitch, 1]
        : tile<i32> -> {tensor}
    %va = make_gather_scatter_view %ta : {self.view_a}"""

    @property
    def is_narrow(self) -> bool:
        """Whether elements have 8 bits."""
        return self.element.startswith("f8")

    def load_b(self) -> str:
        """Tile B of a step, as `%b`."""
        if self.pointers_b is not None:
            return self.load_b_through_pointers()
        tile, place = (f"{N}x{K}", "%zero, %k") if self.is_narrow else (f"{K}x{N}", "%k, %zero")
        name = "%b0" if self.is_narrow else "%b"
        turn = f"""
      %b = permute %b0 [1, 0] : tile<{N}x{K}x{self.element}> -> tile<{K}x{N}x{self.element}>"""
        return f"""
      {name}, %bt = load_view_tko weak %vb[{place}] optimization_hints = <sm_90 = {{latency = 1}}>
          : partition_view<tile=({tile}), {self.view_b}>, tile<i32>
          -> tile<{tile}x{self.element}>, token{turn if self.is_narrow else ""}"""

    def load_b_through_pointers(self) -> str:
        """The same, without a view."""
        tile, flags, numbers = (f"tile<{K}x{N}x{x}>" for x in (self.element, "i1", "i32"))
        pointers = f"tile<{K}x{N}xptr<{self.element}>>"
        pitch_k, pitch_n = (1, DEPTH) if self.pointers_b == "columns" else (N, 1)
        hints = "optimization_hints = <sm_90 = {latency = 1}>"
        found = f"%b, %bt = load_ptr_tko weak %y2 {hints} : {pointers} -> {tile}, token"
        if self.pointers_b == "masked":
            found = f"""
      %e0 = constant <i32: {DEPTH - K // 2}> : {numbers}
      %e1 = cmpi less_than %x5, %e0, unsigned : {numbers} -> {flags}
      %e2 = constant <{self.element}: 0.0> : {tile}
      %b, %bt = load_ptr_tko weak %y2, %e1, %e2 {hints}
          : {pointers}, {flags}, {tile} -> {tile}, token"""
        return f"""
      %x0 = constant <i32: {K}> : tile<i32>
      %x1 = muli %k, %x0 : tile<i32>
      %x2 = reshape %x1 : tile<i32> -> tile<1x1xi32>
      %x3 = broadcast %x2 : tile<1x1xi32> -> {numbers}
      %x4 = iota : tile<{K}xi32>
      %x6 = reshape %x4 : tile<{K}xi32> -> tile<{K}x1xi32>
      %x7 = broadcast %x6 : tile<{K}x1xi32> -> {numbers}
      %x5 = addi %x3, %x7 : {numbers}
      %x8 = constant <i32: {pitch_k}> : {numbers}
      %x9 = muli %x5, %x8 : {numbers}
      %z0 = iota : tile<{N}xi32>
      %z1 = reshape %z0 : tile<{N}xi32> -> tile<1x{N}xi32>
      %z2 = broadcast %z1 : tile<1x{N}xi32> -> {numbers}
      %z3 = constant <i32: {pitch_n}> : {numbers}
      %z4 = muli %z2, %z3 : {numbers}
      %z5 = addi %x9, %z4 : {numbers}
      %y0 = reshape %pb : tile<ptr<{self.element}>> -> tile<1x1xptr<{self.element}>>
      %y1 = broadcast %y0 : tile<1x1xptr<{self.element}>> -> {pointers}
      %y2 = offset %y1, %z5 : {pointers}, {numbers} -> {pointers}
      {found}"""

    @property
    def view_b(self) -> str:
        """The type of tensor B."""
        if self.is_narrow:
            return f"tensor_view<{N}x{DEPTH}x{self.element}, strides=[{DEPTH},1]>"
        return f"tensor_view<{DEPTH}x{N}x{self.element}, strides=[{N},1]>"

    def numbers(self) -> str:
        """Numbers of rows, as `%at`, a tile of M x 1."""
        size = K if self.turned else M
        shape = f"tile<{size}xi32>"
        lines = {
            "view": f"""
      %tv = make_tensor_view %rows, shape = [{BLOCKS * M}], strides = [1]
          : tensor_view<{BLOCKS * M}xi32, strides=[1]>
      %pv = make_partition_view %tv
          : partition_view<tile=({size}), tensor_view<{BLOCKS * M}xi32, strides=[1]>>
      %n0, %nt = load_view_tko weak %pv[%block]
          : partition_view<tile=({size}), tensor_view<{BLOCKS * M}xi32, strides=[1]>>, tile<i32>
          -> {shape}, token""",
            "none": f"%n0 = addi %first, %iota : {shape}",
        }
        gather = f"""
      %f1 = addi %first, %iota : {shape}
      %p0 = reshape %rows : tile<ptr<i32>> -> tile<1xptr<i32>>
      %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<{size}xptr<i32>>
      %p2 = offset %p1, %f1 : tile<{size}xptr<i32>>, {shape} -> tile<{size}xptr<i32>>
      %n0, %nt = load_ptr_tko weak %p2 : tile<{size}xptr<i32>> -> {shape}, token"""
        return f"""
      %size = constant <i32: {size}> : tile<i32>
      %f0 = muli %block, %size : tile<i32>
      %f2 = reshape %f0 : tile<i32> -> tile<1xi32>
      %first = broadcast %f2 : tile<1xi32> -> {shape}
      %iota = iota : {shape}
      {lines.get(self.index, gather)}"""

    def load(self) -> str:
        """Tile A of a step, as `%a`."""
        size, other_size = (K, M) if self.turned else (M, K)
        place = f"1x{size}" if self.turned else f"{size}x1"
        other = f"{other_size}x1" if self.turned else f"1x{other_size}"
        tile, flags, numbers = (f"tile<{M}x{K}x{x}>" for x in (self.element, "i1", "i32"))
        pointers = f"tile<{M}x{K}xptr<{self.element}>>"
        start = "%block" if self.turned else "%k"
        bound = "%tokens"
        masked = f"""
      %m0 = reshape {bound} : tile<i32> -> tile<1x1xi32>
      %m1 = broadcast %m0 : tile<1x1xi32> -> {numbers}
      %mask = cmpi less_than %r1, %m1, unsigned : {numbers} -> {flags}
      %other = constant <{self.element}: {self.other}> : {tile}
      %a, %at = load_ptr_tko weak %q2, %mask, %other
          : {pointers}, {flags}, {tile} -> {tile}, token"""
        plain = f"%a, %at = load_ptr_tko weak %q2 : {pointers} -> {tile}, token"
        if self.view:
            return f"""
      %width = constant <i32: {K}> : tile<i32>
      %column = muli %k, %width : tile<i32>
      %a, %at = load_view_tko weak %va[%n0, %column]
          : {self.view_a}, tile<{M}xi32>, tile<i32> -> {tile}, token"""
        return f"""
      %r0 = reshape %n0 : tile<{size}xi32> -> tile<{place}xi32>
      %r1 = broadcast %r0 : tile<{place}xi32> -> {numbers}
      %c0 = constant <i32: {other_size}> : tile<i32>
      %c1 = muli {start}, %c0 : tile<i32>
      %c2 = reshape %c1 : tile<i32> -> tile<1xi32>
      %c3 = broadcast %c2 : tile<1xi32> -> tile<{other_size}xi32>
      %c4 = iota : tile<{other_size}xi32>
      %c5 = addi %c3, %c4 : tile<{other_size}xi32>
      %c6 = reshape %c5 : tile<{other_size}xi32> -> tile<{other}xi32>
      %c7 = broadcast %c6 : tile<{other}xi32> -> {numbers}
      %s0 = reshape %pitch : tile<i32> -> tile<1x1xi32>
      %s1 = broadcast %s0 : tile<1x1xi32> -> {numbers}
      %o0 = muli %r1, %s1 : {numbers}
      %o1 = addi %o0, %c7 : {numbers}
      %q0 = reshape %pa : tile<ptr<{self.element}>> -> tile<1x1xptr<{self.element}>>
      %q1 = broadcast %q0 : tile<1x1xptr<{self.element}>> -> {pointers}
      %q2 = offset %q1, %o1 : {pointers}, {numbers} -> {pointers}
      {plain if self.other is None else masked}"""

    def text(self) -> str:
        """The kernel as Tile IR."""
        element = self.element
        b, tile_b = self.view_b, f"{N}x{K}" if self.is_narrow else f"{K}x{N}"
        sizes = (
            f"[{N}, {DEPTH}], strides = [{DEPTH}, 1]"
            if self.is_narrow
            else (f"[{DEPTH}, {N}], strides = [{N}, 1]")
        )
        c = f"tensor_view<{BLOCKS * M}x{N}xf32, strides=[{N},1]>"
        inside = self.index == "in_loop" or self.turned
        numbers = self.numbers()
        if self.turned:
            numbers = numbers.replace("%block", "%k")
        change = f"""
      %i0 = iota : tile<{M}xi32>
      %i1 = reshape %rows : tile<ptr<i32>> -> tile<1xptr<i32>>
      %i2 = broadcast %i1 : tile<1xptr<i32>> -> tile<{M}xptr<i32>>
      %i3 = offset %i2, %i0 : tile<{M}xptr<i32>>, tile<{M}xi32> -> tile<{M}xptr<i32>>
      %i4 = store_ptr_tko weak %i3, %i0 token=%nt
          : tile<{M}xptr<i32>>, tile<{M}xi32> -> token"""
        return f"""
cuda_tile.module @kernels {{
  entry @kernel(%pa0: tile<ptr<{element}>>, %pb0: tile<ptr<{element}>>, %pc0: tile<ptr<f32>>,
      %rows: tile<ptr<i32>>, %tokens: tile<i32>, %pitch0: tile<i32>, %steps: tile<i32>) {{
    %pa = assume div_by<16>, %pa0 : tile<ptr<{element}>>
    %pb = assume div_by<16>, %pb0 : tile<ptr<{element}>>
    %pc = assume div_by<16>, %pc0 : tile<ptr<f32>>
    %pitch = assume div_by<{self.aligned}>, %pitch0 : tile<i32>
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %tb = make_tensor_view %pb, shape = {sizes} : {b}
    %vb = make_partition_view %tb : partition_view<tile=({tile_b}), {b}>
    %tc = make_tensor_view %pc, shape = [{BLOCKS * M}, {N}], strides = [{N}, 1] : {c}
    %vc = make_partition_view %tc : partition_view<tile=({M}x{N}), {c}>
    %nothing = constant <f32: 0.0> : tile<{M}x{N}xf32>
    {self.make_view_a() if self.view else ""}
    {"" if inside else numbers}
    %sum = for %k in (%zero to %steps, step %one) : tile<i32>
        iter_values(%acc = %nothing) -> (tile<{M}x{N}xf32>) {{
      {numbers if inside else ""}
      {self.load()}
      {self.load_b()}
      %d = mmaf %a, %b, %acc : tile<{M}x{K}x{element}>, tile<{K}x{N}x{element}>, tile<{M}x{N}xf32>
      continue %d : tile<{M}x{N}xf32>
    }}
    %ct = store_view_tko weak %sum, %vc[%block, %zero]
        : tile<{M}x{N}xf32>, partition_view<tile=({M}x{N}), {c}>, tile<i32> -> token
    {change if self.writes else ""}
    return
  }}
}}
"""

    def results(self, module: ModuleOp, steps: int, check: list[str]) -> list[Array]:
        """The arrays after a run on one SM; some rows are the same, and some are outside of A."""
        numbers = np.random.default_rng(1)
        tall = BLOCKS * M
        a = numbers.integers(-3, 4, (DEPTH, tall) if self.turned else (tall, DEPTH))
        b = numbers.integers(-3, 4, (DEPTH, N))
        last = DEPTH if self.turned else TOKENS
        rows = numbers.integers(0, last, DEPTH if self.turned else tall).astype(np.int32)
        if self.other is not None:
            rows[::7], rows[3::11] = -1, last + numbers.integers(0, 99)
        c = np.full((tall, N), np.nan, np.float32)
        dtype = ml_dtypes.float8_e4m3fn if self.is_narrow else np.float16
        b = b.T.copy() if self.is_narrow or self.pointers_b == "columns" else b
        arrays: list[Array] = [a.astype(dtype), b.astype(dtype), c, rows]
        limit = TOKENS if self.other is not None else tall
        pitch = a.shape[1]
        args = [*arrays, DEPTH if self.turned else limit, pitch, steps]
        run(module, grid=BLOCKS, args=args, check=check, sm_count=1)
        return arrays


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


def check(kernel: Gathered, *steps: int) -> tuple[ModuleOp, ModuleOp]:
    """Runs a kernel at three levels; returns it as tiles and as threads."""
    module = asked(load(kernel.text()), explain=True)
    tiles, threads = lower(module)
    for count in steps:
        expected = kernel.results(module, count, [])
        for lowered, checks in ((tiles, []), (threads, ["races"])):
            found = kernel.results(lowered, count, checks)
            for one, other in zip(expected, found, strict=True):
                np.testing.assert_array_equal(one, other)
    return tiles, threads


COPIED = {
    "rows": Gathered(),
    "pointers": Gathered(index="pointers"),
    "index_in_loop": Gathered(index="in_loop"),
    "no_index": Gathered(index="none"),
    "no_mask": Gathered(other=None),
    "columns": Gathered(index="pointers", turned=True),
    "rows_of_a_view": Gathered(view=True),
    "chunks_of_4_bytes": Gathered(aligned=2),
    "chunks_of_8_bytes": Gathered(aligned=4, view=True),
    "f8": Gathered(element="f8E4M3FN", aligned=16),
    "both_along_rows": Gathered(pointers_b="rows"),
    "both_along_k": Gathered(index="none", pointers_b="columns"),
    "both_with_masks": Gathered(index="pointers", pointers_b="masked"),
    "both_turned": Gathered(index="pointers", turned=True, pointers_b="rows"),
    "b_beside_a_view": Gathered(view=True, pointers_b="columns"),
    "both_of_f8": Gathered(element="f8E4M3FN", aligned=16, pointers_b="columns"),
}


@pytest.mark.part("kernels")
@pytest.mark.every(7)
@pytest.mark.parametrize("name", every(3, [*COPIED]))
def test_producer_threads_copy(name: str):
    """More tiles than there are stages, and none at all."""
    tiles, threads = check(COPIED[name], DEPTH // K, 0)
    assert is_copied(threads)
    (schedule,) = (found for op in tiles.walk() if (found := get_schedule(op)) is not None)
    assert schedule.producer_warps == 4
    assert schedule.stages == (2,)


LEFT = {
    "negative_zero": (replace(COPIED["rows"], other="-0.000000e+00"), "copies pad with zeros"),
    "changed_index": (
        replace(COPIED["rows"], writes=True),
        "its address needs 'nv_tileas.tiled_load' of memory that may change while the kernel runs",
    ),
    "unaligned": (
        replace(COPIED["rows"], aligned=1),
        "chunks of 4 bytes are not known to be contiguous and aligned",
    ),
}


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("name", every(2, [*LEFT]))
def test_consumer_threads_load(name: str):
    kernel, reason = LEFT[name]
    tiles, threads = check(kernel, 2)
    assert not is_copied(threads)
    assert [each.reason for each in told(tiles, name="Copied")] == [reason]
    assert [each.reason for each in told(tiles, name="Wgmma")] == ["operand A from registers"]


@pytest.fixture(scope="module", name="threads")
def _threads() -> ModuleOp:
    return lower(load(COPIED["rows"].text()))[1]


def test_consumers_need_a_proxy_fence(threads: ModuleOp):
    """WGMMA reads by the async proxy what threads have copied by the generic one."""
    threads = threads.clone()
    fence = next(op for op in threads.walk() if isinstance(op, FenceProxyOp))
    assert isinstance(fence.parent_op(), scf.ForOp)
    Rewriter.erase_op(fence)
    with pytest.raises(ExecutionError, match="without a proxy fence in between"):
        COPIED["rows"].results(threads, 2, ["races"])


def test_consumers_wait_for_copies(threads: ModuleOp):
    """If threads arrive before their copies are complete, consumers may read what was there."""
    threads = threads.clone()
    (arrive,) = (op for op in threads.walk() if isinstance(op, CpAsyncMBarrierArriveSharedOp))
    early = MBarrierArriveSharedOp(arrive.address)
    Rewriter.insert_op(early, InsertPoint.before(arrive))
    Rewriter.erase_op(arrive)
    with pytest.raises(ExecutionError):
        COPIED["rows"].results(threads, 2, ["races"])


@pytest.mark.part("kernels")
def test_written_operands_stay_contiguous(monkeypatch: pytest.MonkeyPatch):
    """Threads write an operand B along N, as they have loaded it: WGMMA reads it like that, too."""
    monkeypatch.setitem(globals(), "N", 128)
    kernel = Gathered(aligned=1, pointers_b="rows")
    tiles, threads = check(kernel, 2)
    assert not is_copied(threads)
    reasons = {each.reason for each in told(tiles, name="Copied")}
    unaligned = LEFT["unaligned"][1]
    assert reasons == {unaligned, f"operand A is not loaded beside it: {unaligned}"}
    stores = [op for op in threads.walk() if isinstance(op, FragmentStoreOp)]
    loops = [op for op in stores if isinstance(op.parent_op(), scf.ForOp)]
    assert [op.alignment.value.data for op in loops if op.alignment is not None] == [2, 16]


@pytest.mark.parametrize(("rows", "held"), [(128, None), (256, 80)])
def test_registers_of_addresses(rows: int, held: int | None, monkeypatch: pytest.MonkeyPatch):
    """Offsets and masks of rows, and offsets of columns, are the same in all iterations."""
    for name, size in {"M": rows, "N": 128, "K": 128, "DEPTH": 3 * 128}.items():
        monkeypatch.setitem(globals(), name, size)
    module = asked(load(Gathered(pointers_b="columns").text()), explain=True)
    for _ in verified_steps(module, select_steps(3, arch="sm_90a", to="tileas"), "sm_90a"):
        pass
    reason = f"threads would hold addresses of both operands in {held} registers"
    reasons = [] if held is None else [reason, reason]
    assert [each.reason for each in told(module, name="Copied")] == reasons
