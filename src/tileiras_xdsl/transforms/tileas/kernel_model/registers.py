"""Register pressure of tiles."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.analysis.slices import backward_slice, operands_first
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileaa.memory import enclosing_function
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nv_tileas.atoms import is_async_mma, is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT_A, STAGED, get_pipeline_id
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.types import get_memory
from tileiras_xdsl.targets.choices import PROMOTED_COLUMNS
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.transforms.common.accumulator_liveness import find_live_together
from tileiras_xdsl.transforms.common.kernel_spec import DEFAULT_WARPS, get_warpgroups, get_warps
from tileiras_xdsl.xdsl_extras.identity_cache import identity_cache
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .copied_loads import find_copied_ops
from .layout_rules import is_cheap, is_root, tensors
from .tma_loads import find_load, is_readable, is_view_like
from .wgmma import has_one_partial_sum, needs_accumulator_promotion


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
    found = [_of_op(op) for op in walk(function) if is_work(op) and op not in copied]
    for loop in loops:
        inside = _pressure_in(loop, copied)
        tiles = max(inside.others, inside.loaded)
        found.append(inside.accumulators + tiles + _live_through(loop))
    return max(found, default=0)


def needed_beside_dots(function: FuncOp) -> int:
    """
    The registers per thread of the operands and results of an op that stands beside dots, where
    most of them are live; what is behind a loop is computed slice by slice.
    """
    copied = find_copied_ops(function)
    blocks = {dot.parent_block() for dot in find_all(function, DotOperation)}
    ops = [op for block in blocks if block is not None for op in block.ops]
    return max((_of_op(op) for op in ops if is_work(op) and op not in copied), default=0)


def is_work(op: Operation) -> bool:
    """Whether an op computes a tile, and does not just reshape or narrow one."""
    if op.regions or is_view_like(op) or is_root(op):
        return False
    # Elements that become narrower stay where they are.
    return not isinstance(op, FpToFpOp) or (
        type_registers(op.result.type) > type_registers(op.operands[0].type)
    )


def _of_op(op: Operation) -> int:
    if is_async_mma(op) or STAGED.is_on(op):
        # The result is in the registers of the accumulator.
        return 0
    values = {*op.operands, *op.results}
    return sum(type_registers(value.type) for value in values if not is_staged(value))


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
    total = _Pressure()
    for region in op.regions:
        inside = _Pressure()
        for block in region.blocks:
            for each in block.ops:
                inside += _pressure_of(each, copied)
        total = total.of_one(inside) if isinstance(op, scf.IfOp) else total + inside
    return total


def _pressure_of(op: Operation, copied: Collection[Operation]) -> _Pressure:
    """The pressure of an op, with those in it, unless it is one of those that copies do."""
    results = sum(map(type_registers, op.result_types))
    inside = _pressure_in(op, copied)
    if op in copied:
        return inside
    if is_async_mma(op) or STAGED.is_on(op):
        others = 0
        if isinstance(op, DotOp):
            partial = partial_sum_registers(op)
            if has_one_partial_sum(op):
                results += partial
            else:
                others = partial
        if not is_staged(op.operands[0]) or is_made(op):
            others = max(others, type_registers(op.operands[0].type))
        return inside + _Pressure(results, others)
    if isinstance(op, DotOp):
        return inside + _Pressure(results)
    if is_work(op) and not any(map(is_staged, op.results)):
        largest = max(map(type_registers, op.result_types), default=0)
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
        if not is_plain_load(op) or get_pipeline_id(op) is not None:
            continue
        users = {use.operation for result in op.results for use in result.uses}
        if users & after:
            total += sum(map(type_registers, op.result_types))
    return total


def partial_sum_registers(op: DotOp) -> int:
    """Registers of a thread for partial sums of a dot, which are promoted."""
    if not needs_accumulator_promotion(op):
        return 0
    return min(type_registers(op.result.type), PROMOTED_COLUMNS // 2)


def is_made(op: Operation) -> bool:
    """
    Whether threads make operand A of a WGMMA of tiles that are loaded, in registers: it is computed
    of them, or WGMMA cannot read it from shared memory.
    """
    if not isinstance(op, DotOp) or not is_wgmma(op) or not LAYOUT_A.is_on(op):
        return False
    if find_load(op.a) is not None:
        return not is_readable(op.a, 1)
    block = op.parent_block()
    made = backward_slice([op.a], lambda each: each.parent_block() is block)
    return any(map(is_plain_load, made)) and not any(isinstance(each, DotOp) for each in made)


def is_staged(value: SSAValue) -> bool:
    """Whether a tile comes from a multi-stage buffer, where WGMMA reads it."""
    load = find_load(value)
    return load is not None and get_pipeline_id(load) is not None


# How many registers the tiles of a kernel take where most of them are live, before they have
# layouts.
#
# Values that are cheap to rematerialize, as constants and what is computed of coordinates, take
# none, nor do tiles that dots read from shared memory.


def peak_words(function: FuncOp, in_shared: Collection[SSAValue]) -> int:
    """The most registers that live tiles take, of all threads; some tiles are in shared memory."""
    return TilePressure(in_shared).peak(function.body.block, set())


class TilePressure:
    """Follows the live tiles of a kernel backwards."""

    def __init__(self, in_shared: Collection[SSAValue]):
        self._free = dict.fromkeys(in_shared, True)
        self._sizes: dict[SSAValue, int] = {}

    def peak(self, block: Block, live: set[SSAValue]) -> int:
        """The most words of tiles that are live in a block, given those that are live after it."""
        live = set(live)
        most = words = sum(map(self._size, live))
        for op in reversed(block.ops):
            inner = [each for region in op.regions for each in region.blocks]
            used = {value for each in walk(op) for value in each.operands}
            if inner:
                inside = {value for each in walk(op) for value in each.results}
                inside |= {argument for each in inner for argument in each.args}
                used -= inside
                most = max(most, *(self.peak(each, live | used) for each in inner))
            made, used = live.intersection(op.results), used - live
            words += sum(map(self._size, used)) - sum(map(self._size, made))
            live -= made
            live |= used
            most = max(most, words)
        return most

    def _size(self, value: SSAValue) -> int:
        ty = value.type
        if value not in self._sizes:
            words = 0
            if isinstance(ty, TensorType) and not self._is_free(value):
                words = prod(ty.get_shape()) * memory_bits(get_element(ty)) // WORD_BITS
            self._sizes[value] = words
        return self._sizes[value]

    def _is_free(self, value: SSAValue) -> bool:
        """Whether a tile is in shared memory, or made where it is used."""
        for each in operands_first(value, _made_of, self._free):
            op = each.owner
            self._free[each] = isinstance(op, Operation) and (
                is_root(op)
                or isinstance(op, BroadcastOp)
                or (_is_made_anywhere(op) and all(map(self._free.__getitem__, _made_of(each))))
            )
        return self._free[value]


def _made_of(value: SSAValue) -> list[SSAValue]:
    """The tiles that one is made of, if it is made where it is used."""
    op = value.owner
    if not isinstance(op, Operation) or is_root(op) or not _is_made_anywhere(op):
        return []
    return tensors(op.operands)


def _is_made_anywhere(op: Operation) -> bool:
    return is_view_like(op) or is_cheap(op)
