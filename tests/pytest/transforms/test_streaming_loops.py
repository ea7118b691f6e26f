"""
Loops over rows, without dots: their loads run ahead where order and addresses allow it, and they
compute what they did before, as tiles and as threads.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.analysis.linear_layout import blocked
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT
from tileiras_xdsl.dialects.nvgpu import DeviceAsyncWaitOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import set_anchor_layout

from ..harness.cases import covering
from ..harness.modules import context
from ..harness.passes import verified_steps
from ..harness.remarks import asked, messages

Array = npt.NDArray[Any]

PASS = "tileas-unspecialized-pipeline"
COPIES = ("nv_tileas.async.tiled_load", "nv_tileas.async.load")


def lower(module: ModuleOp, arch: str = "sm_90", *, without: str = "") -> tuple[ModuleOp, ModuleOp]:
    """A kernel as pipelined tiles, and as the code of a thread."""
    lowered = asked(module.clone())
    tiles = lowered
    steps = [step for step in select_steps(3, arch=arch, to="nvgpu") if step.name != without]
    for step in verified_steps(lowered, steps, arch):
        if step.name == PASS:
            tiles = lowered.clone()
    return tiles, lowered


def runs_ahead(tiles: ModuleOp) -> bool:
    """Whether a loop waits for copies."""
    names = {op.name for op in tiles.walk()}
    assert bool(names & set(COPIES)) == (DeviceAsyncWaitOp.name in names)
    return DeviceAsyncWaitOp.name in names


def remarks(tiles: ModuleOp) -> list[str]:
    """What the pass says of loops that it left."""
    return messages(tiles, kind="Missed", category="Pipeline")


@dataclass(frozen=True)
class Rows:
    """
    `y[k] = x[k + shift] + sum over the row` for the rows of a CTA, one after the other. Rows of
    `x` may overlap, and `y` may be `x`.
    """

    rows: int = 2
    columns: int = 128
    store: Literal["x", "y"] = "y"
    shift: int = 0
    ordered: bool = False
    """Whether each load is ordered behind the stores before it."""
    pitch: int | None = None
    """Elements from row to row, if the program knows it and the length of rows."""
    pointers: bool = False
    """Whether rows are read through pointers, with a mask."""
    padding: int = 0
    """What the mask leaves out."""
    highest: bool = False
    """Whether numbers are f32, padded with -inf, and the highest of a row is added, not the sum."""

    @property
    def element(self) -> str:
        return "f32" if self.highest else "i32"

    @property
    def tile(self) -> str:
        return f"tile<{self.rows}x{self.columns}x{self.element}>"

    @property
    def combine(self) -> tuple[str, str, str]:
        """The identity of a reduction, its op, and what adds the result."""
        if self.highest:
            return "0xff800000 : f32", "maxf %e, %f", "addf %x, %w"
        return "0 : i32", "addi %e, %f", "addi %x, %w"

    def view(self, name: str) -> tuple[str, str]:
        """Ops that make the view of an array, and its type."""
        stride, width = ("?", "?") if self.pitch is None else (self.pitch, self.columns - 4)
        given, last = ("%pitch", "%n") if self.pitch is None else (stride, width)
        tensor = f"tensor_view<?x{width}x{self.element}, strides=[{stride},1]>"
        padding = "neg_inf" if self.highest else "zero"
        sizes = f"{self.rows}x{self.columns}"
        view = f"partition_view<tile=({sizes}), padding_value = {padding}, {tensor}>"
        text = (
            f"%t{name} = make_tensor_view %p{name}, shape = [%m, {last}], strides = [{given}, 1]"
            f" : tile<i32> -> {tensor}\n    %v{name} = make_partition_view %t{name} : {view}\n"
        )
        return text, view

    def load(self) -> str:
        token = " token=%t" if self.ordered else ""
        if not self.pointers:
            view = self.view("x")[1]
            return (
                f"%x, %t1 = load_view_tko weak %vx[%from, %zero]{token}"
                f" : {view}, tile<i32> -> {self.tile}, token"
            )
        shape = f"{self.rows}x{self.columns}"
        numbers, flags, pointers = (
            f"tile<{shape}xi32>",
            f"tile<{shape}xi1>",
            f"tile<{shape}xptr<i32>>",
        )
        return f"""
      %r0 = constant <i32: {self.rows}> : tile<i32>
      %r1 = muli %from, %r0 : tile<i32>
      %r2 = reshape %r1 : tile<i32> -> tile<1xi32>
      %r3 = broadcast %r2 : tile<1xi32> -> tile<{self.rows}xi32>
      %r4 = iota : tile<{self.rows}xi32>
      %r5 = addi %r3, %r4 : tile<{self.rows}xi32>
      %r6 = reshape %r5 : tile<{self.rows}xi32> -> tile<{self.rows}x1xi32>
      %r7 = broadcast %r6 : tile<{self.rows}x1xi32> -> {numbers}
      %c0 = iota : tile<{self.columns}xi32>
      %c1 = reshape %c0 : tile<{self.columns}xi32> -> tile<1x{self.columns}xi32>
      %c2 = broadcast %c1 : tile<1x{self.columns}xi32> -> {numbers}
      %s0 = reshape %pitch : tile<i32> -> tile<1x1xi32>
      %s1 = broadcast %s0 : tile<1x1xi32> -> {numbers}
      %h0 = reshape %m : tile<i32> -> tile<1x1xi32>
      %h1 = broadcast %h0 : tile<1x1xi32> -> {numbers}
      %l0 = reshape %n : tile<i32> -> tile<1x1xi32>
      %l1 = broadcast %l0 : tile<1x1xi32> -> {numbers}
      %k0 = cmpi less_than %r7, %h1, signed : {numbers} -> {flags}
      %k1 = cmpi less_than %c2, %l1, signed : {numbers} -> {flags}
      %mask = andi %k0, %k1 : {flags}
      %other = constant <i32: {self.padding}> : {numbers}
      %o0 = muli %r7, %s1 : {numbers}
      %o1 = addi %o0, %c2 : {numbers}
      %q0 = reshape %px : tile<ptr<i32>> -> tile<1x1xptr<i32>>
      %q1 = broadcast %q0 : tile<1x1xptr<i32>> -> {pointers}
      %q2 = offset %q1, %o1 : {pointers}, {numbers} -> {pointers}
      %x, %t1 = load_ptr_tko weak %q2, %mask, %other{token}
          : {pointers}, {flags}, {numbers} -> {self.tile}, token"""

    def text(self) -> str:
        """The kernel as Tile IR."""
        element = self.element
        column = f"tile<{self.rows}x{element}>"
        identity, combine, add = self.combine
        views = self.view("x")[0] + self.view("y")[0]
        return f"""
cuda_tile.module @kernels {{
  entry @kernel(%px0: tile<ptr<{element}>>, %py0: tile<ptr<{element}>>, %m0: tile<i32>,
      %n0: tile<i32>, %pitch0: tile<i32>, %count: tile<i32>) {{
    %px = assume div_by<16>, %px0 : tile<ptr<{element}>>
    %py = assume div_by<16>, %py0 : tile<ptr<{element}>>
    %pitch = assume div_by<4>, %pitch0 : tile<i32>
    %m = assume bounded<0, ?>, %m0 : tile<i32>
    %n = assume div_by<4>, %n0 : tile<i32>
    %begin, %by, %bz = get_tile_block_id : tile<i32>
    %step, %gy, %gz = get_num_tile_blocks : tile<i32>
    {views}
    %zero = constant <i32: 0> : tile<i32>
    %shift = constant <i32: {self.shift}> : tile<i32>
    %t0 = make_token : token
    %end = for %k in (%begin to %count, step %step) : tile<i32>
        iter_values(%t = %t0) -> (token) {{
      %from = addi %k, %shift : tile<i32>
      {self.load()}
      %sum = reduce %x dim=1 identities=[{identity}] : {self.tile} -> {column}
        (%e: tile<{element}>, %f: tile<{element}>) {{
          %g = {combine} : tile<{element}>
          yield %g : tile<{element}>
        }}
      %u = reshape %sum : {column} -> tile<{self.rows}x1x{element}>
      %w = broadcast %u : tile<{self.rows}x1x{element}> -> {self.tile}
      %z = {add} : {self.tile}
      %t2 = store_view_tko weak %z, %v{self.store}[%k, %zero] token=%t1
          : {self.tile}, {self.view("x")[1]}, tile<i32> -> token
      continue %t2 : token
    }}
    return
  }}
}}
"""

    def results(self, module: ModuleOp, count: int, grid: int, check: list[str]) -> list[Array]:
        """
        The arrays after a run; four columns and a row are beyond the tensor, as are rows before it.
        """
        columns = self.columns - 4
        pitch = self.columns if self.pitch is None else self.pitch
        size = (self.rows * (count + self.shift + 1)) * max(pitch, columns) + self.columns
        arrays = [
            # No row has a number as high as the zeros of a copy.
            np.random.default_rng(seed)
            .integers(-9, -1 if self.highest else 9, size)
            .astype(np.float32 if self.highest else np.int32)
            for seed in (0, 1)
        ]
        rows = self.rows * (count + self.shift) - 1
        run(module, grid=grid, args=[*arrays, rows, columns, pitch, count], check=check)
        return arrays


def check(rows: Rows, arch: str = "sm_90", counts: Sequence[int] = (0, 1, 2, 9)) -> ModuleOp:
    """Runs a kernel at three levels; returns its tiles."""
    module = load(rows.text())
    tiles, threads = lower(module, arch)
    # Rows that CTAs share would be a race.
    is_private = rows.store == "y" and rows.pitch != OVERLAPPING
    for count in counts:
        for grid in (1, 3) if is_private else (1,):
            expected = rows.results(module, count, grid, [])
            for lowered, checks in ((tiles, []), (threads, ["races"])):
                for one, other in zip(
                    expected, rows.results(lowered, count, grid, checks), strict=True
                ):
                    np.testing.assert_array_equal(one, other)
    return tiles


OVERLAPPING = 64
"""A pitch with which rows of 128 elements overlap."""

AHEAD = {
    "other_array": Rows(),
    "one_row": Rows(rows=1),
    "through_pointers": Rows(pointers=True),
    "padded_pointers": Rows(pointers=True, padding=7),
    "unordered_in_place": Rows(store="x"),
    "disjoint_rows": Rows(store="x", ordered=True, pitch=128),
    "many_rows": Rows(rows=8, columns=32),
    "padded_with_infinity": Rows(highest=True),
}


@pytest.mark.every(9, first=6)
@pytest.mark.parametrize(("name", "arch"), covering([*AHEAD], ["sm_80", "sm_90"]))
def test_loads_run_ahead(name: str, arch: str):
    tiles = check(AHEAD[name], arch)
    assert runs_ahead(tiles)
    assert not remarks(tiles)


HELD = {
    "aliasing_arrays": Rows(ordered=True),
    "overlapping_rows": Rows(rows=1, store="x", ordered=True, pitch=OVERLAPPING),
    "unknown_pitch": Rows(store="x", ordered=True),
    "next_row": Rows(store="x", ordered=True, pitch=128, shift=-1),
    "pointers": Rows(store="x", ordered=True, pointers=True),
}


@pytest.mark.every(5, first=3)
@pytest.mark.parametrize("name", HELD)
def test_loads_stay_behind_stores(name: str):
    tiles = check(HELD[name])
    assert not runs_ahead(tiles)
    (remark,) = remarks(tiles)
    assert remark.endswith("must not be hoisted above 'nv_tileas.tiled_store'")


def test_rows_of_one_array_as_two():
    """Arrays that are the same: what one iteration stores, the next loads."""
    rows = Rows(ordered=True, shift=-1, pitch=128)
    module = load(rows.text())
    _, threads = lower(module)
    results: list[Array] = []
    for each in (module, threads):
        array = np.arange(2 * 10 * 128, dtype=np.int32) % 5
        run(each, grid=1, args=[array, array, 20, 124, 128, 10], check=[])
        results.append(array)
    np.testing.assert_array_equal(results[0], results[1])
    # There is nothing before the first rows, and each iteration reads what the last one stored.
    assert not results[0].reshape(20, 128)[:, :124].any()


def random_rows(rng: random.Random) -> Rows:
    """A loop whose result does not depend on what tokens leave open."""
    rows = Rows(
        rows=rng.choice([1, 2, 4]),
        columns=rng.choice([32, 64, 128]),
        store=rng.choice(["x", "y"]),
        shift=rng.choice([-1, -1, 0, 0, 1, 2]),
        ordered=rng.random() < 0.5,
        pitch=rng.choice([None, 128, OVERLAPPING]),
        pointers=rng.random() < 0.4,
        padding=rng.choice([0, 3]),
    )
    overlaps = rows.pitch == OVERLAPPING
    return replace(
        rows,
        rows=1 if overlaps else rows.rows,
        shift=max(0, rows.shift) if rows.pointers else rows.shift,
        ordered=rows.ordered or (rows.store == "x" and (rows.shift != 0 or overlaps)),
    )


@pytest.mark.every(12, first=7)
@pytest.mark.parametrize("seed", range(12))
def test_random_loops(seed: int):
    check(random_rows(random.Random(seed)), counts=(1, 6))


MEMORY = "tensor_view<256xi32, strides=[1]>"
PIECES = f"partition_view<tile=(64), {MEMORY}>"
SHARED = f"""
entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {{
  %t = make_token : token
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c4 = constant <i32: 4> : tile<i32>
  %m = alloca num_elem = 256, alignment = 128 : tile<ptr<i32>>
  %vx = make_tensor_view %x, shape = [256], strides = [1] : {MEMORY}
  %vm = make_tensor_view %m, shape = [256], strides = [1] : {MEMORY}
  %vy = make_tensor_view %y, shape = [256], strides = [1] : {MEMORY}
  %whole_x = make_partition_view %vx : partition_view<tile=(256), {MEMORY}>
  %whole_m = make_partition_view %vm : partition_view<tile=(256), {MEMORY}>
  %px = make_partition_view %vx : {PIECES}
  %pm = make_partition_view %vm : {PIECES}
  %py = make_partition_view %vy : {PIECES}
  %a, %ta = load_view_tko weak %whole_x[%c0] token=%t
      : partition_view<tile=(256), {MEMORY}>, tile<i32> -> tile<256xi32>, token
  %tm = store_view_tko weak %a, %whole_m[%c0] token=%t
      : tile<256xi32>, partition_view<tile=(256), {MEMORY}>, tile<i32> -> token
  for %i in (%c0 to %c4, step %c1) : tile<i32> {{
    %b, %tb = load_view_tko weak %pm[%i] token=%tm : {PIECES}, tile<i32> -> tile<64xi32>, token
    %c, %tc = load_view_tko weak %px[%i] token=%t : {PIECES}, tile<i32> -> tile<64xi32>, token
    %d = addi %b, %c : tile<64xi32>
    %e = store_view_tko weak %d, %py[%i] token=%t : tile<64xi32>, {PIECES}, tile<i32> -> token
  }}
  return
}}
"""


def test_shared_memory():
    """Memory of the CTA is shared memory, from which nothing can be copied there."""
    module = load(SHARED)
    tiles, threads = lower(module)
    assert not runs_ahead(tiles)
    for each in (module, tiles, threads):
        x, y = np.arange(256, dtype=np.int32), np.zeros(256, np.int32)
        run(each, grid=1, args=[x, y], check=True)
        np.testing.assert_array_equal(y, 2 * x)


NESTED = f"""
entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {{
  %t = make_token : token
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c2 = constant <i32: 2> : tile<i32>
  %zeros = constant <i32: 0> : tile<64xi32>
  %vx = make_tensor_view %x, shape = [256], strides = [1] : {MEMORY}
  %vy = make_tensor_view %y, shape = [256], strides = [1] : {MEMORY}
  %px = make_partition_view %vx : {PIECES}
  %py = make_partition_view %vy : {PIECES}
  for %i in (%c0 to %c2, step %c1) : tile<i32> {{
    %first = muli %i, %c2 : tile<i32>
    %s = for %j in (%c0 to %c2, step %c1) : tile<i32> iter_values(%a = %zeros) -> (tile<64xi32>) {{
      %at = addi %first, %j : tile<i32>
      %b, %tb = load_view_tko weak %px[%at] token=%t : {PIECES}, tile<i32> -> tile<64xi32>, token
      %c = addi %a, %b : tile<64xi32>
      continue %c : tile<64xi32>
    }}
    %e = store_view_tko weak %s, %py[%i] token=%t : tile<64xi32>, {PIECES}, tile<i32> -> token
  }}
  return
}}
"""


@pytest.mark.parametrize("other", [False, True])
def test_threads_read_what_they_copied(other: bool):
    """Then they need no barriers; if they do not, level 2 says so, too."""
    module = load(NESTED)
    steps = select_steps(3, arch="sm_90", to="tileas")
    tiles = module.clone()
    for step in steps:
        # Nothing would be left of the loop.
        if step.name != "unroll-loops":
            make_pass(step, "sm_90").apply(context(), tiles)
    assert runs_ahead(tiles)
    copies = [op for op in tiles.walk() if op.name in COPIES]
    if other:
        for op in copies:
            set_anchor_layout(op, LAYOUT, blocked((64,), 1, vector=2))
    x, y = np.arange(256, dtype=np.int32), np.zeros(256, np.int32)
    if other:
        with pytest.raises(ExecutionError, match=r"missing nv_tileas\.barrier"):
            run(tiles, grid=1, args=[x, y], check=True)
        return
    run(tiles, grid=1, args=[x, y], check=True)
    np.testing.assert_array_equal(y[:128], x.reshape(2, 2, 64).sum(1).ravel())


GATHERED = """
cuda_tile.module @kernels {
  entry @kernel(%pi: tile<ptr<i32>>, %px0: tile<ptr<f32>>, %py0: tile<ptr<f32>>, %n: tile<i32>) {
    %px = assume div_by<16>, %px0 : tile<ptr<f32>>
    %py = assume div_by<16>, %py0 : tile<ptr<f32>>
    %tx = make_tensor_view %px, shape = [16, 128], strides = [128, 1]
        : tensor_view<16x128xf32, strides=[128,1]>
    %ty = make_tensor_view %py, shape = [16, 128], strides = [128, 1]
        : tensor_view<16x128xf32, strides=[128,1]>
    %vx = make_partition_view %tx : VIEW
    %vy = make_partition_view %ty : VIEW
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %k in (%zero to %n, step %one) : tile<i32> {
      %pk = offset %pi, %k : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %row, %t1 = load_ptr_tko weak %pk : tile<ptr<i32>> -> tile<i32>, token
      %x, %t2 = load_view_tko weak %vx[%row, %zero] : VIEW, tile<i32> -> tile<1x128xf32>, token
      %y = addf %x, %x : tile<1x128xf32>
      %t3 = store_view_tko weak %y, %vy[%k, %zero]
          : tile<1x128xf32>, VIEW, tile<i32> -> token
    }
    return
  }
}
""".replace("VIEW", "partition_view<tile=(1x128), tensor_view<16x128xf32, strides=[128,1]>>")


def test_rows_whose_numbers_are_loaded():
    """No number is loaded that the loop would not load."""
    module = load(GATHERED)
    tiles, threads = lower(module)
    assert runs_ahead(tiles)
    x = np.random.default_rng(0).standard_normal((16, 128)).astype(np.float32)
    for count in (0, 1, 7):
        rows = np.random.default_rng(count).integers(0, 16, max(1, count)).astype(np.int32)
        for each, checks in ((module, []), (tiles, []), (threads, ["races"])):
            y = np.zeros_like(x)
            run(each, grid=1, args=[rows, x, y, count], check=checks)
            np.testing.assert_array_equal(y[:count], 2 * x[rows[:count]])
            assert not y[count:].any()


TWO_LOOPS = """
cuda_tile.module @kernels {
  entry @kernel(%px0: tile<ptr<f32>>, %py0: tile<ptr<f32>>, %n: tile<i32>) {
    %px = assume div_by<16>, %px0 : tile<ptr<f32>>
    %py = assume div_by<16>, %py0 : tile<ptr<f32>>
    %tx = make_tensor_view %px, shape = [160, 64], strides = [64, 1]
        : tensor_view<160x64xf32, strides=[64,1]>
    %ty = make_tensor_view %py, shape = [32, 64], strides = [64, 1]
        : tensor_view<32x64xf32, strides=[64,1]>
    %rows = make_partition_view %tx : ROWS
    %columns = make_partition_view %tx : COLUMNS
    %vy = make_partition_view %ty : OUT
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %five = constant <i32: 5> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %nothing = constant <f32: 0.0> : tile<32x64xf32>
    %sum = for %r in (%zero to %three, step %one) : tile<i32>
        iter_values(%s = %nothing) -> (tile<32x64xf32>) {
      %first = for %k in (%zero to %n, step %one) : tile<i32>
          iter_values(%a = %s) -> (tile<32x64xf32>) {
        %x, %t1 = load_view_tko weak %rows[%k, %zero] : ROWS, tile<i32> -> tile<32x64xf32>, token
        %b = addf %a, %x : tile<32x64xf32>
        continue %b : tile<32x64xf32>
      }
      %second = for %k in (%zero to %n, step %one) : tile<i32>
          iter_values(%a = %first) -> (tile<32x64xf32>) {
        %x, %t1 = load_view_tko weak %columns[%zero, %k] : COLUMNS, tile<i32>
            -> tile<32x64xf32>, token
        %c = maxf %a, %x : tile<32x64xf32>
        continue %c : tile<32x64xf32>
      }
      continue %second : tile<32x64xf32>
    }
    %t3 = store_view_tko weak %sum, %vy[%zero, %zero]
        : tile<32x64xf32>, OUT, tile<i32> -> token
    return
  }
}
"""
TENSOR = "tensor_view<160x64xf32, strides=[64,1]>"
PARTS = {
    "ROWS": f"partition_view<tile=(32x64), {TENSOR}>",
    "COLUMNS": f"partition_view<tile=(32x64), padding_value = zero, {TENSOR}, dim_map=[1, 0]>",
    "OUT": "partition_view<tile=(32x64), tensor_view<32x64xf32, strides=[64,1]>>",
}


@pytest.mark.part("kernels")
def test_loops_with_different_layouts_share_no_buffers():
    """A thread may still read a tile of one when another thread begins the other."""
    text = TWO_LOOPS
    for name, view in PARTS.items():
        text = text.replace(name, view)
    module = load(text)
    # That pass would leave what both loops read to the L1 cache.
    tiles, threads = lower(module, without="unroll-loops")
    assert [op.name for op in tiles.walk()].count("nv_tileas.alloc_tensor") == 2
    x = np.random.default_rng(0).integers(-9, 9, (160, 64)).astype(np.float32)
    for count in (1, 4):
        results: list[Array] = []
        for each, checks in ((module, []), (tiles, []), (threads, ["races"])):
            y = np.zeros((32, 64), np.float32)
            run(each, grid=1, args=[x, y, count], check=checks, seed=count)
            results.append(y)
        for other in results[1:]:
            np.testing.assert_array_equal(results[0], other)


def gathered_rows(rows: int, columns: int) -> str:
    """A loop that loads a tile of numbers of rows, and these rows by pointers."""
    tile = f"{rows}x{columns}"
    numbers = f"partition_view<tile=({rows}), tensor_view<?xi32, strides=[1]>>"
    memory = f"tensor_view<?x{columns}xf32, strides=[{columns},1]>"
    result = f"partition_view<tile=({tile}), {memory}>"
    return f"""
entry @kernel(%pi0: tile<ptr<i32>>, %px0: tile<ptr<f32>>, %py0: tile<ptr<f32>>, %n: tile<i32>,
    %m0: tile<i32>) {{
  %pi = assume div_by<16>, %pi0 : tile<ptr<i32>>
  %px = assume div_by<16>, %px0 : tile<ptr<f32>>
  %py = assume div_by<16>, %py0 : tile<ptr<f32>>
  %m = assume div_by<4>, %m0 : tile<i32>
  %ti = make_tensor_view %pi, shape = [%m], strides = [1] : tile<i32>
      -> tensor_view<?xi32, strides=[1]>
  %ty = make_tensor_view %py, shape = [%m, {columns}], strides = [{columns}, 1] : tile<i32>
      -> {memory}
  %vi = make_partition_view %ti : {numbers}
  %vy = make_partition_view %ty : {result}
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %x0 = reshape %px : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %xs = broadcast %x0 : tile<1x1xptr<f32>> -> tile<{tile}xptr<f32>>
  %pitch = constant <i32: {columns}> : tile<{rows}xi32>
  %c0 = iota : tile<{columns}xi32>
  %c1 = reshape %c0 : tile<{columns}xi32> -> tile<1x{columns}xi32>
  %cs = broadcast %c1 : tile<1x{columns}xi32> -> tile<{tile}xi32>
  for %k in (%zero to %n, step %one) : tile<i32> {{
    %row, %t1 = load_view_tko weak %vi[%k] : {numbers}, tile<i32> -> tile<{rows}xi32>, token
    %r0 = muli %row, %pitch : tile<{rows}xi32>
    %r1 = reshape %r0 : tile<{rows}xi32> -> tile<{rows}x1xi32>
    %rs = broadcast %r1 : tile<{rows}x1xi32> -> tile<{tile}xi32>
    %offset = addi %rs, %cs : tile<{tile}xi32>
    %p = offset %xs, %offset : tile<{tile}xptr<f32>>, tile<{tile}xi32> -> tile<{tile}xptr<f32>>
    %x, %t2 = load_ptr_tko weak %p : tile<{tile}xptr<f32>> -> tile<{tile}xf32>, token
    %y = addf %x, %x : tile<{tile}xf32>
    %t3 = store_view_tko weak %y, %vy[%k, %zero] : tile<{tile}xf32>, {result}, tile<i32> -> token
  }}
  return
}}"""


def test_tiles_of_numbers_run_ahead_as_well():
    """Rows that are loaded ahead have the numbers of their own iteration, not of the current."""
    module = load(gathered_rows(512, 8))
    tiles, threads = lower(module)
    assert set(COPIES) <= {op.name for op in tiles.walk()}
    x = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float32)
    for count in (0, 1, 5):
        size = 512 * max(1, count)
        numbers = np.random.default_rng(count).integers(0, 50, size).astype(np.int32)
        for each, checks in ((module, []), (tiles, []), (threads, ["races"])):
            y = np.zeros((size, 8), np.float32)
            run(each, grid=1, args=[numbers, x, y, count, size], check=checks)
            np.testing.assert_array_equal(y, 2 * x[numbers] if count else 0)
