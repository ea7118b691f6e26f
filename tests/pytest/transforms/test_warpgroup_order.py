"""
Loops whose stores, or relaxed atomics, tokens order behind themselves: warpgroups that do these by
bulk copies do not wait for each other, unless elements of the tensor have addresses in common.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import BarrierOp
from xdsl.ir import Operation

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.decisions import WARPGROUP_ORDER
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp, TiledStoreOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import WaitCopiesOp
from tileiras_xdsl.dialects.nvvm import CpAsyncBulkWaitGroupOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import ModuleStage
from tileiras_xdsl.transforms.tileas import tileas_generate_schedule
from tileiras_xdsl.transforms.tileas.kernel_model import scratch_use
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.passes import lower

ROWS, COLUMNS, DEPTH = 128, 128, 16
"""For two warpgroups."""
FACTOR = "tensor_view<?x?xf16, strides=[?,1]>"
RESULT = "tensor_view<?x?xf32, strides=[?,1]>"
A = f"partition_view<tile=({ROWS}x{DEPTH}), {FACTOR}>"
B = f"partition_view<tile=({DEPTH}x{COLUMNS}), {FACTOR}>"
C = f"partition_view<tile=({ROWS}x{COLUMNS}), {RESULT}>"
SUM = f"tile<{ROWS}x{COLUMNS}xf32>"
LOAD = f"""
        %old, %read = load_view_tko weak %view_c[%row, %column] token = %t
            : {C}, tile<i32> -> {SUM}, token"""
STORE = f"store_view_tko weak %sum, %view_c[%row, %column] token = {{token}} : {SUM}, {C}"
ADD = (
    "atomic_red_view_tko relaxed device %view_c[%row, %column], addf, %sum token = {token}"
    f" : {SUM}, {C}"
)
EACH = pytest.mark.parametrize("access", [STORE, ADD], ids=["store", "add"])
Array = npt.NDArray[Any]


def program(
    access: str = STORE, *, before: str = "", added: str = "%nothing", token: str = "%t"
) -> str:
    """
    A CTA multiplies `%count` tiles of A by B, and stores them at tiles of C that an array says, or
    adds them to these, one behind the other.
    """
    places = "tensor_view<?xi32, strides=[1]>"
    return f"""
    entry @kernel(%a0: tile<ptr<f16>>, %b0: tile<ptr<f16>>, %c0: tile<ptr<f32>>,
                  %at: tile<ptr<i32>>, %count: tile<i32>, %height: tile<i32>, %n0: tile<i32>,
                  %stride0: tile<i32>) {{
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %two = constant <i32: 2> : tile<i32>
      %rows = constant <i32: {ROWS}> : tile<i32>
      %depth = constant <i32: {DEPTH}> : tile<i32>
      %width = constant <i32: {COLUMNS}> : tile<i32>
      %a = assume div_by<16>, %a0 : tile<ptr<f16>>
      %b = assume div_by<16>, %b0 : tile<ptr<f16>>
      %c = assume div_by<16>, %c0 : tile<ptr<f32>>
      %n1 = assume bounded<0, ?>, %n0 : tile<i32>
      %n = assume div_by<16>, %n1 : tile<i32>
      %stride1 = assume bounded<0, ?>, %stride0 : tile<i32>
      %stride = assume div_by<16>, %stride1 : tile<i32>
      %all = muli %count, %rows : tile<i32>
      %tensor_a = make_tensor_view %a, shape = [%all, %depth], strides = [%depth, 1]
          : tile<i32> -> {FACTOR}
      %tensor_b = make_tensor_view %b, shape = [%depth, %width], strides = [%width, 1]
          : tile<i32> -> {FACTOR}
      %tensor_c = make_tensor_view %c, shape = [%height, %n], strides = [%stride, 1]
          : tile<i32> -> {RESULT}
      %view_a = make_partition_view %tensor_a : {A}
      %view_b = make_partition_view %tensor_b : {B}
      %view_c = make_partition_view %tensor_c : {C}
      %twice = muli %count, %two : tile<i32>
      %tensor_p = make_tensor_view %at, shape = [%twice], strides = [1] : tile<i32> -> {places}
      %view_p = make_partition_view %tensor_p : partition_view<tile=(1), {places}>
      %nothing = constant <f32: 0.0> : {SUM}
      %t0 = make_token : token
      %end = for %i in (%zero to %count, step %one) : tile<i32> iter_values(%t = %t0) -> (token) {{
        %first = muli %i, %two : tile<i32>
        %second = addi %first, %one : tile<i32>
        %r1, %q0 = load_view_tko weak %view_p[%first]
            : partition_view<tile=(1), {places}>, tile<i32> -> tile<1xi32>, token
        %c1, %q1 = load_view_tko weak %view_p[%second]
            : partition_view<tile=(1), {places}>, tile<i32> -> tile<1xi32>, token
        %row = reshape %r1 : tile<1xi32> -> tile<i32>
        %column = reshape %c1 : tile<1xi32> -> tile<i32>
        {before}
        %sum = for %k in (%zero to %one, step %one) : tile<i32>
            iter_values(%s = {added}) -> ({SUM}) {{
          %x, %q2 = load_view_tko weak %view_a[%i, %k]
              : {A}, tile<i32> -> tile<{ROWS}x{DEPTH}xf16>, token
          %y, %q3 = load_view_tko weak %view_b[%k, %zero]
              : {B}, tile<i32> -> tile<{DEPTH}x{COLUMNS}xf16>, token
          %d = mmaf %x, %y, %s : tile<{ROWS}x{DEPTH}xf16>, tile<{DEPTH}x{COLUMNS}xf16>, {SUM}
          continue %d : {SUM}
        }}
        %done = {access.format(token=token)}, tile<i32> -> token
        continue %done : token
      }}
      return
    }}
    """


def arrays(places: list[tuple[int, int]], size: int) -> list[Array]:
    """Factors, memory for the results, and where these go."""
    random = np.random.default_rng(len(places))
    a = random.integers(-3, 4, (len(places) * ROWS, DEPTH)).astype(np.float16)
    b = random.integers(-3, 4, (DEPTH, COLUMNS)).astype(np.float16)
    return [a, b, np.full(size, 7, np.float32), np.array(places, np.int32).ravel()]


def execute(
    module: ModuleOp, given: list[Array], sizes: tuple[int, int, int], ctas: int = 1
) -> Array:
    """What a program leaves in C, of some rows, columns and a stride."""
    a, b, c, places = (each.copy() for each in given)
    run(module, grid=ctas, args=[a, b, c, places, len(places) // 2, *sizes], check=True)
    return c


def expected(given: list[Array], stride: int, access: str = STORE) -> Array:
    """What has to be there."""
    a, b, c, places = (each.copy() for each in given)
    for number, (row, column) in enumerate(places.reshape(-1, 2)):
        tile = a[number * ROWS :][:ROWS].astype(np.float32) @ b.astype(np.float32)
        for line in range(ROWS):
            start = (row * ROWS + line) * stride + column * COLUMNS
            old = c[start : start + COLUMNS] if access == ADD else 0.0
            c[start : start + COLUMNS] = old + tile[line]
    return c


def compiled(text: str, to: ModuleStage = "nvgpu") -> ModuleOp:
    return lower(
        load(f"cuda_tile.module @kernels {{ {text} }}"), to, arch="sm_90a", abi="device-maps"
    )


class Never:
    """An attribute that no op has."""

    @staticmethod
    def is_on(op: Operation) -> bool:
        return not op.name


def never_overlaps(tensors: object) -> None:
    """Elements of tensors have addresses of their own, whatever their strides."""


def barriers_in_loops(module: ModuleOp) -> list[BarrierOp]:
    return [
        op
        for op in find_all(module, BarrierOp)
        if any(isinstance(outer, scf.ForOp) for outer in around(op))
    ]


def around(op: Operation) -> Iterator[Operation]:
    while (outer := op.parent_op()) is not None:
        yield outer
        op = outer


TWICE = [(0, 0), (1, 0), (0, 0), (0, 1), (1, 0)]
"""Some tiles are stored again."""


def accesses(module: ModuleOp) -> list[TiledStoreOp | TiledAtomicRMWOp]:
    return find_all(module, TiledStoreOp, TiledAtomicRMWOp)


@EACH
def test_each_warpgroup_waits_for_its_own_copies(access: str):
    module = compiled(program(access), "tileas")
    (op,) = accesses(module)
    assert WARPGROUP_ORDER.is_on(op)
    assert isinstance(wait := op.prev_op, WaitCopiesOp)
    assert wait.written is not None
    (barrier,) = barriers_in_loops(module)
    assert isinstance(barrier.parent_op(), scf.IfOp)


@EACH
@pytest.mark.every(8)
@pytest.mark.parametrize("to", ["tileas", "nvgpu", "nvvm"])
def test_tiles_that_are_changed_again(to: ModuleStage, access: str):
    given = arrays(TWICE, 2 * ROWS * 2 * COLUMNS)
    found = execute(compiled(program(access), to), given, (2 * ROWS, 2 * COLUMNS, 2 * COLUMNS))
    np.testing.assert_array_equal(found, expected(given, 2 * COLUMNS, access))


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@EACH
def test_rows_that_overlap(access: str):
    """The last columns of a row are the first ones of the next row."""
    given = arrays([(0, 0), (0, 1), (0, 0)], (ROWS + 1) * COLUMNS)
    found = execute(compiled(program(access)), given, (ROWS, 2 * COLUMNS, COLUMNS))
    np.testing.assert_array_equal(found, expected(given, COLUMNS, access))


@pytest.mark.part("kernels")
def test_all_rows_are_one():
    """A stride of zero: each tile adds all of its rows to the same addresses."""
    given = arrays([(0, 0), (1, 0), (0, 0)], COLUMNS)
    found = execute(compiled(program(ADD)), given, (2 * ROWS, COLUMNS, 0))
    np.testing.assert_array_equal(found, expected(given, 0, ADD))


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@EACH
def test_tiles_beyond_the_end_change_nothing(access: str):
    """Of the tensor there is one tile and a half, of the last column of tiles half of one."""
    height, width = ROWS + ROWS // 2, COLUMNS + COLUMNS // 2
    given = arrays([(0, 0), (1, 1), (2, 0), (0, 5), (1, 1)], height * width)
    found = execute(compiled(program(access)), given, (height, width, width))
    inside = np.zeros((3 * ROWS, 6 * COLUMNS), np.float32)
    inside[:height, :width] = 7
    wide = [*given[:2], inside.ravel(), given[3]]
    whole = expected(wide, 6 * COLUMNS, access).reshape(inside.shape)
    np.testing.assert_array_equal(found.reshape(height, width), whole[:height, :width])


@pytest.mark.part("kernels")
@pytest.mark.every(3, first=2)
@pytest.mark.parametrize("to", ["tileas", "nvgpu", "nvvm"])
def test_several_ctas_add_to_the_same_elements(to: ModuleStage):
    given = arrays(TWICE, 2 * ROWS * 2 * COLUMNS)
    once = [*given[:2], np.zeros_like(given[2]), given[3]]
    added = expected(once, 2 * COLUMNS, ADD)
    sizes = 2 * ROWS, 2 * COLUMNS, 2 * COLUMNS
    found = execute(compiled(program(ADD), to), given, sizes, ctas=3)
    np.testing.assert_array_equal(found, given[2] + 3 * added)


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("to", ["nvgpu", "nvvm"])
def test_a_missing_wait_is_found(to: ModuleStage, monkeypatch: pytest.MonkeyPatch):
    """Of stores: nobody sees in which order numbers are added."""
    monkeypatch.setattr(scratch_use, "WARPGROUP_ORDER", Never)
    given = arrays(TWICE, 2 * ROWS * 2 * COLUMNS)
    with pytest.raises(ExecutionError, match="race"):
        execute(compiled(program(), to), given, (2 * ROWS, 2 * COLUMNS, 2 * COLUMNS))


@pytest.mark.part("kernels")
def test_a_missing_barrier_is_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tileas_generate_schedule, "_overlap_of_any", never_overlaps)
    given = arrays([(0, 0), (0, 1), (0, 0)], (ROWS + 1) * COLUMNS)
    with pytest.raises(ExecutionError, match="race"):
        execute(compiled(program()), given, (ROWS, 2 * COLUMNS, COLUMNS))


@pytest.mark.part("kernels")
@EACH
def test_missing_waits_for_the_staging_buffer_are_found(access: str):
    """It is written again while the last copy reads it."""
    module = compiled(program(access))
    for op in find_all(module, CpAsyncBulkWaitGroupOp):
        if any(isinstance(outer, scf.ForOp) for outer in around(op)):
            op.detach()
    given = arrays(TWICE, 2 * ROWS * 2 * COLUMNS)
    with pytest.raises(ExecutionError, match="race"):
        execute(module, given, (2 * ROWS, 2 * COLUMNS, 2 * COLUMNS))


@EACH
def test_a_load_of_what_was_changed_keeps_the_barrier(access: str):
    module = compiled(program(access, before=LOAD, added="%old", token="%read"), "tileas")
    assert not any(map(WARPGROUP_ORDER.is_on, accesses(module)))
    assert any(not isinstance(op.parent_op(), scf.IfOp) for op in barriers_in_loops(module))


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@EACH
def test_loads_see_what_was_changed_before(access: str):
    """Tiles are read, and stored or added with the product, by all tiles behind each other."""
    given = arrays(TWICE, 2 * ROWS * 2 * COLUMNS)
    module = compiled(program(access, before=LOAD, added="%old", token="%read"))
    found = execute(module, given, (2 * ROWS, 2 * COLUMNS, 2 * COLUMNS))
    a, b, c, places = given
    whole = c.reshape(2 * ROWS, 2 * COLUMNS).copy()
    for number, (row, column) in enumerate(places.reshape(-1, 2)):
        tile = whole[row * ROWS :, column * COLUMNS :][:ROWS, :COLUMNS]
        product = a[number * ROWS :][:ROWS].astype(np.float32) @ b.astype(np.float32)
        tile[:] = product + (2 if access == ADD else 1) * tile
    np.testing.assert_array_equal(found.reshape(whole.shape), whole)
