"""Kernels compute the same when their tiles are split along parallel dimensions, at every level."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp
from tileiras_xdsl.dialects.nvgpu.types import BLOCKS_ARE_CLUSTERS, get_cluster_ctas
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.common.abi import HOST_MAPS_ABI
from tileiras_xdsl.transforms.common.accumulator_liveness import group_by_loop
from tileiras_xdsl.transforms.tileaa.split_tiles import SplitTilesPass, shapes_of
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.cases import covering, every
from ..harness.passes import applied, lower
from ..harness.remarks import asked, messages, told
from ..strategies.matmul_programs import SMALL, random_matmul
from .test_random_matmuls import expected, wrong_arrays


def split(module: ModuleOp, elements: int, abi: str = HOST_MAPS_ABI) -> ModuleOp:
    """A kernel of `nv_tileaa` with accumulators of at most this many elements, where it can be."""
    return applied(asked(module), SplitTilesPass(accumulator_elements=elements, abi=abi))


def accumulators(module: ModuleOp) -> int:
    """The elements of the accumulators of the loop with most."""
    (function,) = find_all(module, FuncOp)
    loops = [*group_by_loop(find_all(function, DotOp)).values()]
    return max((sum(map(prod, shapes_of(dots))) for dots in loops), default=0)


def ask_for_ctas(module: ModuleOp, ctas: int) -> None:
    """Gives a kernel the hint to have this many CTAs for a tile."""
    (function,) = find_all(module, FuncOp)
    spec = KERNEL_SPEC.get(function)
    assert spec is not None
    KERNEL_SPEC.set(function, spec.replaced(num_ctas=ctas))


def remarks(module: ModuleOp) -> list[str]:
    """What was split."""
    return messages(module, kind="Passed", category="Tiles")


def refusals(module: ModuleOp) -> list[str]:
    """Why tiles were not split."""
    return messages(module, kind="Missed", category="Tiles")


# Random programs


@pytest.mark.every(6, first=3)
@pytest.mark.parametrize("seed", every(12, range(48)))
def test_random_programs(seed: int):
    program = random_matmul(seed, SMALL)
    module = lower(program.module, "tileaa", opt=3 if seed % 2 else 2)
    if seed // 4 % 3:
        ask_for_ctas(module, 2 * (seed // 4 % 3))
    size = accumulators(module)
    abi = ("device-maps", HOST_MAPS_ABI)[seed // 4 % 2]
    pieces = split(module, size // (4 if seed % 3 else 2), abi)
    assert bool(remarks(pieces)) or bool(refusals(pieces)) or not size
    results = expected(program)
    assert not wrong_arrays(pieces, program, results, check=True)
    if seed % 8 == 0:
        threads = lower(pieces, after="tileaa", arch="sm_90a")
        assert not wrong_arrays(threads, program, results)


# What kernels of others do

MEMORY = "tensor_view<?x?xf32, strides=[?,1]>"


def view(rows: int, columns: int, *, pads: bool = True) -> str:
    padding = "padding_value = zero, " if pads else ""
    return f"partition_view<tile=({rows}x{columns}), {padding}{MEMORY}>"


def kernel(body: str, ctas: int = 1, arrays: str = "abc") -> str:
    """A kernel of matrices with dynamic sizes, and how many CTAs it has for a tile."""
    parameters = ", ".join(
        f"%{name}: tile<ptr<f32>>, %r{name}: tile<i32>, %c{name}: tile<i32>" for name in arrays
    )
    tensors = "\n".join(
        f"  %t{name} = make_tensor_view %{name}, shape = [%r{name}, %c{name}], "
        f"strides = [%c{name}, 1] : tile<i32> -> {MEMORY}"
        for name in arrays
    )
    return f"""
entry @kernel({parameters}) optimization_hints=<sm_90 = {{num_cta_in_cga = {ctas}}}> {{
{tensors}
  %i, %j, %l = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %start = make_token : token
{body}
  return
}}
"""


VIEWS = f"""
  %va = make_partition_view %ta : {view(32, 8)}
  %vb = make_partition_view %tb : {view(8, 16)}
  %vc = make_partition_view %tc : {view(32, 16)}
  %empty = constant <f32: 0.0> : tile<32x16xf32>
"""

SUM = f"""
  %acc = for %k in (%zero to %two, step %one) : tile<i32> iter_values(%c0 = %empty)
      -> (tile<32x16xf32>) {{
    %x, %tx = load_view_tko weak %va[%i, %k] token = %start
        : {view(32, 8)}, tile<i32> -> tile<32x8xf32>, token
    %y, %ty = load_view_tko weak %vb[%k, %j] token = %start
        : {view(8, 16)}, tile<i32> -> tile<8x16xf32>, token
    %n = mmaf %x, %y, %c0 : tile<32x8xf32>, tile<8x16xf32>, tile<32x16xf32>
    continue %n : tile<32x16xf32>
  }}
"""

STORE = f"""
  %done = store_view_tko weak %out, %vc[%i, %j] token = %start
      : tile<32x16xf32>, {view(32, 16)}, tile<i32> -> token
"""

SOFTMAX = """
  %top = reduce %acc dim=1 identities=[0xff800000 : f32] : tile<32x16xf32> -> tile<32xf32>
  (%p: tile<f32>, %q: tile<f32>) {
    %m = maxf %p, %q : tile<f32>
    yield %m : tile<f32>
  }
  %column = reshape %top : tile<32xf32> -> tile<32x1xf32>
  %tops = broadcast %column : tile<32x1xf32> -> tile<32x16xf32>
  %out = subf %acc, %tops rounding<nearest_even> : tile<32x16xf32>
"""

MASK = """
  %lanes = iota : tile<32xi32>
  %rows = reshape %lanes : tile<32xi32> -> tile<32x1xi32>
  %every = broadcast %rows : tile<32x1xi32> -> tile<32x16xi32>
  %short = iota : tile<16xi32>
  %columns = reshape %short : tile<16xi32> -> tile<1x16xi32>
  %all = broadcast %columns : tile<1x16xi32> -> tile<32x16xi32>
  %below = cmpi greater_than_or_equal %every, %all, signed : tile<32x16xi32> -> tile<32x16xi1>
  %out = select %below, %acc, %empty : tile<32x16xi1>, tile<32x16xf32>
"""

BRANCH = """
  %first = cmpi equal %i, %zero, signed : tile<i32> -> tile<i1>
  %out = if %first -> (tile<32x16xf32>) {
    %double = addf %acc, %acc rounding<nearest_even> : tile<32x16xf32>
    yield %double : tile<32x16xf32>
  } else {
    yield %acc : tile<32x16xf32>
  }
"""

IN_PLACE = f"""
  %old, %told = load_view_tko weak %vc[%i, %j] token = %start
      : {view(32, 16)}, tile<i32> -> tile<32x16xf32>, token
  %out = addf %acc, %old rounding<nearest_even> : tile<32x16xf32>
  %done = store_view_tko weak %out, %vc[%i, %j] token = %told
      : tile<32x16xf32>, {view(32, 16)}, tile<i32> -> token
"""

OTHER_TILE = IN_PLACE.replace("%vc[%i, %j] token = %start", "%vc[%j, %i] token = %start")

ATOMIC = """
  %base = reshape %c : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %bases = broadcast %base : tile<1x1xptr<f32>> -> tile<32x16xptr<f32>>
  %rows = iota : tile<32xi32>
  %column = reshape %rows : tile<32xi32> -> tile<32x1xi32>
  %offsets = broadcast %column : tile<32x1xi32> -> tile<32x16xi32>
  %pointers = offset %bases, %offsets
      : tile<32x16xptr<f32>>, tile<32x16xi32> -> tile<32x16xptr<f32>>
  %old, %changed = atomic_rmw_tko {semantic} device %pointers, addf, %out token = %start
      : tile<32x16xptr<f32>>, tile<32x16xf32> -> tile<32x16xf32>, token
"""

REDUCE = f"""
  %vd = make_partition_view %tc : {view(32, 16, pads=False)}
  %done = atomic_red_view_tko relaxed device %vd[%i, %j], addf, %acc token = %start
      : tile<32x16xf32>, {view(32, 16, pads=False)}, tile<i32> -> token
"""

NAME = "  %out = addf %acc, %empty rounding<nearest_even> : tile<32x16xf32>\n"
SPLIT = {
    "plain": NAME + STORE,
    "softmax": SOFTMAX + STORE,
    "mask": MASK + STORE,
    "branch": BRANCH + STORE,
    "in_place": IN_PLACE,
    "reduce": REDUCE,
    "atomic": NAME + ATOMIC.format(semantic="relaxed"),
}

LOWERED = ("softmax", "reduce", "mask", "in_place")
"""Those that are run as threads as well."""


def arguments() -> list[Any]:
    """Matrices that no tile divides."""
    rng = np.random.default_rng(3)
    found: list[Any] = []
    for rows, columns in ((50, 16), (16, 24), (50, 24)):
        array = rng.integers(-3, 4, (rows, columns)).astype(np.float32)
        found += [array.reshape(-1), rows, columns]
    return found


def results(module: ModuleOp) -> np.ndarray[Any, Any]:
    given = arguments()
    run(module, grid=(2, 2), args=given, check=True)
    return given[6]


@pytest.mark.every(5)
@pytest.mark.parametrize("elements", [256, 128])
@pytest.mark.parametrize("name", SPLIT)
def test_kernels(name: str, elements: int):
    module = load(kernel(VIEWS + SUM + SPLIT[name]))
    tiles = lower(module, "tileaa")
    pieces = split(tiles, elements)
    assert remarks(pieces)
    assert accumulators(pieces) <= elements
    exact = results(module)
    assert np.any(exact != arguments()[6])
    np.testing.assert_array_equal(exact, results(pieces))
    if elements == 256 and name in LOWERED:
        np.testing.assert_array_equal(exact, results(lower(pieces, after="tileaa")))


def test_both_dimensions():
    """Rows are halved first, then columns, so that the least is loaded."""
    pieces = split(lower(load(kernel(VIEWS + SUM + NAME + STORE)), "tileaa"), 128)
    (dot,) = find_all(pieces, DotOp)
    assert get_shape(dot.result.type) == (8, 16)
    assert remarks(pieces) == [
        "accumulators of 32x16 do not fit in the registers of a CTA: tiles are split into 4 parts "
        "of 8x16 along dimension 0, one after the other"
    ]


STORED_TWICE = NAME + STORE + STORE.replace("%done", "%again").replace("%start", "%done")
REFUSED = {
    "ordered": (OTHER_TILE, "'nv_tileaa.tiled_store' is ordered behind 'nv_tileaa.tiled_load'"),
    "old_values": (
        NAME + ATOMIC.format(semantic="relaxed") + STORE.replace("%out", "%old"),
        "'nv_tileaa.atomic_rmw' yields a tile",
    ),
    "release": (
        NAME + ATOMIC.format(semantic="acq_rel"),
        "'nv_tileaa.atomic_rmw' must not be done once for each part",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    body, reason = REFUSED[name]
    module = load(kernel(VIEWS + SUM + body))
    pieces = split(lower(module, "tileaa"), 256)
    assert not remarks(pieces)
    (why,) = refusals(pieces)
    assert reason in why


def test_stores_to_one_tile_stay_in_order():
    module = load(kernel(VIEWS + SUM + STORED_TWICE))
    pieces = split(lower(module, "tileaa"), 256)
    assert remarks(pieces)
    np.testing.assert_array_equal(results(module), results(pieces))


def test_what_fits_is_left_alone():
    module = lower(load(kernel(VIEWS + SUM + NAME + STORE)), "tileaa")
    assert applied(module, SplitTilesPass()).is_structurally_equivalent(module)
    assert split(module, 512).is_structurally_equivalent(module)


# Clusters

GRID_STRIDE = f"""
  %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
  for %row in (%i to %two, step %gx) : tile<i32> {{
    {SUM.replace("%va[%i,", "%va[%row,")}
    {NAME}
    {STORE.replace("%vc[%i,", "%vc[%row,")}
    continue
  }}
"""


def clusters(module: ModuleOp) -> list[int]:
    """How many CTAs share a tile block, if any do."""
    (function,) = find_all(module, FuncOp)
    assert BLOCKS_ARE_CLUSTERS.is_on(function) == ("gpu.known_cluster_size" in function.attributes)
    return [get_cluster_ctas(function)] if BLOCKS_ARE_CLUSTERS.is_on(function) else []


@pytest.mark.every(3)
@pytest.mark.parametrize(("name", "elements"), covering([*SPLIT], [256, 128]))
def test_pieces_for_ctas(name: str, elements: int):
    """A part for each of two CTAs, or several."""
    module = load(kernel(VIEWS + SUM + SPLIT[name]))
    pieces = split(lower(module, "tileaa"), elements, "device-maps")
    assert clusters(pieces) == [2]
    assert "for 2 CTAs of a cluster" in remarks(pieces)[0]
    exact = results(module)
    np.testing.assert_array_equal(exact, results(pieces))
    if elements == 128 and name in LOWERED[:2]:
        np.testing.assert_array_equal(exact, results(lower(pieces, after="tileaa")))
    if elements == 128 and name == LOWERED[0]:
        np.testing.assert_array_equal(exact, results(lower(pieces, "nvvm", after="tileaa")))


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("elements", [512, 256])
def test_grid_stride(elements: int):
    """A kernel that loops over tiles by the size of the grid gets all CTAs that it asks for."""
    module = load(kernel(VIEWS + GRID_STRIDE, 4))
    pieces = split(lower(module, "tileaa"), elements)
    assert clusters(pieces) == [4]
    exact = results(module)
    np.testing.assert_array_equal(exact, results(pieces))
    np.testing.assert_array_equal(exact, results(lower(pieces, after="tileaa")))


def test_tiles_that_fit_keep_their_hint():
    """Nothing is gained if one CTA holds the tile, and others count the tiles."""
    module = lower(load(kernel(VIEWS + SUM + NAME + STORE, 2)), "tileaa")
    assert split(module, 512, "device-maps").is_structurally_equivalent(module)


OUTSIDE = """
  %flag = constant <f32: 1.0> : tile<f32>
  %marked = store_ptr_tko weak %c, %flag token = %start : tile<ptr<f32>>, tile<f32> -> token
"""
BEFORE = f"""
  %first, %tfirst = load_ptr_tko weak %c token = %start : tile<ptr<f32>> -> tile<f32>, token
  %base = reshape %first : tile<f32> -> tile<1x1xf32>
  %every = broadcast %base : tile<1x1xf32> -> tile<32x16xf32>
  %out = addf %acc, %every rounding<nearest_even> : tile<32x16xf32>
  {STORE.replace("%start", "%tfirst")}
"""


@pytest.mark.parametrize("body", [OUTSIDE + SUM + NAME + STORE, SUM + BEFORE])
def test_ctas_that_would_interfere(body: str):
    """What is stored once, or read before another CTA stores, is left to one CTA."""
    module = load(kernel(VIEWS + body, 2))
    pieces = split(lower(module, "tileaa"), 256, "device-maps")
    assert remarks(pieces)
    assert not clusters(pieces)
    assert told(pieces, category="Hints")


STATIC = "tensor_view<64x16xf32, strides=[16,1]>"
ROWS = f"partition_view<tile=(32x16), {STATIC}>"
STORED_AND_LOADED = f"""
  %va = make_partition_view %ta : {view(32, 8)}
  %vb = make_partition_view %tb : {view(8, 16)}
  %vc = make_partition_view %tc : {view(32, 16)}
  %vw = make_partition_view %te : {view(32, 32)}
  %memory = make_tensor_view %d, shape = [64, 16], strides = [16, 1] : {STATIC}
  %vd = make_partition_view %memory : {ROWS}
  %empty = constant <f32: 0.0> : tile<32x16xf32>
  %acc = for %k in (%zero to %two, step %one) : tile<i32> iter_values(%c0 = %empty)
      -> (tile<32x16xf32>) {{
    %x, %tx = load_view_tko weak %va[%zero, %k] token = %start
        : {view(32, 8)}, tile<i32> -> tile<32x8xf32>, token
    %y, %ty = load_view_tko weak %vb[%k, %zero] token = %start
        : {view(8, 16)}, tile<i32> -> tile<8x16xf32>, token
    %n = mmaf %x, %y, %empty : tile<32x8xf32>, tile<8x16xf32>, tile<32x16xf32>
    %s = store_view_tko weak %n, %vd[%k, %zero] token = %start
        : tile<32x16xf32>, {ROWS}, tile<i32> -> token
    %z, %tz = load_view_tko weak %vd[%k, %zero] token = %s
        : {ROWS}, tile<i32> -> tile<32x16xf32>, token
    %w, %tw = load_view_tko weak %vw[%zero, %k] token = %start
        : {view(32, 32)}, tile<i32> -> tile<32x32xf32>, token
    %m = mmaf %w, %z, %c0 : tile<32x32xf32>, tile<32x16xf32>, tile<32x16xf32>
    %sum = addf %m, %n rounding<nearest_even> : tile<32x16xf32>
    continue %sum : tile<32x16xf32>
  }}
"""


def test_a_piece_does_not_load_what_others_store():
    """A tile that an iteration stores, and loads as a whole, is another one in the next only."""
    body = STORED_AND_LOADED + SOFTMAX + STORE
    pieces = split(lower(load(kernel(body, arrays="abcde")), "tileaa"), 512)
    assert not remarks(pieces)
    (why,) = refusals(pieces)
    assert "'nv_tileaa.tiled_load' is ordered behind 'nv_tileaa.tiled_store' of other parts" in why


OVERLAPPING = "tensor_view<64x32xf32, strides=[16,1]>"
HALVES = f"partition_view<tile=(32x16), {OVERLAPPING}>"
SHIFTED = f"""
  %memory = make_tensor_view %c, shape = [64, 32], strides = [16, 1] : {OVERLAPPING}
  %halves = make_partition_view %memory : {HALVES}
  %old, %told = load_view_tko weak %halves[%zero, %zero] token = %start
      : {HALVES}, tile<i32> -> tile<32x16xf32>, token
  %raised = addf %out, %old rounding<nearest_even> : tile<32x16xf32>
  %done = store_view_tko weak %raised, %halves[%zero, %one] token = %told
      : tile<32x16xf32>, {HALVES}, tile<i32> -> token
"""


@pytest.mark.parametrize("abi", ["host-maps", "device-maps"])
def test_rows_that_overlap(abi: str):
    """The second half of a row is the first one of the next, which another part loads."""
    pieces = split(lower(load(kernel(VIEWS + SUM + SOFTMAX + SHIFTED)), "tileaa"), 256, abi)
    assert not remarks(pieces)
    (why,) = refusals(pieces)
    assert "'nv_tileaa.tiled_store' is ordered behind 'nv_tileaa.tiled_load' of other parts" in why
