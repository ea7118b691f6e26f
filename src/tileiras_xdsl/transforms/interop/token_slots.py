"""
Which barriers a token may stand for.

Every `create_mem_token` gets a slot of the pool of its function, in program order, and so does
every access that yields a token in use without taking one, as if a `create_mem_token` stood
before it. The successor of a token stands for the slot of the token, a join for that of its last
token; through loops and branches a token may come to stand for one of several slots. A poisoned
token, which nothing may depend on, stands for none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove, IsTerminator

from tileiras_xdsl.dialects.nv_tileaa.aggregate import YieldOp
from tileiras_xdsl.dialects.nv_tileaa.queues import (
    PragmaOp,
    QueueGetOp,
    QueuePutOp,
    QueueYieldOp,
    ResourceOperation,
)
from tileiras_xdsl.dialects.nv_tileaa.tokens import CreateMemTokenOp, JoinMemTokenOp, is_token
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

POOL_SIZE = 32
"""Barriers of a CTA."""

NO_SLOT = -1
"""What a poisoned token stands for."""

Branch = scf.IfOp | scf.IndexSwitchOp
"""One of the regions runs."""

Sequel = scf.ExecuteRegionOp | PragmaOp | QueueGetOp | ResourceOperation
"""All of the regions run, once."""

FORWARDING = (
    *(scf.ForOp, scf.WhileOp, scf.IfOp, scf.IndexSwitchOp, scf.ExecuteRegionOp, PragmaOp),
    *(QueueGetOp, ResourceOperation, scf.YieldOp, scf.ConditionOp, YieldOp, QueueYieldOp),
    *(arith.SelectOp, PoisonOp),
)
"""Ops that pass tokens on without any effect of their own."""


@dataclass(frozen=True)
class Slot:
    """A barrier of the pool."""

    index: int
    producers: int
    """Arrivals that complete a phase."""
    announced: bool
    """Whether the program says how many producers there are."""


def tokens_in(values: Iterable[SSAValue]) -> list[SSAValue]:
    """Those of some values that are tokens."""
    return [value for value in values if is_token(value.type)]


def has_tokens(op: Operation) -> bool:
    """Whether an op takes, yields or passes on tokens."""
    arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
    return any(is_token(value.type) for value in (*op.operands, *op.results, *arguments))


def is_access(op: Operation) -> bool:
    """Whether an op is an effect that tokens order."""
    return (
        op.name.startswith("nv_tileaa.")
        and not op.regions
        and not op.has_trait(IsTerminator)
        and not isinstance(op, CreateMemTokenOp | JoinMemTokenOp | QueuePutOp)
        and bool(tokens_in((*op.operands, *op.results)))
    )


def needs_slot(op: Operation) -> bool:
    """Whether an op makes a token that is not the successor of another."""
    if isinstance(op, CreateMemTokenOp):
        return True
    if isinstance(op, JoinMemTokenOp) or is_access(op):
        return not tokens_in(op.operands) and any(result.uses for result in tokens_in(op.results))
    return False


def walk_unit(region: Region) -> Iterator[Operation]:
    """The ops of a function in program order, without those of functions in it."""
    for block in region.blocks:
        for op in block.ops:
            yield op
            if not op.has_trait(IsolatedFromAbove):
                for inner in op.regions:
                    yield from walk_unit(inner)


class TokenSlots:
    """The slots of a function, and what its tokens may stand for."""

    def __init__(self, function: Operation, name: str):
        self.slots: list[Slot] = []
        self.makers: list[Operation] = []
        """The op that each slot was made for."""
        self._slots_of: dict[SSAValue, set[int]] = {}
        ops = list(walk_unit(function.regions[0]))
        for op in ops:
            self._check(op)
            if needs_slot(op):
                self._take_slot(op, name)
            elif isinstance(op, PoisonOp):
                self._slots_of[op.result] = {NO_SLOT}
        self._propagate([edge for op in ops for edge in _flows(op)])
        for op in ops:
            self._check_origins(op)
        self._produced = {
            slot.index for op in ops if is_access(op) for slot in self.waited_for_by(op)
        }

    def of(self, token: SSAValue) -> list[Slot]:
        """The slots that a token may stand for, in order."""
        indices = sorted(self._slots_of.get(token, set()) - {NO_SLOT})
        return [self.slots[index] for index in indices]

    def waited_for_by(self, op: Operation) -> list[Slot]:
        """The slots of the tokens that an op takes, or of the ones it makes, in order."""
        tokens = tokens_in(op.operands) or tokens_in(op.results)
        indices = {slot.index for token in tokens for slot in self.of(token)}
        return [self.slots[index] for index in sorted(indices)]

    def is_foreign(self, slot: Slot) -> bool:
        """Whether the announced producers of a slot are no accesses of this function."""
        return slot.announced and slot.index not in self._produced

    def _check(self, op: Operation) -> None:
        for region in op.regions:
            if len(region.blocks) > 1 and any(map(has_tokens, walk_unit(region))):
                fail(op, f"'{op.name}' op has tokens in control flow that is not structured")
        if not has_tokens(op) or is_access(op):
            return
        if not isinstance(op, (CreateMemTokenOp, JoinMemTokenOp, *FORWARDING)):
            fail(op, f"'{op.name}' op has tokens, which only accesses and structured ops may")

    def _check_origins(self, op: Operation) -> None:
        arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
        for token in tokens_in((*op.results, *arguments)):
            if not self._slots_of.get(token) and token.uses:
                fail(op, f"'{op.name}' op has a token of unknown origin{_name(token)}")

    def _take_slot(self, op: Operation, name: str) -> None:
        index = len(self.slots)
        token = tokens_in(op.results)[0]
        if index == POOL_SIZE:
            fail(
                op,
                f"'{op.name}' op needs a barrier for its token{_name(token)}, "
                f"but {name} has taken all {POOL_SIZE}",
            )
        producers, announced = 1, False
        if isinstance(op, CreateMemTokenOp):
            producers, announced = op.get_num_producers(), op.num_producers is not None
        self.slots.append(Slot(index, producers, announced))
        self.makers.append(op)
        for result in tokens_in(op.results):
            self._slots_of[result] = {index}

    def _propagate(self, edges: Sequence[tuple[SSAValue, SSAValue]]) -> None:
        changed = True
        while changed:
            changed = False
            for source, target in edges:
                new = self._slots_of.get(source, set())
                old = self._slots_of.setdefault(target, set())
                changed |= not new <= old
                old |= new


def _name(token: SSAValue) -> str:
    return "" if token.name_hint is None else f" '%{token.name_hint}'"


def yielded(region: Region) -> Sequence[SSAValue]:
    """What a region hands to the op it belongs to."""
    block = region.blocks.last
    last = None if block is None else block.last_op
    match last:
        case None:
            return ()
        case scf.ConditionOp():
            return last.args
        case _:
            return last.operands


def _flows(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Pairs of tokens, the second of which may stand for all that the first does."""
    for sources, targets in _parallel_values(op):
        for source, target in zip(sources, targets, strict=False):
            if is_token(target.type):
                yield source, target


def _parallel_values(op: Operation) -> Iterator[tuple[Sequence[SSAValue], Sequence[SSAValue]]]:
    match op:
        case JoinMemTokenOp():
            yield op.tokens[-1:], op.results
        case scf.ForOp():
            arguments = _arguments(op.body.block)[1:]
            for sources in (op.iter_args, yielded(op.body)):
                yield sources, arguments
                yield sources, op.results
        case scf.WhileOp():
            for sources in (op.arguments, yielded(op.after_region)):
                yield sources, _arguments(op.before_region.block)
            yield yielded(op.before_region), _arguments(op.after_region.block)
            yield yielded(op.before_region), op.results
        case arith.SelectOp():
            yield [op.lhs], op.results
            yield [op.rhs], op.results
        case _ if is_access(op):
            results = tokens_in(op.results)
            for token in tokens_in(op.operands):
                yield [token] * len(results), results
        case _ if isinstance(op, Branch | Sequel):
            for region in op.regions:
                yield yielded(region), op.results
                if isinstance(op, ResourceOperation | PragmaOp) and region.blocks:
                    yield op.operands, _arguments(region.block)
        case _:
            pass


def _arguments(block: Block) -> Sequence[BlockArgument]:
    return block.args
