"""Accumulators of `tcgen05` in one kernel, and what loops carry of them, in tensor memory."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, f32, i1, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.tensor_memory_layouts import (
    choose_row_grid,
    find_row_grid,
    row_layout,
    tensor_memory_layout,
)
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape, word
from tileiras_xdsl.dialects.nv_tileaa.elementwise import MulFOp, RoundedOperation
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp, ExtractOp, is_zero
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT_A, READS_SLICES
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of, with_layout
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import (
    TMEM,
    TensorMemoryLoadOp,
    TensorMemoryScaleOp,
    TensorMemoryStoreOp,
    TensorMemoryWrite,
)
from tileiras_xdsl.dialects.nv_tileas.types import get_memory
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all, integer_of, last_of, walk

from .tensor_memory_webs import Webs

# Accumulators in tensor memory whose rows are only multiplied between dots, as O of attention.
#
#     %r = nv_tileas.tensor_memory_load %o
#     %b = nv_tileaa.broadcast %factors : tensor<128x1xf32, …> -> tensor<128x128xf32, #row>
#     %p = nv_tileaa.mulf %r, %b
#     %s = nv_tileas.tensor_memory_store %p into %place
#
# is one op, `tensor_memory_scale`, if nothing else uses the tile or the product, and each thread
# has the factors of its rows.

Scaling = tuple[TensorMemoryLoadOp, RoundedOperation, BroadcastOp]
"""What reads a tile, multiplies it, and repeats the factors of its rows."""


def find_scaling(store: TensorMemoryStoreOp, warps: int) -> Scaling | None:
    """
    How what a store writes is computed from a tile whose rows are multiplied, if it is, in a kernel
    of this many warps.
    """
    product = store.source.owner
    if not isinstance(product, MulFOp) or not product.result.has_one_use() or not is_exact(product):
        return None
    if get_element(product.result.type) != f32:
        return None
    for tile, factors in (product.operands, reversed(product.operands)):
        load, broadcast = tile.owner, factors.owner
        if not isinstance(load, TensorMemoryLoadOp) or not isinstance(broadcast, BroadcastOp):
            continue
        if load.result.has_one_use() and has_own_factors(load.result, broadcast.source, warps):
            return load, product, broadcast
    return None


def is_exact(product: RoundedOperation) -> bool:
    """Whether a number times one is that number."""
    mode = word(product.rounding_mode, "nearest_even")
    return mode == "nearest_even" and product.flush_to_zero is None


def has_own_factors(tile: SSAValue, factors: SSAValue, warps: int) -> bool:
    """Whether threads have the factors of the rows that they access."""
    shape = get_shape(tile.type)
    if tuple(get_shape(factors.type)) != (shape[0], 1):
        return False
    layout = row_layout(shape, choose_row_grid(shape, max(1, warps // WARPGROUP_WARPS)))
    if layout is None or layout_of(tile.type) != layout:
        return False
    return layout_of(factors.type) == layout.restricted((shape[0], 1))


FIRST_ITER_ARG = 3
"""Operands of a loop before what it carries: its bounds and step."""


def tensor_memory_type(ty: SSAValue) -> TensorType:
    """The type of a tile in tensor memory."""
    tile = ty.type
    assert isinstance(tile, TensorType)
    return with_layout(tile, tensor_memory_layout(get_shape(tile), memory_bits(get_element(tile))))


class TensorMemoryAssignment:
    """Rewrites one kernel."""

    def __init__(self, function: FuncOp):
        self.function = function

    def run(self, dots: Sequence[DotOp]) -> None:
        """Puts the accumulators of some dots into tensor memory, and what loops carry of them."""
        for dot in dots:
            new = self._assign_accumulator(dot)
            if LAYOUT_A.get(new) is not None and get_memory(new.a.type) != TMEM:
                self._assign_operand(new)
        # From the inside out: what an inner loop yields may be carried by the one around it.
        for loop in reversed(find_all(self.function, scf.ForOp)):
            for index in range(len(loop.iter_args)):
                self._carry(loop, index)
        for load in find_all(self.function, TensorMemoryLoadOp):
            if load.result.first_use is None:
                Rewriter.erase_op(load)
        for store in find_all(self.function, TensorMemoryStoreOp):
            self._drop_copy(store)
        for store in find_all(self.function, TensorMemoryStoreOp):
            self._scale(store)
        for extract in find_all(self.function, ExtractOp):
            self._load_slice(extract)

    def _load_slice(self, extract: ExtractOp) -> None:
        """Of a tile of which columns are extracted, only these are read."""
        load = extract.source.owner
        numbers = [integer_of(index) for index in extract.indices]
        if not isinstance(load, TensorMemoryLoadOp) or load.column is not None:
            return
        shape, layout = get_shape(extract.result.type), layout_of(extract.result.type)
        if len(shape) != 2 or shape[0] != get_shape(load.result.type)[0] or layout is None:
            return
        warpgroups = get_warps(self.function) // WARPGROUP_WARPS
        number = numbers[-1]
        if number is None or find_row_grid(shape, layout, warpgroups) is None:
            return
        if is_overwritten(load, extract):
            return
        new = TensorMemoryLoadOp(
            load.source, extract.result.type, IntegerAttr(number * shape[1], i32)
        )
        new.result.name_hint = extract.result.name_hint
        self._insert(new, extract)
        READS_SLICES.set(self.function, UnitAttr())
        extract.result.replace_all_uses_with(new.result)
        Rewriter.erase_op(extract)
        if load.result.first_use is None:
            Rewriter.erase_op(load)

    def _drop_copy(self, store: TensorMemoryStoreOp) -> None:
        """
        A tile that is read, written elsewhere, and not used again stays where it is: what one loop
        leaves in tensor memory the next one goes on with. Tiles that are needed at the same time,
        as those of accumulators that swap, keep places of their own.
        """
        load = store.source.owner
        if not isinstance(load, TensorMemoryLoadOp) or writes_between(load, store):
            return
        if not load.result.has_one_use() or not load.source.has_one_use():
            return
        old, place = find_place(load.source), find_place(store.destination)
        if old is None or place is None or old.type != place.type:
            return
        source = load.source
        if old is not place:
            if not Webs(self.function).may_share(old, place):
                return
            place.replace_all_uses_with(old)
        store.result.replace_all_uses_with(source)
        Rewriter.erase_op(store)
        Rewriter.erase_op(load)
        unused = place.owner
        if isinstance(unused, AllocTensorOp) and unused.result.first_use is None:
            # It would take columns.
            Rewriter.erase_op(unused)

    def _scale(self, store: TensorMemoryStoreOp) -> None:
        """A tile whose rows are multiplied, and that nothing else uses, stays where it is."""
        scaling = find_scaling(store, get_warps(self.function))
        if scaling is None:
            return
        load, product, broadcast = scaling
        places = find_place(load.source), find_place(store.destination)
        is_same = places[0] is not None and places[0] is places[1]
        if not is_same or writes_between(load, store) or not load.source.has_one_use():
            return
        scaled = self._insert(TensorMemoryScaleOp(load.source, broadcast.source), store)
        store.result.replace_all_uses_with(scaled)
        for op in (store, product, load):
            Rewriter.erase_op(op)
        if broadcast.result.first_use is None:
            Rewriter.erase_op(broadcast)

    def _insert(self, op: Operation, before: Operation) -> SSAValue:
        op.location = before.location
        Rewriter.insert_op(op, InsertPoint.before(before))
        return op.results[0]

    def _allocate(self, ty: TensorType, source: Operation) -> SSAValue:
        """A place in tensor memory."""
        alloc = AllocTensorOp(ty)
        alloc.location = source.location
        Rewriter.insert_op(alloc, InsertPoint.at_start(self.function.body.block))
        return alloc.result

    def _assign_accumulator(self, dot: DotOp) -> DotOp:
        """The dot that takes the place of one in registers, which is read after it."""
        accumulator = dot.accumulator
        place = self._allocate(tensor_memory_type(accumulator), dot)
        if is_zero(accumulator):
            false = self._insert(arith.ConstantOp(IntegerAttr(0, i1)), dot)
            new = self._replaced(dot, place, false)
        else:
            stored = self._insert(TensorMemoryStoreOp(accumulator, place), dot)
            new = self._replaced(dot, stored, dot.accumulate)
        load = TensorMemoryLoadOp(new.result, dot.result.type)
        load.location = dot.location
        Rewriter.replace_op(dot, load)
        return new

    def _replaced(self, dot: DotOp, accumulator: SSAValue, accumulate: SSAValue | None) -> DotOp:
        """The same dot with another accumulator."""
        new = dot.with_accumulator(accumulator, accumulate)
        self._insert(new, dot)
        return new

    def _assign_operand(self, dot: DotOp) -> None:
        """Operand A, which threads write as soon as they have it."""
        place, source = self._allocate(tensor_memory_type(dot.a), dot), dot.a.owner
        store = TensorMemoryStoreOp(dot.a, place)
        store.location = dot.location
        point = InsertPoint.before(dot)
        if isinstance(source, Operation) and source.parent_block() is dot.parent_block():
            point = InsertPoint.after(source)
        Rewriter.insert_op(store, point)
        dot.operands[0] = store.result

    # What loops carry

    def _carry(self, loop: scf.ForOp, index: int) -> None:
        """Carries a tile in tensor memory, if it is there at the end of an iteration."""
        body, terminator = loop.body.block, last_of(loop.body.block)
        argument, yielded = body.args[index + 1], terminator.operands[index]
        load = yielded.owner
        if not isinstance(load, TensorMemoryLoadOp) or load.parent_block() is not body:
            return
        if argument.type != yielded.type:
            return
        first = self._first_user(argument, body)
        place = find_place(load.source)
        if place is None or any(find_place(each) is place for each in loop.iter_args):
            # A place has one tile; what is yielded twice is carried in registers as well.
            return
        writer = self._first_writer(place, body)
        if writer is not None and first is not None and not may_read_before(first, writer):
            return
        init, result = loop.iter_args[index], loop.results[index]
        direct = find_only_dot(argument, body)
        is_skipped = direct is not None and is_zero(init)
        if direct is not None and is_skipped:
            self._skip_first(loop, direct)
            start = place
        else:
            start = self._insert(TensorMemoryStoreOp(init, place), loop)
        loop.operands[FIRST_ITER_ARG + index] = start
        ty = place.type
        Rewriter.replace_value_with_new_type(argument, ty)
        new = body.args[index + 1]
        if first is not None:
            self._read_argument(new, yielded.type, first, place)
        terminator.operands[index] = load.source
        Rewriter.replace_value_with_new_type(result, ty)
        result = loop.results[index]
        users = [*result.uses]
        if users:
            following = self._first_after(loop, users)
            if is_skipped:
                result = self._zero_if_empty(loop, result, init, following)
            after = TensorMemoryLoadOp(result, yielded.type)
            after.location = loop.location
            Rewriter.insert_op(after, InsertPoint.before(following))
            for use in users:
                use.operation.operands[use.index] = after.result
            after.result.name_hint = result.name_hint

    def _read_argument(
        self, argument: SSAValue, ty: object, first: Operation, place: SSAValue
    ) -> None:
        """Replaces uses of a carried tile in registers: a store that copies it is not needed."""
        users = [*argument.uses]
        if len(users) == 1 and isinstance(store := users[0].operation, TensorMemoryStoreOp):
            if find_place(store.destination) is place and users[0].index == 0:
                store.result.replace_all_uses_with(argument)
                Rewriter.erase_op(store)
                return
        assert isinstance(ty, TensorType)
        load = TensorMemoryLoadOp(argument, ty)
        self._insert(load, first)
        for use in users:
            use.operation.operands[use.index] = load.result

    def _skip_first(self, loop: scf.ForOp, dot: DotOp) -> None:
        """The first iteration overwrites the accumulator."""
        ahead = CmpiOp(loop.body.block.args[0], loop.lb, "ne")
        flag = self._insert(ahead, dot)
        known = None if dot.accumulate is None else integer_of(dot.accumulate)
        if dot.accumulate is not None and known is None:
            flag = self._insert(arith.AndIOp(flag, dot.accumulate), dot)
        if known != 0:
            self._set_accumulate(dot, flag)

    def _zero_if_empty(
        self, loop: scf.ForOp, result: SSAValue, init: SSAValue, following: Operation
    ) -> SSAValue:
        """The accumulator of a loop that may have no iteration, and is zero then."""
        bounds = integer_of(loop.lb), integer_of(loop.ub)
        if bounds[0] is not None and bounds[1] is not None and bounds[0] < bounds[1]:
            return result
        is_empty = CmpiOp(loop.lb, loop.ub, "sge")
        store = TensorMemoryStoreOp(init, result)
        zeros = Block([store, scf.YieldOp(store.result)])
        kept = Block([scf.YieldOp(result)])
        branch = scf.IfOp(is_empty, [result.type], Region(zeros), Region(kept))
        for op in (is_empty, store, branch):
            op.location = loop.location
        Rewriter.insert_op([is_empty, branch], InsertPoint.before(following))
        return branch.results[0]

    def _set_accumulate(self, dot: DotOp, flag: SSAValue) -> None:
        new = self._replaced(dot, dot.accumulator, flag)
        dot.result.replace_all_uses_with(new.result)
        Rewriter.erase_op(dot)

    @staticmethod
    def _first_user(value: SSAValue, block: Block) -> Operation | None:
        """The first op of a block that uses a value, or has an op in it that does."""
        return first_of([use.operation for use in value.uses], block)

    @staticmethod
    def _first_writer(place: SSAValue, block: Block) -> Operation | None:
        """The first op of a block that writes to a place in tensor memory."""
        return first_of([use.operation for use in place.uses], block)

    def _first_after(self, loop: Operation, users: Sequence[object]) -> Operation:
        block = loop.parent_block()
        assert block is not None
        found = first_of([use.operation for use in users], block)  # pyright: ignore
        assert found is not None
        return found


def first_of(ops: Sequence[Operation], block: Block) -> Operation | None:
    """The first op of a block that is one of some ops, or contains one."""
    inside = {block.find_ancestor_op_in_block(op) for op in ops}
    return next((op for op in block.ops if op in inside), None)


def may_read_before(reader: Operation, writer: Operation) -> bool:
    """Whether a tile is read into registers before its place is written again."""
    return reader is writer or reader.is_before_in_block(writer)


def writes_between(load: TensorMemoryLoadOp, store: TensorMemoryStoreOp) -> bool:
    """
    Whether the place of a tile, or the one it is written to, may be written after it was read and
    before it is written.
    """
    op = store.prev_op
    places = find_place(load.source), find_place(store.destination), None
    while op is not None and op is not load:
        if op.regions:
            return True
        if isinstance(op, DotOp | TensorMemoryWrite) and find_place(op.result) in places:
            return True
        op = op.prev_op
    return op is None


def is_overwritten(load: TensorMemoryLoadOp, user: Operation) -> bool:
    """Whether tensor memory may be written after a tile was read, and before an op uses it."""
    op = user.prev_op
    while op is not None and op is not load:
        if any(isinstance(each, DotOp | TensorMemoryWrite) for each in walk(op)):
            return True
        op = op.prev_op
    return op is None


def find_place(value: SSAValue) -> SSAValue | None:
    """The place of a tile in tensor memory: where it was allocated."""
    seen: set[SSAValue] = set()
    while value not in seen:
        seen.add(value)
        match value.owner:
            case AllocTensorOp():
                return value
            case DotOp() as dot:
                value = dot.accumulator
            case TensorMemoryStoreOp() | TensorMemoryScaleOp() as store:
                value = store.destination
            case scf.ForOp() as loop:
                index = next(n for n, result in enumerate(loop.results) if result is value)
                value = last_of(loop.body.block).operands[index]
            case scf.IfOp() as branch:
                index = next(n for n, result in enumerate(branch.results) if result is value)
                value = last_of(branch.true_region.block).operands[index]
            case Block() as block if isinstance(loop := block.parent_op(), scf.ForOp):
                index = next(n for n, each in enumerate(block.args) if each is value)
                value = loop.iter_args[index - 1]
            case _:
                return None
    return None


def find_only_dot(argument: SSAValue, body: Block) -> DotOp | None:
    """
    The dot of a loop body that adds to what the loop carries, if nothing else uses that. At this
    point it is still in registers.
    """
    uses = list(argument.uses)
    if len(uses) != 1 or not isinstance(store := uses[0].operation, TensorMemoryStoreOp):
        return None
    stored = list(store.result.uses)
    if len(stored) != 1 or not isinstance(dot := stored[0].operation, DotOp):
        return None
    is_accumulator = dot.accumulator is store.result and dot.parent_block() is body
    return dot if is_accumulator else None
