"""Threads of a block that wait for each other or act alone, and the shared memory between them."""

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

BARRIER_OF_TILES: Final = 1
"""The named barrier of the agent that works on tiles."""


def is_in_agent(op: Operation) -> bool:
    """Whether an op belongs to an agent; if not, it is code of the whole block."""
    outer = op.parent_op()
    while outer is not None and not isinstance(outer, AgentSwitchOp):
        outer = outer.parent_op()
    return outer is not None


def sync_threads(code: ThreadBuilder) -> None:
    """All threads of the block, or of the agent, wait for each other, and see what they wrote."""
    if is_in_agent(code.op):
        threads = code.constant(BARRIER_OF_TILES), code.constant(code.kernel.threads)
        code.emit(BarrierOp(*threads))
    else:
        code.emit(gpu.BarrierOp())


@contextmanager
def only_if(code: ThreadBuilder, condition: SSAValue) -> Generator[None]:
    """Appends to a branch that threads take if a condition holds, and do not wait in."""
    block = Block()
    with code.branch(block):
        yield
        code.emit(scf.YieldOp())
    code.emit(scf.IfOp(condition, [], Region(block)))


def wait_for_copies(code: ThreadBuilder, *, written: bool = False) -> None:
    """
    Lets the threads that issue bulk copies wait until these have read shared memory, or have
    written global memory. The others wait for them at the next barrier.
    """
    is_first = is_first_of_group if code.kernel.has_group_stores else is_first_thread
    with only_if(code, is_first(code)):
        code.emit(TmaWaitGroupOp(0, read=not written))


def take_scratch(code: ThreadBuilder, size: int) -> SSAValue:
    """
    The address of the next buffer of an op: all threads write it, `sync_threads`, all read it. They
    wait first if others, or bulk copies, may still be using it.
    """
    buffer = code.take_buffer(size)
    if buffer.wait == "copies":
        wait_for_copies(code)
    if buffer.wait:
        sync_threads(code)
    return shared_address(code, buffer.offset)


def shared_address(code: ThreadBuilder, offset: int) -> SSAValue:
    """The address of some of the block's shared memory."""
    name = {"global_name": code.kernel.symbols.shared_reference}
    base = code.emit(AddressOfOp.create(result_types=[SHARED_POINTER], properties=name))
    return code.emit(move_pointer(base.result, offset)).result
