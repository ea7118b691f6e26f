"""Axis info is precise enough for vectorized accesses and bounds checks."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, SSAValue

from tileiras_xdsl.analysis.axis_info import ANY_DIVISOR, AxisInfo
from tileiras_xdsl.analysis.axis_info_analysis import (
    Analysis,
    AxisInfoAnalysis,
    TileAxisInfo,
    ViewAxisInfo,
    analyze,
    max_vector_width,
)
from tileiras_xdsl.dialects.nv_tileaa import views
from tileiras_xdsl.frontend.load import load


def analyzed(body: str, parameters: str = "%n: i32") -> tuple[ModuleOp, AxisInfoAnalysis]:
    module = load(f"func.func @k({parameters}) {{\n{body}\nfunc.return\n}}")
    return module, analyze(next(op for op in module.walk() if op.name == "func.func"))


def value_named(module: ModuleOp, name: str) -> SSAValue:
    for op in module.walk():
        values: list[SSAValue] = [*op.results]
        for region in op.regions:
            values += [arg for block in region.blocks for arg in block.args]
        for value in values:
            if value.name_hint == name:
                return value
    raise AssertionError(f"no %{name}")


def axis_info_of(name: str, body: str, parameters: str = "%n: i32") -> AxisInfo:
    module, axis_info = analyzed(body, parameters)
    return axis_info[value_named(module, name)]


OFFSETS = """
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %id = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
  %block = arith.index_cast %id : index to i32
  %start = nv_tileaa.muli %block, %c256 : i32
  %lane = nv_tileaa.make_range %c0, %c256 : i32 to tensor<256xi32>
  %all = nv_tileaa.splat %start : i32 to tensor<256xi32>
  %offset = nv_tileaa.addi %all, %lane : tensor<256xi32>
"""
MASK = """
  %known = nv_tileaa.assume %n {predicate = #nv_tileaa.div_by<16>} : i32
  %limit = nv_tileaa.splat %known : i32 to tensor<256xi32>
  %mask = nv_tileaa.cmpi %offset, %limit {comparison_predicate = "less_than"}
    : tensor<256xi32> -> tensor<256xi1>
"""
POINTERS = """
  %base = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
  %bases = nv_tileaa.splat %base : !llvm.ptr<1> to tensor<256x!llvm.ptr<1>>
  %pointer = nv_tileaa.addptr %bases, %offset {elem_type = f16}
    : tensor<256x!llvm.ptr<1>>, tensor<256xi32>
"""


def test_offsets_of_a_block_survive_overflow():
    start = axis_info_of("start", OFFSETS)
    assert (start.low, start.divisor) == (-(2**31), 256)
    offset = axis_info_of("offset", OFFSETS)
    assert offset.contiguity == (256,)
    assert offset.divisibility == (256,)


def test_mask_is_constant_in_groups():
    assert axis_info_of("mask", OFFSETS + MASK).constancy == (16,)
    exact = MASK.replace("less_than", "less_than_or_equal")
    assert axis_info_of("mask", OFFSETS + exact).constancy == (1,)


@pytest.mark.parametrize(
    ("element", "alignment", "width"),
    [("f16", 16, 8), ("f32", 16, 4), ("f64", 16, 2), ("i8", 16, 16), ("f16", 4, 2), ("f32", 1, 1)],
)
def test_vector_width(element: str, alignment: int, width: int):
    text = OFFSETS + MASK + POINTERS.replace("f16", element)
    text = text.replace(
        "#nv_tileaa.div_by<16>} : !llvm", f"#nv_tileaa.div_by<{alignment}>}} : !llvm"
    )
    module, axis_info = analyzed(text, "%n: i32, %p: !llvm.ptr<1>")
    pointer, mask = (
        axis_info[value_named(module, "pointer")],
        axis_info[value_named(module, "mask")],
    )
    size = {"i8": 1, "f16": 2, "f32": 4, "f64": 8}[element]
    assert max_vector_width(pointer, mask, 0, size) == width
    assert max_vector_width(pointer, None, 0, size) == width
    assert max_vector_width(pointer, None, 0, 2 * size) == 1


def test_rows_and_columns():
    text = """
      %c0 = arith.constant 0 : i32
      %c64 = arith.constant 64 : i32
      %stride = nv_tileaa.assume %n {predicate = #nv_tileaa.div_by<8>} : i32
      %i = nv_tileaa.make_range %c0, %c64 : i32 to tensor<64xi32>
      %column = nv_tileaa.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %row = nv_tileaa.view %i : tensor<64xi32> -> tensor<1x64xi32>
      %strides = nv_tileaa.splat %stride : i32 to tensor<64x1xi32>
      %begin = nv_tileaa.muli %column, %strides : tensor<64x1xi32>
      %a = nv_tileaa.broadcast %begin : tensor<64x1xi32> -> tensor<64x64xi32>
      %b = nv_tileaa.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
      %offset = nv_tileaa.addi %a, %b : tensor<64x64xi32>
      %turned = nv_tileaa.permute %offset {permutation = array<i32: 1, 0>}
        : tensor<64x64xi32> -> tensor<64x64xi32>
    """
    offset, turned = axis_info_of("offset", text), axis_info_of("turned", text)
    # Sums may overflow at multiples of 8, so longer runs are not sure to be whole.
    assert (offset.contiguity[1], offset.divisibility[1]) == (8, 8)
    assert offset.contiguity[0] == 1
    assert (turned.contiguity[0], turned.divisibility[0]) == (8, 8)


def test_remainders_and_quotients():
    text = (
        OFFSETS
        + """
      %c32 = arith.constant dense<32> : tensor<256xi32>
      %inner = nv_tileaa.remi %lane, %c32 : tensor<256xi32>
      %outer = nv_tileaa.divi %lane, %c32 : tensor<256xi32>
      %bits = arith.constant dense<7> : tensor<256xi32>
      %low = nv_tileaa.andi %offset, %bits : tensor<256xi32>
    """
    )
    inner, outer = axis_info_of("inner", text), axis_info_of("outer", text)
    assert (inner.contiguity, inner.low, inner.high) == ((32,), 0, 31)
    assert (outer.constancy, outer.low, outer.high) == ((32,), 0, 7)


def test_low_bits_of_negative_numbers():
    """Runs of a concatenation: 31 comes before 0, and each begins at a multiple of its length."""
    text = (
        OFFSETS
        + """
      %less = arith.constant dense<-64> : tensor<256xi32>
      %bits = arith.constant dense<31> : tensor<256xi32>
      %moved = nv_tileaa.addi %lane, %less : tensor<256xi32>
      %low = nv_tileaa.andi %moved, %bits : tensor<256xi32>
    """
    )
    low = axis_info_of("low", text)
    assert (low.contiguity, low.divisibility, low.low, low.high) == ((32,), (32,), 0, 31)


def test_upper_bits_of_any_number():
    text = """
      %c16 = arith.constant 16 : i32
      %c0 = arith.constant 0 : i32
      %upper = arith.shrui %n, %c16 : i32
      %same = arith.shrui %n, %c0 : i32
      %above = arith.shrsi %n, %c16 : i32
    """
    upper, same, above = (axis_info_of(name, text) for name in ("upper", "same", "above"))
    assert (upper.low, upper.high) == (0, 2**16 - 1)
    assert (same.low, same.high) == (-(2**31), 2**31 - 1)
    assert (above.low, above.high) == (-(2**15), 2**15 - 1)


def test_loops():
    text = """
      %c0 = arith.constant 0 : i32
      %c8 = arith.constant 8 : i32
      %r, %s = scf.for %i = %c0 to %n step %c8
          iter_args(%sum = %c0, %same = %c8) -> (i32, i32) : i32 {
        %next = nv_tileaa.addi %sum, %i : i32
        scf.yield %next, %c8 : i32, i32
      }
    """
    counter = axis_info_of("i", text)
    assert (counter.low, counter.high, counter.divisor) == (0, 2**31 - 2, 8)
    assert axis_info_of("r", text).divisor == 8
    assert axis_info_of("s", text).value == 8


def test_branches_tell_ranges():
    text = """
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c9 = arith.constant 9 : i32
      %small = nv_tileaa.cmpi %n, %c9 {comparison_predicate = "less_than"} : i32 -> i1
      %positive = nv_tileaa.cmpi %c0, %n {comparison_predicate = "less_than"} : i32 -> i1
      %both = nv_tileaa.andi %small, %positive : i1
      %r = scf.if %both -> (i32) {
        %inside = nv_tileaa.addi %n, %c1 : i32
        scf.yield %inside : i32
      } else {
        scf.yield %c0 : i32
      }
      %below = nv_tileaa.cmpi %n, %c9 {comparison_predicate = "less_than", signedness = "unsigned"}
        : i32 -> i1
      %s = scf.if %below -> (i32) {
        scf.yield %n : i32
      } else {
        scf.yield %c9 : i32
      }
    """
    inside, result, least = (axis_info_of(name, text) for name in ("inside", "r", "s"))
    assert (inside.low, inside.high) == (2, 9)
    assert (result.low, result.high) == (0, 9)
    assert (least.low, least.high) == (0, 9)
    assert axis_info_of("n", text) == AxisInfo.scalar(-(2**31), 2**31 - 1)


def test_counters_of_while_loops_are_not_negative():
    text = """
      %c0 = arith.constant 0 : i32
      %c4 = arith.constant 4 : i32
      %r = scf.while (%i = %c0) : (i32) -> i32 {
        %more = arith.cmpi slt, %i, %n : i32
        scf.condition(%more) %i : i32
      } do {
      ^bb0(%j: i32):
        %next = nv_tileaa.addi %j, %c4 : i32
        scf.yield %next : i32
      }
      %u = scf.while (%i2 = %c0) : (i32) -> i32 {
        %done = nv_tileaa.cmpi %i2, %n {comparison_predicate = "greater_than_or_equal"} : i32 -> i1
        %go, %k = scf.if %done -> (i1, i32) {
          %no = arith.constant false
          %none = ub.poison : i32
          scf.yield %no, %none : i1, i32
        } else {
          %yes = arith.constant true
          %c1 = arith.constant 1 : i32
          %k1 = nv_tileaa.addi %i2, %c1 : i32
          scf.yield %yes, %k1 : i1, i32
        }
        scf.condition(%go) %k : i32
      } do {
      ^bb0(%j2: i32):
        scf.yield %j2 : i32
      }
    """
    assert axis_info_of("j", text).divisor == 4
    counter = axis_info_of("i2", text)
    assert (counter.low, counter.high) == (0, 2**31 - 1)


def test_zero_is_divisible_by_all():
    zero = AxisInfo.constant(0)
    assert zero.divisor == ANY_DIVISOR
    assert zero.is_divisible_by(24)
    assert AxisInfo.constant(24).is_divisible_by(8)
    assert not AxisInfo.constant(24).is_divisible_by(16)


VIEW = """
  %c3 = arith.constant 3 : i32
  %c1 = arith.constant 1 : i32
  %base = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
  %rows = nv_tileaa.assume %m {predicate = #nv_tileaa.bounded<0, ?>} : i32
  %columns = nv_tileaa.assume %n {predicate = #nv_tileaa.div_by<16>} : i32
  %stride = nv_tileaa.assume %s {predicate = #nv_tileaa.div_by<16>} : i32
  %memref = nv_tileaa.make_memref %base sizes(%rows, %columns : i32, i32) strides(%stride : i32)
    : !llvm.ptr<1> -> !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
  %view = nv_tileaa.block_tile %memref {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]}
    : !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
    -> !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>
  %x = nv_tileaa.tiled_load %view[%c3, %k]
    : !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>, i32, i32
    -> tensor<64x32xf16>
"""
VIEW_PARAMETERS = "%p: !llvm.ptr<1>, %m: i32, %n: i32, %s: i32, %k: i32"


def tile_of(text: str, parameters: str = VIEW_PARAMETERS) -> TileAxisInfo:
    module, axis_info = analyzed(text, parameters)
    loads = [op for op in module.walk() if isinstance(op, views.TiledLoadOp)]
    (access,) = loads
    promised = (
        None if access.in_bounds is None else [bool(b) for b in access.in_bounds.get_values()]
    )
    return TileAxisInfo.of(access.view, access.indices, axis_info, promised)


def test_views():
    tile = tile_of(VIEW)
    assert isinstance(tile.view, ViewAxisInfo)
    assert tile.view.alignment == 16
    assert [size.divisor for size in tile.view.sizes] == [1, 16]
    assert [stride.divisor for stride in tile.view.strides] == [16, 1]
    assert tile.starts[0].value == 192
    assert tile.alignment() == 16
    assert tile.bounds_divisor(1) == 16
    assert tile.vector_width(1) == 8
    assert tile.vector_width(0) == 1
    assert not tile.is_in_bounds(0)


def test_views_without_knowledge():
    assert tile_of(VIEW.replace("div_by<16>", "div_by<2>")).vector_width(1) == 1
    odd_end = VIEW.replace(
        "%columns = nv_tileaa.assume %n {predicate = #nv_tileaa.div_by<16>}",
        "%columns = nv_tileaa.assume %n {predicate = #nv_tileaa.div_by<1>}",
    )
    assert tile_of(odd_end).vector_width(1) == 1
    promise = odd_end.replace("[%c3, %k]", "[%c3, %k] {in_bounds = array<i1: false, true>}")
    assert tile_of(promise).vector_width(1) == 8


def test_static_views_are_in_bounds():
    text = """
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c4 = arith.constant 4 : i32
      %memref = nv_tileaa.make_memref %p
        : !llvm.ptr<1> -> !nv_tileaa.memref<32x128xf32, strides = [128, 1]>
      %view = nv_tileaa.block_tile %memref {tileSizes = array<i64: 16, 32>, dimGroups = [[0], [1]]}
        : !nv_tileaa.memref<32x128xf32, strides = [128, 1]>
        -> !nv_tileaa.tiled_view<16x32, !nv_tileaa.memref<32x128xf32, strides = [128, 1]>>
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %x = nv_tileaa.tiled_load %view[%i, %i]
          : !nv_tileaa.tiled_view<16x32, !nv_tileaa.memref<32x128xf32, strides = [128, 1]>>,
            i32, i32 -> tensor<16x32xf32>
      }
    """
    tile = tile_of(text, "%p: !llvm.ptr<1>")
    assert [tile.is_in_bounds(dim) for dim in (0, 1)] == [False, True]
    assert tile.vector_width(1) == 1, "nothing is known of the pointer"


def test_sizes_of_views_are_known():
    text = (
        VIEW
        + """
      %a, %b = nv_tileaa.get_index_space_shape %view
        : !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>> -> i32, i32
      %d, %e = nv_tileaa.get_tensor_shape %memref
        : !nv_tileaa.memref<?x?xf16, strides = [?, 1]> -> i32, i32
    """
    )
    count = axis_info_of("a", text, VIEW_PARAMETERS)
    assert (count.low, count.high) == (0, 2**25)
    assert axis_info_of("e", text, VIEW_PARAMETERS).divisor == 16


def test_parameters_are_unknown():
    module, axis_info = analyzed("", "%n: i32, %p: !llvm.ptr<1>, %x: tensor<8xi8>")
    for name in ("n", "p", "x"):
        value = value_named(module, name)
        assert isinstance(value, BlockArgument)
        assert axis_info[value] == AxisInfo.top(value.type)


def test_loops_are_walked_a_few_times(monkeypatch: pytest.MonkeyPatch):
    """However many ops a loop has, and however they depend on each other."""
    lines = [
        OFFSETS,
        "%c8 = arith.constant 8 : i32",
        "%v0 = nv_tileaa.addi %offset, %all : tensor<256xi32>",
    ]
    lines += ["scf.for %i = %c0 to %n step %c8 : i32 {"]
    for number in range(290):
        op = ("addi", "muli", "andi")[number % 3]
        lines.append(f"%v{number + 1} = nv_tileaa.{op} %v{number}, %all : tensor<256xi32>")
    lines += ["}"]
    module, _ = analyzed("\n".join(lines))
    function = next(op for op in module.walk() if op.name == "func.func")
    walked: list[Block] = []
    visit_block = Analysis.visit_block

    def count(analysis: Analysis, block: Block) -> None:
        walked.append(block)
        visit_block(analysis, block)

    monkeypatch.setattr(Analysis, "visit_block", count)
    analyze(function)
    assert 2 <= len(walked) <= 5
