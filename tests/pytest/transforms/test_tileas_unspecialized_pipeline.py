"""Loops over products with loads ahead: they compute what they did before, as tiles and threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import PipelinePass, select_steps

from ..harness.passes import compile_threads, verified_steps
from ..harness.remarks import asked, messages

Array = npt.NDArray[Any]

PASS = "tileas-unspecialized-pipeline"
DTYPES = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i32": np.int32,
    "f8E4M3FN": np.uint8,
}
SMALL_FLOATS = np.array([0x00, 0x38, 0xB8, 0x40, 0xC0, 0x48], np.uint8)
"""0, 1, -1, 2, -2 and 4 as f8E4M3FN."""


@dataclass(frozen=True)
class Gemm:
    """A product of matrices of any size, in tiles; operands may be transposed in memory."""

    element: str
    total: str
    m: int
    n: int
    k: int
    transposed: str = ""
    rounds: int = 1
    """How often it is done; each time is added to the last."""
    loops: int = 1
    """How many loops there are one after the other, which do the same."""
    shared: bool = False
    """Whether operand A is used twice."""

    @property
    def name(self) -> str:
        counts = f"{self.rounds}_{self.loops}{'_shared' if self.shared else ''}"
        return f"{self.element}_{self.m}x{self.n}x{self.k}{self.transposed}_{counts}"

    def view(self, name: str, rows: int, columns: int, sizes: str, element: str) -> tuple[str, str]:
        """The ops that make the view of a matrix, and its type."""
        tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
        is_flipped = name in self.transposed
        stored = ", ".join(reversed(sizes.split(", "))) if is_flipped else sizes
        pad = "" if name == "c" else "padding_value = zero, "
        tail = ", dim_map=[1, 0]" if is_flipped else ""
        view = f"partition_view<tile=({rows}x{columns}), {pad}{tensor}{tail}>"
        pitch = stored.split(", ")[1]
        text = (
            f"%t{name} = make_tensor_view %p{name}, shape = [{stored}], "
            f"strides = [{pitch}, 1] : tile<i32> -> {tensor}\n"
            f"%v{name} = make_partition_view %t{name} : {view}\n"
        )
        return text, view

    def text(self) -> str:
        """The kernel as Tile IR."""
        m, n, k, element, total = self.m, self.n, self.k, self.element, self.total
        views = [
            self.view("a", m, k, "%m, %k", element),
            self.view("b", k, n, "%k, %n", element),
            self.view("c", m, n, "%m, %n", total),
        ]
        a, b, c = (
            f"{size}x{dtype}"
            for size, dtype in ((f"{m}x{k}", element), (f"{k}x{n}", element), (f"{m}x{n}", total))
        )
        multiply = "mmai %x, %y, %s signed signed" if element == "i8" else "mmaf %x, %y, %s"
        twice = ""
        if self.shared:
            twice = f"%e = {multiply.replace('%s', '%d')} : tile<{a}>, tile<{b}>, tile<{c}>"
        loops = "".join(
            f"""
      %inner{number + 1} = for %step in (%zero to %steps, step %one) : tile<i32>
          iter_values(%s = {f"%inner{number}" if number else "%before"}) -> (tile<{c}>) {{
        %x, %t1 = load_view_tko weak %va[%i, %step] : {views[0][1]}, tile<i32> -> tile<{a}>, token
        %y, %t2 = load_view_tko weak %vb[%step, %j] : {views[1][1]}, tile<i32> -> tile<{b}>, token
        %d = {multiply} : tile<{a}>, tile<{b}>, tile<{c}>
        {twice}
        continue {"%e" if twice else "%d"} : tile<{c}>
      }}
"""
            for number in range(self.loops)
        )
        zero = f"<{total}: {0 if total == 'i32' else '0.0'}>"
        assumed = "\n".join(
            f"%{each} = assume div_by<16>, %{each}0 : tile<i32>" for each in ("m", "n", "k")
        )
        pointers = "\n".join(
            f"%p{each} = assume div_by<16>, %p{each}0 : tile<ptr<{dtype}>>"
            for each, dtype in zip("abc", (element, element, total), strict=True)
        )
        return f"""
cuda_tile.module @kernels {{
  entry @kernel(%pa0: tile<ptr<{element}>>, %pb0: tile<ptr<{element}>>, %pc0: tile<ptr<{total}>>,
      %m0: tile<i32>, %n0: tile<i32>, %k0: tile<i32>) {{
    {assumed}
    {pointers}
    {"".join(text for text, _ in views)}
    %i, %j, %l = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %rounds = constant <i32: {self.rounds}> : tile<i32>
    %count, %steps = get_index_space_shape %va : {views[0][1]} -> tile<i32>
    %nothing = constant {zero} : tile<{c}>
    %sum = for %r in (%zero to %rounds, step %one) : tile<i32>
        iter_values(%before = %nothing) -> (tile<{c}>) {{
{loops}      continue %inner{self.loops} : tile<{c}>
    }}
    %t3 = store_view_tko weak %sum, %vc[%i, %j] : tile<{c}>, {views[2][1]}, tile<i32> -> token
    return
  }}
}}
"""

    def arguments(self, m: int, n: int, k: int) -> list[Array | int]:
        """Matrices of small numbers, whose sums are exact."""
        random = np.random.default_rng(m + n + k)
        arrays: list[Array | int] = []
        for name, shape in (("a", (m, k)), ("b", (k, n))):
            stored = shape[::-1] if name in self.transposed else shape
            if self.element.startswith("f8"):
                arrays.append(SMALL_FLOATS[random.integers(0, len(SMALL_FLOATS), stored)])
            else:
                arrays.append(random.integers(-3, 4, stored).astype(DTYPES[self.element]))
        return [*arrays, np.zeros((m, n), DTYPES[self.total]), m, n, k]


def lower(module: ModuleOp, arch: str, stages: int) -> tuple[ModuleOp, ModuleOp]:
    """A kernel as pipelined tiles, and as the code of a thread."""
    lowered = module.clone()
    tiles = lowered
    own = PipelinePass(PASS, "tileas", options=f"{{num-stages={stages}}}")
    steps = (own if step.name == PASS else step for step in select_steps(3, to="nvgpu"))
    for step in verified_steps(lowered, steps, arch):
        if step.name == PASS:
            tiles = lowered.clone()
    return tiles, lowered


def names(module: ModuleOp) -> list[str]:
    """The names of all ops."""
    return [op.name for op in module.walk()]


CASES = [
    (Gemm("f16", "f32", 32, 32, 16), "sm_80", 2),
    (Gemm("f16", "f32", 32, 32, 32), "sm_80", 3),
    (Gemm("f16", "f32", 64, 32, 64, "a"), "sm_80", 4),
    (Gemm("f16", "f32", 32, 64, 64, "b"), "sm_90", 4),
    (Gemm("f16", "f16", 64, 64, 32, "ab"), "sm_90", 3),
    (Gemm("f16", "f32", 32, 32, 32, rounds=3), "sm_80", 3),
    (Gemm("f16", "f32", 32, 32, 32, "a", loops=2), "sm_80", 2),
    (Gemm("f16", "f32", 64, 32, 32, shared=True), "sm_80", 2),
    (Gemm("f32", "f32", 32, 32, 16), "sm_80", 3),
    (Gemm("f64", "f64", 16, 32, 16), "sm_80", 3),
    (Gemm("f64", "f64", 16, 32, 16, "ab"), "sm_80", 2),
    (Gemm("i8", "i32", 32, 64, 64), "sm_80", 3),
    (Gemm("i8", "i32", 64, 64, 32, "b"), "sm_80", 4),
    (Gemm("f8E4M3FN", "f32", 32, 64, 64), "sm_80", 3),
    (Gemm("f8E4M3FN", "f32", 32, 64, 64, "b"), "sm_90", 3),
]


@pytest.mark.every(15, first=8)
@pytest.mark.parametrize(
    ("gemm", "arch", "stages"), CASES, ids=[f"{g.name}_{a}_{s}" for g, a, s in CASES]
)
def test_results_stay_the_same(gemm: Gemm, arch: str, stages: int):
    module = load(gemm.text())
    tiles, threads = lower(module, arch, stages)
    assert "nv_tileas.async.tiled_load" in names(tiles)
    assert "nvvm.fragment.cp_async" in names(threads)
    sizes = [(48, 48, 5 * gemm.k - 16), (16, 80, 16), (16, 16, 0)]
    for m, n, k in sizes:
        grid = (-(-m // gemm.m), -(-n // gemm.n))
        results: list[Array] = []
        for each, checks in ((module, []), (tiles, []), (threads, ["races"])):
            arguments = gemm.arguments(m, n, k)
            run(each, grid=grid, args=arguments, check=checks)
            result = arguments[2]
            assert isinstance(result, np.ndarray)
            results.append(result)
        assert k == 0 or results[0].any()
        for other in results[1:]:
            assert results[0].tobytes() == other.tobytes()


BATCHES = """
cuda_tile.module @kernels {
  entry @kernel(%pa0: tile<ptr<f16>>, %pb0: tile<ptr<f16>>, %pc: tile<ptr<f32>>) {
    %pa = assume div_by<16>, %pa0 : tile<ptr<f16>>
    %pb = assume div_by<16>, %pb0 : tile<ptr<f16>>
    %ta = make_tensor_view %pa, shape = [2, 32, 128], strides = [4096, 128, 1]
        : tensor_view<2x32x128xf16, strides=[4096,128,1]>
    %tb = make_tensor_view %pb, shape = [2, 128, 32], strides = [4096, 32, 1]
        : tensor_view<2x128x32xf16, strides=[4096,32,1]>
    %tc = make_tensor_view %pc, shape = [2, 32, 32], strides = [1024, 32, 1]
        : tensor_view<2x32x32xf32, strides=[1024,32,1]>
    %va = make_partition_view %ta : VA
    %vb = make_partition_view %tb : VB
    %vc = make_partition_view %tc : VC
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %steps = constant <i32: 4> : tile<i32>
    %nothing = constant <f32: 0.0> : tile<2x32x32xf32>
    %sum = for %k in (%zero to %steps, step %one) : tile<i32>
        iter_values(%s = %nothing) -> (tile<2x32x32xf32>) {
      %x, %t1 = load_view_tko weak %va[%zero, %zero, %k]
          : VA, tile<i32> -> tile<2x32x32xf16>, token
      %y, %t2 = load_view_tko weak %vb[%zero, %k, %zero]
          : VB, tile<i32> -> tile<2x32x32xf16>, token
      %d = mmaf %x, %y, %s : tile<2x32x32xf16>, tile<2x32x32xf16>, tile<2x32x32xf32>
      continue %d : tile<2x32x32xf32>
    }
    %t3 = store_view_tko weak %sum, %vc[%zero, %zero, %zero]
        : tile<2x32x32xf32>, VC, tile<i32> -> token
    return
  }
}
"""


def test_batches():
    text = BATCHES
    for name, tensor in (
        ("VA", "2x32x128xf16, strides=[4096,128,1]"),
        ("VB", "2x128x32xf16, strides=[4096,32,1]"),
        ("VC", "2x32x32xf32, strides=[1024,32,1]"),
    ):
        text = text.replace(name, f"partition_view<tile=(2x32x32), tensor_view<{tensor}>>")
    random = np.random.default_rng(0)
    a = random.integers(-3, 4, (2, 32, 128)).astype(np.float16)
    b = random.integers(-3, 4, (2, 128, 32)).astype(np.float16)
    _, threads = lower(load(text), "sm_80", 3)
    assert "nvvm.fragment.ldmatrix" in names(threads)
    result = np.zeros((2, 32, 32), np.float32)
    run(threads, grid=(1,), args=[a, b, result], check=["races"])
    assert np.array_equal(result, a.astype(np.float32) @ b.astype(np.float32))


def test_loops_share_buffers():
    tiles, _ = lower(load(Gemm("f16", "f32", 64, 64, 64, loops=3).text()), "sm_80", 2)
    found = names(tiles)
    assert found.count("nv_tileas.alloc_tensor") == 2
    assert found.count("nv_tileas.async.tiled_load") == 12


@pytest.mark.part("kernels")
def test_operands_are_read_by_ldmatrix():
    for transposed in ("", "a", "b", "ab"):
        _, threads = lower(load(Gemm("f16", "f32", 64, 64, 64, transposed).text()), "sm_80", 3)
        body = next(
            op for op in threads.walk() if isinstance(op, scf.ForOp) and len(op.results) > 1
        )
        found = [op.name for op in body.body.walk()]
        assert "nvvm.fragment.ldmatrix" in found
        assert "nvvm.fragment.load" not in found
        assert found.count("gpu.barrier") == 1


@pytest.mark.every(2)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_loops_compile(arch: str, oracle_program: Callable[[str], Path]):
    gemm = Gemm("f16", "f32", 64, 64, 64, "b")
    _, threads = lower(load(gemm.text()), arch, 4)
    ptx = compile_threads(threads, arch)
    compiled = Ptxas(oracle_program("ptxas")).compile(ptx, NvptxTarget.parse(arch))
    assert compiled.cubin.startswith(b"\x7fELF")
    for word in ("cp.async.cg.shared.global", "ldmatrix.sync", "cp.async.wait_group"):
        assert word in ptx


STORE = """%t4 = store_view_tko weak %s, %vc[%i, %j]
          : tile<32x32xf32>, VIEW, tile<i32> -> token
        """.replace("VIEW", "partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>")


def test_a_loop_that_stores_before_it_loads_is_left_with_a_remark():
    text = Gemm("f16", "f32", 32, 32, 16).text()
    text = text.replace("%x, %t1 =", f"{STORE}%x, %t1 =")
    for load_of in ("%va[%i, %step]", "%vb[%step, %j]"):
        text = text.replace(load_of, f"{load_of} token=%t4")
    tiles, _ = lower(asked(load(text)), "sm_80", 3)
    assert "nv_tileas.async.tiled_load" not in names(tiles)
    assert messages(tiles, kind="Missed", category="Pipeline") == [
        "Failed to pipeline loop: "
        "'nv_tileas.tiled_load' must not be hoisted above 'nv_tileas.tiled_store'"
    ]


def test_a_store_that_no_token_orders_does_not_hold_loads():
    gemm = Gemm("f16", "f32", 32, 32, 16)
    module = load(gemm.text().replace("%x, %t1 =", f"{STORE}%x, %t1 ="))
    tiles, threads = lower(module, "sm_80", 3)
    assert "nv_tileas.async.tiled_load" in names(tiles)
    results: list[Array] = []
    for each, checks in ((module, []), (tiles, []), (threads, ["races"])):
        arguments = gemm.arguments(32, 32, 80)
        run(each, grid=(1, 1), args=arguments, check=checks)
        result = arguments[2]
        assert isinstance(result, np.ndarray)
        results.append(result)
    for other in results[1:]:
        assert results[0].tobytes() == other.tobytes()


LONG_LOOP = """
cuda_tile.module @kernels {
  entry @kernel(%pa0: tile<ptr<f16>>, %pb0: tile<ptr<f16>>, %pc: tile<ptr<f32>>,
      %low: tile<i64>, %high: tile<i64>, %step: tile<i64>) {
    %pa = assume div_by<16>, %pa0 : tile<ptr<f16>>
    %pb = assume div_by<16>, %pb0 : tile<ptr<f16>>
    %ta = make_tensor_view %pa, shape = [32, 128], strides = [128, 1]
        : tensor_view<32x128xf16, strides=[128,1]>
    %tb = make_tensor_view %pb, shape = [128, 32], strides = [32, 1]
        : tensor_view<128x32xf16, strides=[32,1]>
    %tc = make_tensor_view %pc, shape = [32, 32], strides = [32, 1]
        : tensor_view<32x32xf32, strides=[32,1]>
    %va = make_partition_view %ta : VA
    %vb = make_partition_view %tb : VB
    %vc = make_partition_view %tc : VC
    %zero = constant <i32: 0> : tile<i32>
    %mask = constant <i64: 3> : tile<i64>
    %nothing = constant <f32: 0.0> : tile<32x32xf32>
    %sum = for %number in (%low to %high, step %step) : tile<i64>
        iter_values(%s = %nothing) -> (tile<32x32xf32>) {
      %masked = andi %number, %mask : tile<i64>
      %k = trunci %masked : tile<i64> -> tile<i32>
      %x, %t1 = load_view_tko weak %va[%zero, %k] : VA, tile<i32> -> tile<32x32xf16>, token
      %y, %t2 = load_view_tko weak %vb[%k, %zero] : VB, tile<i32> -> tile<32x32xf16>, token
      %d = mmaf %x, %y, %s : tile<32x32xf16>, tile<32x32xf16>, tile<32x32xf32>
      continue %d : tile<32x32xf32>
    }
    %t3 = store_view_tko weak %sum, %vc[%zero, %zero] : tile<32x32xf32>, VC, tile<i32> -> token
    return
  }
}
"""
LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.part("kernels")
def test_bounds_at_the_ends_of_their_type():
    """Spans of 2^63 and more, and steps of which a few are more than that."""
    text = LONG_LOOP
    for name, tensor in (
        ("VA", "32x128xf16, strides=[128,1]"),
        ("VB", "128x32xf16, strides=[32,1]"),
        ("VC", "32x32xf32, strides=[32,1]"),
    ):
        text = text.replace(name, f"partition_view<tile=(32x32), tensor_view<{tensor}>>")
    random = np.random.default_rng(0)
    a = random.integers(-3, 4, (32, 128)).astype(np.float16)
    b = random.integers(-3, 4, (128, 32)).astype(np.float16)
    parts = [
        a[:, k : k + 32].astype(np.float32) @ b[k : k + 32].astype(np.float32)
        for k in range(0, 128, 32)
    ]
    tiles, threads = lower(load(text), "sm_80", 4)
    assert "nv_tileas.async.tiled_load" in names(tiles)
    for low, high, step in (
        (0, 5, 1),
        (5, 3, 1),
        (MOST, LEAST, 1),
        (LEAST, MOST - 2**62, 2**62),
        (LEAST, 1, 2**61 - 1),
        (0, MOST, 2**62 - 1),
        (0, 5, MOST),
        (LEAST, 0, MOST),
        (LEAST, LEAST + 5, 1),
        (MOST - 5, MOST, 1),
    ):
        expected = sum((parts[k & 3] for k in range(low, high, step)), np.zeros((32, 32)))
        for module in (tiles, threads):
            result = np.zeros((32, 32), np.float32)
            run(module, grid=(1,), args=[a, b, result, low, high, step])
            assert np.array_equal(result, expected), (low, high, step)


POINTERS = """
cuda_tile.module @kernels {
  entry @kernel(%pa0: tile<ptr<f16>>, %pb0: tile<ptr<f16>>, %pc: tile<ptr<f32>>,
      %limit0: tile<i32>) {
    %pa = assume div_by<16>, %pa0 : tile<ptr<f16>>
    %pb = assume div_by<16>, %pb0 : tile<ptr<f16>>
    %limit1 = assume div_by<8>, %limit0 : tile<i32>
    %tb = make_tensor_view %pb, shape = [128, 32], strides = [32, 1]
        : tensor_view<128x32xf16, strides=[32,1]>
    %tc = make_tensor_view %pc, shape = [32, 32], strides = [32, 1]
        : tensor_view<32x32xf32, strides=[32,1]>
    %vb = make_partition_view %tb : VB
    %vc = make_partition_view %tc : VC
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %steps = constant <i32: 4> : tile<i32>
    %width = constant <i32: 32> : tile<i32>
    %row0 = iota : tile<32xi32>
    %row1 = reshape %row0 : tile<32xi32> -> tile<32x1xi32>
    %row2 = broadcast %row1 : tile<32x1xi32> -> tile<32x32xi32>
    %pitch = constant <i32: 128> : tile<32x32xi32>
    %start = muli %row2, %pitch : tile<32x32xi32>
    %column0 = reshape %row0 : tile<32xi32> -> tile<1x32xi32>
    %column1 = broadcast %column0 : tile<1x32xi32> -> tile<32x32xi32>
    %limit2 = reshape %limit1 : tile<i32> -> tile<1x1xi32>
    %limit = broadcast %limit2 : tile<1x1xi32> -> tile<32x32xi32>
    %p0 = reshape %pa : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %p1 = broadcast %p0 : tile<1x1xptr<f16>> -> tile<32x32xptr<f16>>
    %other = constant <f16: OTHER> : tile<32x32xf16>
    %nothing = constant <f32: 0.0> : tile<32x32xf32>
    %sum = for %k in (%zero to %steps, step %one) : tile<i32>
        iter_values(%s = %nothing) -> (tile<32x32xf32>) {
      %k0 = muli %k, %width : tile<i32>
      %k1 = reshape %k0 : tile<i32> -> tile<1x1xi32>
      %k2 = broadcast %k1 : tile<1x1xi32> -> tile<32x32xi32>
      %column = addi %column1, %k2 : tile<32x32xi32>
      %offset = addi %start, %column : tile<32x32xi32>
      %mask = cmpi less_than %column, %limit, signed : tile<32x32xi32> -> tile<32x32xi1>
      %p2 = offset %p1, %offset : tile<32x32xptr<f16>>, tile<32x32xi32> -> tile<32x32xptr<f16>>
      %x, %t1 = load_ptr_tko weak %p2, %mask, %other
          : tile<32x32xptr<f16>>, tile<32x32xi1>, tile<32x32xf16> -> tile<32x32xf16>, token
      %y, %t2 = load_view_tko weak %vb[%k, %zero] : VB, tile<i32> -> tile<32x32xf16>, token
      %d = mmaf %x, %y, %s : tile<32x32xf16>, tile<32x32xf16>, tile<32x32xf32>
      continue %d : tile<32x32xf32>
    }
    %t3 = store_view_tko weak %sum, %vc[%zero, %zero] : tile<32x32xf32>, VC, tile<i32> -> token
    return
  }
}
"""


@pytest.mark.every(2)
@pytest.mark.parametrize("other", [0.0, 2.0])
def test_operands_through_pointers(other: float):
    """Operands are copied with zeros for what the mask leaves out; other numbers replace these."""
    text = POINTERS.replace("OTHER", str(other))
    for name, tensor in (("VB", "128x32xf16"), ("VC", "32x32xf32")):
        view = f"partition_view<tile=(32x32), tensor_view<{tensor}, strides=[32,1]>>"
        text = text.replace(name, view)
    random = np.random.default_rng(0)
    a = random.integers(-3, 4, (32, 128)).astype(np.float16)
    b = random.integers(-3, 4, (128, 32)).astype(np.float16)
    tiles, threads = lower(load(text), "sm_80", 3)
    assert {"nv_tileas.async.load", "nv_tileas.async.tiled_load"} <= set(names(tiles))
    for limit in (128, 88, 0):
        masked = np.where(np.arange(128) < limit, a, np.float16(other))
        expected = masked.astype(np.float32) @ b.astype(np.float32)
        for module, checks in ((tiles, []), (threads, ["races"])):
            result = np.zeros((32, 32), np.float32)
            run(module, grid=(1,), args=[a, b, result, limit], check=checks)
            np.testing.assert_array_equal(result, expected)
