"""
Attacks on `tileas-slice-epilogues`: chains in which columns become other dimensions, tiles that are
loaded, overwritten or needed as a whole, accumulators that change after what is stored was
computed, and loops without iterations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tileiras_xdsl.dialects.nv_tileas.decisions import SLICED

from ..transforms.test_warpgroup_kernels import Gemm, View, as_arguments, kernel, numbers
from .attacks import Attack
from .dot_loops import Shape, Writer

ATTACK = Attack(
    "tileas-slice-epilogues", arch="sm_100a", fires=None, is_idempotent=False, then=("nvgpu",)
)
GEMM = Gemm("f16", 128, 128, 16)
A, B, C = GEMM.views
D = View("d", "f32", C.tile, pads=False)
T = C.tile_type
PRODUCT = f"{GEMM.zero}\n{GEMM.loop('%i', '%j')}"
TWICE = f"%twice = addf %sum, %sum : {T}"
POINTERS = """
    %range = iota : tile<128xi32>
    %down = reshape %range : tile<128xi32> -> tile<128x1xi32>
    %along = reshape %range : tile<128xi32> -> tile<1x128xi32>
    %rows = broadcast %down : tile<128x1xi32> -> tile<128x128xi32>
    %columns = broadcast %along : tile<1x128xi32> -> tile<128x128xi32>
    %one_stride = reshape %cc : tile<i32> -> tile<1x1xi32>
    %stride = broadcast %one_stride : tile<1x1xi32> -> tile<128x128xi32>
    %before = muli %rows, %stride : tile<128x128xi32>
    %offset = addi %before, %columns : tile<128x128xi32>
    %base = reshape %pc : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %bases = broadcast %base : tile<1x1xptr<f32>> -> tile<128x128xptr<f32>>
    %pointers = offset %bases, %offset
        : tile<128x128xptr<f32>>, tile<128x128xi32> -> tile<128x128xptr<f32>>"""


def store_by_pointers(value: str, mask: str) -> str:
    """Stores a tile where a mask says."""
    types = "tile<128x128xptr<f32>>, tile<128x128xf32>, tile<128x128xi1>"
    return f"%end = store_ptr_tko weak %pointers, {value}, {mask} : {types} -> token"


def reduced(result: str, value: str, axis: int) -> str:
    """The sums of a tile, as often as it has rows or columns."""
    shape = "1x128" if axis == 0 else "128x1"
    writer = Writer(Shape(128, 128, 16))
    return f"""{writer.aggregate(f"{result}_sums", "reduce", value, axis)}
    {result}_line = reshape {result}_sums : tile<128xf32> -> tile<{shape}xf32>
    {result} = broadcast {result}_line : tile<{shape}xf32> -> {T}"""


@dataclass(frozen=True)
class Program:
    """What is done with the product `%sum`, and how many slices are stored."""

    body: str
    slices: int
    begin: str = PRODUCT
    c: View = C
    d: View = D

    @property
    def text(self) -> str:
        text = kernel((A, B, self.c, self.d), f"{self.begin}\n{self.body}")
        # Rows may not end with 16 bytes, so threads store them.
        return text.replace("shape = [%rc, %sc]", "shape = [%rc, %m]")

    def arguments(self, trips: int) -> list[Any]:
        arrays = [numbers("f16", 128, 48), numbers("f16", 48, 128)]
        arrays += [numbers("f32", *each.tile) for each in (self.c, self.d)]
        return as_arguments(arrays, trips, self.c.tile[1] - 3)


def store(value: str, view: View = C, after: str | None = None) -> str:
    """Stores a tile, after what a token says."""
    text = view.store(value, "%i", "%j").replace("_stored", f"_to_{view.name}")
    return text if after is None else text.replace("%j]", f"%j] token = {after}")


TRANSPOSED = View("c", "f32", (128, 128), transposed=True, pads=False)
STACKED, BESIDE = (View("c", "f32", shape, pads=False) for shape in ((256, 128), (128, 256)))
FLAT = View("c", "f32", (1, 128 * 128), pads=False)
PROGRAMS: Mapping[str, Program] = {
    "a transposed tile": Program(
        f"{TWICE}\n%flip = permute %twice [1, 0] : {T} -> {T}\n{store('%flip')}", 2
    ),
    "a transposed view": Program(f"{TWICE}\n{store('%twice', TRANSPOSED)}", 2, c=TRANSPOSED),
    "a tile and itself transposed": Program(
        f"%flip = permute %sum [1, 0] : {T} -> {T}\n%all = subf %flip, %sum : {T}\n{store('%all')}",
        0,
    ),
    "a flat tile": Program(
        f"%flat = reshape %sum : {T} -> {FLAT.tile_type}\n{store('%flat', FLAT)}", 0, c=FLAT
    ),
    "columns in two dimensions": Program(
        f"{TWICE}\n%cut = reshape %twice : {T} -> tile<128x2x64xf32>\n"
        "%moved = permute %cut [1, 0, 2] : tile<128x2x64xf32> -> tile<2x128x64xf32>\n"
        f"%back = reshape %moved : tile<2x128x64xf32> -> {T}\n{store('%back')}",
        0,
    ),
    "rows in two dimensions": Program(
        f"{TWICE}\n%cut = reshape %twice : {T} -> tile<2x64x128xf32>\n"
        "%moved = permute %cut [1, 0, 2] : tile<2x64x128xf32> -> tile<64x2x128xf32>\n"
        f"%back = reshape %moved : tile<64x2x128xf32> -> {T}\n{store('%back')}",
        2,
    ),
    "a dimension of one": Program(
        f"%more = reshape %sum : {T} -> tile<1x128x1x128xf32>\n"
        "%twice = addf %more, %more : tile<1x128x1x128xf32>\n"
        "%flip = permute %twice [3, 0, 1, 2] : tile<1x128x1x128xf32> -> tile<128x1x128x1xf32>\n"
        f"%back = reshape %flip : tile<128x1x128x1xf32> -> {T}\n{store('%back')}",
        2,
    ),
    "tiles below each other": Program(
        f"{TWICE}\n%all = cat %sum, %twice dim = 0 : {T}, {T} -> {STACKED.tile_type}\n"
        f"{store('%all', STACKED)}",
        2,
        c=STACKED,
    ),
    "tiles beside each other": Program(
        f"{TWICE}\n%all = cat %sum, %twice dim = 1 : {T}, {T} -> {BESIDE.tile_type}\n"
        f"{store('%all', BESIDE)}",
        0,
        c=BESIDE,
    ),
    "a tile that is overwritten, transposed": Program(
        f"{C.load('%old', '%i', '%j')}\n%flip = permute %old [1, 0] : {T} -> {T}\n"
        f"%new = subf %sum, %flip : {T}\n{store('%new', after='%old_token')}",
        2,
    ),
    "a tile that is needed by rows and by columns": Program(
        f"{D.load('%old', '%i', '%j')}\n%flip = permute %old [1, 0] : {T} -> {T}\n"
        f"%new = subf %sum, %flip : {T}\n%more = mulf %new, %old : {T}\n{store('%more')}",
        0,
    ),
    "two stores, of which one overwrites what both need": Program(
        f"{C.load('%old', '%i', '%j')}\n%new = addf %sum, %old : {T}\n"
        f"{store('%new', after='%old_token')}\n%less = subf %sum, %old : {T}\n{store('%less', D)}",
        4,
    ),
    "what the first store left, by its token": Program(
        f"{TWICE}\n{store('%twice')}\n"
        f"%old, %seen = load_view_tko weak %vc[%i, %j] token = %twice_to_c "
        f": {C.type}, tile<i32> -> {T}, token\n%flip = permute %old [1, 0] : {T} -> {T}\n"
        f"%less = subf %sum, %flip : {T}\n"
        f"{store('%less', after='%seen')}",
        4,
    ),
    "one value for two stores": Program(f"{TWICE}\n{store('%twice')}\n{store('%twice', D)}", 0),
    "sums of rows": Program(
        f"{reduced('%total', '%sum', 1)}\n%less = subf %sum, %total : {T}\n{store('%less')}", 2
    ),
    "sums of columns": Program(
        f"{reduced('%total', '%sum', 0)}\n%less = subf %sum, %total : {T}\n{store('%less')}", 0
    ),
    "a mask of columns": Program(
        f"{POINTERS}\n{TWICE}\n%odd = andi %offset, %columns : tile<128x128xi32>\n"
        "%mask = cmpi greater_than %odd, %rows, signed\n"
        ": tile<128x128xi32> -> tile<128x128xi1>\n"
        f"{store_by_pointers('%twice', '%mask')}",
        2,
    ),
    "a mask of what is stored": Program(
        f"{POINTERS}\n%mask = cmpf greater_than ordered %sum, %nothing : {T} -> tile<128x128xi1>\n"
        f"{store_by_pointers('%sum', '%mask')}",
        2,
    ),
    "an atomic whose old values are stored": Program(
        f"{POINTERS}\n{TWICE}\n%old, %seen = atomic_rmw_tko relaxed device %pointers, addf, %twice "
        f": tile<128x128xptr<f32>>, {T} -> {T}, token\n{store('%old', D)}",
        0,
    ),
    "an atomic by columns of rows": Program(
        f"{POINTERS}\n%flip = permute %sum [1, 0] : {T} -> {T}\n"
        "%old, %seen = atomic_rmw_tko relaxed device %pointers, addf, %flip "
        f": tile<128x128xptr<f32>>, {T} -> {T}, token",
        2,
    ),
    "stores in a loop and a branch": Program(
        f"{TWICE}\nfor %e in (%zero to %n, step %one) : tile<i32> {{\n"
        "%first = cmpi equal %e, %zero, signed : tile<i32> -> tile<i1>\n"
        f"if %first {{\n{C.load('%old', '%i', '%j')}\n%new = addf %sum, %old : {T}\n"
        f"{store('%new', after='%old_token')}\n}}\n}}",
        2,
    ),
    "an accumulator that goes on": Program(
        f"""{TWICE}
    %more = for %e in (%zero to %n, step %one) : tile<i32> iter_values(%f = %sum) -> ({T}) {{
      {A.load("%x2", "%i", "%e")}
      {B.load("%y2", "%e", "%j")}
      {GEMM.multiply("%d2", "%x2", "%y2", "%f")}
      continue %d2 : {T}
    }}
    {store("%twice")}
    %less = subf %more, %nothing : {T}
    {store("%less", D)}""",
        4,
    ),
    "a product that begins with what is overwritten": Program(
        f"{TWICE}\n{store('%twice', after='%nothing_token')}",
        2,
        begin=f"{C.load('%nothing', '%i', '%j')}\n{GEMM.loop('%i', '%j')}",
    ),
}


@pytest.mark.part("kernels")
@pytest.mark.every(24)
@pytest.mark.parametrize("name", PROGRAMS)
def test_epilogues(name: str):
    program = PROGRAMS[name]
    after = ATTACK.run(program.text, map(program.arguments, (0, 3)))
    assert sum(SLICED.get(op) is not None for op in after.walk()) == program.slices


RELOADED = (
    f"%old, %seen = load_view_tko weak %vc[%i, %j] token = %sum_to_c : {C.type}, tile<i32> "
    f"-> {T}, token\n%flip = permute %old [1, 0] : {T} -> {T}"
)
PLAIN: Mapping[str, Program] = {
    "a transposed view": Program(store("%sum", TRANSPOSED), 2, c=TRANSPOSED),
    "what the store left, transposed in place": Program(
        f"{store('%sum')}\n{RELOADED}\n{store('%flip', after='%seen')}", 2
    ),
    "two stores to one place": Program(
        f"{store('%sum')}\n%flip = permute %sum [1, 0] : {T} -> {T}\n"
        f"{store('%flip', after='%sum_to_c')}",
        4,
    ),
    "a store in each branch": Program(
        "%some = cmpi greater_than %n, %one, signed : tile<i32> -> tile<i1>\n"
        f"if %some {{\n{store('%sum')}\n}} else {{\n{store('%sum', D)}\n}}",
        4,
    ),
}
"""What TMA stores, and nothing is computed of."""


@pytest.mark.long
@pytest.mark.parametrize("name", PLAIN)
def test_plain_stores(name: str):
    program = PLAIN[name]
    text = program.text.replace("shape = [%rc, %m]", "shape = [%rc, %sc]")
    after = ATTACK.run(text, map(program.arguments, (0, 1, 3)))
    assert sum(SLICED.get(op) is not None for op in after.walk()) == program.slices


SHAPES = (Shape(128, 256, 16), Shape(64, 256, 16), Shape(256, 128, 16))


@pytest.mark.part("kernels")
@pytest.mark.every(11, first=1)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["a product", "accumulators that swap"])
def test_warpgroups(name: str, shape: Shape):
    """One or two warpgroups have rows, or columns of slices."""
    writer = Writer(shape)
    second = writer.mma("%nq", "%x", "%y", "%q")
    body = f"{writer.both}\n{writer.mma('%np', '%x', '%y', '%p')}\n{second}"
    swaps = name != "a product"
    text = writer.loop(body, yields=("%nq", "%np") if swaps else ("%np", "%nq"))
    after = ATTACK.run(text, map(shape.arguments, (0, 3)))
    assert any(SLICED.get(op) is not None for op in after.walk())


def test_it_fires():
    program = PROGRAMS["two stores, of which one overwrites what both need"]
    ATTACK.but(fires=True, then=()).run(program.text, [program.arguments(1)])


def test_strided_views():
    """Tiles of a view that overlap: a piece is half of a tile, and the whole of a step."""
    c = View("c", "f32", C.tile)
    program = Program(f"{TWICE}\n{c.store('%twice', '%i', '%one')}", 2, c=c)
    view = "strided_view<tile=(128x128), traversal_strides=[128,64], padding_value"
    text = program.text.replace("partition_view<tile=(128x128), padding_value", view)
    text = text.replace("%vc = make_partition_view", "%vc = make_strided_view")
    after = ATTACK.run(text, [program.arguments(1)])
    assert sum(SLICED.get(op) is not None for op in after.walk()) == program.slices
