"""
Runs programs with memory tokens, before and after tokens are barriers.

Before, a token is the set of effects that must be complete; that gives what each effect has to
wait for. After, barriers are those of the hardware, and effects are asynchronous: an effect
completes, and arrives on its barriers, as late as it can, that is when somebody would wait for
ever otherwise, or at any moment before. Whatever order the program relies on has to come from
its barriers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.llvm import AddressOfOp, ConstantOp, GEPOp, GlobalOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.dialects.nv_tileaa.attributes import TileaaOperation
from tileiras_xdsl.dialects.nv_tileaa.memory import CreateMemTokenOp, JoinMemTokenOp, is_token
from tileiras_xdsl.dialects.nvvm import (
    MBarrierArriveSharedOp,
    MBarrierInitSharedOp,
    MBarrierTryWaitParitySharedOp,
)

Value = int | frozenset[int]


class Deadlock(Exception):
    """A wait for a phase that nobody is going to complete."""


class Disorder(Exception):
    """An effect began before one that it has to come after was complete."""


class Misuse(Exception):
    """What the hardware does not allow, or what the rules of the lowering exclude."""


@dataclass
class Barrier:
    """A barrier, with the effects that are to arrive on it."""

    count: int
    arrived: int = 0
    phase: int = 0
    under_way: list[int] = field(default_factory=list[int])

    def arrive(self) -> None:
        self.arrived += 1
        if self.arrived == self.count:
            self.arrived, self.phase = 0, self.phase + 1

    def is_complete(self, parity: int) -> bool:
        return self.phase % 2 != parity


class Program:
    """Runs structured code; `test.op` yields what a list of decisions says."""

    def __init__(self, decisions: Sequence[int]):
        self.decisions = list(decisions)
        self.values: dict[SSAValue, Value] = {}
        self.effects: int = 0

    def run(self, module: ModuleOp) -> None:
        for op in module.body.block.ops:
            if op.name == "func.func":
                block = op.regions[0].block
                self.run_block(block, [0 for _ in block.args])

    def run_block(self, block: Block, arguments: Sequence[Value]) -> list[Value]:
        for argument, value in zip(block.args, arguments, strict=True):
            self.values[argument] = value
        for op in block.ops:
            if op is block.last_op:
                return [self.values[operand] for operand in op.operands]
            self.run_op(op)
        return []

    def run_op(self, op: Operation) -> None:
        match op:
            case arith.ConstantOp() | ConstantOp():
                assert isinstance(op.value, IntegerAttr)
                self.finish(op, [op.value.value.data & 1 if _is_i1(op) else op.value.value.data])
            case scf.ForOp():
                values = self.get(op.iter_args)
                first, last, step = (self.number(bound) for bound in (op.lb, op.ub, op.step))
                for number in range(first, last, step):
                    values = self.run_block(op.body.block, [number, *values])
                self.finish(op, values)
            case scf.WhileOp():
                values = self.get(op.arguments)
                while True:
                    condition, *values = self.run_block(op.before_region.block, values)
                    if not condition:
                        break
                    values = self.run_block(op.after_region.block, values)
                self.finish(op, values)
            case scf.IfOp():
                region = op.true_region if self.number(op.cond) else op.false_region
                self.finish(op, self.run_block(region.block, ()) if region.blocks else [])
            case arith.SelectOp():
                self.finish(op, self.get([op.lhs if self.number(op.cond) else op.rhs]))
            case arith.XOrIOp():
                self.finish(op, [self.number(op.lhs) ^ self.number(op.rhs)])
            case _ if op.name == "test.op":
                self.finish(op, [self.decisions.pop(0) if self.decisions else 0])
            case _ if isinstance(op, TileaaOperation):
                self.run_effect(op)
            case _:
                raise NotImplementedError(op.name)

    def run_effect(self, op: Operation) -> None:
        raise NotImplementedError

    def get(self, values: Sequence[SSAValue]) -> list[Value]:
        return [self.values[value] for value in values]

    def number(self, value: SSAValue) -> int:
        number = self.values[value]
        assert isinstance(number, int)
        return number

    def finish(self, op: Operation, values: Sequence[Value]) -> None:
        self.values.update(zip(op.results, values, strict=True))


class TokenProgram(Program):
    """A program with tokens; notes what each effect has to come after."""

    def __init__(self, decisions: Sequence[int]):
        super().__init__(decisions)
        self.predecessors: list[frozenset[int]] = []

    def run_effect(self, op: Operation) -> None:
        tokens = [self.values[value] for value in op.operands if is_token(value.type)]
        before = frozenset[int]().union(
            *(token for token in tokens if isinstance(token, frozenset))
        )
        if isinstance(op, CreateMemTokenOp | JoinMemTokenOp):
            self.finish(op, [before])
            return
        self.predecessors.append(before)
        after = before | {self.effects}
        self.effects += 1
        self.finish(op, [after if is_token(result.type) else 0 for result in op.results])


class BarrierProgram(Program):
    """A program with barriers; checks the order of its effects."""

    def __init__(
        self, decisions: Sequence[int], predecessors: Sequence[frozenset[int]], random: Random
    ):
        super().__init__(decisions)
        self.predecessors = predecessors
        self.random = random
        self.barriers: dict[int, Barrier] = {}
        self.complete: set[int] = set()
        self.waits = 0

    def run_op(self, op: Operation) -> None:
        if self.random.random() < 0.1:
            self._complete_something()
        match op:
            case GlobalOp():
                pass
            case AddressOfOp():
                self.finish(op, [0])
            case GEPOp():
                self.finish(op, [op.rawConstantIndices.get_values()[1]])
            case MBarrierInitSharedOp():
                index = self.number(op.address)
                if index in self.barriers:
                    raise Misuse(f"barrier {index} is initialised again")
                self.barriers[index] = Barrier(self.number(op.count))
            case MBarrierArriveSharedOp():
                self._arrive(op)
                self.finish(op, [0])
            case MBarrierTryWaitParitySharedOp():
                self.finish(op, [self._try_wait(op)])
            case _:
                super().run_op(op)

    def run_effect(self, op: Operation) -> None:
        missing = self.predecessors[self.effects] - self.complete
        if missing:
            raise Disorder(f"effect {self.effects} does not wait for {sorted(missing)}")
        self.effects += 1
        self.finish(op, [0 for _ in op.results])

    def _arrive(self, op: MBarrierArriveSharedOp) -> None:
        barrier = self.barriers[self.number(op.address)]
        if barrier.arrived + len(barrier.under_way) == barrier.count:
            raise Misuse("arrival on a phase before the previous one is complete")
        if _is_arrival_of_effect(op):
            barrier.under_way.append(self.effects - 1)
        else:
            barrier.arrive()

    def _try_wait(self, op: MBarrierTryWaitParitySharedOp) -> int:
        self.waits += 1
        barrier = self.barriers[self.number(op.address)]
        if self.random.random() < 0.2:
            return int(barrier.is_complete(self.number(op.phase)))
        while not barrier.is_complete(self.number(op.phase)):
            if not barrier.under_way:
                raise Deadlock(f"barrier {self.number(op.address)}")
            self._complete(barrier)
        return 1

    def _complete(self, barrier: Barrier) -> None:
        effect = barrier.under_way.pop(self.random.randrange(len(barrier.under_way)))
        self.complete.add(effect)
        barrier.arrive()

    def _complete_something(self) -> None:
        busy = [barrier for barrier in self.barriers.values() if barrier.under_way]
        if busy:
            self._complete(self.random.choice(busy))


def _is_i1(op: Operation) -> bool:
    return str(op.results[0].type) == "i1"


def _is_arrival_of_effect(op: Operation) -> bool:
    """Whether an effect arrives, and not the program itself to even out phases."""
    before = op.prev_op
    while isinstance(before, MBarrierArriveSharedOp) and before.location == op.location:
        before = before.prev_op
    return isinstance(before, TileaaOperation) and before.location == op.location


def simulate(before: ModuleOp, after: ModuleOp, decisions: Sequence[int], seed: int) -> int:
    """Runs a program in both forms; returns how many effects it had."""
    tokens = TokenProgram(decisions)
    tokens.run(before)
    barriers = BarrierProgram(decisions, tokens.predecessors, Random(seed))
    barriers.run(after)
    assert barriers.effects == tokens.effects, "effects were lost or added"
    return tokens.effects
