"""Small tiles that consumer warps load an iteration ahead, while WGMMAs multiply."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import scf

from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncFutureWaitOp
from tileiras_xdsl.dialects.nv_tileas.decisions import AHEAD, get_schedule
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.ping_pong import PingPongArriveOp, PingPongWaitOp
from tileiras_xdsl.targets.hopper import WARPGROUPS
from tileiras_xdsl.targets.warpgroups import IterationWork
from tileiras_xdsl.xdsl_extras.walking import find_all

from .test_ping_pong import scheduled
from .test_warpgroup_kernels import Array, Gemm, View, check, kernel, lower, numbers

GEMM = Gemm("f16", 128, 128, 64)
SUM = GEMM.views[2].tile_type
SCALES = View("e", "f32", (GEMM.m, 1), pads=False), View("f", "f32", (1, 1), pads=False)


def scaled(store: str = "") -> str:
    """
    A product whose parts are multiplied by a scale for each row, and one for each tile of operand
    B; scales of a step are in a column.
    """
    a, b, c = GEMM.views
    e, f = SCALES
    body = f"""
    {GEMM.zero}
    %sum = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%p = %nothing) -> ({c.tile_type}) {{
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%j")}
      {e.load("%rows", "%i", "%k")}
      {f.load("%tile", "%j", "%k")}
      {GEMM.multiply("%d", "%x", "%y", "%nothing")}
      %left = broadcast %rows : {e.tile_type} -> {SUM}
      %right = broadcast %tile : {f.tile_type} -> {SUM}
      %both = mulf %left, %right : {SUM}
      %part = mulf %d, %both : {SUM}
      %next = addf %p, %part : {SUM}
      {store}
      continue %next : {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}"""
    return kernel((a, b, e, f, c), body)


def scaled_by_gathered_rows() -> str:
    """The same, with the scales of rows in another order: those of the last row first."""
    e, size = SCALES[0], GEMM.m
    view = (
        f"gather_scatter_view<tile=({size}x1), padding_value = zero, "
        "tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>"
    )
    gather = f"""%rows, %rows_token = load_view_tko weak %gathered[%order, %k]
        : {view}, tile<{size}xi32>, tile<i32> -> {e.tile_type}, token"""
    order = f"""%numbers = iota : tile<{size}xi32>
    %last = constant <i32: {size - 1}> : tile<{size}xi32>
    %order = subi %last, %numbers : tile<{size}xi32>
    %gathered = make_gather_scatter_view %te : {view}
    {GEMM.zero}"""
    text = scaled().replace(e.load("%rows", "%i", "%k"), gather)
    return text.replace(GEMM.zero, order)


def arrays_of(trips: int) -> tuple[list[Array], Array]:
    """Operands, scales and a place for the result of two columns of tiles, and that result."""
    k, n = GEMM.k * max(trips, 1), 2 * GEMM.n
    a, b = numbers("f16", GEMM.m, k), numbers("f16", k, n)
    # Rows of views of these tests are multiples of 16 bytes.
    e, f = numbers("f32", GEMM.m, 16), numbers("f32", 2, 16)
    expected = np.zeros((GEMM.m, n))
    for step in range(trips):
        part = slice(step * GEMM.k, (step + 1) * GEMM.k)
        product = a[:, part].astype(np.float64) @ b[part].astype(np.float64)
        expected += product * e[:, step : step + 1] * np.repeat(f[:, step], GEMM.n)
    return [a, b, e, f, np.zeros((GEMM.m, n), np.float32)], expected


@pytest.mark.part("kernels")
@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("trips", "abi", "levels"),
    [
        (0, "host-maps", (2, 3)),
        (1, "host-maps", (2, 3)),
        (2, "device-maps", (2, 3)),
        (5, "host-maps", (2, 3, 4)),
    ],
)
def test_scaled_products(trips: int, abi: str, levels: tuple[int, ...]):
    """Whether or not there are iterations whose scales are loaded ahead."""
    arrays, expected = arrays_of(trips)
    check(scaled(), arrays, expected, grid=(1, 2), n=trips, abi=abi, levels=levels)


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize(("trips", "opt"), [(1, 1), (3, 3)])
def test_scales_of_gathered_rows(trips: int, opt: int):
    """Threads load gathered rows ahead as well."""
    text = scaled_by_gathered_rows()
    assert ahead(text) == 2
    arrays, expected = arrays_of(trips)
    arrays[2] = np.ascontiguousarray(arrays[2][::-1])
    check(text, arrays, expected, grid=(1, 2), n=trips, opt=opt)


def test_where_loads_are():
    """Behind the WGMMA, before its result is waited for; of the same iteration if none follows."""
    module = lower(scaled(), "host-maps", 3, 3)[2]
    (loop,) = [
        each
        for each in find_all(module, scf.ForOp)
        if any(isinstance(op, AsyncDotOp) for op in each.body.block.ops)
    ]
    ops = [*loop.body.block.ops]
    kinds = (AsyncDotOp, TiledLoadOp, AsyncFutureWaitOp, PingPongWaitOp, PingPongArriveOp)
    found = [type(op) for op in ops if isinstance(op, kinds)]
    assert found == [
        PingPongWaitOp,
        AsyncDotOp,
        PingPongArriveOp,
        TiledLoadOp,
        TiledLoadOp,
        AsyncFutureWaitOp,
    ]
    assert isinstance(loop.parent_op(), scf.IfOp)


def ahead(text: str) -> int:
    """How many tiles are loaded an iteration before they are used."""
    function = scheduled(text, ping_pong=None)
    return sum(AHEAD.is_on(op) for op in function.walk() if is_plain_load(op))


def test_which_loads():
    assert ahead(scaled()) == 2
    # Tiles of more than a value for each row stay where they are.
    assert ahead(GEMM.text()) == 0
    # So do loads that a store of the loop may change.
    assert ahead(scaled(SCALES[0].store("%rows", "%i", "%k"))) == 0


def gathered(gemm: Gemm, operand: str) -> str:
    """A product whose operand A or B is at the tile that a table names for each step."""
    a, b, c = gemm.views
    row, column = ("%g", "%k") if operand == "a" else ("%i", "%k")
    step = "%g" if operand == "b" else "%k"
    table = View("e", "i32", (1, 1), pads=False)
    body = f"""
    {gemm.zero}
    %sum = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%p = %nothing) -> ({c.tile_type}) {{
      %place = offset %pe, %k : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %g, %token = load_ptr_tko weak %place : tile<ptr<i32>> -> tile<i32>, token
      {a.load("%x", row, column)}
      {b.load("%y", step, "%j")}
      {gemm.multiply("%d", "%x", "%y", "%p")}
      continue %d : {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}"""
    return kernel((a, b, table, c), body)


@pytest.mark.part("kernels")
@pytest.mark.every(5)
@pytest.mark.parametrize("operand", ["a", "b"])
@pytest.mark.parametrize(
    ("gemm", "abi"),
    [(GEMM, "host-maps"), (GEMM, "device-maps"), (Gemm("f16", 64, 32, 64), "host-maps")],
)
def test_numbers_of_tiles(gemm: Gemm, operand: str, abi: str):
    """Producer warps load what says where tiles are; where launches may choose clusters, too."""
    assert ahead(gathered(gemm, operand)) == 0
    trips, m, k = 3, gemm.m, gemm.k
    a, b = numbers("f16", 2 * m, trips * k), numbers("f16", trips * k, gemm.n)
    table = np.zeros((1, 16), np.int32)
    table[0, :trips] = (1, 0, 1) if operand == "a" else (2, 0, 1)
    expected = np.zeros((m, gemm.n))
    for step in range(trips):
        row, place = (table[0, step], step) if operand == "a" else (0, table[0, step])
        x = a[row * m : (row + 1) * m, step * k : (step + 1) * k].astype(np.float64)
        expected += x @ b[place * k : (place + 1) * k].astype(np.float64)
    out = np.zeros(expected.shape, np.float32)
    check(gathered(gemm, operand), [a, b, table, out], expected, n=trips, abi=abi)


def test_work_of_all_threads_is_not_repeated():
    """A tile that is loaded where a product says stays where it is."""
    assert ahead(scaled()) == 2
    text = scaled().replace(
        SCALES[0].load("%rows", "%i", "%k"),
        f"""%most = reduce %p dim=1 identities=[0.0 : f32] : {SUM} -> tile<128xf32>
        (%u: tile<f32>, %w: tile<f32>) {{
          %z = maxf %u, %w : tile<f32>
          yield %z : tile<f32>
        }}
      %first = extract %most[%zero] : tile<128xf32> -> tile<1xf32>
      %single = reshape %first : tile<1xf32> -> tile<f32>
      %place = ftoi %single signed : tile<f32> -> tile<i32>
      {SCALES[0].load("%rows", "%i", "%place")}""",
    )
    assert ahead(text) == 0


def test_turns_of_one_wgmma():
    """Tensor cores would wait while threads multiply by scales."""
    schedule = get_schedule(scheduled(scaled(), ping_pong=None))
    assert schedule is not None
    assert (schedule.ping_pong, schedule.exclusive) == (2, 1)
    plain = get_schedule(scheduled(GEMM.text(), ping_pong=None))
    assert plain is not None
    assert plain.ping_pong is None
    serial, other = IterationWork(512, 0, is_serial=True), IterationWork(512, 0)
    assert WARPGROUPS.ping_pong_pays(8, [serial])
    assert not WARPGROUPS.ping_pong_pays(8, [serial, other])
