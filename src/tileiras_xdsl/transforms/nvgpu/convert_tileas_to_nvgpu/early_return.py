"""
CTAs without work return before they set anything up: tensor maps, mbarriers, memory.

Before:  scf.for %n = %first to %end step %step { … } {nv_tileas.early_return}
After:   %has_work = arith.cmpi slt, %first, %end
         scf.if %has_work {
           … the whole kernel …
         }
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Region, SSAValue

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.gpu import ReturnOp
from tileiras_xdsl.dialects.nv_tileas.decisions import EARLY_RETURN
from tileiras_xdsl.dialects.nv_tileas.grid import ResidentCtasOp
from tileiras_xdsl.dialects.nvvm import read_register
from tileiras_xdsl.xdsl_extras.structure import last_of

from .lowering_registry import lower_op, lowers
from .thread_builder import ThreadBuilder


@lowers("nv_tileas.resident_ctas")
def lower_resident_ctas(builder: ThreadBuilder, op: ResidentCtasOp) -> None:
    count = builder.emit(read_register("nsmid")).result
    if (per_sm := op.ctas_per_sm.value.data) > 1:
        count = builder.emit(arith.MuliOp(count, builder.constant(per_sm))).result
    builder.map(op.result, count)


Converted = Mapping[SSAValue, tuple[SSAValue, ...]]
"""Values of a kernel, and what they were converted to."""


@contextmanager
def unless_idle(builder: ThreadBuilder) -> Generator[Converted]:
    """
    Appends the code of a kernel, up to its return, to what only CTAs with work do; gives the values
    that were converted before, to find out whether there is any.
    """
    kernel = builder.kernel
    loops = [op for op in kernel.ops if isinstance(op, scf.ForOp) and EARLY_RETURN.is_on(op)]
    if not loops:
        yield {}
        return
    loop = loops[0]  # Producer and consumer have a copy each, with the same bounds.
    for each in loops:
        EARLY_RETURN.drop(each)
    needed = backward_slice([loop.lb, loop.ub])
    known: dict[SSAValue, tuple[SSAValue, ...]] = {}
    for op in kernel.function.body.block.ops:
        if op in needed:
            lower_op(builder, op)
            known.update((result, builder.lookup_all(result)) for result in op.results)
    first, end = builder.lookup(loop.lb), builder.lookup(loop.ub)
    has_work = builder.emit(CmpiOp(first, end, "slt")).result
    block = Block()
    with builder.at_end_of(block):
        yield known
        block.erase_op(last_of(block))
        builder.emit(scf.YieldOp())
    builder.emit(scf.IfOp(has_work, [], Region(block)))
    builder.emit(ReturnOp([]))


def lower_others(builder: ThreadBuilder, block: Block, known: Converted) -> None:
    """Lowers the ops of a block but for those whose results were converted before."""
    for op in block.ops:
        if op.results and all(result in known for result in op.results):
            # Tensor maps may have been made of copies since.
            for result in op.results:
                builder.map(result, *known[result])
        else:
            lower_op(builder, op)
