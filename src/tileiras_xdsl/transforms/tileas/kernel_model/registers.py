"""Register pressure of tiles."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileas.attributes import get_memory
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGED, get_pipeline_id
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .layout_rules import is_root, memory_bits
from .tma_loads import find_load, is_view_like
from .wgmma import PROMOTED_COLUMNS, is_async_mma, needs_accumulator_promotion


def type_registers(ty: Attribute) -> int:
    """Registers per thread for a value of a type, if it is a tensor."""
    layout = layout_of(ty)
    if not isinstance(ty, TensorType) or layout is None or get_memory(ty) != "register":
        return 0
    return -(-layout.registers * memory_bits(get_element(ty)) // 32)


def needed_registers(function: FuncOp) -> int:
    """
    An estimate of the register pressure per thread: in a loop all accumulators, also those of
    `mma.sync`, and the largest other tile, or all that threads load; for any op its operands and
    results.
    """
    loops = find_all(function, scf.ForOp, scf.WhileOp)
    ops = [op for op in walk(function) if is_work(op)]
    return max([0, *map(_in_loop, loops), *map(_of_op, ops)])


def is_work(op: Operation) -> bool:
    """Whether an op computes a tile, and does not just reshape or narrow one."""
    return not (op.regions or is_view_like(op) or is_root(op) or is_narrowing(op))


def is_narrowing(op: Operation) -> bool:
    """Whether an op narrows elements in place."""
    return isinstance(op, FpToFpOp) and type_registers(op.result.type) <= type_registers(
        op.operands[0].type
    )


def _of_op(op: Operation) -> int:
    if is_async_mma(op) or STAGED.is_on(op):
        # The result is in the registers of the accumulator.
        return 0
    values = {*op.operands, *op.results}
    return sum(type_registers(value.type) for value in values if not is_staged(value))


def _in_loop(loop: Operation) -> int:
    accumulators, others, loaded = 0, 0, 0
    for op in walk(loop):
        if is_async_mma(op) or STAGED.is_on(op):
            accumulators += sum(type_registers(result.type) for result in op.results)
            if isinstance(op, DotOp) and needs_accumulator_promotion(op):
                others = max(others, PROMOTED_COLUMNS // 2)
            if not is_staged(op.operands[0]):
                others = max(others, type_registers(op.operands[0].type))
        elif isinstance(op, DotOp):
            accumulators += sum(type_registers(result.type) for result in op.results)
        elif is_work(op) and not any(is_staged(result) for result in op.results):
            others = max([others, *(type_registers(result.type) for result in op.results)])
            if is_plain_load(op):
                loaded += sum(type_registers(result.type) for result in op.results)
    return accumulators + max(others, loaded) + _live_through(loop)


def _live_through(loop: Operation) -> int:
    """Registers per thread for tiles that are loaded before a loop and used after it."""
    block = loop.parent_block()
    assert block is not None
    ops = list(block.ops)
    index = ops.index(loop)
    after = set(ops[index + 1 :])
    total = 0
    for op in ops[:index]:
        users = {use.operation for result in op.results for use in result.uses}
        if is_plain_load(op) and get_pipeline_id(op) is None and users & after:
            total += sum(type_registers(result.type) for result in op.results)
    return total


def is_staged(value: SSAValue) -> bool:
    """Whether a tile comes from a multi-stage buffer, where WGMMA reads it."""
    load = find_load(value)
    return load is not None and get_pipeline_id(load) is not None
