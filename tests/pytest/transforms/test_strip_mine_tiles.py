"""Kernels compute the same when their tiles are cut into parts, at every level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.gpu import BarrierOp

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileaa.shape import CatOp
from tileiras_xdsl.driver.demos.examples import examples
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.tileaa.strip_mine_tiles import StripMineTilesPass
from tileiras_xdsl.transforms.tileaa.tile_slices import find_slice_plan
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness import stress_kernels as stress
from ..harness.passes import applied, lower
from ..harness.remarks import asked, messages
from ..harness.running import assert_same_bits

Build = Callable[[stress.Builder], None]

CUT: Mapping[str, tuple[Build, int]] = {
    "dot_f32": (stress.dot(16, 32, 64, "f32"), 1024),
    "dot_f16": (stress.dot(32, 32, 128, "f16"), 4096),
    "dot_f64": (stress.dot(16, 16, 32, "f64", "f64"), 1024),
    "dot_i8": (stress.dot(32, 32, 128, "i8", "i32"), 4096),
    "dot_tf32": (stress.tf32_dot(16, 16, 64), 2048),
    "dot_mxfp8": (stress.scaled_dot(16, 16, 128, "f8E4M3FN", "f8E8M0FNU", 32), 4096),
    "dot_rows": (stress.dot(64, 32, 16, "f16"), 1024),
    "matmul": (stress.matmul(64, 32, 16, 64, "f16"), 1024),
    "scan_last": (stress.scan((16, 64), 1, "f32"), 1024),
    "scan_first": (stress.scan((64, 16), 0, "i64", reverse=True), 1024),
    "scan_line": (stress.scan((2048,), 0, "f32"), 1024),
    "scan_line_reverse": (stress.scan((1024,), 0, "i64", reverse=True), 1024),
    "scan_line_i8": (stress.scan((2048,), 0, "i8"), 512),
    "sum_last": (stress.reduction((32, 64), 1, "f32"), 1024),
    "sum_first": (stress.reduction((32, 64), 0, "i8"), 256),
    "sum_line": (stress.reduction((2048,), 0, "i32"), 1024),
    "argmax_line": (stress.arg_reduction((2048,), 0), 1024),
    "argmax": (stress.arg_reduction((16, 64), 1), 1024),
    "softmax": (stress.softmax((32, 32)), 1024),
    "transpose": (stress.permutation((32, 64), (1, 0), "f32"), 1024),
    "permute": (stress.permutation((8, 16, 32), (2, 0, 1), "f16"), 1024),
    "exp": (stress.elementwise((64, 64), "f32", ("exp",)), 1024),
    "line": (stress.elementwise((4096,), "i32", ("addi", "muli"), 2), 1024),
    "gather": (stress.gather((32, 32), "f32"), 1024),
    "cat": (stress.concatenation((16, 32), 1, "f32"), 1024),
    "cat_line": (stress.concatenation((1024,), 0, "i8"), 256),
    "cat_first": (stress.concatenation((1, 512), 0, "f32"), 1024),
    "extract": (stress.extraction((64, 64), (16, 16), "f32"), 1024),
    "select": (stress.selection((32, 32)), 1024),
    "atomics": (stress.atomics((32, 32), "i32", "add"), 1024),
}
"""Kernels, and how many bytes of a tile fit."""

SPILLED: Mapping[str, tuple[Build, int]] = {
    "symmetric": (stress.symmetric((32, 32), "i32"), 1024),
    "symmetric_rows": (stress.symmetric_rows(16, "i32", 3), 256),
    "in_place": (stress.transposed_in_place(32), 1024),
    "atomics_twice": (stress.shared_atomics((32, 32), "i32", "add"), 1024),
    "carried": (stress.carried((16, 16), "i32", 3), 256),
    "repeated": (stress.repeated((16, 16), "i32", 300), 256),
    "chosen": (stress.chosen((32, 32), "i32"), 1024),
    "reshaped": (stress.reshaped((8, 128), (32, 32), "i32"), 1024),
}
"""Kernels that keep tiles in memory."""


def cut_kernel(name: str) -> tuple[ModuleOp, ModuleOp, list[Any]]:
    """A kernel as it is written, its tiles cut, and arguments for it."""
    build, limit = {**CUT, **SPILLED}[name]
    builder = stress.Builder()
    build(builder)
    module = load(builder.text())
    tiles = applied(asked(lower(module, "tileaa")), StripMineTilesPass(tile_bytes=limit))
    return module, tiles, builder.make_arguments()


def results(module: ModuleOp, arguments: list[Any]) -> list[Any]:
    """What the arguments are after a kernel has run."""
    copies = [each if isinstance(each, int) else each.copy() for each in arguments]
    run(module, grid=1, args=copies)
    return copies


@pytest.mark.every(30)
@pytest.mark.parametrize("name", CUT)
def test_same_results(name: str):
    module, tiles, arguments = cut_kernel(name)
    assert name == "extract" or any(isinstance(op, scf.ForOp) for op in tiles.walk())
    assert messages(tiles, kind="Missed", category="Resources")
    expected = results(module, arguments)
    assert_same_bits(expected, results(tiles, arguments), name)
    assert_same_bits(expected, results(lower(tiles, after="tileaa"), arguments), name)


def test_elements_of_halves():
    """A tile in a half of a `cat` has as many parts as the half."""
    builder = stress.Builder()
    stress.concatenation((16, 32), 1, "f32")(builder)
    (cat,) = find_all(lower(load(builder.text()), "tileaa"), CatOp)
    (use,) = cat.result.uses
    plan = find_slice_plan(use.operation, {cat.result: 1}, 4)
    assert plan is not None
    sizes = [plan.elements(value) for value in (cat.result, cat.lhs, cat.rhs)]
    assert sizes == [16 * 64 // 4] * 3


@pytest.mark.every(8)
@pytest.mark.parametrize("name", SPILLED)
def test_spilled(name: str):
    """What cannot be computed in parts where it is needed is kept in memory."""
    module, tiles, arguments = cut_kernel(name)
    assert any(isinstance(op, AllocaOp) for op in tiles.walk())
    assert any("of the device heap" in text for text in messages(tiles, category="Resources"))
    expected = results(module, arguments)
    assert_same_bits(expected, results(tiles, arguments), name)
    assert_same_bits(expected, results(lower(tiles, after="tileaa"), arguments), name)


@pytest.mark.parametrize(("name", "is_in_loop"), [("symmetric", False), ("symmetric_rows", True)])
def test_barrier_before_spills(name: str, is_in_loop: bool):
    """In a loop a tile is stored when all threads have loaded the one before it."""
    _, tiles, _ = cut_kernel(name)
    assert any(isinstance(op, BarrierOp) for op in tiles.walk()) == is_in_loop


@pytest.mark.every(3)
@pytest.mark.parametrize("name", [name for name in (*CUT, *SPILLED) if not name.startswith("dot")])
def test_pieces_fit(name: str):
    _, tiles, _ = cut_kernel(name)
    limit = {**CUT, **SPILLED}[name][1]
    for op in tiles.walk():
        for result in op.results:
            if isinstance(ty := result.type, TensorType) and op.name != "nv_tileaa.splat":
                assert prod(ty.get_shape()) <= limit, str(op)


def test_whole_kernels_are_left_alone():
    builder = stress.Builder()
    stress.softmax((32, 32))(builder)
    module = lower(load(builder.text()), "tileaa")
    assert applied(module, StripMineTilesPass()).is_structurally_equivalent(module)


IN_PLACE = """
entry @k(%p: tile<ptr<f32>>) {
  %z = constant <i32: 0> : tile<i32>
  %t0 = make_token : token
  %v = make_tensor_view %p, shape = [32, 32], strides = [32, 1] : MEMORY
  %w = make_partition_view %v : VIEW
  %x, %t1 = load_view_tko weak %w[%z, %z] token = %t0 : VIEW, tile<i32> -> TILE, token
  %nan = constant <f32: 0x7FC00001> : TILE
  %y = OP
  %t2 = store_view_tko weak %y, %w[%z, %z] token = TOKEN : TILE, VIEW, tile<i32> -> token
  return
}
"""
NAMES = {
    "VIEW": "partition_view<tile=(32x32), MEMORY>",
    "MEMORY": "tensor_view<32x32xf32, strides=[32,1]>",
    "TILE": "tile<32x32xf32>",
}


def in_place(token: str, op: str = "permute %x [1, 0] : TILE -> TILE") -> str:
    """An op on a tile in place, with a store behind a token."""
    text = IN_PLACE.replace("TOKEN", token).replace("OP", op)
    for name, full in NAMES.items():
        text = text.replace(name, full)
    return text


def test_constant():
    """A constant tile is cut, even if it is no splat of a scalar."""
    module = load(in_place("%t1", "addf %x, %nan : TILE"))
    tiles = applied(lower(module, "tileaa", opt=0), StripMineTilesPass(tile_bytes=1024))
    assert any(isinstance(op, scf.ForOp) for op in tiles.walk())
    (found,) = results(tiles, [np.arange(1024, dtype=np.float32)])
    assert np.isnan(found).all()


def test_in_place():
    """A store in place is interleaved with the load of what it overwrites."""
    module = load(in_place("%t1", "addf %x, %x : TILE"))
    tiles = applied(lower(module, "tileaa"), StripMineTilesPass(tile_bytes=1024))
    assert any(isinstance(op, scf.ForOp) for op in tiles.walk())
    arguments = [np.arange(1024, dtype=np.float32)]
    for each in (module, tiles, lower(tiles, after="tileaa")):
        (found,) = results(each, arguments)
        assert (found == 2 * arguments[0]).all()


@pytest.mark.parametrize(("token", "is_spilled"), [("%t1", True), ("%t0", False)])
def test_order(token: str, is_spilled: bool):
    """A store behind a load, by its token, is not interleaved with it: memory keeps the tile."""
    module = lower(load(in_place(token)), "tileaa")
    cut = applied(module, StripMineTilesPass(tile_bytes=1024))
    assert any(isinstance(op, scf.ForOp) for op in cut.walk())
    assert any(isinstance(op, AllocaOp) for op in cut.walk()) == is_spilled


def test_dynamic_index():
    """The tile of another block than the first, with what lies outside of the tensor padded."""
    source_type = "tensor_view<?x16xi32, strides=[16,1]>"
    source_view = f"partition_view<tile=(32x16), padding_value = zero, {source_type}>"
    target_type = "tensor_view<128x16xi32, strides=[16,1]>"
    target_view = f"partition_view<tile=(32x16), {target_type}>"
    text = f"""
entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i32>) {{
  %i, %j, %k = get_tile_block_id : tile<i32>
  %t0 = make_token : token
  %z = constant <i32: 0> : tile<i32>
  %v = make_tensor_view %p, shape = [%n, 16], strides = [16, 1] : tile<i32> -> {source_type}
  %w = make_partition_view %v : {source_view}
  %o = make_tensor_view %q, shape = [128, 16], strides = [16, 1] : {target_type}
  %u = make_partition_view %o : {target_view}
  %x, %t1 = load_view_tko weak %w[%i, %z] token = %t0
      : {source_view}, tile<i32> -> tile<32x16xi32>, token
  %t2 = store_view_tko weak %x, %u[%i, %z] token = %t0
      : tile<32x16xi32>, {target_view}, tile<i32> -> token
  return
}}
"""
    module = load(text)
    tiles = applied(lower(module, "tileaa"), StripMineTilesPass(tile_bytes=512))
    assert any(isinstance(op, scf.ForOp) for op in tiles.walk())
    source = np.arange(128 * 16, dtype=np.int32)
    for each in (tiles, lower(tiles, after="tileaa")):
        target = np.full(128 * 16, -1, np.int32)
        run(each, grid=4, args=[source.copy(), target, 100])
        assert (target[: 100 * 16] == source[: 100 * 16]).all()
        assert not target[100 * 16 :].any()


def test_pieces_have_the_places_of_their_ops():
    """And not all of them that of the store, which the parts are cut for."""
    module = load(examples["softmax"])
    (whole,) = (op for op in module.walk() if op.name == "cuda_tile.exp")
    (piece,) = (op for op in lower(module, "tileaa").walk() if op.name == "nv_tileaa.exp")
    assert get_shape(piece.results[0].type) == (4, 4096)
    assert piece.location == whole.location is not None
