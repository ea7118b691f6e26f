"""
Assigns pipeline stages to the ops of a loop.

In attention, operand A of the second MMA is computed from the result of the first:

    S = Q·K(i)        stage 0
    P = softmax(S)    stage 0
    O += P·V(i)       stage 1

An MMA that depends on another one of the same iteration in this way, and whose result is only
yielded to the next iteration, goes into stage 1. The other MMA, and all that leads from it to the
operand, go into stage 0: while the tensor cores accumulate iteration i, the CUDA cores work on
iteration i + 1.

Loads of operand A by the consumer warps themselves, instead of TMA, go into stage 0 as well. Those
of scales of block-scaled dots run an iteration ahead, and so do those that threads have registers
for in loops with WGMMAs that are not software-pipelined (`mark_prefetches`). A loop in which
producer threads copy an operand is not software-pipelined.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final, TypeGuard

from typing_extensions import TypeVar
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, TensorType, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from tileiras_xdsl.analysis.memory_order import may_be_pipelined_in
from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.cost.work import SPECIAL
from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.atoms import is_async_mma, is_copied, is_tcgen05, is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    AHEAD,
    LOAD_GROUP,
    STAGE,
    Stage,
    StageAttr,
    get_pipeline_id,
    get_vector,
)
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of, with_layout
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import GatherLoadOp, LoadOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    is_elementwise,
    operand_layout,
    tensors,
)
from tileiras_xdsl.transforms.tileas.kernel_model.registers import (
    free_registers,
    is_made,
    partial_sum_registers,
    type_registers,
)
from tileiras_xdsl.xdsl_extras.walking import find_in_block, integer_of, last_of

from ..kernel_model.slicing import carried_values_defined_by, is_pure, operands_of
from ..kernel_model.staged_loads import is_row
from ..kernel_model.tma_loads import is_view_like
from .software_pipelining import clone_op

# Prefetches by consumer warps, of distance 1: what is loaded is in registers until its use.
#
# Before:  %r = scf.for %i = %a to %b step %s iter_args(%o = %z) {
#            %x = tiled_load %v[%i] {nv_tileas.ahead}; use(%x)
#          }
# After:   %r = scf.if %a < %b {
#            %x0 = tiled_load %v[%a]
#            %l = scf.for %i = %a to %b step %s iter_args(%o = %z, %x = %x0) {
#              %n = tiled_load %v[%s < %b - %i ? %i + %s : %i]
#              use(%x); yield …, %n
#            }
#          } else { %z }
#
# The same tiles are loaded as before: instead of those of an iteration that there is not, those of
# this one once more, which nothing uses. With a branch instead, threads would wait in it for what
# they have loaded, to copy it to the registers of the next iteration. The loop is not peeled, so
# that an MMA agent has one copy of its MMAs.
#
# Threads that issue WGMMAs load behind these, while tensor cores multiply. Before them, ptxas
# would put the copies, and so the wait for the loads, in front of the WGMMAs.

OpT = TypeVar("OpT", bound=Operation)

Prefetch = LoadOp | TiledLoadOp | GatherLoadOp

TOGETHER: Final = (DotOp, AggregateOperation, ConvertLayoutOp)
"""Ops that threads do together, maybe by waiting for each other."""


def mark_prefetches(loop: scf.ForOp, loads: Sequence[Prefetch]) -> None:
    """
    Marks loads of a loop that are done an iteration ahead, if they can be. What they depend on is
    computed again: it has no effects, is no work of tensor cores or of several threads together,
    and nothing of it is carried by the loop. Sums of the step must not overflow.
    """
    body, step, ty = loop.body.block, integer_of(loop.step), loop.lb.type
    if step is None or not isinstance(ty, IntegerType):
        return
    if not 0 < step < 1 << (ty.width.data - 1):
        return
    slices = _slice(loop, loads)
    if not all(op in loads or (is_pure(op) and not isinstance(op, TOGETHER)) for op in slices):
        return
    if any(value in body.args[1:] for op in slices for value in op.operands):
        return
    for load in loads:
        AHEAD.set(load, UnitAttr())


def _slice(loop: scf.ForOp, loads: Sequence[Operation]) -> list[Operation]:
    """Loads, and what they depend on in the body of a loop, in its order."""
    body = loop.body.block
    operands = [value for load in loads for value in load.operands]
    needed = backward_slice(operands, lambda op: op.parent_block() is body)
    return [op for op in body.ops if op in needed or op in loads]


class Prefetches:
    """Rewrites the prefetches of one loop."""

    def __init__(self, loop: scf.ForOp, loads: Sequence[Operation]):
        self.loop = loop
        self.loads = loads
        for load in loads:
            AHEAD.drop(load)
        self.slice = _slice(loop, loads)

    def rewrite(self) -> None:
        """Replaces the loop."""
        loop = self.loop
        test = CmpiOp(loop.lb, loop.ub, "slt")
        then, other = Block(), Block()
        self._add(then, scf.YieldOp(*self._emit_then(then)))
        self._add(other, scf.YieldOp(*loop.iter_args))
        types = [result.type for result in loop.results]
        branch = scf.IfOp(test.result, types, Region(then), Region(other))
        test.location = branch.location = loop.location
        Rewriter.insert_op(test, InsertPoint.before(loop))
        Rewriter.replace_op(loop, branch)

    def _emit_then(self, block: Block) -> Sequence[SSAValue]:
        loop = self.loop
        body, inits = loop.body.block, [*loop.iter_args, *self._load(block, loop.lb)]
        inner = Block(arg_types=[loop.lb.type, *(value.type for value in inits)])
        new = scf.ForOp(loop.lb, loop.ub, loop.step, inits, Region(inner))
        new.attributes.update(loop.attributes)
        arguments = inner.args[1 + len(loop.iter_args) :]
        values: dict[SSAValue, SSAValue] = dict(zip(body.args, inner.args))
        for load, tile in zip(self.loads, arguments, strict=True):
            values[load.results[0]] = tile
            tile.name_hint = load.results[0].name_hint
        dots = [op for op in body.ops if isinstance(op, DotOp) and is_wgmma(op)]
        following: Sequence[SSAValue] = ()
        if not dots:
            following = self._load_next(inner)
        for op in body.ops:
            if op not in self.loads and op is not body.last_op:
                clone_op(inner, op, values)
            if dots and op is dots[-1]:
                following = self._load_next(inner)
        yields = [values.get(value, value) for value in last_of(body).operands]
        self._add(inner, scf.YieldOp(*yields, *following))
        self._add(block, new)
        return new.results[: len(loop.results)]

    def _load_next(self, block: Block) -> Sequence[SSAValue]:
        """
        The tiles of the next iteration, or if there is none, of this one. As unsigned numbers, what
        is left of the range is right for any bounds.
        """
        index, step = block.args[0], integer_of(self.loop.step)
        ty = index.type
        assert step is not None
        assert isinstance(ty, IntegerType)
        constant = arith.ConstantOp(IntegerAttr(step, ty))
        distance = self._add(block, constant).result
        left = self._add(block, arith.SubiOp(self.loop.ub, index)).result
        test = self._add(block, CmpiOp(distance, left, "ult")).result
        later = self._add(block, arith.AddiOp(index, distance)).result
        return self._load(block, self._add(block, SelectOp(test, later, index)).result)

    def _load(self, block: Block, index: SSAValue) -> list[SSAValue]:
        """The tiles of an iteration."""
        values: dict[SSAValue, SSAValue] = {self.loop.body.block.args[0]: index}
        for op in self.slice:
            clone_op(block, op, values)
        return [values[load.results[0]] for load in self.loads]

    def _add(self, block: Block, op: OpT) -> OpT:
        op.location = self.loop.location
        block.add_op(op)
        return op


def assign_stages(loop: scf.ForOp) -> None:
    """Annotates the ops of a loop that gains from software pipelining with stage and order."""
    body = loop.body.block
    ops = [*body.ops][:-1]
    if not all(may_move(loop, op) for op in ops):
        return
    for op in ops:
        if is_copied(op) and get_pipeline_id(op) is not None:
            # Producer threads compute its addresses in an iteration: no tile is carried to the
            # next.
            return
        if isinstance(op, ScaledDotOp) and is_tcgen05(op):
            assign_prefetches(loop)
            return
    # Successive load groups stay in the order in which they are read.
    stage_1: set[Operation] = set()
    if not any(map(LOAD_GROUP.is_on, ops)):
        stage_1 = find_stage_1(body, ops) or find_stage_1_after_made(loop, ops)
        stage_1 = stage_1 or find_stage_1_after_loads(body, ops)
    if not stage_1:
        assign_small_prefetches(loop)
        return
    stage_0 = [op for op in ops if op not in stage_1]
    # MMAs of the next iteration are issued before stage 1, which runs beside them; what uses
    # their results comes after. What threads do with results of stage 1 waits until they have
    # reduced those of stage 0, which are there before.
    dot_slice = find_dot_slice(stage_0)
    results: set[SSAValue] = {value for op in stage_1 if is_async_mma(op) for value in op.results}
    users = find_users(results, [op for op in ops if op in stage_1])
    rest = [op for op in stage_0 if op not in dot_slice]
    reductions = (n for n, op in enumerate(rest, 1) if isinstance(op, AggregateOperation))
    first = next(reductions, 0)
    order = [
        *(op for op in stage_0 if op in dot_slice),
        *(op for op in ops if op in stage_1 and op not in users),
        *rest[:first],
        *(op for op in ops if op in users),
        *rest[first:],
    ]
    for position, op in enumerate(order):
        STAGE.set(op, StageAttr(Stage(1 if op in stage_1 else 0, position)))


def assign_prefetches(loop: scf.ForOp) -> None:
    """
    Annotates the loads of scales, which threads prefetch: they are few, so that they fit in
    registers. Operands that TMA does not load would not.
    """
    body = loop.body.block
    dots = [op for op in body.ops if isinstance(op, ScaledDotOp) and is_tcgen05(op)]
    loads = {
        each: None
        for op in dots
        for value in op.scales
        for each in _backward(value, body)
        if is_loaded_by_threads(each)
    }
    if loads:
        mark_prefetches(loop, [op for op in filter(is_loaded_by_threads, body.ops) if op in loads])


def assign_small_prefetches(loop: scf.ForOp) -> None:
    """
    Annotates loads that threads have registers for, such as the scales of rows that results of
    WGMMAs are multiplied by, which threads load an iteration ahead, while WGMMAs multiply. Else
    they would wait for memory before they issue WGMMAs. What producer warps need, such as the
    number of a tile, they load by themselves.
    """
    body = loop.body.block
    dots = find_in_block(body, DotOp)
    if not dots or not all(map(is_wgmma, dots)):
        return
    loads = [*filter(is_loaded_by_threads, body.ops)]
    if not loads:
        return
    staged = [value for op in body.ops if get_pipeline_id(op) is not None for value in op.operands]
    needed = backward_slice(staged, lambda op: op.parent_block() is body, operands_of)
    loads = [op for op in loads if op not in needed]
    registers = [max(1, loaded_registers(op)) for op in loads]
    if 0 < sum(registers) <= free_registers(dots):
        mark_prefetches(loop, loads)


def is_loaded_by_threads(op: Operation) -> TypeGuard[Prefetch]:
    """Whether threads load a tile into registers, which they can do ahead of its use."""
    return AHEAD.can_be_on(op) and is_plain_load(op) and get_pipeline_id(op) is None


def may_move(loop: Operation, op: Operation) -> bool:
    """Whether an op may be moved ahead of others of its loop."""
    if isinstance(op, AggregateOperation):
        # Stages follow operands; they do not see what the region captures from the loop.
        return all(
            (is_pure(each) or each.has_trait(IsTerminator))
            and not any(_block_of(value) is op.parent_block() for value in each.operands)
            for each in op.body.walk()
        )
    if isinstance(op, scf.IfOp):
        # A branch around elementwise ops, such as those of a mask.
        return all(
            not isinstance(each, DotOp)
            and (each.has_trait(IsTerminator) or (not each.regions and is_pure(each)))
            for region in op.regions
            for each in region.walk()
        )
    return not op.regions and (is_pure(op) or may_be_pipelined_in(loop, op))


def users_of(op: Operation, body: Block) -> set[Operation]:
    """The ops of a loop body that use a result of one of them, in regions, too."""
    uses = (use.operation for result in op.results for use in result.uses)
    return {user for each in uses if (user := body.find_ancestor_op_in_block(each)) is not None}


def _block_of(value: SSAValue) -> Block | None:
    """The block that a value is defined in."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent_block()


def find_stage_1(body: Block, ops: list[Operation]) -> set[Operation]:
    """MMAs whose results are only yielded, with what nothing else needs."""
    dots = find_in_block(body, DotOp)
    if len(dots) < 2:
        return set()
    stage_1: set[Operation] = set()
    for op in dots:
        others = {each for each in dots if each is not op}
        path = find_path_to_yield(op, body)
        if path is not None and _backward(op.a, body) & others:
            stage_1.update(path)
    if not stage_1 or not any(op not in stage_1 for op in dots):
        return set()
    carried = _carried(stage_1, body)
    # Accumulators in tensor memory are read, changed and written where a dot adds to them.
    bound = find_users(carried, ops) if any(map(is_tcgen05, stage_1)) else set[Operation]()
    # In reverse order, so that all users are decided first. An op joins its users unless that
    # makes more registers live across the stages.
    for op in reversed(ops):
        users = users_of(op, body)
        if op not in stage_1 and users and users <= stage_1:
            if op in bound:
                stage_1.add(op)
                continue
            crossing = sum(
                type_registers(value.type)
                for value in operands_of(op)
                if value not in carried and value.owner not in stage_1
            )
            if crossing <= sum(type_registers(result.type) for result in op.results):
                stage_1.add(op)
    if crosses_in_registers(stage_1, ops):
        return set()
    return stage_1 if _is_legal(stage_1, body) else set()


def crosses_in_registers(stage_1: set[Operation], ops: list[Operation]) -> bool:
    """
    Whether a tile that is loaded into a buffer stage, for a dot of stage 0, is an operand of stage
    1 as well, such as the keys of the gradient of queries. Its stage is released in the iteration
    in which it was filled: it would cross in registers, and be written to shared memory again.
    """
    loads = [op for op in ops if op not in stage_1 and get_pipeline_id(op) is not None]
    found = find_users(
        {result for op in loads for result in op.results},
        [op for op in ops if op not in stage_1 and is_view_like(op)],
    )
    values = {result for op in (*loads, *found) for result in op.results}
    return any(value in values for op in stage_1 for value in op.operands)


def is_special(op: Operation) -> bool:
    """Whether an op computes a special function of each element of a tile, not of each row."""
    if op.name.rpartition(".")[2] not in SPECIAL:
        return False
    ty = op.results[0].type
    if not isinstance(ty, TensorType):
        return False
    return prod(get_shape(ty)[1:]) > 1


def find_users(values: set[SSAValue], ops: list[Operation]) -> set[Operation]:
    """Those of some ops, in their order, that use some values, directly or not."""
    known, found = set(values), set[Operation]()
    for op in ops:
        if not known.isdisjoint(operands_of(op)):
            found.add(op)
            known.update(op.results)
    return found


def find_stage_1_after_made(loop: scf.ForOp, ops: list[Operation]) -> set[Operation]:
    """
    All ops but those that make operands A of WGMMAs, of tiles that producer warps load, if there
    are registers for those of two iterations beside accumulators: while tensor cores multiply,
    threads make the operands of the next iteration. Rows that threads load for it are loaded one
    more iteration ahead.
    """
    body = loop.body.block
    dots = find_in_block(body, DotOp)
    if not dots or not all(map(is_made, dots)):
        return set()
    stage_0 = {each for dot in dots for each in _backward(dot.a, body)}
    rows = [op for op in ops if op in stage_0 and is_loaded_by_threads(op)]
    registers = sum(max(1, loaded_registers(op)) for op in rows)
    registers += 2 * sum(type_registers(value.type) for value in {dot.a for dot in dots})
    registers += max(map(partial_sum_registers, dots))
    if registers > free_registers(dots) or not all(map(is_row, rows)):
        return set()
    stage_1 = {op for op in ops if op not in stage_0}
    if not _is_legal(stage_1, body):
        return set()
    mark_prefetches(loop, rows)
    return stage_1


def find_stage_1_after_loads(body: Block, ops: list[Operation]) -> set[Operation]:
    """
    All ops but the consumer warps' own loads of operands A of WGMMAs, and what these loads depend
    on, if there are registers for what is loaded beside accumulators.
    """
    stage_0: set[Operation] = set()
    for op in ops:
        if is_async_mma(op):
            for each in _backward(op.operands[0], body):
                if is_plain_load(each) and get_pipeline_id(each) is None:
                    stage_0 |= {each, *(x for v in each.operands for x in _backward(v, body))}
    if not stage_0:
        return set()
    if sum(map(loaded_registers, stage_0)) > free_registers(find_in_block(body, DotOp)):
        return set()
    stage_1 = {op for op in ops if op not in stage_0}
    return stage_1 if _is_legal(stage_1, body) else set()


def loaded_registers(op: Operation) -> int:
    """Registers of a thread for what it loads; a byte that is loaded alone takes a whole one."""
    if not is_plain_load(op) or get_pipeline_id(op) is not None:
        return 0
    ty, vector = op.results[0].type, get_vector(op)
    layout = layout_of(ty)
    if layout is None:
        return 0
    bits = memory_bits(get_element(ty))
    width = 1 if vector is None else vector.width
    return -(-layout.registers * bits // min(32, width * bits))


def find_path_to_yield(dot: DotOp, body: Block) -> list[Operation] | None:
    """
    A dot and the elementwise ops that lead from its result to the yield of its loop, as in
    `O = O * f + P·V`; None if anything else uses one of them. Accumulators in tensor memory do not
    leave it, so that the result of `tcgen05` has to be yielded as it is.
    """
    path: list[Operation] = [dot]
    while True:
        uses = list(path[-1].results[0].uses)
        if len(uses) != 1:
            return None
        user = uses[0].operation
        if user is body.last_op:
            return path
        if is_tcgen05(dot) or user.parent_block() is not body or not is_elementwise(user):
            return None
        path.append(user)


def _carried(stage_1: set[Operation], body: Block) -> set[SSAValue]:
    """The loop-carried values that stage 1 defines."""
    return carried_values_defined_by(stage_1, body.args[1:], last_of(body).operands)


def _backward(value: SSAValue, body: Block) -> set[Operation]:
    """The backward slice of a value within a loop body."""
    return backward_slice([value], lambda op: op.parent_block() is body, operands_of)


def _is_legal(stage_1: set[Operation], body: Block) -> bool:
    """Whether stage 0 needs nothing of stage 1, in this iteration or the one before."""
    carried = _carried(stage_1, body)
    for op in body.ops:
        if op in stage_1 or op is body.last_op:
            continue
        if any(value in carried or value.owner in stage_1 for value in operands_of(op)):
            return False
    return True


def find_dot_slice(ops: list[Operation]) -> set[Operation]:
    """
    The dots among some ops, with their backward slice. If there are none, the loads by threads with
    theirs: all other ops make operands of the next iteration, while MMAs of this one are in flight.
    """
    chosen: set[Operation] = {op for op in ops if isinstance(op, DotOp)}
    chosen = chosen or {op for op in ops if is_loaded_by_threads(op)}
    for op in reversed(ops):
        body = op.parent_block()
        if body is not None and users_of(op, body) & chosen:
            chosen.add(op)
    return chosen


# Layout conversions of what is computed from a tile in a buffer stage.
#
# Before:  %x = nv_tileas.tiled_load %v[%i] {nv_tileas.pipe = #nv_tileas.pipe<0>} : … -> T
#          %w = nv_tileaa.fp_to_fp %x : T to U
#          %y = nv_tileas.convert_layout %w : U -> V
# After:   %x = nv_tileas.tiled_load %v[%i] {nv_tileas.pipe = #nv_tileas.pipe<0>} : … -> T
#          %z = nv_tileas.convert_layout %x : T -> S
#          %y = nv_tileaa.fp_to_fp %z : S to V
#
# A tile in shared memory is read in any layout, so a conversion right after the load costs
# nothing.


def find_chain(op: ConvertLayoutOp) -> list[Operation]:
    """
    The ops between a load of a pipeline and a conversion, if each has one tile as its operand, and
    nothing else uses its result; else none.
    """
    chain: list[Operation] = []
    value = op.operands[0]
    while True:
        owner = value.owner
        if isinstance(owner, TiledLoadOp):
            return chain if get_pipeline_id(owner) is not None else []
        if not isinstance(owner, Operation) or owner.parent_block() is not op.parent_block():
            return []
        tiles = tensors(owner.operands)
        is_unary = len(tiles) == 1 and (is_elementwise(owner) or is_view_like(owner))
        if not is_unary or isinstance(owner, ConvertLayoutOp) or not value.has_one_use():
            return []
        chain.insert(0, owner)
        value = tiles[0]


def hoist(op: ConvertLayoutOp, chain: list[Operation]) -> None:
    """Converts the tile that a chain of ops begins with, instead of what it ends with."""
    layout = layout_of(op.results[0].type)
    assert layout is not None
    types: list[TensorType] = []
    for each in reversed(chain):
        ty = each.results[0].type
        assert isinstance(ty, TensorType)
        types.insert(0, with_layout(ty, layout))
        layout = operand_layout(each, tensors(each.operands)[0], layout)
        if layout is None:
            return
    source = tensors(chain[0].operands)[0]
    assert isinstance(source.type, TensorType)
    conversion = ConvertLayoutOp.create(
        operands=[source], result_types=[with_layout(source.type, layout)]
    )
    conversion.location = op.location
    # Before pipelining, where it stands among ops of equal order decides: right before the chain.
    if (stage := STAGE.get(chain[0])) is not None:
        STAGE.set(conversion, stage)
    Rewriter.insert_op(conversion, InsertPoint.before(chain[0]))
    value = conversion.results[0]
    for each, ty in zip(chain, types, strict=True):
        (tile,) = tensors(each.operands)
        operands = [value if operand is tile else operand for operand in each.operands]
        clone = type(each).create(
            operands=operands,
            result_types=[ty],
            properties=dict(each.properties),
            attributes=dict(each.attributes),
        )
        clone.location = each.location
        Rewriter.insert_op(clone, InsertPoint.before(op))
        value = clone.results[0]
    op.results[0].replace_all_uses_with(value)
    Rewriter.erase_op(op)
    for each in reversed(chain):
        Rewriter.erase_op(each)
