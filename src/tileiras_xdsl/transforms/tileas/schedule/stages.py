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
of scales of block-scaled dots run several iterations ahead (`loads_ahead`), and those that threads
have registers for one iteration, in loops with WGMMAs that are not software-pipelined. A loop in
which producer threads copy an operand is not software-pipelined.
"""

from __future__ import annotations

from math import prod
from typing import Final, TypeGuard

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from tileiras_xdsl.analysis.memory_order import may_be_pipelined_in
from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    AHEAD,
    LOAD_GROUP,
    STAGE,
    Stage,
    StageAttr,
    get_pipeline_id,
    get_vector,
)
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.targets.tcgen05_schedule import SCALE_STAGES
from tileiras_xdsl.xdsl_extras.structure import last_of

from ..kernel_model.copied_loads import is_copied
from ..kernel_model.iteration_work import SPECIAL
from ..kernel_model.layout_rules import is_elementwise, memory_bits
from ..kernel_model.registers import free_registers, type_registers
from ..kernel_model.slicing import carried_values_defined_by, is_pure, operands_of
from ..kernel_model.tma_loads import is_view_like
from ..kernel_model.wgmma import is_async_mma, is_tcgen05, is_wgmma
from .loads_ahead import LoadAhead, mark_loads_ahead

AHEAD_REGISTERS: Final = 64
"""Of a thread, for scales that it loads ahead."""


def assign_stages(loop: scf.ForOp) -> None:
    """Annotates the ops of a loop that gains from software pipelining with stage and order."""
    body = loop.body.block
    ops = [op for op in body.ops if op is not body.last_op]
    if not all(may_move(loop, op) for op in ops):
        return
    if any(is_copied(op) and get_pipeline_id(op) is not None for op in ops):
        # Producer threads compute addresses of an iteration in it: no tile is carried to the next.
        return
    if any(isinstance(op, ScaledDotOp) and is_tcgen05(op) for op in ops):
        assign_loads_ahead(loop)
        return
    # Successive load groups stay in the order in which they are read.
    stage_1: set[Operation] = set()
    if not any(map(LOAD_GROUP.is_on, ops)):
        stage_1 = find_stage_1(body, ops) or find_stage_1_after_loads(body, ops)
    if not stage_1:
        assign_small_loads_ahead(loop)
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


def assign_loads_ahead(loop: scf.ForOp) -> None:
    """
    Annotates the loads of scales, which threads do ahead: they are few, so that those of several
    iterations fit in registers. Operands that TMA does not load would not.
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
    registers = sum(map(loaded_registers, loads))
    distance = min(SCALE_STAGES - 1, AHEAD_REGISTERS // max(1, registers))
    if loads and distance:
        mark_loads_ahead(
            loop, [op for op in filter(is_loaded_by_threads, body.ops) if op in loads], distance
        )


def assign_small_loads_ahead(loop: scf.ForOp) -> None:
    """
    Annotates loads that threads have registers for, such as the scales of rows that results of
    WGMMAs are multiplied by, which threads load an iteration ahead, while WGMMAs multiply. Else
    they would wait for memory before they issue WGMMAs. What producer warps need, such as the
    number of a tile, they load by themselves.
    """
    body = loop.body.block
    dots = [op for op in body.ops if isinstance(op, DotOp)]
    if not dots or not all(map(is_wgmma, dots)):
        return
    staged = [value for op in body.ops if get_pipeline_id(op) is not None for value in op.operands]
    needed = backward_slice(staged, lambda op: op.parent_block() is body, operands_of)
    loads = [op for op in filter(is_loaded_by_threads, body.ops) if op not in needed]
    registers = [max(1, loaded_registers(op)) for op in loads]
    if 0 < sum(registers) <= free_registers(dots):
        mark_loads_ahead(loop, loads, 1)


def is_loaded_by_threads(op: Operation) -> TypeGuard[LoadAhead]:
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
    dots = [op for op in ops if isinstance(op, DotOp)]
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
    if not isinstance(op, SPECIAL) or not isinstance(ty := op.results[0].type, TensorType):
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
    dots = [op for op in ops if isinstance(op, DotOp)]
    if not stage_0 or sum(map(loaded_registers, stage_0)) > free_registers(dots):
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
    """The dots among some ops, with their backward slice; all ops if there are no dots."""
    chosen: set[Operation] = {op for op in ops if isinstance(op, DotOp)} or set(ops)
    for op in reversed(ops):
        body = op.parent_block()
        if body is not None and users_of(op, body) & chosen:
            chosen.add(op)
    return chosen
