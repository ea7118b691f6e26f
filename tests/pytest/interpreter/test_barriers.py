"""Barriers and shared memory at level 2: what is missing or overlaps is found before threads run."""

from __future__ import annotations

from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileiras_xdsl import run
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BufferAttr, get_buffers
from tileiras_xdsl.interpreter.errors import ExecutionError

from ..harness.modules import ops_named, parse
from ..harness.running import run_printing
from .barrier_kernels import KERNELS, set_buffer, without_wait


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
    # Two reductions take turns with two buffers: one's threads wait in the other.
    "softmax": {"nv_tileas.barrier before nv_tileas.reduce": NOT_NEEDED},
    "transposes": {"nv_tileas.barrier before nv_tileas.convert_layout": BARRIER},
    "prints": {"nv_tileas.barrier before nv_tileaa.print": BARRIER},
    "strong": {
        "nv_tileas.barrier before nv_tileaa.atomic_rmw": BARRIER,
        "nv_tileas.barrier before nv_tileas.tiled_load": BARRIER,
    },
    "products": {"nv_tileas.barrier before nv_tileas.dot": BARRIER},
    # As of reductions: the steps of a scan take turns.
    "sums": {"nv_tileas.barrier before nv_tileas.scan": NOT_NEEDED},
    "gemm": {
        "nv_tileas.barrier before nv_tileas.tiled_store": NOT_NEEDED,
        "copies of nv_tileas.tiled_store": COPIES,
        "nv_tileas.wait_copies before nv_tileas.async.pipeline.yield": COPIES,
    },
    "flagged": {
        "nv_tileas.barrier before nv_tileas.tiled_store": NOT_NEEDED,
        "copies of nv_tileas.tiled_store": COPIES,
        "nv_tileas.wait_copies before nv_tileas.fence_proxy": f"{COPIES} written",
        "nv_tileas.fence_proxy before nv_tileas.barrier": FENCE,
        "nv_tileas.barrier before nv_tileaa.atomic_rmw": BARRIER,
        # Behind an acquire that nothing follows.
        "nv_tileas.barrier before nv_tileas.fence_proxy": NOT_NEEDED,
        "nv_tileas.fence_proxy before nv_tileas.async.pipeline.yield": NOT_NEEDED,
    },
    "attention": {
        "nv_tileas.barrier before nv_tileas.tiled_store": NOT_NEEDED,
        "nv_tileas.wait_copies before nv_tileas.async.pipeline.yield": COPIES,
    },
}
"""What is said of each kernel when one wait is taken away."""


@pytest.mark.parametrize("name", KERNELS)
def test_missing_waits_are_found(name: str) -> None:
    said = {what: report(name, module) for what, module in without_wait(compiled(name))}
    assert said.keys() == FOUND[name].keys()
    for what, expected in FOUND[name].items():
        assert expected in said[what] and bool(expected) == bool(said[what]), (what, said[what])


@pytest.mark.parametrize("name", ["transposes"])
def test_reports_name_both_ops(name: str) -> None:
    (_, module) = next(without_wait(compiled(name)))
    assert report(name, module) == (
        "in.mlir:18:16: 'nv_tileas.convert_layout' op writes bytes 0 to 16383 of shared memory "
        "while threads of in.mlir:21:16: 'nv_tileas.convert_layout' may still be using bytes 0 to "
        "16383: missing nv_tileas.barrier (block (0, 0, 0))"
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
    move(ops_named(module, "nv_tileas.convert_layout")[1], 0, 128)
    assert "bytes 128 to 16511 of shared memory while threads" in report("transposes", module)


def test_rings_do_not_overlap() -> None:
    module = compiled("attention").clone()
    move(ops_named(module, "nv_tileas.async.pipeline.create_pipeline")[1], 0, 8192)
    assert (
        "uses bytes 8192 to 73727 of shared memory, which overlaps bytes 0 to 16383 of in.mlir"
        in report("attention", module)
    )


def test_exchanges_do_not_overwrite_rings() -> None:
    module = compiled("attention").clone()
    move(ops_named(module, "nv_tileas.tiled_store")[0], 0, 1024)
    assert "which overlaps bytes 0 to 16383" in report("attention", module)


def test_exchanges_do_not_overwrite_buffers_of_scratch_offsets() -> None:
    """A ring that reaches behind the start of scratch memory loses what it holds."""
    module = compiled("gemm").clone()
    move(ops_named(module, "nv_tileas.async.pipeline.create_pipeline")[0], 0, 2048)
    assert "overlaps bytes 2048 to 149503" in report("gemm", module)


# Kernels of level 2 as they are written


def level_2(body: str, *, memory: str, warps: int = 4) -> str:
    """A kernel with allocated memory."""
    return f"""
    "gpu.module"() <{{sym_name = "kernels"}}> ({{
      "gpu.func"() <{{function_type = (!llvm.ptr<1>) -> (), kernel}}> ({{
      ^entry(%p: !llvm.ptr<1>):
        {body}
        "gpu.return"() : () -> ()
      }}) {{sym_name = "k", nv_tileas.num_warps = {warps} : i32,
           nv_tileas.shared_memory = #nv_tileas.shared_memory<{memory}>}} : () -> ()
    }}) : () -> ()
    """


def said(body: str, *, memory: str = "8192, 4096") -> str:
    """What is said of a kernel of level 2 that takes no array."""
    try:
        run(parse(level_2(body, memory=memory)), grid=1, args=[[]], check=["races"])
    except ExecutionError as error:
        return str(error)
    return ""


def test_buffers_are_kept() -> None:
    tensor = 'tensor<256xf32, "shared">'
    del tensor
