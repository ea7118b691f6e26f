"""
How a block of threads runs: bodies are bound once, then executed step by step.

A *binder* is called once for each op: it reads types and attributes, and returns a function of
the operands' values; `InBlock` if the function takes the state of the block first; `Direct` if it
works on the frame itself, as ops with regions do. Binders are found by the name of the op.

    @binds("arith.addi", "llvm.add")
    def bind_addi(op, program):
        element = element_of(op.operands[0].type)
        return lambda a, b: numerics.addi(element, a, b)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from xdsl.ir import Block, Operation, Region, SSAValue

from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.steps import make_step, make_step_in_block

from .attributes import integers_of, property_of
from .in_flight import MOVES, guarded
from .values import Mask, Value, full, merge

if TYPE_CHECKING:
    from .state import BlockState


class Frame:
    """The registers of a function, and the block of the grid it runs in."""

    __slots__ = ("block", "registers")

    def __init__(self, size: int, block: BlockState):
        self.registers: list[Value] = [None] * size
        self.block = block


Function: TypeAlias = Callable[..., Value]
"""Values of the operands to that of the result; a tuple if there are several, or none."""
Step: TypeAlias = Callable[[Frame], None]


@dataclass(frozen=True)
class Direct:
    """What a binder returns if it works on the frame instead of on operand values."""

    step: Step


@dataclass(frozen=True)
class InBlock:
    """What a binder returns if its function takes the state of the block first."""

    function: Function


def unary(function: Callable[[Value], Value]) -> Function:
    """A function of one operand."""
    return function


def binary(function: Callable[[Value, Value], Value]) -> Function:
    """A function of two operands."""
    return function


def query(function: Callable[[BlockState], Value]) -> InBlock:
    """A function of the block only."""
    return InBlock(function)


Binder: TypeAlias = Callable[..., Function | Direct | InBlock]

BINDERS: dict[str, Binder] = {}

YIELDS = ("scf.yield", "scf.condition", "gpu.yield", "memref.alloca_scope.return")
RETURNS = ("gpu.return", "func.return", "llvm.return")
BRANCHES = ("cf.br", "llvm.br", "cf.cond_br", "llvm.cond_br", "cf.switch", "llvm.switch")
DEAD_END = "llvm.unreachable"
TERMINATORS = (*YIELDS, *RETURNS, *BRANCHES, DEAD_END)


def binds(*names: str) -> Callable[[Binder], Binder]:
    """Registers the binder of some ops."""

    def register(binder: Binder) -> Binder:
        for name in names:
            assert name not in BINDERS, f"{name} has a binder already"
            BINDERS[name] = binder
        return binder

    return register


@dataclass
class Body:
    """A block of ops, bound: run it with its arguments, and get what its terminator is given."""

    steps: list[Step]
    ops: list[Operation]
    arguments: list[int]
    operands: list[int]
    defined: list[int]
    """The registers of the results of its ops."""

    def run(self, frame: Frame, values: Sequence[Value] = ()) -> list[Value]:
        registers = frame.registers
        for register, value in zip(self.arguments, values, strict=True):
            registers[register] = value
        position = 0
        try:
            for step in self.steps:
                step(frame)
                position += 1
        except ExecutionError as error:
            raise error.at(self.ops[position], frame.block.index) from None
        return [registers[register] for register in self.operands]


@dataclass
class Graph:
    """Blocks with branches between them."""

    bodies: list[Body]
    branches: list[Branch]

    def run(self, frame: Frame, values: Sequence[Value] = ()) -> list[Value]:
        """
        Always runs the earliest block that threads wait at, so that those that went different
        ways meet again where the ways do.
        """
        state = frame.block
        threads = state.threads
        entered = state.active
        place = np.full(threads, len(self.bodies), np.int64)
        place[... if entered is None else entered] = 0
        for register, value in zip(self.bodies[0].arguments, values, strict=True):
            frame.registers[register] = value
        results: list[Value] | None = None
        while (number := int(place.min())) < len(self.bodies):
            here = place == number
            state.active = None if here.all() else here
            branch = self.branches[number]
            operands = self._run_body(frame, self.bodies[number], here)
            if branch.leaves:
                results = operands if results is None else _merged(here, operands, results)
                place[here] = len(self.bodies)
                continue
            chosen = branch.choose(operands, threads)
            for position, target in enumerate(branch.targets):
                going = here & (chosen == position)
                if going.any():
                    self._enter(frame, target, [operands[i] for i in target.operands], going)
                    place[going] = target.body
        state.active = entered
        return results or []

    def _run_body(self, frame: Frame, body: Body, here: Mask) -> list[Value]:
        """Runs a block for some threads; what it defines stays as it was for the others."""
        registers = frame.registers
        arguments = [registers[register] for register in body.arguments]
        if frame.block.active is None:
            return body.run(frame, arguments)
        before = [registers[register] for register in body.defined]
        body.run(frame, arguments)
        for register, value in zip(body.defined, before, strict=True):
            registers[register] = merge(here, registers[register], value)
        return [registers[register] for register in body.operands]

    def _enter(self, frame: Frame, target: Target, values: list[Value], going: Mask) -> None:
        registers = frame.registers
        arguments = self.bodies[target.body].arguments
        everyone = bool(going.all())
        for register, value in zip(arguments, values, strict=True):
            registers[register] = value if everyone else merge(going, value, registers[register])


def _merged(mask: Mask, new: list[Value], old: list[Value]) -> list[Value]:
    return [merge(mask, a, b) for a, b in zip(new, old, strict=True)]


@dataclass(frozen=True)
class Target:
    """A block that a branch can go to, and which of its operands that block is given."""

    body: int
    operands: list[int]


@dataclass(frozen=True)
class Branch:
    """How a block ends: by leaving the region, or by going to one of some blocks."""

    targets: list[Target]
    cases: list[int] | None = None
    """The values of a switch that stand for the targets from the second on."""

    @property
    def leaves(self) -> bool:
        return not self.targets

    def choose(self, operands: list[Value], threads: int) -> Value:
        """The number of the target of each thread."""
        if len(self.targets) == 1 and self.cases is None:
            return np.zeros(threads, np.int64)
        flag = full(operands[0], threads)
        if self.cases is None:
            return np.where(flag, 0, 1)
        chosen = np.zeros(threads, np.int64)
        for position, case in enumerate(self.cases):
            chosen[flag == case] = position + 1
        return chosen


@dataclass
class Program:
    """Binds the bodies of one function, and numbers its values."""

    registers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    guards_products: bool = False
    """Whether there are results of products that may not be used before a wait."""

    def register(self, value: SSAValue) -> int:
        """The number of the register of a value."""
        return self.registers.setdefault(value, len(self.registers))

    def all(self, values: Sequence[SSAValue]) -> list[int]:
        """The numbers of the registers of values."""
        return [self.register(value) for value in values]

    def bind_region(self, region: Region) -> Body | Graph | None:
        """The blocks of a region; `None` if there is none."""
        if not region.blocks:
            return None
        if len(region.blocks) == 1:
            return self.bind_block(region.block)
        numbers = {block: number for number, block in enumerate(_in_order(region))}
        return Graph(
            [self.bind_block(block) for block in numbers],
            [_branch_of(block.last_op, numbers) for block in numbers],
        )

    def bind_block(self, block: Block) -> Body:
        """The ops of a block up to its terminator."""
        body = Body([], [], self.all(block.args), [], [])
        for op in block.ops:
            if op.name in TERMINATORS:
                body.operands = self.all(op.operands)
                break
            body.steps.append(self.bind(op))
            body.ops.append(op)
            body.defined += self.all(op.results)
        return body

    def bind(self, op: Operation) -> Step:
        """The step of an op."""
        step = self._bind(op)
        if self.guards_products and op.operands and not op.regions and op.name not in MOVES:
            return guarded(step, self.all(op.operands))
        return step

    def _bind(self, op: Operation) -> Step:
        binder = BINDERS.get(op.name)
        if binder is None:
            raise ExecutionError(f"'{op.name}' cannot be run on the CPU", op)
        try:
            bound = binder(op, self)
        except ExecutionError as error:
            raise ExecutionError(error.message, error.op or op) from None
        if isinstance(bound, Direct):
            return bound.step
        operands, results = self.all(op.operands), self.all(op.results)
        if isinstance(bound, InBlock):
            return make_step_in_block(bound.function, operands, results)
        return make_step(bound, operands, results)


def _in_order(region: Region) -> list[Block]:
    """Blocks in an order in which those after a branch come behind it, except for loops."""
    seen: set[Block] = set()
    order: list[Block] = []
    stack: list[tuple[Block, int]] = [(region.blocks[0], 0)]
    seen.add(region.blocks[0])
    while stack:
        block, position = stack.pop()
        successors = () if block.last_op is None else block.last_op.successors
        if position < len(successors):
            stack.append((block, position + 1))
            following = successors[len(successors) - 1 - position]
            if following not in seen:
                seen.add(following)
                stack.append((following, 0))
        else:
            order.append(block)
    return order[::-1]


def _branch_of(op: Operation | None, numbers: dict[Block, int]) -> Branch:
    if op is None or op.name not in BRANCHES:
        return Branch([])
    if op.name in ("cf.br", "llvm.br"):
        return Branch([Target(numbers[op.successors[0]], list(range(len(op.operands))))])
    sizes = integers_of(op, "operandSegmentSizes")
    cases: list[int] | None = None
    if op.name.endswith("switch"):
        cases = integers_of(op, "case_values") if property_of(op, "case_values") else []
        sizes = [1, sizes[1], *integers_of(op, "case_operand_segments")]
    targets: list[Target] = []
    at = 1
    for block, size in zip(op.successors, sizes[1:], strict=True):
        targets.append(Target(numbers[block], list(range(at, at + size))))
        at += size
    return Branch(targets, cases)
