"""Register pressure of tiles."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.tokens import enclosing_function
from tileiras_xdsl.dialects.nv_tileas.attributes import get_memory
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGED, get_pipeline_id
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.transforms.common.accumulator_liveness import find_live_together
from tileiras_xdsl.transforms.common.compute_capability import get_warpgroups
from tileiras_xdsl.transforms.common.kernel_spec import DEFAULT_WARPS, get_warps
from tileiras_xdsl.xdsl_extras.identity_cache import identity_cache
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .copied_loads import find_copied_ops
from .layout_rules import is_root, memory_bits
from .tma_loads import find_load, is_view_like
from .wgmma import (
    PROMOTED_COLUMNS,
    has_one_partial_sum,
    is_async_mma,
    needs_accumulator_promotion,
)


@identity_cache
def type_registers(ty: Attribute) -> int:
    """Registers per thread for a value of a type, if it is a tensor."""
    layout = layout_of(ty)
    if not isinstance(ty, TensorType) or layout is None or get_memory(ty) != "register":
        return 0
    return -(-layout.registers * memory_bits(get_element(ty)) // 32)


def free_registers(dots: Sequence[DotOp]) -> int:
    """Registers of a consumer thread beside the accumulators of the dots of a loop."""
    live = find_live_together(dots)
    taken = max(sum(type_registers(dot.result.type) for dot in each) for each in live)
    model = get_warpgroups(dots[0])
    return consumer_registers(dots[0]) - model.overhead_registers - taken


def consumer_registers(op: Operation) -> int:
    """Registers of a consumer thread of the kernel of an op, after register reallocation."""
    function = enclosing_function(op)
    warps = get_warps(function) if isinstance(function, FuncOp) else DEFAULT_WARPS
    return get_warpgroups(op).registers_of_consumers(warps)


def needed_registers(function: FuncOp) -> int:
    """
    An estimate of the register pressure per consumer thread: in a loop all accumulators, also
    those of `mma.sync`, and the largest other tile, or all that threads load; for any op its
    operands and results.
    """
    loops = find_all(function, scf.ForOp, scf.WhileOp)
    copied = find_copied_ops(function)
    ops = [op for op in walk(function) if is_work(op) and op not in copied]
    return max([0, *(_in_loop(loop, copied) for loop in loops), *map(_of_op, ops)])


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


def _in_loop(loop: Operation, copied: Collection[Operation]) -> int:
    pressure = _pressure_in(loop, copied)
    return pressure.accumulators + max(pressure.others, pressure.loaded) + _live_through(loop)


@dataclass(frozen=True)
class _Pressure:
    """Registers per thread in a loop."""

    accumulators: int = 0
    others: int = 0
    """For the largest tile beside accumulators."""
    loaded: int = 0
    """For all tiles that threads load."""

    def __add__(self, other: _Pressure) -> _Pressure:
        """Of ops that follow each other."""
        return _Pressure(
            self.accumulators + other.accumulators,
            max(self.others, other.others),
            self.loaded + other.loaded,
        )

    def of_one(self, other: _Pressure) -> _Pressure:
        """Of ops of which only one runs."""
        return _Pressure(
            max(self.accumulators, other.accumulators),
            max(self.others, other.others),
            max(self.loaded, other.loaded),
        )


def _pressure_in(op: Operation, copied: Collection[Operation]) -> _Pressure:
    """The pressure of the ops in an op: of one of its regions, if it is a branch."""
    regions = [
        sum(
            (_pressure_of(each, copied) for block in region.blocks for each in block.ops),
            _Pressure(),
        )
        for region in op.regions
    ]
    if isinstance(op, scf.IfOp):
        return functools.reduce(_Pressure.of_one, regions, _Pressure())
    return sum(regions, _Pressure())


def _pressure_of(op: Operation, copied: Collection[Operation]) -> _Pressure:
    """The pressure of an op, with those in it, unless it is one of those that copies do."""
    results = sum(type_registers(result.type) for result in op.results)
    inside = _pressure_in(op, copied)
    if op in copied:
        return inside
    if is_async_mma(op) or STAGED.is_on(op):
        others = 0
        if isinstance(op, DotOp) and has_one_partial_sum(op):
            results += type_registers(op.result.type)
        elif isinstance(op, DotOp) and needs_accumulator_promotion(op):
            others = PROMOTED_COLUMNS // 2
        if not is_staged(op.operands[0]):
            others = max(others, type_registers(op.operands[0].type))
        return inside + _Pressure(results, others)
    if isinstance(op, DotOp):
        return inside + _Pressure(results)
    if is_work(op) and not any(map(is_staged, op.results)):
        largest = max((type_registers(result.type) for result in op.results), default=0)
        return inside + _Pressure(0, largest, results if is_plain_load(op) else 0)
    return inside


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
