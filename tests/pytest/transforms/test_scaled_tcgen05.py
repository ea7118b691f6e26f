"""Block-scaled dots by `tcgen05`: from Tile IR to threads they compute the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp as TileaaLoadOp
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    AHEAD,
    COLUMN,
    SCHEDULE,
    TENSOR_MEMORY,
    ColumnAttr,
    ScheduleAttr,
    get_schedule,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, PlainDotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp, GatherLoadOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import FenceProxyOp
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import WaitDotsOp
from tileiras_xdsl.dialects.nvvm import Tcgen05CpOp, Tcgen05MmaBlockScaleOp
from tileiras_xdsl.dialects.nvvm.tcgen05 import (
    Tcgen05CpMulticast,
    Tcgen05CpMulticastAttr,
    Tcgen05CpShape,
    Tcgen05CpShapeAttr,
)
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.threads.run import run_threads
from tileiras_xdsl.interpreter.threads.tensor_cores import Timing
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import pipelines
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.thread_builder import ThreadBuilder
from tileiras_xdsl.transforms.tileas.kernel_model.dot_waits import DotWaits
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_memory_webs import find_scale_pipelines
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.modules import context
from ..harness.remarks import asked, told
from .test_scaled_dot import E4M3, E5M2, MXF4, NVF4, Format, arguments, in_memory, kernel, product

ARCH = "sm_100a"
CORPUS = Path(__file__).parents[2] / "corpus" / "bytecode" / "13.4"
Tile = tuple[int, int, int]


def leave_mmas_to_threads(module: ModuleOp) -> None:
    """The schedule has no warp for MMAs."""
    for function in kernels(module):
        if (schedule := get_schedule(function)) is not None:
            SCHEDULE.set(function, ScheduleAttr(replace(schedule, mma_warps=None)))


def lower(
    module: ModuleOp,
    last: str,
    bug: Callable[[ModuleOp], None] | None = None,
    *,
    has_agent: bool = True,
) -> ModuleOp:
    """A kernel after a pass, maybe with a bug planted there."""
    for step in select_steps(to="nvvm", arch=ARCH):
        make_pass(step, ARCH).apply(context(), module)
        if step.name == "tileas-generate-schedule" and not has_agent:
            leave_mmas_to_threads(module)
        if step.name == last:
            break
    if bug is not None:
        bug(module)
    return module


def results(module: ModuleOp, values: list[Any], **options: Any) -> Any:
    """What a kernel leaves in its last array."""
    copies = [in_memory(value) for value in values]
    run(module, grid=1, args=copies, check=True, **options)
    return copies[4]


@pytest.mark.part("kernels")
@pytest.mark.every(8)
@pytest.mark.parametrize(
    ("tile", "form", "trips", "arch"),
    [
        ((128, 128, 128), E4M3, 2, ARCH),
        ((128, 64, 32), E5M2, 5, "sm_103a"),
        ((256, 32, 64), E4M3, 2, "sm_110a"),
        ((128, 256, 256), E4M3, 1, ARCH),
        ((128, 32, 128), MXF4, 3, ARCH),
        ((128, 128, 256), MXF4, 2, "sm_103a"),
        ((128, 16, 64), NVF4, 3, ARCH),
        ((128, 256, 128), NVF4, 2, "sm_110a"),
    ],
)
def test_all_levels_compute_the_same(tile: Tile, form: Format, trips: int, arch: str):
    module = load(kernel(tile, form))
    values = arguments(tile, form, 0, trips)
    expected = product(values, form, tile[2] * trips)
    seen = 0
    for step in select_steps(to="nvgpu", arch=arch):
        make_pass(step, arch).apply(context(), module)
        module.verify()
        if step.name in ("tileas-insert-barriers", "convert-tileas-to-nvgpu"):
            np.testing.assert_array_equal(results(module, values), expected, step.name)
            seen += bool(find_all(module, ScaledDotOp, Tcgen05MmaBlockScaleOp))
    assert seen == 2


@pytest.mark.part("kernels")
def test_scales_of_gathered_rows():
    """Threads load them ahead, as they do scales of rows that follow each other."""
    tile, form, trips = (128, 32, 128), E4M3, 3
    m, groups = tile[0], tile[2] // form.block
    text = kernel(tile, form)
    view, part = f"tensor_view<{m}x{8 * groups}x{form.scale}, strides=[{8 * groups},1]>", "tile=("
    gather = f"gather_scatter_view<{part}{m}x{groups}), {view}, sparse_dim=0>"
    text = text.replace(
        "%ws = make_partition_view %vs : partition_view<",
        f"""%numbers = iota : tile<{m}xi32>
    %last = constant <i32: {m - 1}> : tile<{m}xi32>
    %order = subi %last, %numbers : tile<{m}xi32>
    %gathered = make_gather_scatter_view %vs : {gather}
    %ws = make_partition_view %vs : partition_view<""",
    )
    text = text.replace(
        "%s, %ks = load_view_tko weak %ws[%zero, %x] : "
        f"partition_view<{part}{m}x{groups}), {view}>",
        f"""%width = constant <i32: {groups}> : tile<i32>
      %column = muli %x, %width : tile<i32>
      %s, %ks = load_view_tko weak %gathered[%order, %column] : {gather}, tile<{m}xi32>""",
    )
    values = arguments(tile, form, 0, trips)
    expected = product(values, form, tile[2] * trips)
    values[2] = np.ascontiguousarray(values[2][::-1])
    module = lower(load(text), "tileas-generate-schedule")
    assert [AHEAD.is_on(op) for op in find_all(module, GatherLoadOp)] == [True]
    module = lower(load(text), "convert-tileas-to-nvgpu")
    assert find_all(module, Tcgen05MmaBlockScaleOp)
    np.testing.assert_array_equal(results(module, values), expected)


@pytest.mark.part("kernels")
@pytest.mark.every(4)
@pytest.mark.filterwarnings(
    "error::tileiras_xdsl.interpreter.threads.tensor_cores.TensorOrderWarning"
)
@pytest.mark.parametrize(
    ("timing", "trips", "has_agent"),
    [("late", 7, True), ("early", 4, True), ("random", 6, True), ("late", 3, False)],
)
def test_any_timing(timing: Timing, trips: int, has_agent: bool):
    """All scales are copied to columns that no MMA reads any more, without an agent as well."""
    tile, form = (128, 32, 128), E4M3 if has_agent else NVF4
    module = lower(load(kernel(tile, form)), "convert-tileas-to-nvgpu", has_agent=has_agent)
    values = arguments(tile, form, 0, trips)
    copies = [in_memory(value) for value in values]
    run_threads(module, grid=1, args=copies, timing=timing, seed=3)
    np.testing.assert_array_equal(copies[4], product(values, form, tile[2] * trips))


@cache
def ahead_module() -> ModuleOp:
    module = lower(load(kernel((128, 16, 32), E4M3)), "tileas-insert-barriers")
    # Loads before the loop, and in it; the loop is not peeled.
    assert len(find_all(module, ScaledDotOp)) == 1
    assert sum("8E8M0" in str(op.result.type) for op in find_all(module, TiledLoadOp)) == 4
    return module


@pytest.mark.parametrize("trips", [0, 1, 3, 5])
def test_prefetches(trips: int):
    """Threads load scales an iteration ahead, but none of iterations that there are not."""
    values = arguments((128, 16, 32), E4M3, 0, trips)
    expected = product(values, E4M3, 32 * trips)
    np.testing.assert_array_equal(results(ahead_module(), values), expected)


@pytest.mark.part("kernels")
def test_in_nvvm():
    tile = (128, 32, 64)
    values = arguments(tile, E4M3, 0, 2)
    module = lower(load(kernel(tile, E4M3)), "convert-to-llvm")
    np.testing.assert_array_equal(results(module, values), product(values, E4M3, 128))


def packed_kernel(tile: Tile, form: Format) -> str:
    """A kernel that unpacks what it loads: TMA can load bytes, and B is stored as [N, K]."""
    m, n, k = tile
    groups = k // form.block
    shapes = {
        "a": (m, k // 2, "i8", "%zero, %x", (1, 8)),
        "b": (n, k // 2, "i8", "%zero, %x", (1, 8)),
        "s": (m, groups, form.scale, "%zero, %x", (1, 8)),
        "t": (groups, n, form.scale, "%x, %zero", (8, 1)),
        "c": (m, n, "f32", "%zero, %zero", (1, 1)),
    }
    views, loads, types = list[str](), list[str](), dict[str, tuple[str, str]]()
    for name, (rows, columns, kind, where, (down, along)) in shapes.items():
        size = rows * down, columns * along
        view = f"tensor_view<{size[0]}x{size[1]}x{kind}, strides=[{size[1]},1]>"
        part = f"partition_view<tile=({rows}x{columns}), {view}>"
        types[name] = part, f"tile<{rows}x{columns}x{kind}>"
        views.append(f"""
    %q{name} = assume div_by<16>, %p{name} : tile<ptr<{kind}>>
    %v{name} = make_tensor_view %q{name}, shape = [{size[0]}, {size[1]}],
        strides = [{size[1]}, 1] : {view}
    %w{name} = make_partition_view %v{name} : {part}""")
        if name != "c":
            loads.append(f"""
      %{name}, %k{name} = load_view_tko weak %w{name}[{where}]
          : {part}, tile<i32> -> {types[name][1]}, token""")
    for name, rows in (("a", m), ("b", n)):
        loads.append(f"""
      %f{name} = reshape %{name} : {types[name][1]} -> tile<{rows * k // 2}xi8>
      %u{name} = unpack %f{name} : tile<{rows * k // 2}xi8> -> tile<{rows * k}xf4E2M1FN>
      %r{name} = reshape %u{name} : tile<{rows * k}xf4E2M1FN> -> tile<{rows}x{k}xf4E2M1FN>""")
    parameters = ", ".join(f"%p{name}: tile<ptr<{each[2]}>>" for name, each in shapes.items())
    total, scales = types["c"][1], ", ".join(types[name][1] for name in "st")
    return f"""
cuda_tile.module @kernels {{
  entry @kernel({parameters}, %n: tile<i32>) {{{"".join(views)}
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %first = constant <f32: 0.0> : {total}
    %sum = for %x in (%zero to %n, step %one) : tile<i32>
        iter_values(%acc = %first) -> ({total}) {{{"".join(loads)}
      %tb = permute %rb [1, 0] : tile<{n}x{k}xf4E2M1FN> -> tile<{k}x{n}xf4E2M1FN>
      %next = mmaf_scaled %ra, %tb, %acc, %s, %t
          : tile<{m}x{k}xf4E2M1FN>, tile<{k}x{n}xf4E2M1FN>, {total}, {scales}
      continue %next : {total}
    }}
    %done = store_view_tko weak %sum, %wc[%zero, %zero]
        : {total}, {types["c"][0]}, tile<i32> -> token
    return
  }}
}}
"""


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize(("tile", "form"), [((128, 64, 128), MXF4), ((128, 32, 128), NVF4)])
def test_bytes_that_tma_loads(tile: Tile, form: Format):
    """Elements of 4 bits that are unpacked from bytes are multiplied as these bytes."""
    module = lower(load(packed_kernel(tile, form)), "tileas-insert-barriers")
    values = arguments(tile, form, 0, 3)
    given = packed_arguments(values)
    expected = product(values, form, tile[2] * 3)
    np.testing.assert_array_equal(results(module, given), expected)
    dot, *_ = find_all(module, ScaledDotOp)
    # Only scales are written by threads.
    copied = {tuple(get_shape(copy.result.type)) for copy in find_all(module, CopyOp)}
    assert copied == {tuple(get_shape(value.type)) for value in dot.scales}
    module = lower(load(packed_kernel(tile, form)), "convert-tileas-to-nvgpu")
    np.testing.assert_array_equal(results(module, given), expected)


def packed_arguments(values: list[Any]) -> list[Any]:
    """Arguments of such a kernel."""
    given = [in_memory(value) for value in values]
    given[0] = given[0].view(np.int8)
    given[1] = in_memory(np.ascontiguousarray(values[1].T)).view(np.int8)
    return given


PIECES = [
    ((256, 256, 32), E4M3, "sm_100a", (128, 256)),
    ((256, 256, 64), MXF4, "sm_103a", (128, 256)),
    ((128, 512, 64), NVF4, "sm_110a", (128, 256)),
    ((512, 128, 64), E5M2, "sm_100a", (256, 128)),
    ((256, 256, 64), NVF4, "sm_121a", (128, 256)),
]


@pytest.mark.part("kernels")
@pytest.mark.every(5, first=3)
@pytest.mark.parametrize(("tile", "form", "arch", "piece"), PIECES)
def test_tiles_in_pieces(tile: Tile, form: Format, arch: str, piece: tuple[int, int]):
    """Scales of A are split with its rows, those of B with its columns."""
    is_packed = form in (MXF4, NVF4)
    module = load(packed_kernel(tile, form) if is_packed else kernel(tile, form, warps=8))
    values = arguments(tile, form, 0, 3)
    given = packed_arguments(values) if is_packed else values
    expected = results(module, given)
    np.testing.assert_array_equal(expected, product(values, form, tile[2] * 3))
    for step in select_steps(to="nvgpu", arch=arch):
        make_pass(step, arch).apply(context(), module)
        if step.name in ("split-tiles", "tileas-insert-barriers", "convert-tileas-to-nvgpu"):
            np.testing.assert_array_equal(results(module, given), expected, step.name)
        if step.name == "tileas-insert-barriers":
            dots = find_all(module, DotOp)
            assert {(type(op), get_shape(op.result.type)) for op in dots} == {(ScaledDotOp, piece)}


def for_pairs(text: str) -> str:
    """A kernel with a hint that asks for two CTAs."""
    first, rest = text.split("%n: tile<i32>)", 1)
    body = rest.split("{\n", 1)[1]
    return f"{first}%n: tile<i32>) optimization_hints=<sm_100 = {{num_cta_in_cga = 2}}> {{\n{body}"


@pytest.mark.part("kernels")
@pytest.mark.every(3)
@pytest.mark.filterwarnings(
    "error::tileiras_xdsl.interpreter.threads.tensor_cores.TensorOrderWarning"
)
@pytest.mark.parametrize(
    ("tile", "form", "has_agent"),
    [((256, 64, 32), E4M3, True), ((256, 64, 64), NVF4, True), ((256, 64, 32), E4M3, False)],
)
def test_pairs(tile: Tile, form: Format, has_agent: bool):
    """Threads of both CTAs of a pair write scales of their own, which one CTA copies for both."""
    is_packed = form is NVF4
    text = for_pairs(packed_kernel(tile, form) if is_packed else kernel(tile, form))
    values = arguments(tile, form, 0, 6)
    given = packed_arguments(values) if is_packed else values
    module = lower(load(text), "convert-tileas-to-nvgpu", has_agent=has_agent)
    ops = find_all(module, Tcgen05MmaBlockScaleOp, Tcgen05CpOp)
    assert {op.cta_group for op in ops} == {2}
    expected = product(values, form, tile[2] * 6)
    np.testing.assert_array_equal(results(module, given), expected)
    copies = [in_memory(value) for value in given]
    run_threads(module, grid=1, args=copies, timing="random", seed=3)
    np.testing.assert_array_equal(copies[4], expected)


def corpus_arguments(name: str) -> tuple[list[Any], Any]:
    """Arrays of a kernel of the corpus, each with its sizes and strides, and what it computes."""
    random = np.random.default_rng(7)
    m, n, k = 120, 56, 256
    if name == "matmul_mxfp8":
        m, n = 120, 128
        dtype, shapes = ml_dtypes.float8_e5m2, ((m, k), (k, n))
        a, b = (random.integers(-3, 4, shape).astype(dtype) for shape in shapes)
        block, scale = 32, ml_dtypes.float8_e8m0fnu
        left, right = a.astype(np.float64), b.astype(np.float64)
    else:
        dtype, shapes = ml_dtypes.float4_e2m1fn, ((m, k), (n, k))
        a, b = (random.integers(-3, 4, shape).astype(dtype) for shape in shapes)
        block = 32 if name.endswith("mxfp4") else 16
        scale = ml_dtypes.float8_e8m0fnu if block == 32 else ml_dtypes.float8_e4m3fn
        left, right = a.astype(np.float64), b.astype(np.float64).T
    groups = k // block
    s = (2.0 ** random.integers(-2, 3, (m, groups))).astype(scale)
    t = (2.0 ** random.integers(-2, 3, (n, groups))).astype(scale)
    left = left * np.repeat(s.astype(np.float64), block, 1)
    right = right * np.repeat(t.astype(np.float64), block, 1).T
    if name == "matmul_mxfp8":
        t = np.ascontiguousarray(t.T)
    c = np.zeros((m, n), np.float32)
    values: list[Any] = []
    for array in (a, s, b, t, c):
        stored = in_memory(array)
        if stored.dtype == np.uint8:
            stored = stored.view(np.int8)
        values += (stored, *stored.shape, *(x // stored.itemsize for x in stored.strides))
    return values, (left @ right).astype(np.float32)


@pytest.mark.part("kernels")
@pytest.mark.every(3, first=2)
@pytest.mark.parametrize("name", ["matmul_mxfp8", "matmul_fp4_mxfp4", "matmul_fp4_nvfp4"])
def test_tiles_that_tma_cannot_load(name: str):
    """Strides are unknown: threads load operands and write them to shared memory."""
    values, expected = corpus_arguments(name)
    module = load(CORPUS / f"{name}.tileirbc")
    lower(module, "convert-tileas-to-nvgpu")
    assert find_all(module, Tcgen05MmaBlockScaleOp)
    run(module, grid=1, args=values, check=("races",))
    np.testing.assert_array_equal(values[20], expected)


# Bugs


def set_scale_id(module: ModuleOp) -> None:
    """The scales of A are those of the next group."""
    op = find_all(module, Tcgen05MmaBlockScaleOp)[0]
    op.properties["k_steps"] = IntegerAttr(1, i32)
    op.properties["scale_a_id"] = IntegerAttr(1, i32)


def set_copy_shape(module: ModuleOp) -> None:
    """Scales are copied to the lanes of half the warps."""
    op = find_all(module, Tcgen05CpOp)[0]
    op.properties["shape"] = Tcgen05CpShapeAttr(Tcgen05CpShape.SHAPE_64X128B)
    op.properties["multicast"] = Tcgen05CpMulticastAttr(Tcgen05CpMulticast.WARPX2_02_13)


def swap_scales(module: ModuleOp) -> None:
    """A has the scales of B."""
    op = find_all(module, Tcgen05MmaBlockScaleOp)[0]
    first, second = op.operands[4:6]
    op.operands[4], op.operands[5] = second, first


def swap_copies(module: ModuleOp) -> None:
    """The scales of the first 4 groups are copied where those of the next are."""
    first, second, *_ = find_all(module, Tcgen05CpOp)
    first.detach()
    Rewriter.insert_op(first, InsertPoint.after(second))
    first.operands[0], second.operands[0] = second.operands[0], first.operands[0]


def drop_copy(module: ModuleOp) -> None:
    """The scales of B are not copied."""
    find_all(module, Tcgen05CpOp)[-1].detach()


def drop(kind: type[Operation]) -> Callable[[ModuleOp], None]:
    def apply(module: ModuleOp) -> None:
        next(op for op in module.walk() if isinstance(op, kind)).detach()

    return apply


def overlap(module: ModuleOp) -> None:
    """Scales are in columns of the accumulator."""
    for pipeline in find_scale_pipelines(module):
        COLUMN.set(pipeline, ColumnAttr(0))


def share_columns(module: ModuleOp) -> None:
    """Scales of A and B are in the same columns."""
    first, second = find_scale_pipelines(module)
    column = COLUMN.get(first)
    assert column is not None
    COLUMN.set(second, column)


def add_stages(module: ModuleOp) -> None:
    """Threads write further ahead than there are columns."""
    for pipeline in find_scale_pipelines(module):
        count = pipeline.get_num_stages()
        pipeline.properties["numStages"] = IntegerAttr(2 * count, i32)


BUGS: dict[str, tuple[Format, str, Callable[[ModuleOp], None]]] = {
    "wrong scale id": (E4M3, "convert-tileas-to-nvgpu", set_scale_id),
    "wrong shape of the copy": (E4M3, "convert-tileas-to-nvgpu", set_copy_shape),
    "swapped scales": (E4M3, "convert-tileas-to-nvgpu", swap_scales),
    "swapped blocks of scales": (NVF4, "convert-tileas-to-nvgpu", swap_copies),
    "missing copy": (E4M3, "convert-tileas-to-nvgpu", drop_copy),
    "columns of another tile": (E4M3, "tileas-allocate-tensor-memory", overlap),
    "columns of other scales": (E4M3, "tileas-allocate-tensor-memory", share_columns),
    "more stages than columns": (E4M3, "tileas-allocate-tensor-memory", add_stages),
    "scales overwritten too early": (E4M3, "tileas-allocate-tensor-memory", drop(WaitDotsOp)),
    "no proxy fence": (E4M3, "tileas-insert-barriers", drop(FenceProxyOp)),
}
BY_THREADS = ("scales overwritten too early", "no proxy fence")
"""Bugs of kernels without an MMA agent."""


@pytest.mark.part("kernels")
@pytest.mark.every(7)
@pytest.mark.parametrize("name", BUGS)
def test_bugs_are_found(name: str):
    """A wrong kernel is an error, or computes something else."""
    form, last, bug = BUGS[name]
    tile, trips = (128, 32, 128), 9 if name == "more stages than columns" else 3
    values = arguments(tile, form, 0, trips)
    expected = product(values, form, tile[2] * trips)
    module = load(kernel(tile, form))
    try:
        for step in select_steps(to="nvgpu", arch=ARCH):
            make_pass(step, ARCH).apply(context(), module)
            if step.name == "tileas-generate-schedule" and name in BY_THREADS:
                leave_mmas_to_threads(module)
            if step.name == last:
                bug(module)
        found = results(module, values)
    except (ExecutionError, DiagnosticException):
        return
    assert (found != expected).any()


def of_its_own_cta(wait: Callable[..., None]) -> Callable[..., None]:
    """A wait that sees only what threads of the same CTA have written."""

    def planted(builder: ThreadBuilder, barrier: SSAValue, parity: SSAValue, *_: object) -> None:
        wait(builder, barrier, parity)

    return planted


def without_proxy_fence(synchronize: Callable[..., None]) -> Callable[..., None]:
    """Threads of both CTAs meet, but MMAs need not see what they have written."""

    def planted(self: DotWaits, op: Operation, **_: object) -> None:
        synchronize(self, op)

    return planted


def told_by_one_cta(arrive: Callable[..., None]) -> Callable[..., None]:
    """Each CTA tells itself that it has written scales."""

    def planted(builder: ThreadBuilder, barrier: SSAValue) -> None:
        with patch.object(builder.kernel, "pair_ctas", 1):
            arrive(builder, barrier)

    return planted


PAIR_BUGS: dict[str, tuple[bool, Any, str, Callable[..., Any], str]] = {
    "a wait that does not reach the other CTA": (
        *(True, pipelines, "wait", of_its_own_cta),
        "race: .* reads byte .* of rank 1, written by thread .* of rank 1",
    ),
    "no proxy fence before the barrier of a pair": (
        *(False, DotWaits, "_synchronize", without_proxy_fence),
        "of rank 1 asynchronously, written by .* of rank 1 .*without a proxy fence",
    ),
    "scales that the other CTA is not told of": (
        *(True, pipelines, "arrive_of_warp", told_by_one_cta),
        "deadlock",
    ),
}
"""Whether there is an MMA agent, what is patched, how, and what the interpreter says."""


@pytest.mark.long
@pytest.mark.parametrize("name", PAIR_BUGS)
def test_bugs_of_pairs_are_found(name: str):
    """What is forgotten between the threads of two CTAs and MMAs is an error."""
    has_agent, owner, attribute, make, message = PAIR_BUGS[name]
    tile, trips = (256, 64, 32), 2
    module = load(for_pairs(kernel(tile, E4M3)))
    with patch.object(owner, attribute, make(getattr(owner, attribute))):
        module = lower(module, "convert-tileas-to-nvgpu", has_agent=has_agent)
    assert {op.cta_group for op in find_all(module, Tcgen05MmaBlockScaleOp)} == {2}
    with pytest.raises(ExecutionError, match=message):
        results(module, arguments(tile, E4M3, 0, trips))


@pytest.mark.every(2)
@pytest.mark.parametrize(("tile", "is_paired"), [((256, 64, 32), True), ((256, 256, 32), False)])
def test_scales_of_other_rows_are_found(tile: Tile, is_paired: bool):
    """Each part has the scales of the first rows: of the wrong CTA, or the wrong half."""
    text = kernel(tile, E4M3)
    module = lower(load(for_pairs(text) if is_paired else text), "split-tiles")
    values = arguments(tile, E4M3, 0, 2)
    expected = product(values, E4M3, tile[2] * 2)
    np.testing.assert_array_equal(results(module, values), expected)
    (load_op,) = (
        op
        for op in find_all(module, TileaaLoadOp)
        if get_shape(op.results[0].type) == (128, tile[2] // E4M3.block)
    )
    zero = arith.ConstantOp(IntegerAttr(0, i32))
    Rewriter.insert_op(zero, InsertPoint.before(load_op))
    load_op.operands[1] = zero.result
    found = results(module, values)
    np.testing.assert_array_equal(found[:128], expected[:128])
    assert (found[128:] != expected[128:]).any()


# Scales, columns and remarks


@pytest.mark.part("kernels")
def test_scales_without_a_sign():
    """The instruction does not read the sign of scales of f8E4M3FN."""
    tile = (128, 16, 64)
    module = lower(load(kernel(tile, NVF4)), "convert-tileas-to-nvgpu")
    values = [in_memory(value) for value in arguments(tile, NVF4, 0, 1)]
    values[2] = -values[2]
    with pytest.raises(ExecutionError, match="a scale is negative, but ue4m3 has no sign"):
        run(module, grid=1, args=values)
    # Zeros may have one.
    values[2] = np.zeros_like(values[2])
    values[2].view(np.uint8)[:] = 0x80
    run(module, grid=1, args=values)
    assert not values[4].any()


@pytest.mark.parametrize(
    ("tile", "form", "column", "columns"),
    [
        ((128, 128, 128), E4M3, 128, 256),
        ((128, 64, 128), NVF4, 64, 128),
        ((256, 16, 64), MXF4, 32, 64),
    ],
)
def test_columns(tile: Tile, form: Format, column: int, columns: int):
    """Scales have columns behind those of the accumulator."""
    module = lower(load(kernel(tile, form)), "tileas-allocate-tensor-memory", has_agent=False)
    dot, *others = find_all(module, ScaledDotOp)
    assert all(COLUMN.get(each) == COLUMN.get(dot) for each in others)
    (function,) = kernels(module)
    first, total = COLUMN.get(dot), TENSOR_MEMORY.get(function)
    assert first is not None
    assert total is not None
    assert (first.data, total.data) == (column, columns)


@pytest.mark.parametrize(
    ("tile", "form", "places", "columns"),
    [
        ((128, 128, 128), E4M3, [(2, 256), (2, 264)], 512),
        ((128, 256, 128), NVF4, [(2, 256), (2, 272)], 512),
    ],
)
def test_columns_of_stages(tile: Tile, form: Format, places: list[tuple[int, int]], columns: int):
    """Each stage of scales has columns of its own."""
    text = kernel(tile, form) if form is E4M3 else packed_kernel(tile, form)
    module = lower(load(text), "tileas-allocate-tensor-memory")
    found: list[tuple[int, int]] = []
    for pipeline in find_scale_pipelines(module):
        column = COLUMN.get(pipeline)
        assert column is not None
        found.append((pipeline.get_num_stages(), column.data))
    (function,) = kernels(module)
    total = TENSOR_MEMORY.get(function)
    assert total is not None
    assert (found, total.data) == (places, columns)


@pytest.mark.parametrize(
    ("tile", "form", "reason"),
    [
        ((64, 64, 64), E4M3, "no block-scaled MMAs of 128 rows and 16 columns make up 64x64"),
        ((128, 8, 64), E4M3, "no block-scaled MMAs of 128 rows and 16 columns make up 128x8"),
        ((128, 16, 32), MXF4, "K = 32 is less than 32 bytes"),
        (
            (128, 16, 64),
            Format("f4E2M1FN", "f8E8M0FNU", 16),
            "tcgen05.mma has no f4E2M1FN and f4E2M1FN with f8E8M0FNU for 16 elements",
        ),
    ],
)
def test_emulated_with_a_reason(tile: Tile, form: Format, reason: str):
    module = asked(load(kernel(tile, form)), explain=True)
    (dot,) = find_all(lower(module, "tileas-generate-schedule"), DotOp)
    assert isinstance(dot, PlainDotOp)
    assert [each.reason for each in told(module, name="Emulated")] == [reason]


def test_tiles_that_do_not_fit():
    """The accumulator takes all of tensor memory, and none of its dimensions is parallel."""
    text = kernel((256, 256, 64), E4M3)
    start = text.index("%done = store_view_tko")
    text = text[:start] + text[start:].replace("%sum, %wc", "%turned, %wc")
    text = text.replace(
        "    %done =",
        """    %column = reduce %sum dim=1 identities=[0.0 : f32]
        : tile<256x256xf32> -> tile<256xf32> (%u: tile<f32>, %v: tile<f32>) {
      %w = addf %u, %v : tile<f32>
      yield %w : tile<f32>
    }
    %columns = reshape %column : tile<256xf32> -> tile<1x256xf32>
    %all = broadcast %columns : tile<1x256xf32> -> tile<256x256xf32>
    %turned = addf %all, %sum : tile<256x256xf32>
    %done =""",
    )
    module = lower(asked(load(text), explain=True), "tileas-assign-dot-layouts")
    assert find_all(module, DotOp)
    assert not find_all(module, ScaledDotOp)
    (emulated,) = told(module, name="Emulated")
    assert "do not fit" in emulated.reason
