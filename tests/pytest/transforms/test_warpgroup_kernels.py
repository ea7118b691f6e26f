"""Kernels that agents of warps run together: from Tile IR to threads they compute the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects import scf
from xdsl.dialects.arith import AddfOp, ConstantOp
from xdsl.dialects.builtin import FloatTF32Type, IntegerAttr, ModuleOp, i32
from xdsl.ir import SSAValue

from tileiras_xdsl import compile, load, run
from tileiras_xdsl.backend.launch_record import Abi
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.dialects.nv_tileas.async_ops import ToAsyncOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import ConsumerReadOp, ConsumerReleaseOp
from tileiras_xdsl.dialects.nvvm import (
    BarrierOp,
    FenceProxyAcquireOp,
    TensorMapCpFenceProxyOp,
)
from tileiras_xdsl.driver.compiler.compilation import paused_collection
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.elements import round_to
from tileiras_xdsl.pipeline import select_steps

from ..harness.cases import covering
from ..harness.passes import verified_steps

Array = npt.NDArray[Any]

ARCH = "sm_90a"
MMAS = {
    ARCH: "nvvm.wgmma.mma_async",
    **dict.fromkeys(("sm_100a", "sm_103a", "sm_110a"), "nvvm.tcgen05.mma"),
}
"""Which op multiplies, by the architecture."""
ABIS = ("device-maps", "host-maps")
DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "i8": np.int8,
    "f32": np.float32,
    "i32": np.int32,
}
RANDOM = np.random.default_rng(8)


# Programs


@dataclass(frozen=True)
class View:
    """A matrix in memory, and the tiles that it is cut into."""

    name: str
    element: str
    tile: tuple[int, int]
    transposed: bool = False
    pads: bool = True

    @property
    def type(self) -> str:
        """Of the partition view."""
        pad = "padding_value = zero, " if self.pads else ""
        flip = ", dim_map=[1, 0]" if self.transposed else ""
        tensor = f"tensor_view<?x?x{self.element}, strides=[?,1]>"
        return f"partition_view<tile=({self.tile[0]}x{self.tile[1]}), {pad}{tensor}{flip}>"

    @property
    def tile_type(self) -> str:
        return f"tile<{self.tile[0]}x{self.tile[1]}x{self.element}>"

    @property
    def parameters(self) -> str:
        name = self.name
        return f"%p{name}: tile<ptr<{self.element}>>, %r{name}: tile<i32>, %c{name}: tile<i32>"

    @property
    def text(self) -> str:
        """The ops that make the view."""
        name = self.name
        return f"""
    %q{name} = assume div_by<16>, %p{name} : tile<ptr<{self.element}>>
    %l{name} = assume bounded<0, ?>, %c{name} : tile<i32>
    %s{name} = assume div_by<16>, %l{name} : tile<i32>
    %t{name} = make_tensor_view %q{name}, shape = [%r{name}, %s{name}], strides = [%s{name}, 1]
        : tile<i32> -> tensor_view<?x?x{self.element}, strides=[?,1]>
    %v{name} = make_partition_view %t{name} : {self.type}"""

    def load(self, value: str, row: str, column: str) -> str:
        """Loads a tile."""
        return (
            f"{value}, {value}_token = load_view_tko weak %v{self.name}[{row}, {column}] "
            f": {self.type}, tile<i32> -> {self.tile_type}, token"
        )

    def store(self, value: str, row: str, column: str) -> str:
        """Stores a tile."""
        return (
            f"{value}_stored = store_view_tko weak {value}, %v{self.name}[{row}, {column}] "
            f": {self.tile_type}, {self.type}, tile<i32> -> token"
        )


def kernel(views: Sequence[View], body: str) -> str:
    """A kernel of some matrices and numbers `%n` and `%m`."""
    parameters = ", ".join([*(view.parameters for view in views), "%n: tile<i32>", "%m: tile<i32>"])
    return f"""
cuda_tile.module @kernels {{
  entry @kernel({parameters}) {{
    {"".join(view.text for view in views)}
    %i, %j, %l = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    {body}
    return
  }}
}}
"""


def numbers(element: str, *shape: int) -> Array:
    """Small whole numbers, of which sums are exact."""
    return RANDOM.integers(-3, 4, shape).astype(DTYPES[element])


def with_occupancy(text: str, ctas: int) -> str:
    """A kernel of which this many CTAs share an SM."""
    hint = rf"\1 optimization_hints=<default = {{occupancy = {ctas}}}> {{"
    return re.sub(r"(entry @kernel\([^)]*\)) \{", hint, text)


def as_arguments(arrays: Sequence[Array], n: int = 0, m: int = 0) -> list[Array | int]:
    """Matrices with their sizes, then numbers."""
    arguments: list[Array | int] = []
    for array in arrays:
        arguments += [array, *array.shape]
    return [*arguments, n, m]


class Copies(dict[int, ModuleOp]):
    """Modules that are copied when somebody asks for them, who may change the copies."""

    def __init__(self, modules: dict[int, ModuleOp]):
        super().__init__()
        self.modules = modules

    def __missing__(self, level: int) -> ModuleOp:
        self[level] = self.modules[level].clone()
        return self[level]


def lower(text: str, abi: str, opt: int, last: int, arch: str = ARCH) -> dict[int, ModuleOp]:
    """A kernel as agents of tiles (2), as threads (3), and as threads in `nvvm` (4)."""
    return Copies(_lower(text, abi, opt, last, arch))


@lru_cache(maxsize=4)
def _lower(text: str, abi: str, opt: int, last: int, arch: str) -> dict[int, ModuleOp]:
    """
    Many cases of a test are one kernel with other arguments. Bugs that are planted in passes need
    another kernel than the tests before.
    """
    found: dict[int, ModuleOp] = {}
    with paused_collection():
        module = load(text)
        for step in verified_steps(
            module, select_steps(opt, to="nvgpu" if last < 4 else "nvvm"), arch, abi
        ):
            level = {"tileas-materialize-schedule": 2, "convert-tileas-to-nvgpu": 3}.get(step.name)
            if level is not None:
                found[level] = module.clone()
    return found | {4: module}


def count(module: ModuleOp, name: str) -> int:
    """How many ops have a name."""
    return sum(op.name == name for op in module.walk())


def check(
    text: str,
    arrays: Sequence[Array],
    expected: Array,
    *,
    grid: tuple[int, ...] = (1,),
    n: int = 0,
    m: int = 0,
    abi: str = "host-maps",
    levels: Sequence[int] = (2, 3),
    opt: int = 3,
    tolerance: float = 0.0,
    arch: str = ARCH,
) -> ModuleOp:
    """
    Runs a kernel at some levels, whose last matrix has to become what is expected; returns the
    code of its threads, which is to be left as it is.
    """
    modules = _lower(text, abi, opt, max(levels), arch)
    for level in levels:
        copies = [*arrays[:-1], np.full_like(arrays[-1], 7)]
        run(modules[level], grid=grid, args=as_arguments(copies, n, m), check=level == 3)
        np.testing.assert_allclose(
            copies[-1].astype(np.float64),
            expected.astype(np.float64),
            atol=tolerance,
            err_msg=f"at level {level}",
        )
    assert count(modules[2], "nv_tileas.async.pipeline.agent_switch") == 1
    assert count(modules[3], MMAS[arch]) > 0
    return modules[3]


# Products of matrices


@dataclass(frozen=True)
class Gemm:
    """A product of matrices, in tiles; operands may be transposed in memory."""

    element: str
    m: int
    n: int
    k: int
    transposed: str = ""

    @property
    def total(self) -> str:
        return "i32" if self.element == "i8" else "f32"

    @property
    def views(self) -> tuple[View, View, View]:
        return (
            View("a", self.element, (self.m, self.k), "a" in self.transposed),
            View("b", self.element, (self.k, self.n), "b" in self.transposed),
            View("c", self.total, (self.m, self.n), pads=False),
        )

    @property
    def zero(self) -> str:
        zero = "0" if self.total == "i32" else "0.0"
        return f"%nothing = constant <{self.total}: {zero}> : {self.views[2].tile_type}"

    def with_second(self, x: View, y: View) -> str:
        """The body of a kernel that adds a product of other tiles, in each iteration."""
        a, b, c = self.views
        return f"""
    {self.zero}
    %sum = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%p = %nothing) -> ({c.tile_type}) {{
      {a.load("%a0", "%i", "%k")}
      {b.load("%b0", "%k", "%j")}
      {self.multiply("%mid", "%a0", "%b0", "%p")}
      {x.load("%a1", "%i", "%k")}
      {y.load("%b1", "%k", "%j")}
      %next = mmaf %a1, %b1, %mid : {x.tile_type}, {y.tile_type}, {c.tile_type}
      continue %next : {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}"""

    def multiply(self, result: str, a: str, b: str, c: str) -> str:
        name, signs = ("mmai", " signed signed") if self.element == "i8" else ("mmaf", "")
        types = ", ".join(view.tile_type for view in self.views)
        return f"{result} = {name} {a}, {b}, {c}{signs} : {types}"

    def loop(self, row: str, column: str, result: str = "%sum") -> str:
        """The loop over `%n` steps."""
        a, b, c = self.views
        return f"""
    {result} = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({c.tile_type}) {{
      {a.load("%x", row, "%k")}
      {b.load("%y", "%k", column)}
      {self.multiply("%d", "%x", "%y", "%s")}
      continue %d : {c.tile_type}
    }}"""

    def text(self) -> str:
        return kernel(
            self.views,
            f"{self.zero}\n{self.loop('%i', '%j')}\n{self.views[2].store('%sum', '%i', '%j')}",
        )

    def rows_in_turn(self) -> str:
        """A kernel in which one CTA computes `%m` tiles below each other."""
        body = f"""
    {self.zero}
    for %tile in (%zero to %m, step %one) : tile<i32> {{
      {self.loop("%tile", "%zero")}
      {self.views[2].store("%sum", "%tile", "%zero")}
    }}"""
        return kernel(self.views, body)

    def arrays(self, m: int, n: int, k: int) -> list[Array]:
        """Factors as they lie in memory, and a place for the product."""
        shapes = {"a": (m, k), "b": (k, n)}
        operands = [
            numbers(self.element, *(shape[::-1] if name in self.transposed else shape))
            for name, shape in shapes.items()
        ]
        return [*operands, np.zeros((m, n), DTYPES[self.total])]

    def product(self, arrays: Sequence[Array], terms: int | None = None) -> Array:
        """What has to come out, of this many terms."""
        kind = np.int64 if self.element == "i8" else np.float64
        a, b = (
            array.astype(kind).T if name in self.transposed else array.astype(kind)
            for name, array in zip("ab", arrays, strict=False)
        )
        return a[:, :terms] @ b[:terms]


GEMMS = [
    (Gemm("f16", 64, 64, 64), "device-maps", (64, 64)),
    (Gemm("f16", 128, 32, 32, "a"), "host-maps", (96, 48)),
    (Gemm("f16", 64, 256, 16, "b"), "host-maps", (64, 256)),
    (Gemm("f16", 64, 128, 64, "ab"), "host-maps", (64, 112)),
    (Gemm("f16", 256, 32, 16), "host-maps", (256, 32)),
    (Gemm("bf16", 128, 128, 32), "host-maps", (80, 128)),
    (Gemm("f8E4M3FN", 64, 64, 128, "b"), "device-maps", (64, 48)),
    (Gemm("f8E5M2", 64, 32, 32, "b"), "host-maps", (64, 32)),
    (Gemm("i8", 64, 64, 64, "b"), "host-maps", (48, 64)),
    (Gemm("i8", 128, 16, 128, "b"), "device-maps", (128, 16)),
]


@pytest.mark.every(10)
@pytest.mark.parametrize(
    ("gemm", "abi", "sizes"),
    GEMMS,
    ids=[f"{g.element}_{g.m}x{g.n}x{g.k}{g.transposed}_{abi}" for g, abi, _ in GEMMS],
)
def test_matmuls(gemm: Gemm, abi: str, sizes: tuple[int, int]):
    depth = 2 * gemm.k + 16
    arrays = gemm.arrays(*sizes, depth)
    grid = (-(-sizes[0] // gemm.m), -(-sizes[1] // gemm.n))
    check(gemm.text(), arrays, gemm.product(arrays), grid=grid, n=3, abi=abi)


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("abi", ABIS)
def test_matmuls_in_nvvm(abi: str):
    gemm = Gemm("f16", 64, 32, 32)
    arrays = gemm.arrays(48, 32, 96)
    check(gemm.text(), arrays, gemm.product(arrays), n=3, abi=abi, levels=(4,))


def test_warps_that_build_maps_acquire_them():
    """Threads that issue copies come after that, at a barrier."""
    gemm = Gemm("f16", 64, 32, 32)
    arrays = gemm.arrays(48, 32, 96)
    module = lower(gemm.text(), "device-maps", 3, 3)[3]
    fences = [op for op in module.walk() if isinstance(op, FenceProxyAcquireOp)]
    publications = [op for op in module.walk() if isinstance(op, TensorMapCpFenceProxyOp)]
    assert [op.parent_op() for op in fences] == [op.parent_op() for op in publications]
    for op in fences:
        op.detach()
    with pytest.raises(ExecutionError, match=r"tensor map .* without 'nvvm.fence.proxy.acquire'"):
        run(module, grid=1, args=as_arguments(arrays, 3), check=True)


@pytest.mark.every(5, first=4)
@pytest.mark.parametrize("trips", [0, 1, 2, 5, 13])
def test_trip_counts(trips: int):
    gemm = Gemm("f16", 64, 32, 16)
    arrays = gemm.arrays(64, 32, 16 * 13)
    expected = gemm.product(arrays, 16 * trips)
    check(gemm.text(), arrays, expected, n=trips)


@pytest.mark.part("kernels")
def test_two_warpgroups_share_large_sums():
    gemm = Gemm("f16", 128, 128, 32)
    arrays = gemm.arrays(128, 128, 64)
    module = check(gemm.text(), arrays, gemm.product(arrays), n=2, levels=(3,))
    sizes = {str(op.attributes.get("gpu.known_block_size")) for op in module.walk()}
    assert "array<i32: 288, 1, 1>" in sizes


@pytest.mark.part("kernels")
def test_two_warpgroups_side_by_side():
    gemm = Gemm("f16", 64, 256, 16)
    arrays = gemm.arrays(64, 256, 32)
    check(gemm.text(), arrays, gemm.product(arrays), n=2)


def huge_kernel(bound: str) -> str:
    """A product whose operand A has any number of rows, which all lie at the same place."""
    tensor = "tensor_view<?x16xf16, strides=[?,1]>"
    left = f"partition_view<tile=(64x16), padding_value = zero, {tensor}>"
    right = "partition_view<tile=(16x64), tensor_view<16x64xf16, strides=[64,1]>>"
    result = "partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>"
    pointers = "%p: tile<ptr<f16>>, %q: tile<ptr<f16>>, %r: tile<ptr<f32>>"
    return f"""
cuda_tile.module @kernels {{
  entry @kernel({pointers}, %n: tile<i64>, %s: tile<i64>, %row: tile<i64>) {{
    %pa = assume div_by<16>, %p : tile<ptr<f16>>
    %pb = assume div_by<16>, %q : tile<ptr<f16>>
    %pc = assume div_by<16>, %r : tile<ptr<f32>>
    %rows = assume bounded<0, {bound}>, %n : tile<i64>
    %known = assume div_by<16>, %s : tile<i64>
    %stride = assume bounded<0, 4294967295>, %known : tile<i64>
    %ta = make_tensor_view %pa, shape = [%rows, 16], strides = [%stride, 1] : tile<i64> -> {tensor}
    %tb = make_tensor_view %pb, shape = [16, 64], strides = [64, 1]
        : tensor_view<16x64xf16, strides=[64,1]>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1]
        : tensor_view<64x64xf32, strides=[64,1]>
    %va = make_partition_view %ta : {left}
    %vb = make_partition_view %tb : {right}
    %vc = make_partition_view %tc : {result}
    %zero = constant <i64: 0> : tile<i64>
    %nothing = constant <f32: 0.0> : tile<64x64xf32>
    %x, %t0 = load_view_tko weak %va[%row, %zero] : {left}, tile<i64> -> tile<64x16xf16>, token
    %y, %t1 = load_view_tko weak %vb[%zero, %zero] : {right}, tile<i64> -> tile<16x64xf16>, token
    %d = mmaf %x, %y, %nothing : tile<64x16xf16>, tile<16x64xf16>, tile<64x64xf32>
    %t2 = store_view_tko weak %d, %vc[%zero, %zero]
        : tile<64x64xf32>, {result}, tile<i64> -> token
    return
  }}
}}
"""


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("rows", "tile"), [((1 << 31) + 64, 1 << 25), ((1 << 32) + 64, 1 << 26), ((1 << 32) + 64, 1)]
)
@pytest.mark.parametrize("abi", ABIS)
def test_tensors_that_are_too_large_for_tma_tiles(abi: str, rows: int, tile: int):
    """Coordinates of TMA tiles have 32 bits, and sizes in maps as well."""
    a, b = numbers("f16", 1, 16), numbers("f16", 16, 64)
    module = lower(huge_kernel("?"), abi, 3, 3)[3]
    found = np.zeros((64, 64), np.float32)
    run(module, grid=1, args=[a, b, found, rows, 0, tile])
    assert (found == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_sizes_that_are_known_to_be_small_need_no_other_loads():
    """As those of cuTile are, which have 32 bits."""
    loads = "nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile"
    bounds = {"?": 1, str((1 << 31) - 1): 2, str(1 << 31): 1}
    found = {
        bound: count(lower(huge_kernel(bound), "host-maps", 3, 3)[3], loads) for bound in bounds
    }
    assert found == bounds


def empty_store_kernel() -> str:
    """A product of which more is stored to a tensor, and the product to another."""
    gemm = Gemm("f16", 64, 32, 16)
    (a, b, c), x = gemm.views, View("x", "f32", (64, 32), pads=False)
    body = f"""
    {gemm.zero}
    {gemm.loop("%i", "%zero")}
    %ones = constant <f32: 1.0> : {c.tile_type}
    %more = addf %sum, %ones : {c.tile_type}
    {x.store("%more", "%zero", "%zero")}
    {c.store("%sum", "%i", "%zero")}"""
    return kernel([a, b, x, c], body)


def empty_store_arrays(shape: tuple[int, int]) -> list[Array]:
    """Its matrices if operand B has no rows and the first result is of some shape."""
    right, more = np.zeros((0, 32), np.float16), np.zeros(shape, np.float32)
    return [numbers("f16", 128, 32), right, more, np.zeros((128, 32), np.float32)]


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize(("abi", "shape"), covering(ABIS, [(0, 32), (64, 0)]))
def test_stores_to_empty_tensors_write_nothing(abi: str, shape: tuple[int, int]):
    """Loads of other empty tensors still read zeros: in other CTAs, and in both agents."""
    arrays = empty_store_arrays(shape)
    module = check(empty_store_kernel(), arrays, arrays[3], grid=(2,), n=2, abi=abi, levels=(3,))
    assert count(module, "nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile") > 1


@pytest.mark.part("kernels")
def test_stores_of_warpgroups_to_empty_tensors_write_nothing():
    """In loops, each warpgroup stores on its own."""
    gemm = Gemm("f16", 64, 32, 16)
    arrays = [numbers("f16", 64, 32), numbers("f16", 32, 32), np.zeros((0, 32), np.float32)]
    for abi in ABIS:
        check(gemm.rows_in_turn(), arrays, arrays[2], n=2, m=1, abi=abi, levels=(3,))


@pytest.mark.every(2)
@pytest.mark.parametrize(("abi", "place"), covering(ABIS, ["%at, %zero", "%zero, %at"]))
def test_stores_before_a_tensor_write_nothing(abi: str, place: str):
    """Boxes at negative coordinates would be illegal instructions."""
    gemm = Gemm("f16", 64, 32, 16)
    row, column = place.split(", ")
    body = f"""
    {gemm.zero}
    {gemm.loop("%i", "%zero")}
    %at = subi %i, %m : tile<i32>
    {gemm.views[2].store("%sum", row, column)}"""
    arrays = [*gemm.arrays(128, 32, 32)[:2], np.zeros((64, 32), np.float32)]
    expected = arrays[0][64:].astype(np.float64) @ arrays[1]
    module = check(
        kernel(gemm.views, body), arrays, expected, grid=(2,), n=2, m=1, abi=abi, levels=(3,)
    )
    assert count(module, "nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile") == 1


@pytest.mark.every(10, first=7)
@pytest.mark.parametrize("far", [1 << 26, 1 << 27, (1 << 31) - 1, -(1 << 27), -(1 << 31)])
@pytest.mark.parametrize("place", ["%m, %k", "%zero, %m"])
def test_loads_far_outside_read_zeros(place: str, far: int):
    """Also where coordinates do not fit 32 bits: those that stand for them begin at units."""
    gemm = Gemm("f16", 64, 32, 16)
    row, column = place.split(", ")
    text = gemm.text().replace(
        gemm.views[0].load("%x", "%i", "%k"), gemm.views[0].load("%x", row, column)
    )
    arrays = gemm.arrays(64, 32, 32)
    check(text, arrays, np.zeros_like(arrays[2]), n=2, m=far, levels=(3,))


@pytest.mark.every(3, first=2)
@pytest.mark.parametrize("opt", [0, 1, 2])
def test_levels_of_optimization(opt: int):
    gemm = Gemm("f16", 64, 32, 32)
    arrays = gemm.arrays(48, 32, 96)
    check(gemm.text(), arrays, gemm.product(arrays), n=3, opt=opt)


@pytest.mark.every(3, first=2)
@pytest.mark.parametrize("trips", [0, 1, 3])
def test_ctas_that_compute_several_tiles(trips: int):
    gemm = Gemm("f16", 64, 32, 16)
    c = gemm.views[2]
    body = f"""
    {gemm.zero}
    for %tile in (%i to %m, step %two) : tile<i32> {{
      {gemm.loop("%tile", "%zero")}
      {c.store("%sum", "%tile", "%zero")}
    }}"""
    arrays = gemm.arrays(64 * 5, 32, 48)
    expected = gemm.product(arrays, 16 * trips)
    check(kernel(gemm.views, body), arrays, expected, grid=(2,), n=trips, m=5)


@pytest.mark.part("kernels")
def test_loads_in_branches():
    """Only even steps are added."""
    gemm = Gemm("f16", 64, 32, 16)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    %sum = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({c.tile_type}) {{
      %rest = remi %k, %two signed : tile<i32>
      %even = cmpi equal %rest, %zero, signed : tile<i32> -> tile<i1>
      %r = if %even -> ({c.tile_type}) {{
        {a.load("%x", "%i", "%k")}
        {b.load("%y", "%k", "%j")}
        {gemm.multiply("%d", "%x", "%y", "%s")}
        yield %d : {c.tile_type}
      }} else {{
        yield %s : {c.tile_type}
      }}
      continue %r : {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}"""
    for trips in (0, 1, 4):
        arrays = gemm.arrays(64, 32, 80)
        even = np.arange(80) // 16 % 2 == 0
        even &= np.arange(80) < trips * 16
        expected = arrays[0][:, even].astype(np.float64) @ arrays[1][even]
        check(kernel(gemm.views, body), arrays, expected, n=trips)


def test_loads_in_loops_that_do_not_count():
    """Steps 0, 1, 3, 7, … below `%n`."""
    gemm = Gemm("f16", 64, 32, 16)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    %at, %sum = loop iter_values(%k = %zero, %s = %nothing)
        : tile<i32>, {c.tile_type} -> tile<i32>, {c.tile_type} {{
      %over = cmpi greater_than_or_equal %k, %n, signed : tile<i32> -> tile<i1>
      if %over {{
        break %k, %s : tile<i32>, {c.tile_type}
      }}
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%j")}
      {gemm.multiply("%d", "%x", "%y", "%s")}
      %twice = muli %k, %two : tile<i32>
      %next = addi %twice, %one : tile<i32>
      continue %next, %d : tile<i32>, {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}"""
    for trips, steps in ((0, []), (1, [0]), (5, [0, 1, 3])):
        arrays = gemm.arrays(64, 32, 80)
        chosen = np.isin(np.arange(80) // 16, steps)
        expected = arrays[0][:, chosen].astype(np.float64) @ arrays[1][chosen]
        check(kernel(gemm.views, body), arrays, expected, n=trips)


def test_an_operand_that_is_also_added_up():
    """Operand B is a square, and is added to the sums as well."""
    gemm = Gemm("f16", 64, 64, 64)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    %sum = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({c.tile_type}) {{
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%j")}
      {gemm.multiply("%d", "%x", "%y", "%s")}
      %w = ftof %y : {b.tile_type} -> {c.tile_type}
      %e = addf %d, %w : {c.tile_type}
      continue %e : {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}"""
    arrays = gemm.arrays(64, 64, 192)
    expected = gemm.product(arrays) + arrays[1].astype(np.float64).reshape(3, 64, 64).sum(0)
    module = check(kernel(gemm.views, body), arrays, expected, n=3)
    assert count(module, "nvvm.wgmma.mma_async") > 0


def test_an_operand_that_is_used_after_the_matmul():
    """Its stage is given back when the product is done."""
    gemm = Gemm("f16", 64, 64, 64)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    %sum, %more = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing, %u = %nothing) -> ({c.tile_type}, {c.tile_type}) {{
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%j")}
      {gemm.multiply("%d", "%x", "%y", "%s")}
      %v = permute %y [1, 0] : {b.tile_type} -> {b.tile_type}
      %w = ftof %v : {b.tile_type} -> {c.tile_type}
      %e = addf %u, %w : {c.tile_type}
      continue %d, %e : {c.tile_type}, {c.tile_type}
    }}
    %all = addf %sum, %more : {c.tile_type}
    {c.store("%all", "%i", "%j")}"""
    arrays = gemm.arrays(64, 64, 512)
    squares = arrays[1].astype(np.float64).reshape(8, 64, 64)
    expected = gemm.product(arrays) + squares.sum(0).T
    check(kernel(gemm.views, body), arrays, expected, n=8)


@pytest.mark.part("kernels")
def test_an_operand_of_matmuls_by_different_instructions():
    """The other one computes operand B; operand A is copied into registers."""
    gemm = Gemm("f16", 64, 16, 16)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    %sum, %more = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing, %u = %nothing) -> ({c.tile_type}, {c.tile_type}) {{
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%j")}
      {gemm.multiply("%d", "%x", "%y", "%s")}
      %z = constant <f16: 1.0> : {b.tile_type}
      {gemm.multiply("%e", "%x", "%z", "%u")}
      continue %d, %e : {c.tile_type}, {c.tile_type}
    }}
    %all = addf %sum, %more : {c.tile_type}
    {c.store("%all", "%i", "%j")}"""
    arrays = gemm.arrays(64, 16, 160)
    expected = gemm.product(arrays) + arrays[0].astype(np.float64).sum(1, keepdims=True)
    check(kernel(gemm.views, body), arrays, expected, n=10)


def test_operand_a_that_is_computed():
    """It stays in registers."""
    gemm = Gemm("f16", 64, 32, 32)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    %sum = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({c.tile_type}) {{
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%j")}
      %u = addf %x, %x : {a.tile_type}
      {gemm.multiply("%d", "%u", "%y", "%s")}
      continue %d : {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}"""
    for trips in (0, 1, 3):
        arrays = gemm.arrays(64, 32, 96)
        expected = 2 * gemm.product(arrays, 32 * trips)
        check(kernel(gemm.views, body), arrays, expected, n=trips)


def test_matmuls_outside_of_loops():
    gemm = Gemm("bf16", 64, 16, 64)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    {a.load("%x", "%i", "%zero")}
    {b.load("%y", "%zero", "%j")}
    {gemm.multiply("%d", "%x", "%y", "%nothing")}
    {a.load("%x1", "%i", "%one")}
    {b.load("%y1", "%one", "%j")}
    {gemm.multiply("%sum", "%x1", "%y1", "%d")}
    {c.store("%sum", "%i", "%j")}"""
    arrays = gemm.arrays(64, 16, 128)
    check(kernel(gemm.views, body), arrays, gemm.product(arrays))


@pytest.mark.long
def test_a_sum_that_is_scaled_before_a_matmul_adds_to_it():
    """The scaling is done before the other product begins, so that ptxas waits for nothing."""
    gemm = Gemm("f16", 64, 64, 64)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    %half = constant <f32: 0.5> : {c.tile_type}
    %sum, %other = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing, %o = %nothing) -> ({c.tile_type}, {c.tile_type}) {{
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%zero")}
      {gemm.multiply("%d", "%x", "%y", "%s")}
      {b.load("%z", "%k", "%one")}
      %p = mulf %o, %half : {c.tile_type}
      {gemm.multiply("%e", "%x", "%z", "%p")}
      continue %d, %e : {c.tile_type}, {c.tile_type}
    }}
    {c.store("%sum", "%i", "%zero")}
    {c.store("%other", "%i", "%one")}"""
    arrays = gemm.arrays(64, 128, 192)
    expected = gemm.product(arrays)
    left, right = (array.astype(np.float64) for array in arrays[:2])
    scaled = left * np.repeat([0.25, 0.5, 1.0], 64)
    expected[:, 64:] = scaled @ right[:, 64:]
    text = kernel(gemm.views, body)
    check(text, arrays, expected, n=3)
    for abi in get_args(Abi):
        result = compile(text, gpu=ARCH, abi=abi, cache=False, isolate=False)
        assert not Ptxas.find().compile(result.ptx, NvptxTarget.parse(ARCH)).slow


def test_two_matmuls_of_one_operand():
    gemm = Gemm("f16", 64, 32, 32)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    %sum, %other = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing, %o = %nothing) -> ({c.tile_type}, {c.tile_type}) {{
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%zero")}
      {b.load("%z", "%k", "%one")}
      {gemm.multiply("%d", "%x", "%y", "%s")}
      {gemm.multiply("%e", "%x", "%z", "%o")}
      continue %d, %e : {c.tile_type}, {c.tile_type}
    }}
    {c.store("%sum", "%i", "%zero")}
    {c.store("%other", "%i", "%one")}"""
    arrays = gemm.arrays(64, 64, 96)
    check(kernel(gemm.views, body), arrays, gemm.product(arrays), n=3)


# Attention


@dataclass(frozen=True)
class Attention:
    """Softmax of one block of queries, over `%n` tiles of keys."""

    element: str = "f16"
    queries: int = 64
    keys: int = 32
    width: int = 32
    apart: bool = False
    """Whether what a tile of keys adds is a product of its own."""

    @property
    def is_small(self) -> bool:
        """Whether tensor cores read operands K-major only."""
        return self.element.startswith("f8")

    @property
    def views(self) -> tuple[View, ...]:
        return (
            View("q", self.element, (self.queries, self.width)),
            View("k", self.element, (self.width, self.keys), transposed=True),
            View("w", self.element, (self.keys, self.width), transposed=self.is_small),
            View("o", "f32", (self.queries, self.width), pads=False),
        )

    def text(self) -> str:
        q, k, w, o = self.views
        rows, scores = f"tile<{self.queries}xf32>", f"tile<{self.queries}x{self.keys}xf32>"
        operand = f"tile<{self.queries}x{self.keys}x{self.element}>"
        column = f"tile<{self.queries}x1xf32>"
        single = "tile<f32>"

        def spread(result: str, value: str, ty: str) -> str:
            return f"""{result}_column = reshape {value} : {rows} -> {column}
      {result} = broadcast {result}_column : {column} -> {ty}"""

        return kernel(
            self.views,
            f"""
    %low = constant <f32: -1.0e30> : {rows}
    %none = constant <f32: 0.0> : {rows}
    %nothing = constant <f32: 0.0> : {o.tile_type}
    %zeros = constant <f32: 0.0> : {scores}
    {q.load("%query", "%i", "%zero")}
    %top, %all, %sum = for %t in (%zero to %n, step %one) : tile<i32>
        iter_values(%m0 = %low, %l0 = %none, %o0 = %nothing) -> ({rows}, {rows}, {o.tile_type}) {{
      {k.load("%key", "%zero", "%t")}
      %score = mmaf %query, %key, %zeros : {q.tile_type}, {k.tile_type}, {scores}
      %high = reduce %score dim=1 identities=[-1.0e30 : f32] : {scores} -> {rows}
        (%x: {single}, %y: {single}) {{
          %z = maxf %x, %y : {single}
          yield %z : {single}
        }}
      %m1 = maxf %m0, %high : {rows}
      {spread("%m1s", "%m1", scores)}
      %less = subf %score, %m1s : {scores}
      %p = exp2 %less : {scores}
      %change = subf %m0, %m1 : {rows}
      %scale = exp2 %change : {rows}
      %part = reduce %p dim=1 identities=[0.0 : f32] : {scores} -> {rows}
        (%x: {single}, %y: {single}) {{
          %z = addf %x, %y : {single}
          yield %z : {single}
        }}
      %l1 = mulf %l0, %scale : {rows}
      %l2 = addf %l1, %part : {rows}
      {spread("%scales", "%scale", o.tile_type)}
      {"" if self.apart else f"%o1 = mulf %o0, %scales : {o.tile_type}"}
      %h = ftof %p : {scores} -> {operand}
      {w.load("%value", "%t", "%zero")}
      {self.multiply("%o2", "%o1", o.tile_type)}
      continue %m1, %l2, %o2 : {rows}, {rows}, {o.tile_type}
    }}
      {spread("%alls", "%all", o.tile_type)}
    %result = divf %sum, %alls : {o.tile_type}
    {o.store("%result", "%i", "%zero")}""",
        )

    def multiply(self, result: str, total: str, ty: str) -> str:
        """The second product, with what is added to it."""
        _, _, w, _ = self.views
        types = f"tile<{self.queries}x{self.keys}x{self.element}>, {w.tile_type}, {ty}"
        if not self.apart:
            return f"{result} = mmaf %h, %value, {total} : {types}"
        return f"""%added = mmaf %h, %value, %nothing : {types}
      {result} = fma %o0, %scales, %added : {ty}"""


SMALL_ATTENTION = [Attention("f8E4M3FN"), Attention("f8E4M3FN", apart=True)]


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("attention", SMALL_ATTENTION, ids=["into", "apart"])
def test_attention_of_small_floats(attention: Attention):
    """
    The first product of the next tile and the second one are in flight together, although sums of
    the second are promoted: threads add them, or multiply and add, when it is done.
    """
    # Weights are rounded to four bits, here to the same ones at both levels.
    random = np.random.default_rng(3)
    q, k, w = (
        (random.standard_normal(shape) / 2).astype(DTYPES[attention.element])
        for shape in ((64, 32), (96, 32), (32, 96))
    )
    arrays = [q, k, w, np.zeros((64, 32), np.float32)]
    run(load(attention.text()), grid=1, args=as_arguments(arrays, 3))
    module = check(attention.text(), arrays, arrays[-1], n=3, levels=(3,), tolerance=1e-5)
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    bodies = [[op.name for op in loop.body.block.ops] for loop in loops]
    (names,) = (names for names in bodies if names.count(MMAS[ARCH]) > 1)
    first, wait = names.index(MMAS[ARCH]), names.index("nvvm.wgmma.wait.group.sync.aligned")
    assert names[first:wait].count(MMAS[ARCH]) == names.count(MMAS[ARCH]) == 2
    assert ("math.fma" if attention.apart else "arith.addf") in names[wait:]


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("attention", "abi", "trips"),
    [
        (Attention(), "host-maps", 1),
        (Attention(), "host-maps", 2),
        (Attention("bf16"), "device-maps", 5),
        (Attention("f16", 128, 64, 64), "host-maps", 2),
        (Attention("f16", 128, 32, 256), "host-maps", 2),
    ],
)
def test_attention(attention: Attention, abi: str, trips: int):
    keys = attention.keys * trips
    q = RANDOM.standard_normal((attention.queries, attention.width)) / 4
    k = RANDOM.standard_normal((keys, attention.width))
    w = RANDOM.standard_normal((keys, attention.width))
    kind = DTYPES[attention.element]
    arrays = [q.astype(kind), k.astype(kind), w.astype(kind)]
    scores = arrays[0].astype(np.float64) @ arrays[1].astype(np.float64).T
    weights = np.exp2(scores)
    expected = weights @ arrays[2].astype(np.float64) / weights.sum(1, keepdims=True)
    module = check(
        attention.text(),
        [*arrays, np.zeros(q.shape, np.float32)],
        expected,
        n=trips,
        abi=abi,
        tolerance=0.03 if attention.element == "bf16" else 0.004,
    )
    waits = [op for op in module.walk() if op.name == "nvvm.wgmma.wait.group.sync.aligned"]
    assert waits


def test_attention_without_keys():
    """No load is done, and no stage is waited for."""
    attention = Attention()
    arrays = [numbers("f16", rows, 32) for rows in (64, 32, 32)]
    expected = np.full((64, 32), np.nan)
    check(attention.text(), [*arrays, np.zeros((64, 32), np.float32)], expected)


@pytest.mark.part("kernels")
def test_reductions_that_use_values_of_the_loop():
    """The maximum of a row is at least the number of the iteration: the loop stays as it is."""
    attention = Attention()
    single = "tile<f32>"
    old = f"%z = maxf %x, %y : {single}"
    bound = f"%z0 = maxf %x, %y : {single}\n          %z = maxf %z0, %bound : {single}"
    reduce = "%high = reduce"
    made = f"%bound = itof %t signed : tile<i32> -> {single}\n      {reduce}"
    text = attention.text().replace(old, bound).replace(reduce, made)
    arrays = [numbers("f16", rows, 32) for rows in (64, 64, 64)]
    arrays[0] = (arrays[0] / 8).astype(np.float16)
    q, k, w = (array.astype(np.float64) for array in arrays)
    weights = np.exp2(q @ k.T)
    expected = weights @ w / weights.sum(1, keepdims=True)
    arrays.append(np.zeros((64, 32), np.float32))
    module = check(text, arrays, expected, n=2, tolerance=0.01)
    assert count(module, "nvvm.wgmma.mma_async") == 2


# Orders of loads, stores and products


@pytest.mark.every(2)
@pytest.mark.parametrize("is_ordered", [True, False])
def test_tiles_that_are_overwritten_after_they_were_loaded(is_ordered: bool):
    """A stage is waited for before a store that comes after its load, by a token or not."""
    gemm = Gemm("f16", 64, 16, 32)
    a, b, c = gemm.views
    token = " token=%x_token" if is_ordered else ""
    body = f"""
    {gemm.zero}
    {a.load("%x", "%i", "%zero")}
    {b.load("%y", "%zero", "%j")}
    %none = constant <f16: 0.0> : {a.tile_type}
    %cleared = store_view_tko weak %none, %va[%i, %zero]{token}
        : {a.tile_type}, {a.type}, tile<i32> -> token
    {gemm.multiply("%sum", "%x", "%y", "%nothing")}
    {c.store("%sum", "%i", "%j")}"""
    arrays = gemm.arrays(64, 16, 32)
    expected = gemm.product(arrays)
    modules = lower(kernel(gemm.views, body), "host-maps", 3, 3)
    for level in (2, 3):
        copies = [array.copy() for array in arrays]
        run(modules[level], grid=1, args=as_arguments(copies), check=level == 3)
        assert not copies[0].any()
        np.testing.assert_array_equal(copies[2], expected)
    assert count(modules[2], "nv_tileas.async.pipeline.agent_switch") == 1


def test_matmuls_that_loops_carry_give_their_stages_back():
    """Operand B is waited for before operand A, whose pipeline comes first."""
    gemm = Gemm("f16", 64, 16, 64)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    for %tile in (%zero to %m, step %one) : tile<i32> {{
      %sum, %more = for %k in (%zero to %n, step %one) : tile<i32>
          iter_values(%s = %nothing, %u = %nothing) -> ({c.tile_type}, {c.tile_type}) {{
        {a.load("%x", "%tile", "%k")}
        {b.load("%y", "%k", "%zero")}
        %w = ftof %y : {b.tile_type} -> {c.tile_type}
        %e = addf %u, %w : {c.tile_type}
        {gemm.multiply("%d", "%x", "%y", "%s")}
        continue %d, %e : {c.tile_type}, {c.tile_type}
      }}
      %all = addf %sum, %more : {c.tile_type}
      {c.store("%all", "%tile", "%zero")}
    }}"""
    arrays = gemm.arrays(128, 16, 192)
    squares = arrays[1].astype(np.float64).reshape(3, 64, 16).sum(0)
    expected = gemm.product(arrays) + np.concatenate([squares, squares])
    modules = lower(kernel(gemm.views, body), "host-maps", 3, 3)
    copies = [*arrays[:2], np.zeros_like(arrays[2])]
    run(modules[3], grid=1, args=as_arguments(copies, 3, 2), check=True)
    np.testing.assert_array_equal(copies[2], expected)
    loops = [op for op in modules[2].walk() if isinstance(op, scf.ForOp)]
    (carrying,) = (
        op for op in loops if any(isinstance(arg.owner, ToAsyncOp) for arg in op.iter_args)
    )
    last = carrying.body.block.last_op
    assert last is not None
    behind = dict[SSAValue, SSAValue](zip(carrying.results, last.operands, strict=True))
    releases = [op for op in modules[2].walk() if isinstance(op, ConsumerReleaseOp)]
    after = [op for op in releases if op.token in behind]
    assert len(after) == 2
    for op in after:
        read = behind[op.token].owner
        assert isinstance(read, ConsumerReadOp)
        assert read.pipeline is op.pipeline


# Elements


TF32_VIEWS = (
    View("a", "f32", (64, 64)),
    View("b", "f32", (64, 16), transposed=True),
    View("c", "f32", (64, 16), pads=False),
)


def tf32_kernel(mode: str = "nearest_even", is_added: bool = False) -> str:
    """A product of tiles that are rounded to tf32; the right one may be summed up as it is."""
    a, b, c = TF32_VIEWS
    more = f"addf %u, %y : {b.tile_type}" if is_added else f"addf %u, %u : {b.tile_type}"
    body = f"""
    %nothing = constant <f32: 0.0> : {c.tile_type}
    %sum, %all = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing, %u = %nothing) -> ({c.tile_type}, {b.tile_type}) {{
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%j")}
      %v = ftof %x rounding<{mode}> : {a.tile_type} -> tile<64x64xtf32>
      %w = ftof %y rounding<{mode}> : {b.tile_type} -> tile<64x16xtf32>
      %d = mmaf %v, %w, %s : tile<64x64xtf32>, tile<64x16xtf32>, {c.tile_type}
      %e = {more}
      continue %d, %e : {c.tile_type}, {b.tile_type}
    }}
    %both = addf %sum, %all : {c.tile_type}
    {c.store("%both", "%i", "%j")}"""
    return kernel(TF32_VIEWS, body)


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("mode", "is_added"), [("nearest_even", False), ("nearest_even", True), ("zero", False)]
)
def test_copies_round_to_tf32(mode: str, is_added: bool):
    """If all uses of a tile round it as copies do, these do it; else threads have to."""
    modules = lower(tf32_kernel(mode, is_added), "host-maps", 3, 3)
    is_copied = mode == "nearest_even" and not is_added
    assert str(modules[2]).count("nv_tileas.element = tf32") == (2 if is_copied else 0)
    arrays = [RANDOM.random((rows, 128), np.float32) + 1 for rows in (64, 16)]
    a, b = (round_to(array, FloatTF32Type(), mode).astype(np.float64) for array in arrays)
    expected = a @ b.T
    if is_added:
        expected = expected + arrays[1].T.reshape(2, 64, 16).astype(np.float64).sum(0)
    result = np.zeros((64, 16), np.float32)
    run(modules[3], grid=1, args=as_arguments([*arrays, result], 2), check=True)
    # Without rounding, sums of 128 terms would be off by some 0.1.
    np.testing.assert_allclose(result, expected, atol=1e-3)


@pytest.mark.every(2)
@pytest.mark.parametrize("flag", ["", " fast_acc"])
def test_sums_of_small_floats(flag: str):
    """Threads add what tensor cores have summed up, unless fewer bits are enough."""
    gemm = Gemm("f8E4M3FN", 64, 32, 256, "b")
    arrays = gemm.arrays(64, 32, 512)
    text = gemm.text().replace("mmaf %x, %y, %s", f"mmaf %x, %y, %s{flag}")
    module = check(text, arrays, gemm.product(arrays), n=2, levels=(3,))
    adds = [op for op in module.walk() if isinstance(op, AddfOp)]
    groups = count(module, "nvvm.wgmma.commit.group.sync.aligned")
    # 128 terms at a time: two parts of a tile are added to the sums one after the other.
    assert (len(adds), groups) == ((0, 1) if flag else (2, 2))


def test_scales_of_blocks():
    """Threads load scales of products in the layout of the sums, so that none waits for others."""
    gemm = Gemm("f8E4M3FN", 64, 32, 32, "b")
    x, y, c = gemm.views
    rows, one = View("s", "f32", (1, 64), pads=False), View("t", "f32", (1, 1), pads=False)
    column = "tile<64x1xf32>"
    text = kernel(
        (x, y, rows, one, c),
        f"""
    {gemm.zero}
    %sum = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%p = %nothing) -> ({c.tile_type}) {{
      {x.load("%x", "%i", "%k")}
      {y.load("%y", "%k", "%j")}
      {rows.load("%u", "%k", "%i")}
      {one.load("%v", "%j", "%k")}
      {gemm.multiply("%d", "%x", "%y", "%nothing")}
      %column = reshape %u : {rows.tile_type} -> {column}
      %row = broadcast %v : {one.tile_type} -> {column}
      %both = mulf %column, %row : {column}
      %all = broadcast %both : {column} -> {c.tile_type}
      %next = fma %d, %all, %p : {c.tile_type}
      continue %next : {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}""",
    )
    trips = 5
    a, b, total = gemm.arrays(64, 32, 32 * trips)
    scales = [numbers("f32", trips, 64), numbers("f32", 1, 16)]
    factors = scales[0] * scales[1][0, :trips, None]
    left = a.astype(np.float64) * np.repeat(factors.T, 32, axis=1)
    check(text, [a, b, *scales, total], left @ b.astype(np.float64).T, n=trips, levels=(3,))
    agents = lower(text, "host-maps", 3, 3)[2]
    assert count(agents, "nv_tileas.convert_layout") == 0


# Stores


def test_warpgroups_store_on_their_own():
    """In a loop, each of two warpgroups copies its rows, and meets the other nowhere."""
    gemm = Gemm("f16", 128, 128, 16)
    arrays = gemm.arrays(256, 128, 32)
    modules = lower(gemm.rows_in_turn(), "host-maps", 3, 3)
    run(modules[3], grid=1, args=as_arguments(arrays, 2, 2), check=True)
    np.testing.assert_array_equal(arrays[2], gemm.product(arrays))
    counts = [op.thread_count for op in modules[3].walk() if isinstance(op, BarrierOp)]
    numbers = [
        owner.value for each in counts if each and isinstance(owner := each.owner, ConstantOp)
    ]
    assert numbers == [IntegerAttr(128, i32)] * 2
    assert "nv_tileas.group_store" in str(modules[2])
