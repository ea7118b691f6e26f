"""How much work an iteration of a loop with asynchronous MMAs is, for tensor cores and threads."""

from __future__ import annotations

from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.nv_tileaa import elementwise as tileaa
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nv_tileas.attributes import get_memory
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import (
    TensorMemoryLoadOp,
    TensorMemoryScaleOp,
    TensorMemoryStoreOp,
)
from tileiras_xdsl.targets.machine import Rates
from tileiras_xdsl.targets.warpgroups import IterationWork
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .layout_rules import is_elementwise, memory_bits
from .registers import type_registers
from .requirements import multiply_adds
from .tma_loads import is_view_like
from .wgmma import is_async_mma, is_wgmma

SPECIAL = (tileaa.ExpOp, tileaa.Exp2Op, tileaa.TanhOp, tileaa.RsqrtOp, tileaa.SqrtOp)
"""Ops that are about one special function for each element."""
THROUGHOUT = (AggregateOperation, TensorMemoryLoadOp, TensorMemoryStoreOp, TensorMemoryScaleOp)
"""Ops that take each element once; of tiles that are scaled, many warps take none at all."""


def find_inner_loops(function: FuncOp) -> list[scf.ForOp]:
    """The loops that have asynchronous MMAs and no loops in them."""
    return [
        loop
        for loop in find_all(function, scf.ForOp)
        if any(is_async_mma(op) for op in walk(loop)) and len(find_all(loop, scf.ForOp)) == 1
    ]


def iteration_work(loop: scf.ForOp, rates: Rates) -> IterationWork:
    """The work of an iteration, in cycles of an SM."""
    tensor, special, plain = 0.0, 0.0, 0.0
    for op in walk(loop):
        if isinstance(op, DotOp) and is_async_mma(op):
            bits = memory_bits(get_element(op.a.type))
            tensor += multiply_adds(op) / rates.multiply_adds_of(bits)
        elif isinstance(op, SPECIAL):
            special += _elements(op) / rates.special_lanes
        elif isinstance(op, THROUGHOUT) or _is_arithmetic(op):
            plain += _elements(op) / rates.lanes
    return IterationWork(round(tensor), round(special), round(plain), is_serial(loop))


def is_serial(loop: scf.ForOp) -> bool:
    """
    Whether a loop has one MMA, which adds to no tile that the loop carries, and threads work on its
    result: nothing is multiplied meanwhile.
    """
    dots, body = find_all(loop, DotOp), loop.body.block
    if len(dots) != 1 or not is_wgmma(dots[0]):
        return False
    (dot,) = dots
    added = backward_slice([dot.accumulator], lambda op: op.parent_block() is body)
    carried = {*body.args}
    return (
        dot.accumulator not in carried
        and not any(value in carried for op in added for value in op.operands)
        and not any(isinstance(use.operation, scf.YieldOp) for use in dot.result.uses)
    )


def _is_arithmetic(op: Operation) -> bool:
    """Whether an op computes each element, and not one for each row."""
    is_repeated = all(isinstance(value.owner, BroadcastOp) for value in op.operands)
    return is_elementwise(op) and not is_view_like(op) and not is_repeated


def _elements(op: Operation) -> int:
    """Elements of the largest tile of an op."""
    types = [value.type for value in (*op.operands, *op.results)]
    return max((prod(get_shape(ty)) for ty in types if isinstance(ty, TensorType)), default=0)


def row_registers(function: FuncOp) -> int:
    """Registers per thread for the largest tile that threads read from tensor memory."""
    return max(
        (
            type_registers(load.result.type)
            for load in find_all(function, TensorMemoryLoadOp)
            if get_memory(load.result.type) == "register"
        ),
        default=0,
    )
