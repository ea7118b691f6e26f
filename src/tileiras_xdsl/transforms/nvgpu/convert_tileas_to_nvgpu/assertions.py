"""
Assertions: a message on standard output, then a trap, which fails the launch.

Device code has `__assertfail` for this, but the driver prints its messages to standard error, and
what reads them (cuTile's tests, as with NVIDIA's compiler) looks at standard output. The message
has the form of `__assertfail`:

    kernel.py:12: kernel: block: [3,0,0], thread: [17,0,0] Assertion `x is positive` failed.

Of all threads that hold a false element only the one that owns it prints and traps: another could
end the grid before anything is printed.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, VectorType, i1, i32
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.arith import IndexCastOp
from tileiras_xdsl.dialects.gpu import BlockIdOp, PrintfOp
from tileiras_xdsl.dialects.llvm import TrapOp
from tileiras_xdsl.dialects.nv_tileaa.memory import AssertOp
from tileiras_xdsl.dialects.nvvm import NanosleepOp
from tileiras_xdsl.dialects.vector import ReductionOp
from tileiras_xdsl.xdsl_extras.diagnostics import source_location

from .barriers import only_if
from .lowering_registry import lowers
from .thread_builder import ThreadBuilder
from .thread_index import get_thread, is_first_thread, is_owner

DELAY = 1_000_000
"""Nanoseconds, the most that a thread can sleep: other threads that fail print in this time."""


@lowers("nv_tileaa.assert")
def lower_assert(builder: ThreadBuilder, op: AssertOp) -> None:
    holds = builder.lookup(op.condition)
    if isinstance(holds.type, VectorType):
        holds = builder.emit(ReductionOp(holds, CombiningKindAttr(CombiningKindFlag.AND))).dest
    fails = builder.emit(arith.XOrIOp(holds, builder.constant(1, i1))).result
    is_tile = isinstance(op.condition.type, TensorType)
    owner = is_owner(builder, builder.layout(op.condition)) if is_tile else is_first_thread(builder)
    if owner is not None:
        fails = builder.emit(arith.AndIOp(fails, owner)).result
    with only_if(builder, fails):
        builder.emit(
            PrintfOp(_message_format(builder, op), [*_block_index(builder), get_thread(builder)])
        )
        builder.emit(NanosleepOp(builder.constant(DELAY)))
        builder.emit(TrapOp())


def _message_format(builder: ThreadBuilder, op: AssertOp) -> str:
    """The message as a format for the index of a block and the number of a thread."""
    location = source_location(op)
    place = "" if location is None else f"{location.filename.data}:{location.line.data}: "
    what = f"Assertion `{op.message.data}` failed." if op.message.data else "Assertion failed."
    head, tail = f"{place}{builder.kernel.function.sym_name.data}: ", f" {what}\n"
    index = "block: [%d,%d,%d], thread: [%d,0,0]"
    return head.replace("%", "%%") + index + tail.replace("%", "%%")


def _block_index(builder: ThreadBuilder) -> list[SSAValue]:
    indices = [builder.emit(BlockIdOp(DimensionAttr(each))).result for each in DimensionEnum]
    return [builder.emit(IndexCastOp(index, i32)).result for index in indices]
