"""CTA and named barriers, code of single threads, and scratch memory."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects import scf
from xdsl.dialects.llvm import AddressOfOp
from xdsl.ir import Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects import gpu, nvvm
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.targets.machine import CONSUMER_BARRIER

from .thread_builder import ThreadBuilder
from .thread_index import is_first_of_warpgroup, is_first_thread
from .vectors import move_pointer


def is_in_agent(op: Operation) -> bool:
    """Whether an op belongs to an agent; if not, it is code of the whole CTA."""
    outer = op.parent_op()
    while outer is not None and not isinstance(outer, AgentSwitchOp):
        outer = outer.parent_op()
    return outer is not None


def sync_threads(builder: ThreadBuilder) -> None:
    """A CTA barrier; within the consumer agent, the named barrier of its threads."""
    if is_in_agent(builder.op):
        barrier = builder.constant(CONSUMER_BARRIER)
        num_threads = builder.constant(builder.kernel.consumer_threads)
        builder.emit(nvvm.BarrierOp(barrier, num_threads))
    else:
        builder.emit(gpu.BarrierOp())


@contextmanager
def only_if(builder: ThreadBuilder, condition: SSAValue) -> Generator[None]:
    """
    Appends to a branch that threads take if a condition holds. It may diverge, so no barrier may be
    emitted into it."""
    block = Block()
    with builder.at_end_of(block):
        yield
        builder.emit(scf.YieldOp())
    builder.emit(scf.IfOp(condition, [], Region(block)))


def wait_for_copies(builder: ThreadBuilder, *, written: bool = False) -> None:
    """
    The threads that issue bulk copies wait until these have read shared memory, or have written
    global memory. The other threads wait at the next barrier.
    """
    is_first = is_first_of_warpgroup if builder.kernel.has_warpgroup_stores else is_first_thread
    with only_if(builder, is_first(builder)):
        builder.emit(nvvm.CpAsyncBulkWaitGroupOp(0, read=not written))


def take_scratch(builder: ThreadBuilder, size: int) -> SSAValue:
    """
    The address of the next scratch buffer of an op: all threads write it, `sync_threads`, all read
    it. A barrier comes first if other threads, or bulk copies, may still use the memory.
    """
    buffer = builder.take_buffer(size)
    if buffer.wait == "copies":
        wait_for_copies(builder)
    if buffer.wait:
        sync_threads(builder)
    return shared_address(builder, buffer.offset)


def shared_address(builder: ThreadBuilder, offset: int) -> SSAValue:
    """An address in the shared memory of the CTA."""
    name = {"global_name": builder.kernel.symbols.shared_reference}
    base = builder.emit(AddressOfOp.create(result_types=[nvvm.SHARED_POINTER], properties=name))
    return builder.emit(move_pointer(base.result, offset)).result
