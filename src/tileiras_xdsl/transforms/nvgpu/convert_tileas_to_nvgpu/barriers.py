"""CTA and named barriers, code of single threads, and scratch memory."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.llvm import AddressOfOp
from xdsl.ir import Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.dialects.nvgpu import TmaWaitGroupOp
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER, BarrierOp

from .thread_builder import ThreadBuilder
from .thread_index import is_first_of_group, is_first_thread
from .vectors import move_pointer

CONSUMER_BARRIER: Final = 1
"""The named barrier of the consumer warps."""


def is_in_agent(op: Operation) -> bool:
    """Whether an op belongs to an agent; if not, it is code of the whole CTA."""
    outer = op.parent_op()
    while outer is not None and not isinstance(outer, AgentSwitchOp):
        outer = outer.parent_op()
    return outer is not None


def sync_threads(code: ThreadBuilder) -> None:
    """A CTA barrier, or within an agent a named barrier of its threads."""
    if is_in_agent(code.op):
        threads = code.constant(CONSUMER_BARRIER), code.constant(code.kernel.threads)
        code.emit(BarrierOp(*threads))
    else:
        code.emit(gpu.BarrierOp())


@contextmanager
def only_if(code: ThreadBuilder, condition: SSAValue) -> Generator[None]:
    """Appends to a branch that threads take if a condition holds; there is no barrier in it."""
    block = Block()
    with code.branch(block):
        yield
        code.emit(scf.YieldOp())
    code.emit(scf.IfOp(condition, [], Region(block)))


def wait_for_copies(code: ThreadBuilder, *, written: bool = False) -> None:
    """
    The threads that issue bulk copies wait until these have read shared memory, or have written
    global memory. The other threads wait at the next barrier.
    """
    is_first = is_first_of_group if code.kernel.has_warpgroup_stores else is_first_thread
    with only_if(code, is_first(code)):
        code.emit(TmaWaitGroupOp(0, read=not written))


def take_scratch(code: ThreadBuilder, size: int) -> SSAValue:
    """
    The address of the next scratch buffer of an op: all threads write it, `sync_threads`, all read
    it. A barrier comes first if other threads, or bulk copies, may still use the memory.
    """
    buffer = code.take_buffer(size)
    if buffer.wait == "copies":
        wait_for_copies(code)
    if buffer.wait:
        sync_threads(code)
    return shared_address(code, buffer.offset)


def shared_address(code: ThreadBuilder, offset: int) -> SSAValue:
    """An address in the shared memory of the CTA."""
    name = {"global_name": code.kernel.symbols.shared_reference}
    base = code.emit(AddressOfOp.create(result_types=[SHARED_POINTER], properties=name))
    return code.emit(move_pointer(base.result, offset)).result
