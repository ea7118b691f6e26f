"""Barriers and shared memory at level 2: what is missing or overlaps is found."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileas.shared_memory import BufferAttr, get_buffers
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.conversion_pass import (
    ConvertTileasToNvgpuPass,
)
from tileiras_xdsl.transforms.tileas.tileas_allocate_shared_memory import (
    TileasAllocateSharedMemoryPass,
)
from tileiras_xdsl.transforms.tileas.tileas_insert_barriers import TileasInsertBarriersPass

from ..harness.kernels import gpu_kernel, gpu_module, num_warps
from ..harness.modules import ops_named, parse
from ..harness.passes import applied, apply
from ..harness.running import run_printing
from .barrier_kernels import KERNELS, set_buffer, wide_argmax, without_wait


@cache
def compiled(name: str) -> ModuleOp:
    """A kernel at the end of level 2; it is not to be changed."""
    return KERNELS[name].compiled()


def report(name: str, module: ModuleOp, *, check: bool | tuple[str, ...] = ("races",)) -> str:
    """What is said when a kernel runs; nothing if all is well."""
    try:
        run_printing(module, grid=1, args=KERNELS[name].arguments(), check=check)
    except ExecutionError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_complete(name: str) -> None:
    assert report(name, compiled(name), check=True) == ""


BARRIER = "missing nv_tileas.barrier"
COPIES = "missing nv_tileas.wait_copies"
FENCE = "missing nv_tileas.fence_proxy"
NOT_NEEDED = ""
"""Nobody could know before the kernel ran that nobody has to wait there."""

FOUND = {
    "norms": {"nv_tileas.barrier before nv_tileas.reduce": BARRIER},
    # Two reductions of one operand take turns with two buffers: one's threads wait in the other.
    "pairs": {"nv_tileas.barrier before nv_tileas.reduce": BARRIER},
    # Its two reductions take turns, so that threads need not wait.
    "softmax": {},
    "transposes": {"nv_tileas.barrier before nv_tileas.convert_layout": BARRIER},
    "prints": {"nv_tileas.barrier before nv_tileaa.print": BARRIER},
    "strong": {
        "nv_tileas.barrier before nv_tileaa.atomic_rmw": BARRIER,
        "nv_tileas.barrier before nv_tileas.tiled_load": BARRIER,
    },
    "products": {"nv_tileas.barrier before nv_tileas.dot": BARRIER},
    # As of reductions: the steps of a scan take turns.
    "sums": {},
    "gemm": {
        # Each CTA of this grid does one tile block.
        "nv_tileas.wait_copies before nv_tileas.tiled_store": NOT_NEEDED,
        "nv_tileas.barrier before nv_tileas.tiled_store": NOT_NEEDED,
        "copies of nv_tileas.tiled_store": COPIES,
        "nv_tileas.wait_copies before nv_tileas.async.pipeline.yield": COPIES,
    },
    "pipeline": {"gpu.barrier before arith.constant": BARRIER},
    "flagged": {
        "nv_tileas.barrier before nv_tileas.tiled_store": NOT_NEEDED,
        "copies of nv_tileas.tiled_store": COPIES,
        "nv_tileas.wait_copies before nv_tileaa.atomic_rmw": f"{COPIES} written",
        "nv_tileas.fence_proxy before nv_tileaa.atomic_rmw": FENCE,
        "nv_tileas.barrier before nv_tileaa.atomic_rmw": BARRIER,
        # Behind an acquire that nothing follows.
        "nv_tileas.fence_proxy before nv_tileas.async.pipeline.yield": NOT_NEEDED,
        "nv_tileas.barrier before nv_tileas.async.pipeline.yield": NOT_NEEDED,
    },
    "attention": {
        "nv_tileas.wait_copies before nv_tileas.async.pipeline.yield": COPIES,
        # Consumer warps have waited for the copies of their warpgroups by then.
        "nv_tileas.wait_copies before gpu.return": NOT_NEEDED,
    },
}
"""What is said of each kernel when one wait is taken away."""


@pytest.mark.every(5)
@pytest.mark.parametrize("name", KERNELS)
def test_missing_waits_are_found(name: str) -> None:
    said = {what: report(name, module) for what, module in without_wait(compiled(name))}
    assert said.keys() == FOUND[name].keys()
    for what, expected in FOUND[name].items():
        assert expected in said[what], (what, said[what])
        assert expected or not said[what], (what, said[what])


@pytest.mark.parametrize("name", ["transposes"])
def test_reports_name_both_ops(name: str) -> None:
    (_, module) = next(without_wait(compiled(name)))
    assert report(name, module) == (
        "in.mlir:18:16: 'nv_tileas.convert_layout' op writes bytes 49152 to 65535 of shared memory "
        "while threads of in.mlir:21:16: 'nv_tileas.convert_layout' may still be using bytes 49152 "
        "to 65535: missing nv_tileas.barrier (CTA (0, 0, 0))"
    )


def test_nothing_is_reported_unless_asked_for() -> None:
    for _, module in without_wait(compiled("transposes")):
        assert report("transposes", module, check=()) == ""
        assert report("transposes", module, check=("bounds",)) == ""


# Buffers in the wrong place


def move(op: Operation, number: int, offset: int) -> None:
    """Puts a buffer elsewhere."""
    buffer = get_buffers(op)[number]
    set_buffer(op, number, BufferAttr.of(offset, buffer.size, buffer.wait, buffer.sync))


def test_buffers_in_use_are_not_written() -> None:
    module = compiled("transposes").clone()
    # Behind the multi-stage buffer of the loads.
    move(ops_named(module, "nv_tileas.convert_layout")[1], 0, 49152 + 128)
    assert "bytes 49280 to 65663 of shared memory while threads" in report("transposes", module)


def test_pipelines_do_not_overlap() -> None:
    module = compiled("attention").clone()
    move(ops_named(module, "nv_tileas.async.pipeline.create_pipeline")[1], 0, 8192)
    assert (
        "uses bytes 8192 to 73727 of shared memory, which overlaps bytes 0 to 65535 of in.mlir"
        in report("attention", module)
    )


def test_exchanges_do_not_overwrite_pipelines() -> None:
    module = compiled("attention").clone()
    move(ops_named(module, "nv_tileas.tiled_store")[0], 0, 1024)
    assert "which overlaps bytes 0 to 65535" in report("attention", module)


def test_exchanges_do_not_overwrite_pipelines_behind_their_end() -> None:
    module = compiled("gemm").clone()
    move(ops_named(module, "nv_tileas.async.pipeline.create_pipeline")[0], 0, 2048)
    assert "uses bytes 2048 to 149503 of shared memory, which overlaps" in report("gemm", module)


# Kernels of level 2 as they are written

LAYOUTS = {
    "by_lane": "register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [[64]]",
    "by_warp": "register = [[1]], lane = [[4], [8], [16], [32], [64]], warp = [[2]]",
}


def said(body: str, *, memory: str) -> str:
    """What is said of a kernel of two warps whose shared memory is allocated."""
    kernel = gpu_kernel(
        body,
        ["%f: f32"],
        attributes=[
            num_warps(2),
            f"nv_tileas.shared_memory = #nv_tileas.shared_memory<{memory}, 49152>",
        ],
    )
    for name, layout in LAYOUTS.items():
        kernel = kernel.replace(f"#{name}", f"#nv_tileas.layout<{layout}>")
    try:
        run(parse(gpu_module(kernel)), grid=1, args=[1.0], check=["races"])
    except ExecutionError as error:
        return str(error)
    return ""


ALLOCATED = """
    %a = nv_tileas.alloc_tensor {{memory = #nv_tileas.memory<shared>,
        nv_tileas.buffers = [#nv_tileas.buffer<0, 1024>]}} : tensor<256xf32>
    %b = nv_tileas.alloc_tensor {{memory = #nv_tileas.memory<shared>,
        nv_tileas.buffers = [#nv_tileas.buffer<{offset}, 1024>]}} : tensor<256xf32>"""


@pytest.mark.parametrize(("offset", "is_good"), [(1024, True), (1023, False), (0, False)])
def test_buffers_are_kept(offset: int, is_good: bool) -> None:
    text = said(ALLOCATED.format(offset=offset), memory="2048, 2048")
    assert (text == "") == is_good
    assert is_good or "which overlaps bytes 0 to 1023 of" in text


CONVERSIONS = """
    %x = nv_tileaa.splat %f : f32 to tensor<128xf32, #by_lane>
    %y = nv_tileas.convert_layout %x {{nv_tileas.buffers = [#nv_tileas.buffer<{first}>]}}
        : tensor<128xf32, #by_lane> -> tensor<128xf32, #by_warp>
    {between}
    %z = nv_tileas.convert_layout %y {{nv_tileas.buffers = [#nv_tileas.buffer<{second}>]}}
        : tensor<128xf32, #by_warp> -> tensor<128xf32, #by_lane>
    %w = nv_tileas.convert_layout %x {{nv_tileas.buffers = [#nv_tileas.buffer<{third}>]}}
        : tensor<128xf32, #by_lane> -> tensor<128xf32, #by_warp>"""


@pytest.mark.parametrize(
    ("buffers", "between", "is_good"),
    [
        # All threads wait in the second, so that the first place is free again.
        (("0, 512", "512, 512", "0, 512"), "", True),
        # Those of a warp do not wait for others.
        (("0, 512", "512, 512, sync = warp", "0, 512"), "", False),
        (("0, 512", "512, 512, sync = warp", "0, 512, threads"), "", True),
        # Bulk copies read on.
        (("0, 512, sync = copies", "512, 512", "0, 512"), "", False),
        (("0, 512, sync = copies", "512, 512", "0, 512"), "nv_tileas.wait_copies", True),
        (("0, 512, sync = copies", "512, 512", "0, 512"), "nv_tileas.barrier", False),
        (("0, 512, sync = copies", "512, 512", "0, 512, threads"), "", False),
        (("0, 512, sync = copies", "512, 512", "0, 512, copies"), "", True),
        (("0, 512", "511, 512", "1024, 512"), "", False),
        (("0, 512", "511, 512", "1024, 512"), "nv_tileas.barrier", True),
    ],
)
def test_exchanges(buffers: tuple[str, str, str], between: str, is_good: bool) -> None:
    first, second, third = buffers
    body = CONVERSIONS.format(first=first, second=second, third=third, between=between)
    # What is left at the end is not at issue.
    text = said(f"{body}\nnv_tileas.wait_copies", memory="2048, 0")
    assert (text == "") == is_good, text


def test_buffers_that_are_in_use_together_do_not_overlap() -> None:
    module = compiled("pairs").clone()
    assert report("pairs", module) == ""
    (op,) = ops_named(module, "nv_tileas.reduce")
    first, _ = get_buffers(op)
    move(op, 1, first.offset)
    assert "which overlaps" in report("pairs", module)


@pytest.mark.parametrize("rows", [64, 4096])
def test_buffers_of_two_operands_are_disjoint(rows: int) -> None:
    """Also where both do not fit into what scratch memory may grow to."""
    module = parse(wide_argmax(rows))
    apply(module, TileasAllocateSharedMemoryPass(abi="host-maps"), TileasInsertBarriersPass())
    (op,) = ops_named(module, "nv_tileas.reduce")
    first, second = get_buffers(op)
    assert (first.size, second.size) == (8 * rows, 8 * rows)
    assert (first.sync, second.sync) == ("next", "threads")
    assert not first.overlaps(second)
    threads = applied(module, ConvertTileasToNvgpuPass(abi="host-maps"))
    x = np.random.default_rng(3).permutation(2 * rows).astype(np.float32).reshape(rows, 2)
    for level in (module, threads):
        top, place = np.zeros(rows, np.float32), np.zeros(rows, np.int32)
        run(level, grid=1, args=[x, top, place], check=True)
        assert (top == x.max(axis=1)).all()
        assert (place % 2 == x.argmax(axis=1)).all()
