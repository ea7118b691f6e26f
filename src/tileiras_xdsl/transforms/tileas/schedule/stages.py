"""
Which ops of a loop run an iteration ahead.

A product whose left factor is computed from another product of the same iteration waits for it.
If the former only adds to a sum that the loop carries, the latter, and all that leads from it to
the factor, is done one iteration ahead: while the tensor cores add up iteration i, threads work on
iteration i + 1.

Loads of left factors that threads do themselves are done one iteration ahead as well.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from tileiras_xdsl.analysis.memory_order import may_be_pipelined_in
from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGE, Stage, StageAttr, get_pipeline_id
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.xdsl_extras.structure import last_of

from ..kernel_model.registers import type_registers
from ..kernel_model.slicing import decided_by, is_pure
from ..kernel_model.wgmma import is_wgmma


def assign_stages(loop: scf.ForOp) -> None:
    """Puts stages and places into the ops of a loop that gains from it."""
    body = loop.body.block
    ops = [op for op in body.ops if op is not body.last_op]
    if not all(may_move(loop, op) for op in ops):
        return
    late = find_last_stage(body, ops) or find_behind_loads(body, ops)
    if not late:
        return
    early = [op for op in ops if op not in late]
    first = lead_to_dots(early)
    order = [
        *(op for op in early if op in first),
        *(op for op in ops if op in late),
        *(op for op in early if op not in first),
    ]
    for place, op in enumerate(order):
        STAGE.set(op, StageAttr(Stage(1 if op in late else 0, place)))


def may_move(loop: Operation, op: Operation) -> bool:
    """Whether an op may run earlier than others of its loop."""
    if isinstance(op, AggregateOperation):
        # Stages follow operands; they do not see what the body takes from the loop.
        return all(
            (is_pure(each) or each.has_trait(IsTerminator))
            and not any(_block_of(value) is op.parent_block() for value in each.operands)
            for each in op.body.walk()
        )
    return not op.regions and (is_pure(op) or may_be_pipelined_in(loop, op))


def _block_of(value: SSAValue) -> Block | None:
    """The block that a value is defined in."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent_block()


def find_last_stage(body: Block, ops: list[Operation]) -> set[Operation]:
    """Products that only add to carried sums, with what nothing else needs."""
    products = [op for op in ops if isinstance(op, DotOp)]
    late: set[Operation] = set()
    for op in products:
        others = {each for each in products if each is not op}
        if _accumulates(op, body) and _backward(op.a, body) & others:
            late.add(op)
    if not late or not any(op not in late for op in products):
        return set()
    carried = _carried(late, body)
    # Users come after what they use.
    for op in reversed(ops):
        users = {use.operation for result in op.results for use in result.uses}
        if op not in late and users and users <= late:
            crossing = sum(
                type_registers(value.type)
                for value in op.operands
                if value not in carried and value.owner not in late
            )
            if crossing <= sum(type_registers(result.type) for result in op.results):
                late.add(op)
    return late if _is_legal(late, body) else set()


def find_behind_loads(body: Block, ops: list[Operation]) -> set[Operation]:
    """
    All but the loads that threads do themselves for the left factors of products, and what these
    loads need.
    """
    early: set[Operation] = set()
    for op in ops:
        if is_wgmma(op):
            for each in _backward(op.operands[0], body):
                if is_plain_load(each) and get_pipeline_id(each) is None:
                    early |= {each, *(x for v in each.operands for x in _backward(v, body))}
    late = {op for op in ops if op not in early}
    return late if early and _is_legal(late, body) else set()


def _accumulates(op: DotOp, body: Block) -> bool:
    """Whether a product's result is carried to the next iteration and nothing else."""
    uses = list(op.result.uses)
    return len(uses) == 1 and uses[0].operation is body.last_op


def _carried(late: set[Operation], body: Block) -> set[SSAValue]:
    """The arguments of a loop that late ops define."""
    return decided_by(late, body.args[1:], last_of(body).operands)


def _backward(value: SSAValue, body: Block) -> set[Operation]:
    """All ops of a body that a value depends on."""
    return backward_slice([value], lambda op: op.parent_block() is body)


def _is_legal(late: set[Operation], body: Block) -> bool:
    """Whether early ops need nothing of late ones, in this iteration or the one before."""
    carried = _carried(late, body)
    for op in body.ops:
        if op in late or op is body.last_op:
            continue
        if any(value in carried or value.owner in late for value in op.operands):
            return False
    return True


def lead_to_dots(ops: list[Operation]) -> set[Operation]:
    """The products of some ops, and what these need; all of them if there are no products."""
    chosen: set[Operation] = {op for op in ops if isinstance(op, DotOp)} or set(ops)
    for op in reversed(ops):
        users = {use.operation for result in op.results for use in result.uses}
        if users & chosen:
            chosen.add(op)
    return chosen
