"""
Attacks on `tileas-pair-ctas`: what decides which MMAs there are, and depends on which CTA of a pair
it is, or on the tile block; tiles of B that are shared, transposed or operand A as well; epilogues
that read what the other CTA has stored; loops without iterations, and odd grids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.gpu import BlockIdOp

from tileiras_xdsl.dialects.nv_tileaa.elementwise import DivIOp
from tileiras_xdsl.dialects.nv_tileas.decisions import HALVED, PAIR
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from ..harness.passes import applied
from ..harness.remarks import asked, told
from ..transforms.test_warpgroup_kernels import Gemm, View, as_arguments, kernel, numbers
from .attacks import Attack

ATTACK = Attack("tileas-pair-ctas", arch="sm_100a", then=("nvgpu",))
HINT = ") optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {"
GEMM = Gemm("f16", 256, 32, 16)
A, B, C = GEMM.views
D = View("d", "f32", C.tile, pads=False)
T = C.tile_type
LOOP = GEMM.loop("%i", "%j")
STORE = C.store("%sum", "%i", "%j")


@dataclass(frozen=True)
class Program:
    """A kernel, and whether a pair multiplies."""

    body: str
    is_pair: bool = True
    b: View = B
    grids: tuple[tuple[int, int], ...] = ((1, 1), (3, 1))

    @property
    def text(self) -> str:
        text = kernel((A, self.b, C, D), f"{GEMM.zero}\n{self.body}")
        return text.replace(") {", HINT, 1)

    def arguments(self, trips: int, grid: tuple[int, int]) -> list[Any]:
        rows, columns = 256 * max(grid[0], 2), 32 * grid[1]
        b = (columns, 48) if self.b.transposed else (48, columns)
        arrays = [numbers("f16", rows, 48), numbers("f16", *b)]
        arrays += [numbers("f32", rows, columns) for _ in range(2)]
        return as_arguments(arrays, trips, 2)


def twice(y: str = "%y") -> str:
    """A loop of two products, by `%y` or another tile."""
    types = f"{T}, {T}"
    return f"""
    %r:2 = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing, %t = %nothing) -> ({types}) {{
      {A.load("%x", "%i", "%k")}
      {B.load("%y", "%k", "%j")}
      {B.load("%y0", "%zero", "%j")}
      {GEMM.multiply("%e", "%x", "%y", "%s")}
      {GEMM.multiply("%f", "%x", y, "%t")}
      continue %f, %e : {types}
    }}
    {C.store("%r#0", "%i", "%j").replace("%r#0_stored", "%end")}
    {D.store("%r#1", "%i", "%j").replace("%r#1_stored", "%end2")}"""


def only(condition: str) -> str:
    """A product that only some tile blocks or iterations add."""
    return f"""
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%s = %nothing) -> ({T}) {{
      {condition}
      %d = if %c -> ({T}) {{
        {A.load("%x", "%i", "%k")}
        {B.load("%y", "%k", "%j")}
        {GEMM.multiply("%e", "%x", "%y", "%s")}
        yield %e : {T}
      }} else {{
        yield %s : {T}
      }}
      continue %d : {T}
    }}
    {STORE}"""


def is_equal(a: str, b: str) -> str:
    return f"%c = cmpi equal {a}, {b}, signed : tile<i32> -> tile<i1>"


BY_COLUMNS = Gemm("f16", 256, 32, 16, "b")
BELOW = f"""
    %half = constant <i32: 128> : tile<i32>
    %skipped = muli %half, %cc : tile<i32>
    %pe = offset %pc, %skipped : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %re = subi %rc, %half : tile<i32>
    %te = make_tensor_view %pe, shape = [%re, %sc], strides = [%sc, 1]
        : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %ve = make_partition_view %te : {C.type}"""
"""The matrix of results from the first row of the second CTA on."""
PROGRAMS: Mapping[str, Program] = {
    "a product": Program(f"{LOOP}\n{STORE}"),
    "B by columns": Program(f"{BY_COLUMNS.loop('%i', '%j')}\n{STORE}", b=BY_COLUMNS.views[1]),
    "one tile of B for two products": Program(twice()),
    "two tiles of B": Program(twice("%y0")),
    "trips by the tile block": Program(LOOP.replace("to %n,", "to %i,") + STORE),
    "a tile of B by the tile block": Program(LOOP.replace("%vb[%k,", "%vb[%i,") + STORE),
    "a branch by the tile block": Program(only(is_equal("%i", "%zero"))),
    "a branch by the iteration": Program(only(is_equal("%k", "%one"))),
    "a result whose halves change places": Program(
        f"""{LOOP}
    {STORE}
    %cut = reshape %sum : {T} -> tile<2x128x32xf32>
    %low = extract %cut[%zero, %zero, %zero] : tile<2x128x32xf32> -> tile<1x128x32xf32>
    %high = extract %cut[%one, %zero, %zero] : tile<2x128x32xf32> -> tile<1x128x32xf32>
    %both = cat %high, %low dim = 0
        : tile<1x128x32xf32>, tile<1x128x32xf32> -> tile<2x128x32xf32>
    %flat = reshape %both : tile<2x128x32xf32> -> {T}
    {D.store("%flat", "%i", "%j")}""",
        is_pair=False,
    ),
    "rows that the other CTA stores": Program(
        f"""{BELOW}
    {LOOP}
    {STORE}
    %old, %seen = load_view_tko weak %ve[%i, %j] token = %sum_stored
        : {C.type}, tile<i32> -> {T}, token
    {D.store("%old", "%i", "%j")}""",
        is_pair=False,
        grids=((1, 1),),
    ),
    "tiles in turn that begin with what is loaded": Program(
        f"""for %tile in (%zero to %m, step %one) : tile<i32> {{
      {C.load("%first", "%tile", "%j")}
      {LOOP.replace("%nothing", "%first").replace("%i", "%tile")}
      {D.store("%sum", "%tile", "%j")}
    }}""",
        grids=((1, 1),),
    ),
}


@pytest.mark.part("kernels")
@pytest.mark.every(16, first=1)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str):
    program = PROGRAMS[name]
    attack = ATTACK.but(fires=program.is_pair)
    for grid in program.grids:
        inputs = [program.arguments(trips, grid) for trips in (0, 3)]
        after = attack.run(program.text, inputs, grid=(*grid, 1), sm_count=4)
        (function,) = kernels(after)
        assert PAIR.is_on(function) == program.is_pair


# Programs that no lowering makes: what a tile block has is what each CTA has for itself.


def cluster_index(module: ModuleOp) -> DivIOp:
    """The index of a CTA, divided by how many a tile block has."""
    (found,) = (op for op in module.walk() if isinstance(op, DivIOp))
    assert any(isinstance(op, BlockIdOp) for op in module.walk())
    return found


def use_own_index(module: ModuleOp) -> None:
    op = cluster_index(module)
    op.result.replace_all_uses_with(op.operands[0])


def round_up(module: ModuleOp) -> None:
    """Of a pair, the second CTA has the next number."""
    cluster_index(module).properties["rounding"] = StringAttr("positive_inf")


REASONS = {
    "trips by the tile block": "CTAs may run a loop of MMAs differently often",
    "a tile of B by the tile block": "CTAs may load different tiles of B",
    "a branch by the tile block": "only one of the CTAs may multiply",
}


@pytest.mark.parametrize("change", [use_own_index, round_up])
@pytest.mark.parametrize("name", REASONS)
def test_indices_of_ctas(name: str, change: Callable[[ModuleOp], None]):
    module = asked(ATTACK.before(PROGRAMS[name].text))
    change(module)
    after = applied(module, ATTACK.make())
    (function,) = kernels(after)
    assert not PAIR.is_on(function)
    assert not any(HALVED.get(op) is not None for op in after.walk())
    assert [each.reason for each in told(after, name="Pair")] == [REASONS[name]]
