"""
Attacks on `cpu-lower-tiles`: what LLVM leaves undefined, tiles at the edges of arrays, values that
swap in loops, accesses in place. The results are those of the interpreter, to the last bit.
"""

from __future__ import annotations

import struct
import threading
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tileiras_xdsl as tx

from ..harness.running import arrays_of

EXTREMES = [0, 1, -1, 2, 7, -7, 31, 32, 33, 63, 2**31 - 1, -(2**31), -(2**31) + 1, 123456, 5, -5]


def assert_same(text: str, args: list[Any], grid: int | tuple[int, ...] = 1) -> None:
    """What the compiled program leaves behind is what the interpreter does."""
    mine = [each.copy() if isinstance(each, np.ndarray) else each for each in args]
    tx.run(text, grid, args, engine="interpreter")
    tx.compile(text, "cpu", cache=False).launch(grid, mine, threads=2)
    for wanted, found in zip(arrays_of(args), arrays_of(mine), strict=True):
        assert found.tobytes() == wanted.tobytes()


def binary(op: str, element: str, result: str = "") -> str:
    """A kernel that applies an op to two arrays of 256 elements, through pointers."""
    result = result or element
    return f"""cuda_tile.module @m {{
  entry @k(%a: tile<ptr<{element}>>, %b: tile<ptr<{element}>>, %c: tile<ptr<{result}>>) {{
    %i = iota : tile<256xi32>
    %a1 = reshape %a : tile<ptr<{element}>> -> tile<1xptr<{element}>>
    %a2 = broadcast %a1 : tile<1xptr<{element}>> -> tile<256xptr<{element}>>
    %pa = offset %a2, %i : tile<256xptr<{element}>>, tile<256xi32> -> tile<256xptr<{element}>>
    %b1 = reshape %b : tile<ptr<{element}>> -> tile<1xptr<{element}>>
    %b2 = broadcast %b1 : tile<1xptr<{element}>> -> tile<256xptr<{element}>>
    %pb = offset %b2, %i : tile<256xptr<{element}>>, tile<256xi32> -> tile<256xptr<{element}>>
    %c1 = reshape %c : tile<ptr<{result}>> -> tile<1xptr<{result}>>
    %c2 = broadcast %c1 : tile<1xptr<{result}>> -> tile<256xptr<{result}>>
    %pc = offset %c2, %i : tile<256xptr<{result}>>, tile<256xi32> -> tile<256xptr<{result}>>
    %x, %t1 = load_ptr_tko weak %pa : tile<256xptr<{element}>> -> tile<256x{element}>, token
    %y, %t2 = load_ptr_tko weak %pb : tile<256xptr<{element}>> -> tile<256x{element}>, token
    {op}
    %t3 = store_ptr_tko weak %pc, %z : tile<256xptr<{result}>>, tile<256x{result}> -> token
    return
  }}
}}"""


@pytest.mark.parametrize("sign", ["signed", "unsigned"])
@pytest.mark.parametrize("op", ["divi", "remi", "shri"])
def test_integers_that_llvm_leaves_undefined(op: str, sign: str):
    x, y = (each.reshape(-1).copy() for each in np.meshgrid(EXTREMES, EXTREMES))
    arrays = [x.astype(np.int32), y.astype(np.int32), np.zeros(256, np.int32)]
    assert_same(binary(f"%z = {op} %x, %y {sign} : tile<256xi32>", "i32"), arrays)


def test_quotients_and_shifts_of_all_modes():
    x, y = (each.reshape(-1).copy() for each in np.meshgrid(EXTREMES, EXTREMES))
    arrays = [x.astype(np.int32), y.astype(np.int32), np.zeros(256, np.int32)]
    for op in (
        *(f"divi %x, %y signed rounding<{mode}>" for mode in ("negative_inf", "positive_inf")),
        *("divi %x, %y unsigned rounding<positive_inf>", "shli %x, %y"),
    ):
        fresh = [each.copy() for each in arrays]
        assert_same(binary(f"%z = {op} : tile<256xi32>", "i32"), fresh)


SMALLEST_NORMAL = struct.unpack("<f", struct.pack("<I", 0x00800000))[0]
FLOATS = [
    *(0.0, -0.0, 1.0, -1.5, 1e-40, -1e-45, 3e38, -3e38, np.inf, -np.inf, 0.1, 7.0),
    *(SMALLEST_NORMAL, 1e9, -2147483648.0, 5e9),
]


@pytest.mark.parametrize("op", ["addf", "subf", "mulf", "divf", "maxf", "minf"])
@pytest.mark.parametrize("element", ["f32", "f16"])
def test_floats_at_the_ends(op: str, element: str):
    ty = {"f32": np.float32, "f16": np.float16}[element]
    rounding = " rounding<nearest_even>" if op in ("addf", "subf", "mulf", "divf") else ""
    x, y = (each.reshape(-1) for each in np.meshgrid(FLOATS, FLOATS))
    with np.errstate(all="ignore"):
        arrays = [x.astype(ty), y.astype(ty), np.zeros(256, ty)]
    mine = [each.copy() for each in arrays]
    text = binary(f"%z = {op} %x, %y{rounding} : tile<256x{element}>", element)
    tx.run(text, 1, arrays, engine="interpreter")
    tx.compile(text, "cpu", cache=False).launch(1, mine)
    # A NaN has no sign that is said.
    wanted, found = arrays[2], mine[2]
    assert np.array_equal(np.isnan(wanted), np.isnan(found))
    kept = ~np.isnan(wanted)
    assert wanted[kept].tobytes() == found[kept].tobytes()


@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_floats_out_of_the_range_of_integers(sign: str):
    values = np.resize(np.array([*FLOATS, np.nan], np.float32), 256)
    arrays = [values, values.copy(), np.zeros(256, np.int32)]
    op = f"%z = ftoi %x {sign} : tile<256xf32> -> tile<256xi32>"
    assert_same(binary(op, "f32", "i32"), arrays)


SWAP = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %i = iota : tile<32xi32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %ones = constant <i32: 1> : tile<32xi32>
    %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p2 = broadcast %p1 : tile<1xptr<i32>> -> tile<32xptr<i32>>
    %q = offset %p2, %i : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
    %x, %t = load_ptr_tko weak %q : tile<32xptr<i32>> -> tile<32xi32>, token
    %a, %b = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%c = %x, %d = %i) -> (tile<32xi32>, tile<32xi32>) {
      %e = addi %c, %d : tile<32xi32>
      continue %d, %e : tile<32xi32>, tile<32xi32>
    }
    %r = subi %a, %b : tile<32xi32>
    %t2 = store_ptr_tko weak %q, %r token = %t : tile<32xptr<i32>>, tile<32xi32> -> token
    return
  }
}"""


@pytest.mark.parametrize("rounds", [0, 1, 2, 7])
def test_tiles_that_swap_in_a_loop_and_are_stored_in_place(rounds: int):
    assert_same(SWAP, [np.arange(32, dtype=np.int32) * 3, rounds])


def test_edges_of_arrays():
    size = 65536 + 77
    x, y = (np.arange(size, dtype=np.float32) * scale for scale in (0.5, 0.25))
    z = np.zeros(size + 16, np.float32)
    args = [argument for each in (x, y, z[:size]) for argument in (each, size, 1)]
    tx.compile(tx.examples["vector_add"], "cpu").launch(2, args)
    assert np.array_equal(z[:size], x + y)
    assert not z[size:].any()


@pytest.mark.parametrize("shift", [-70000, -4, 0, 8, 65536])
def test_a_tile_is_loaded_before_one_that_overlaps_it_is_stored(shift: int):
    size, start = 65536, 70000
    memory = np.arange(3 * start, dtype=np.float32)
    x, z = memory[start : start + size], memory[start + shift : start + shift + size]
    wanted = x + x
    args = [argument for each in (x, x, z) for argument in (each, size, 1)]
    tx.compile(tx.examples["vector_add"], "cpu").launch(1, args)
    assert np.array_equal(z, wanted)


@pytest.mark.parametrize(
    ("element", "shape"),
    [("f32", (64, 32)), ("f16", (37, 50)), ("i8", (80, 48)), ("f64", (37, 50))],
)
def test_transposes_by_blocks(element: str, shape: tuple[int, int]):
    """Whole tiles and cut ones, of a view whose last dimension has strides and permuted."""
    m, n = shape
    rows = f"tensor_view<{m}x{n}x{element}, strides=[{n},1]>"
    columns = f"tensor_view<{n}x{m}x{element}, strides=[{m},1]>"
    across = f"partition_view<tile=(16x32), padding_value = zero, {rows}, dim_map=[1, 0]>"
    right, down = (
        f"partition_view<tile=({tile}), {each}>"
        for tile, each in (("16x32", columns), ("32x16", rows))
    )
    text = f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>, %r: tile<ptr<{element}>>) {{
    %x, %y, %z = get_tile_block_id : tile<i32>
    %a = make_tensor_view %p, shape = [{m}, {n}], strides = [{n}, 1] : {rows}
    %b = make_tensor_view %q, shape = [{n}, {m}], strides = [{m}, 1] : {columns}
    %c = make_tensor_view %r, shape = [{m}, {n}], strides = [{n}, 1] : {rows}
    %va = make_partition_view %a : {across}
    %vb = make_partition_view %b : {right}
    %vc = make_partition_view %c : {down}
    %t, %t1 = load_view_tko weak %va[%x, %y] : {across}, tile<i32> -> tile<16x32x{element}>, token
    %t2 = store_view_tko weak %t, %vb[%x, %y] : tile<16x32x{element}>, {right}, tile<i32> -> token
    %u = permute %t [1, 0] : tile<16x32x{element}> -> tile<32x16x{element}>
    %t3 = store_view_tko weak %u, %vc[%y, %x] : tile<32x16x{element}>, {down}, tile<i32> -> token
    return
  }}
}}"""
    ty = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "f64": np.float64}[element]
    x = (np.arange(m * n) % 251 - 125).astype(ty).reshape(m, n)
    turn, back = np.zeros((n, m), ty), np.zeros((m, n), ty)
    grid = (-(-n // 16), -(-m // 32))
    tx.compile(text, "cpu", cache=False).launch(grid, [x, turn, back], threads=2)
    assert np.array_equal(turn, x.T)
    assert np.array_equal(back, x)


def scan_of_rows(rows: int, reverse: str) -> str:
    """Tiles of four rows, so that three have masks."""
    whole = f"tensor_view<{rows}x64xi32, strides=[64,1]>"
    view = f"partition_view<tile=(4x64), padding_value = zero, {whole}>"
    return f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {{
    %a = make_tensor_view %p, shape = [{rows}, 64], strides = [64, 1] : {whole}
    %b = make_tensor_view %q, shape = [{rows}, 64], strides = [64, 1] : {whole}
    %va = make_partition_view %a : {view}
    %vb = make_partition_view %b : {view}
    %0 = constant <i32: 0> : tile<i32>
    %x, %t = load_view_tko weak %va[%0, %0] : {view}, tile<i32> -> tile<4x64xi32>, token
    %s = scan %x dim=1 reverse={reverse} identities=[0 : i32] : tile<4x64xi32> -> tile<4x64xi32>
    (%c: tile<i32>, %d: tile<i32>) {{
      %e = addi %c, %d : tile<i32>
      yield %e : tile<i32>
    }}
    %t2 = store_view_tko weak %s, %vb[%0, %0] : tile<4x64xi32>, {view}, tile<i32> -> token
    return
  }}
}}"""


@pytest.mark.parametrize("reverse", ["false", "true"])
@pytest.mark.parametrize("rows", [3, 4])
def test_scans_along_rows(rows: int, reverse: str):
    x = np.random.default_rng(0).integers(-99, 99, (rows, 64), np.int32)
    assert_same(scan_of_rows(rows, reverse), [x, np.zeros_like(x)])


@pytest.mark.parametrize("shift", [-256, -4, 0, 4, 16, 200, 256])
def test_a_scan_is_stored_over_what_it_reads(shift: int):
    memory = np.random.default_rng(0).integers(-99, 99, 1024, np.int32)
    x, z = (memory[at : at + 256].reshape(4, 64) for at in (384, 384 + shift))
    wanted = np.cumsum(x, 1)
    tx.compile(scan_of_rows(4, "false"), "cpu").launch(1, [x, z])
    assert np.array_equal(z, wanted)


@pytest.mark.parametrize("element", ["f16", "bf16", "f8E4M3FN"])
@pytest.mark.parametrize("rows", [31, 32])
def test_dots_of_narrow_columns(element: str, rows: int):
    """The right operand lies in memory column by column; a whole tile is read in blocks."""
    a, b, c = (
        f"tensor_view<{h}x{w}x{ty}, strides=[{w},1]>"
        for h, w, ty in ((16, 32, element), (rows, 32, element), (16, 32, "f32"))
    )
    va, vc = (f"partition_view<tile=(16x32), {each}>" for each in (a, c))
    vb = f"partition_view<tile=(32x32), padding_value = zero, {b}, dim_map=[1, 0]>"
    text = f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>, %r: tile<ptr<f32>>) {{
    %a = make_tensor_view %p, shape = [16, 32], strides = [32, 1] : {a}
    %b = make_tensor_view %q, shape = [{rows}, 32], strides = [32, 1] : {b}
    %c = make_tensor_view %r, shape = [16, 32], strides = [32, 1] : {c}
    %va = make_partition_view %a : {va}
    %vb = make_partition_view %b : {vb}
    %vc = make_partition_view %c : {vc}
    %0 = constant <i32: 0> : tile<i32>
    %x, %t = load_view_tko weak %va[%0, %0] : {va}, tile<i32> -> tile<16x32x{element}>, token
    %y, %u = load_view_tko weak %vb[%0, %0] : {vb}, tile<i32> -> tile<32x32x{element}>, token
    %z = constant <f32: 0.0> : tile<16x32xf32>
    %d = mmaf %x, %y, %z : tile<16x32x{element}>, tile<32x32x{element}>, tile<16x32xf32>
    %w = store_view_tko weak %d, %vc[%0, %0] : tile<16x32xf32>, {vc}, tile<i32> -> token
    return
  }}
}}"""
    ty = {
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    }[element]
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-8, 9, (size, 32)).astype(ty) for size in (16, rows))
    found = np.zeros((16, 32), np.float32)
    kernel = tx.compile(text, "cpu")
    kernel.launch(1, [x, y, found])
    assert ("gather" in kernel.llvm) == (rows < 32)
    assert np.array_equal(found[:, :rows], x.astype(np.float32) @ y.astype(np.float32).T)
    assert not found[:, rows:].any()


@pytest.mark.parametrize("signs", ["signed signed", "unsigned signed", "signed unsigned"])
@pytest.mark.parametrize(("m", "n", "k"), [(16, 32, 64), (2, 16, 8)])
def test_dots_of_bytes(m: int, n: int, k: int, signs: str):
    """The ends of both ranges, added to sums that wrap around."""
    wholes = {
        name: f"tensor_view<{h}x{w}x{element}, strides=[{w},1]>"
        for name, h, w, element in (("a", m, k, "i8"), ("b", k, n, "i8"), ("c", m, n, "i32"))
    }
    views = {
        name: f"partition_view<tile=({each[12:].partition('xi')[0]}), {each}>"
        for name, each in wholes.items()
    }
    text = f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i8>>, %q: tile<ptr<i8>>, %r: tile<ptr<i32>>) {{
    %a = make_tensor_view %p, shape = [{m}, {k}], strides = [{k}, 1] : {wholes["a"]}
    %b = make_tensor_view %q, shape = [{k}, {n}], strides = [{n}, 1] : {wholes["b"]}
    %c = make_tensor_view %r, shape = [{m}, {n}], strides = [{n}, 1] : {wholes["c"]}
    %va = make_partition_view %a : {views["a"]}
    %vb = make_partition_view %b : {views["b"]}
    %vc = make_partition_view %c : {views["c"]}
    %0 = constant <i32: 0> : tile<i32>
    %x, %t = load_view_tko weak %va[%0, %0] : {views["a"]}, tile<i32> -> tile<{m}x{k}xi8>, token
    %y, %u = load_view_tko weak %vb[%0, %0] : {views["b"]}, tile<i32> -> tile<{k}x{n}xi8>, token
    %z, %v = load_view_tko weak %vc[%0, %0] : {views["c"]}, tile<i32> -> tile<{m}x{n}xi32>, token
    %d = mmai %x, %y, %z {signs} : tile<{m}x{k}xi8>, tile<{k}x{n}xi8>, tile<{m}x{n}xi32>
    %w = store_view_tko weak %d, %vc[%0, %0] : tile<{m}x{n}xi32>, {views["c"]}, tile<i32> -> token
    return
  }}
}}"""
    rng = np.random.default_rng(0)
    ends = np.array([-128, -127, -1, 0, 1, 127], np.int8)
    x, y = (rng.choice(ends, shape) for shape in ((m, k), (k, n)))
    assert_same(text, [x, y, rng.integers(-(2**31), 2**31, (m, n)).astype(np.int32)])


CHAINS = {
    "store": "%r = addf %e, %e rounding<nearest_even> : tile<16x{n}xf32>",
    "turn": "%r = permute %e [1, 0] : tile<16x{n}xf32> -> tile<{n}x16xf32>",
    "sum": """%r = reduce %e dim=1 identities=[0.0 : f32] : tile<16x{n}xf32> -> tile<16xf32>
    (%c: tile<f32>, %d: tile<f32>) {{
      %s = addf %c, %d rounding<nearest_even> : tile<f32>
      yield %s : tile<f32>
    }}""",
    "dot": """%a = constant <f32: 1.0> : tile<64x16xf32>
    %b = constant <f32: 0.0> : tile<64x{n}xf32>
    %r = mmaf %a, %e, %b : tile<64x16xf32>, tile<16x{n}xf32>, tile<64x{n}xf32>""",
}


@pytest.mark.parametrize("cut", [0, 3])
@pytest.mark.parametrize("use", CHAINS)
def test_long_chains_of_ops(use: str, cut: int):
    """They are computed for several registers at once; `exp` of these numbers is exact."""
    n = 128
    shape = {"store": (16, n), "turn": (n, 16), "sum": (16,), "dot": (64, n)}[use]
    tile, zeros = "x".join(map(str, shape)), ", ".join(["%0"] * len(shape))
    sizes, strides = f"{list(shape)}", [shape[-1], 1][-len(shape) :]
    whole = f"tensor_view<16x{n - cut}xf32, strides=[{n},1]>"
    source = f"partition_view<tile=(16x{n}), padding_value = zero, {whole}>"
    written = f"tensor_view<{tile}xf32, strides={strides}>"
    target = f"partition_view<tile=({tile}), {written}>"
    text = f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {{
    %x.all = make_tensor_view %p, shape = [16, {n - cut}], strides = [{n}, 1] : {whole}
    %x.view = make_partition_view %x.all : {source}
    %r.all = make_tensor_view %q, shape = {sizes}, strides = {strides} : {written}
    %r.view = make_partition_view %r.all : {target}
    %0 = constant <i32: 0> : tile<i32>
    %x, %t = load_view_tko weak %x.view[%0, %0] : {source}, tile<i32> -> tile<16x{n}xf32>, token
    %e = exp %x : tile<16x{n}xf32>
    {CHAINS[use].format(n=n)}
    %u = store_view_tko weak %r, %r.view[{zeros}] : tile<{tile}xf32>, {target}, tile<i32> -> token
    return
  }}
}}"""
    x = np.random.default_rng(0).choice(np.array([0, -200], np.float32), (16, n))
    assert_same(text, [x, np.zeros(shape, np.float32)])


COUNTING = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<i64>>, %low: tile<i64>, %high: tile<i64>, %by: tile<i64>) {
    %zero = constant <i64: 0> : tile<i64>
    %one = constant <i64: 1> : tile<i64>
    %r = for %i in (%low to %high, step %by) : tile<i64> iter_values(%n = %zero) -> (tile<i64>) {
      %next = addi %n, %one : tile<i64>
      continue %next : tile<i64>
    }
    %t = store_ptr_tko weak %p, %r : tile<ptr<i64>>, tile<i64> -> token
    return
  }
}"""


@pytest.mark.parametrize(("low", "by"), [(2**63 - 4, 2), (-(2**63), 2**63 - 1)])
def test_loops_to_the_last_number_of_a_type(low: int, by: int):
    """The step after the last iteration leads to a number that is below the end again."""
    found = np.zeros(1, np.int64)
    launch = tx.compile(COUNTING, "cpu", cache=False).launch
    arguments = (1, [found, low, 2**63 - 1, by])
    # In a thread: to go on for ever is an error, too.
    thread = threading.Thread(target=launch, args=arguments, daemon=True)
    thread.start()
    thread.join(20)
    assert found[0] == -(-(2**63 - 1 - low) // by)
