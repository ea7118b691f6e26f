"""
Delayed arrivals of ping-pong scheduling: warpgroups arrive while they compute exponentials.

Before:  nvvm.barrier.arrive id = %next number_of_threads = %n
         %b = vector.shuffle %max, %max [0, 0, 1, 1, 0, 0, 1, 1] : vector<2xf32>, vector<2xf32>
         %x = arith.subf %s, %b : vector<8xf32>
         %e = nvvm.ex2.approx.f %x : vector<8xf32>
After:   %b0 = vector.shuffle %max, %max [0, 0, 0, 0]; %s0 = vector.shuffle %s, %s [0, 1, 4, 5]
         %x0 = arith.subf %s0, %b0 : vector<4xf32>
         %e0 = nvvm.ex2.approx.f %x0 : vector<4xf32>              // the exponentials of a row
         %id = nvvm.artificial_dependence %next, %bits : i32, i32 // of some of these
         nvvm.barrier.arrive id = %id number_of_threads = %n
         %m1 = nvvm.artificial_dependence %i1, %word : vector<1xi32>, !llvm.ptr<3>
         … %e1, those of the other row, whose maximum is %m1
         %e = vector.shuffle %e0, %e1 [0, 1, 4, 5, 2, 3, 6, 7]

Two warpgroups are half an iteration apart if each turn takes half of it: the wait for its WGMMAs,
and some of the exponentials. ptxas, which gives no heed to the arrival, would put it behind all of
them. A scheduling barrier keeps it in its place, but then nothing else is moved across it either,
such as the maximum of the second row, while the exponentials of the first one are computed.
Artificial dependences order nothing but the arrival: it needs some exponentials of the first rows
of a thread, and all those of its other rows need it. The wait for the last WGMMAs, which ptxas
would move up to the one before, stays behind the release of a stage, and that needs the maximum of
a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard, TypeVar, cast

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import VectorType, f32, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.building import vector_of
from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nvvm.fragments import element_bits
from tileiras_xdsl.dialects.nvvm.math import (
    FlushingOperation,
    FragmentConversionOp,
    RcpApproxFtzOp,
)
from tileiras_xdsl.dialects.vector import ExtractOp, shuffle_lanes
from tileiras_xdsl.targets.choices import FIRST_EXPONENTIALS
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.xdsl_extras.walking import walk

OpT = TypeVar("OpT", bound=Operation)

LANEWISE_WORDS = ("arith.", "math.", "llvm.intr.")
"""How names of ops begin that do the same to each lane, unless they combine lanes to a scalar."""


def lanes_of(value: SSAValue) -> int | None:
    """The number of elements of a vector of rank 1."""
    ty = value.type
    if isinstance(ty, VectorType) and len(ty.get_shape()) == 1:
        return ty.get_shape()[0]
    return None


def with_lanes(op: Operation, operands: Sequence[SSAValue], count: int) -> Operation:
    """What an op does for this many lanes, of which it has the operands."""
    elements = [cast("VectorType", result.type).get_element_type() for result in op.results]
    return type(op).create(
        operands=operands,
        result_types=[vector_of(element, count) for element in elements],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        location=op.location,
    )


def is_lanewise(op: Operation, lanes: int) -> bool:
    """
    Whether each lane of the result of an op depends on the same lane of all operands that are
    vectors, and on nothing else but scalars.
    """
    is_arithmetic = op.name.startswith(LANEWISE_WORDS) or isinstance(
        op, FlushingOperation | RcpApproxFtzOp | FragmentConversionOp
    )
    return (
        is_arithmetic
        and not isinstance(op, arith.ConstantOp)
        and own_effects(op) is Effect.NONE
        and len(op.results) == 1
        and not op.regions
        and lanes_of(op.results[0]) == lanes
        and all(
            lanes_of(operand) == lanes
            for operand in op.operands
            if isinstance(operand.type, VectorType)
        )
    )


@dataclass(frozen=True)
class Rows:
    """Exponentials of several rows, of which a thread has a value each, such as the maximum."""

    exponential: nvvm.UnaryApproxOp
    broadcast: vector.ShuffleOp
    """Of the values of rows to the elements."""
    path: Sequence[Operation]
    """What computes exponentials of that, element by element, in order: they come last."""

    @property
    def row_of(self) -> Sequence[int]:
        """The row of each element."""
        return [int(row) for row in self.broadcast.mask.get_values()]

    @property
    def num_rows(self) -> int:
        rows = lanes_of(self.broadcast.v1)
        assert rows is not None
        return rows


@dataclass(frozen=True)
class DelayedArrival:
    """An arrival that is delayed, and the address of any word of shared memory."""

    arrive: nvvm.BarrierArriveOp
    word: SSAValue

    def place(self) -> None:
        """
        Moves the arrival between the exponentials of the first rows and those of the others. If
        there are none, scheduling barriers keep it where it is, and the wait in front of it behind
        what threads compute before.
        """
        rows = find_rows(self.arrive)
        if rows is None:
            after = self.arrive.next_op
            place = self.arrive if after is None or not is_release(after) else after
            self._insert(nvvm.PMEventOp(), InsertPoint.after(place))
            if (wait := find_wait(self.arrive)) is not None:
                self._insert(nvvm.PMEventOp(), InsertPoint.before(wait))
            return
        self._delay_wait()
        half = rows.num_rows // 2
        first = [lane for lane, row in enumerate(rows.row_of) if row < half]
        other = [lane for lane, row in enumerate(rows.row_of) if row >= half]
        at = InsertPoint.before(rows.exponential)
        low = self._compute(rows, first, rows.broadcast.v1, 0, at)
        position = min(FIRST_EXPONENTIALS, len(first)) - 1
        bits = self._bits(self._extract(low, position, at), at)
        barrier = self._insert(nvvm.ArtificialDependenceOp(self.arrive.id, bits), at).result
        self.arrive.detach()
        Rewriter.insert_op(self.arrive, at)
        self.arrive.operands[0] = barrier
        maxima = rows.broadcast.v1
        values = shuffle_lanes(maxima, maxima, range(half, rows.num_rows))
        ordered = self._ordered(self._insert(values, at).result, at)
        high = self._compute(rows, other, ordered, half, at)
        index = {lane: number for number, lane in enumerate((*first, *other))}
        order = [index[lane] for lane in range(len(index))]
        Rewriter.replace_op(rows.exponential, shuffle_lanes(low, high, order))
        for op in reversed(rows.path[:-1]):
            if not any(result.uses for result in op.results):
                Rewriter.erase_op(op)

    def _delay_wait(self) -> None:
        """
        Makes the release of the stage of S, and so the wait for O behind it, come after the maximum
        of a row in the registers of a thread.
        """
        if (found := find_release(self.arrive)) is None:
            return
        release, shuffle = found
        inside = [operand for op in walk(release.true_region) for operand in op.operands]
        outside = (
            value
            for value in inside
            if value.type == i32
            and not isinstance(value.owner, arith.ConstantOp)
            and not release.is_ancestor(value.owner)
        )
        if (stage := next(outside, None)) is None:
            return
        release.detach()
        Rewriter.insert_op(release, InsertPoint.before(shuffle))
        at = InsertPoint.before(release)
        bits = self._bits(self._extract(self._words(shuffle.value, at), 0, at), at)
        within = InsertPoint.at_start(release.true_region.block)
        ordered = self._insert(nvvm.ArtificialDependenceOp(stage, bits), within).result
        for op in walk(release.true_region):
            if op is not ordered.owner:
                op.operands = [ordered if each is stage else each for each in op.operands]

    def _insert(self, op: OpT, at: InsertPoint) -> OpT:
        op.location = self.arrive.location
        Rewriter.insert_op(op, at)
        return op

    def _compute(
        self, rows: Rows, lanes: Sequence[int], values: SSAValue, begin: int, at: InsertPoint
    ) -> SSAValue:
        """The exponentials of some elements, whose rows have these values, from row `begin` on."""
        mask = [rows.row_of[lane] - begin for lane in lanes]
        spread = self._insert(shuffle_lanes(values, values, mask), at).result
        sliced: dict[SSAValue, SSAValue] = {rows.broadcast.result: spread}
        for op in rows.path:
            for operand in op.operands:
                if operand not in sliced and isinstance(operand.type, VectorType):
                    part = self._insert(shuffle_lanes(operand, operand, lanes), at)
                    sliced[operand] = part.result
            operands = [sliced.get(operand, operand) for operand in op.operands]
            copy = self._insert(with_lanes(op, operands, len(lanes)), at)
            sliced[op.results[0]] = copy.results[0]
        return sliced[rows.exponential.result]

    def _extract(self, value: SSAValue, lane: int, at: InsertPoint) -> SSAValue:
        assert isinstance(value.type, VectorType)
        op = ExtractOp(value, [lane], value.type.get_element_type())
        return self._insert(op, at).results[0]

    def _words(self, value: SSAValue, at: InsertPoint) -> SSAValue:
        """What lanes exchange, as elements of 32 bits: maxima may be of any type."""
        count = lanes_of(value)
        assert count is not None
        if (bits := element_bits(value.type)) == WORD_BITS:
            return value
        words = vector_of(i32, count * bits // WORD_BITS)
        return self._insert(vector.BitcastOp(value, words), at).result

    def _bits(self, value: SSAValue, at: InsertPoint) -> SSAValue:
        return self._insert(arith.BitcastOp(value, i32), at).result

    def _ordered(self, values: SSAValue, at: InsertPoint) -> SSAValue:
        """The same values, for what is computed after the arrival."""
        count = lanes_of(values)
        assert count is not None
        bits = self._insert(arith.BitcastOp(values, vector_of(i32, count)), at).result
        after = self._insert(nvvm.ArtificialDependenceOp(bits, self.word), at).result
        return self._insert(arith.BitcastOp(after, values.type), at).result


def find_wait(arrive: nvvm.BarrierArriveOp) -> nvvm.WgmmaWaitGroupOp | None:
    """The wait for WGMMAs in front of an arrival, the first one of several in a row."""
    op = arrive.prev_op
    while op is not None and not isinstance(op, nvvm.WgmmaWaitGroupOp):
        if op.regions or own_effects(op) is not Effect.NONE:
            return None
        op = op.prev_op
    while op is not None and isinstance(op.prev_op, nvvm.WgmmaWaitGroupOp):
        op = op.prev_op
    return op


def find_release(arrive: nvvm.BarrierArriveOp) -> tuple[scf.IfOp, nvvm.ShflOp] | None:
    """
    The release of a stage before the wait for the last WGMMAs of a turn, and the first shuffle of
    what a thread has reduced meanwhile, if threads do nothing else there that others could see.
    """
    op, shuffle, is_waiting = arrive.prev_op, None, False
    while op is not None:
        if isinstance(op, nvvm.WgmmaWaitGroupOp):
            if is_waiting:
                return None
            is_waiting = True
        elif isinstance(op, nvvm.ShflOp):
            # Those of scalars are of addresses.
            shuffle = shuffle if lanes_of(op.value) is None else op
        elif is_release(op):
            return (op, shuffle) if is_waiting and shuffle is not None else None
        elif op.regions or own_effects(op) is not Effect.NONE:
            return None
        op = op.prev_op
    return None


def is_release(op: Operation) -> TypeGuard[scf.IfOp]:
    """Whether a branch does nothing but arrive on an mbarrier."""
    if not isinstance(op, scf.IfOp) or op.results or op.false_region.blocks:
        return False
    *others, last = op.true_region.block.ops
    effects = [each for each in others if own_effects(each) is not Effect.NONE or each.regions]
    return isinstance(last, scf.YieldOp) and [*map(type, effects)] == [nvvm.MBarrierArriveSharedOp]


def find_rows(arrive: nvvm.BarrierArriveOp) -> Rows | None:
    """
    The first exponentials of several rows after an arrival, before threads wait for anything or
    access memory, except that they may release a stage.
    """
    op = arrive.next_op
    if op is not None and is_release(op):
        op = op.next_op
    while op is not None and own_effects(op) is Effect.NONE and not op.regions:
        if isinstance(op, nvvm.Ex2ApproxOp) and (rows := _rows_of(op)) is not None:
            return rows
        op = op.next_op
    return None


def _rows_of(exponential: nvvm.UnaryApproxOp) -> Rows | None:
    """The rows of exponentials of f32, if there are several of equal size."""
    lanes = lanes_of(exponential.result)
    if lanes is None or lanes < 2 * FIRST_EXPONENTIALS or not _is_f32(exponential.result):
        return None
    slice_ops, found = _slice_of(exponential, lanes)
    if len(found) != 1:
        return None
    (broadcast,) = found
    depends: set[SSAValue] = {broadcast.result}
    path: list[Operation] = []
    for op in slice_ops:
        if not depends.isdisjoint(op.operands):
            depends.update(op.results)
            path.append(op)
    rows = Rows(exponential, broadcast, path)
    count = rows.num_rows
    sizes = {rows.row_of.count(row) for row in range(count)}
    return rows if count > 1 and count % 2 == 0 and len(sizes) == 1 and 0 not in sizes else None


def _slice_of(
    exponential: nvvm.UnaryApproxOp, lanes: int
) -> tuple[Sequence[Operation], Sequence[vector.ShuffleOp]]:
    """
    The ops of the block that compute exponentials lane by lane, in order, and the shuffles that
    spread values of rows to these lanes.
    """
    seen: set[Operation] = {exponential}
    found: dict[vector.ShuffleOp, None] = {}
    todo: list[Operation] = [exponential]
    while todo:
        for operand in todo.pop().operands:
            owner = operand.owner
            if not isinstance(owner, Operation) or owner.parent is not exponential.parent:
                continue
            if isinstance(owner, vector.ShuffleOp) and _spreads(owner, lanes):
                found[owner] = None
            elif owner not in seen and is_lanewise(owner, lanes):
                seen.add(owner)
                todo.append(owner)
    in_order: list[Operation] = []
    op: Operation | None = exponential
    while op is not None and len(in_order) < len(seen):
        if op in seen:
            in_order.append(op)
        op = op.prev_op
    return in_order[::-1], [*found]


def _spreads(op: vector.ShuffleOp, lanes: int) -> bool:
    """Whether lanes of a shuffle are those of one shorter vector of f32."""
    count = lanes_of(op.v1)
    return (
        op.v1 is op.v2
        and count is not None
        and count < lanes
        and _is_f32(op.v1)
        and max(op.mask.get_values()) < count
    )


def _is_f32(value: SSAValue) -> bool:
    return isinstance(value.type, VectorType) and value.type.get_element_type() == f32
