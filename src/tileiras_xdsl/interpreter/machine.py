"""
How programs of all levels are run: bodies are bound once, then executed step by step.

xDSL's interpreter looks up an implementation for each op each time it is met. Here a *binder* is
called once for each op of a body: it reads attributes and types, and returns a function of the
operands' values; `InCta` if the function takes the CTA first; `Direct` if it is a
step that works on the frame itself, as ops with regions do. A bound body is a list of such steps
over numbered registers. Most ops need no binder of their own: their function is declared, with what
it has to know of the op by name.

    @TILES.binds(ConstantOp)
    def bind_constant(op, program):
        value = literal_of(op.value, op.result.type, program.lead)
        return lambda: value

    @THREADS.runs("nvvm.vote.sync", kind=word("kind"))
    def run_vote(cta, lanes, predicate, *, kind):
        ...

What ops do is kept in two registries: of tiles (levels 0 to 2) and of threads (levels 3 and 4).
What is the same for both, arithmetic and control flow, is registered in both. Values are NumPy
arrays, see `values`; addresses in them are pointers; views and tokens are objects, structs are
tuples, and memrefs tuples of address, sizes and strides.

Regions may have several blocks, with branches between them. Threads may go different ways, and meet
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from inspect import Parameter, signature
from operator import length_hint
from time import process_time
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from typing_extensions import TypeVar
from xdsl.ir import Block, Operation, Region, SSAValue

from .errors import ExecutionError, OutOfTimeError
from .values import Array, Mask, Reader, Value, integers_of, merge, property_of

# Branches


@dataclass
class BranchGraph:
    """Blocks with branches between them."""

    bodies: list[Body]
    branches: list[Branch]

    def run(self, frame: CallFrame, values: Sequence[Value] = ()) -> Signal:
        """
        Always runs the earliest block that threads wait at, so that those that went different
        ways meet again where the ways do.
        """
        state = frame.cta
        threads: int = state.threads
        entered: Mask | None = state.active
        place = np.full(threads, len(self.bodies), np.int64)
        place[... if entered is None else entered] = 0
        for register, value in zip(self.bodies[0].arguments, values, strict=True):
            frame.registers[register] = value
        left: Signal | None = None
        while (number := int(place.min())) < len(self.bodies):
            here = place == number
            state.active = None if here.all() else here
            branch = self.branches[number]
            signal = self._run_body(frame, self.bodies[number], here)
            operands = signal.values
            if branch.leaves:
                merged = operands if left is None else merge_all(here, operands, left.values)
                left = signal._replace(values=merged)
                place[here] = len(self.bodies)
                continue
            chosen = branch.choose(operands, threads)
            for position, target in enumerate(branch.targets):
                going = here & (chosen == position)
                if going.any():
                    self._enter(frame, target, [operands[i] for i in target.operands], going)
                    place[going] = target.body
        state.active = entered
        assert left is not None, "who enters a region leaves it"
        return left

    def _run_body(self, frame: CallFrame, body: Body, here: Mask) -> Signal:
        """Runs a block for some threads; what it defines stays as it was for the others."""
        registers = frame.registers
        arguments = [registers[register] for register in body.arguments]
        if frame.cta.active is None:
            return body.run(frame, arguments)
        before = [registers[register] for register in body.defined]
        signal = body.run(frame, arguments)
        for register, value in zip(body.defined, before, strict=True):
            registers[register] = merge(here, registers[register], value)
        return signal._replace(values=[registers[register] for register in body.operands])

    def _enter(
        self, frame: CallFrame, target: BranchTarget, values: list[Value], going: Mask
    ) -> None:
        registers = frame.registers
        arguments = self.bodies[target.body].arguments
        everyone = bool(going.all())
        for register, value in zip(arguments, values, strict=True):
            registers[register] = value if everyone else merge(going, value, registers[register])


def merge_all(mask: Mask, new: Sequence[Value], old: Sequence[Value]) -> list[Value]:
    """The new values for the threads of a mask, the old ones for the others."""
    return [merge(mask, a, b) for a, b in zip(new, old, strict=True)]


@dataclass(frozen=True)
class BranchTarget:
    """A block that a branch can go to, and which of its operands that block is given."""

    body: int
    operands: list[int]


@dataclass(frozen=True)
class Branch:
    """How a block ends: by leaving the region, or by going to one of some blocks."""

    targets: list[BranchTarget]
    cases: list[int] | None = None
    """The values of a switch that stand for the targets starting at the second."""

    @property
    def leaves(self) -> bool:
        return not self.targets

    def choose(self, operands: list[Value], threads: int) -> Array:
        """The number of the target of each thread."""
        if len(self.targets) == 1 and self.cases is None:
            return np.zeros(threads, np.int64)
        flag = np.broadcast_to(operands[0], (threads,))
        if self.cases is None:
            return np.where(flag, 0, 1)
        chosen = np.zeros(threads, np.int64)
        for position, case in enumerate(self.cases):
            chosen[flag == case] = position + 1
        return chosen


def in_order(region: Region) -> list[Block]:
    """Blocks in an order in which the targets of a branch come after it, except for loops."""
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


def branch_of(op: Operation | None, numbers: dict[Block, int]) -> Branch:
    """Where the terminator of a block goes."""
    if op is None or not op.successors:
        return Branch([])
    if op.name in ("cf.br", "llvm.br"):
        return Branch([BranchTarget(numbers[op.successors[0]], list(range(len(op.operands))))])
    sizes = integers_of(op, "operandSegmentSizes")
    cases: list[int] | None = None
    if op.name.endswith("switch"):
        cases = integers_of(op, "case_values") if property_of(op, "case_values") else []
        sizes = [1, sizes[1], *integers_of(op, "case_operand_segments")]
    targets: list[BranchTarget] = []
    at = 1
    for block, size in zip(op.successors, sizes[1:], strict=True):
        targets.append(BranchTarget(numbers[block], list(range(at, at + size))))
        at += size
    return Branch(targets, cases)


# Bodies


class BodyExit(Enum):
    """How control leaves a body."""

    YIELD = auto()
    CONTINUE = auto()
    BREAK = auto()
    RETURN = auto()
    BRANCH = auto()


class Signal(NamedTuple):
    """A body was left, with these values."""

    exit: BodyExit
    values: list[Value]


class CallFrame:
    """The registers of one run of a function, and the CTA it runs in."""

    __slots__ = ("cta", "registers")

    def __init__(self, size: int, cta: Any):
        self.registers: list[Value] = [None] * size
        self.cta = cta


Function: TypeAlias = Callable[..., Value]
"""Values of the operands to that of the result; a tuple if there are several, or none."""
Step: TypeAlias = Callable[[CallFrame], Signal | None]


@dataclass(frozen=True)
class Direct:
    """What a binder returns if it works on the frame instead of on operand values."""

    step: Step


@dataclass(frozen=True)
class InCta:
    """What a binder returns if its function takes the CTA first."""

    function: Function
    operands: Sequence[SSAValue | None] | None = None
    """Those that it takes, `None` for one that is not there; by default all of the op."""
    results: Sequence[SSAValue | None] | None = None
    """The same of what it returns."""


FunctionT = TypeVar("FunctionT", bound=Function)
Binder: TypeAlias = Callable[[Any, "BoundProgram"], Function | Direct | InCta]
OpName: TypeAlias = type[Operation] | str


def slots(op: Operation, names: str) -> list[SSAValue | None]:
    """Operands or results of an op by their names, some of which may not be there."""
    return [getattr(op, name, None) for name in names.split()]


class Registry:
    """What ops do, by their names."""

    def __init__(self, lead: tuple[int, ...]):
        self.lead = lead
        """The dimensions that values have in front, see `values`."""
        self.binders: dict[str, Binder] = {}
        self.exits: dict[str, BodyExit] = {}
        """How terminators leave their bodies."""

    def __contains__(self, name: str) -> bool:
        return name in self.binders or name in self.exits

    def __iter__(self) -> Iterator[str]:
        return iter((*self.binders, *self.exits))

    def binds(self, *ops: OpName) -> Callable[[Binder], Binder]:
        """Registers the binder of some ops."""

        def register(binder: Binder) -> Binder:
            for op in ops:
                name = op if isinstance(op, str) else op.name
                assert name not in self.binders, f"{name} has a binder already"
                self.binders[name] = binder
            return binder

        return register

    def runs(self, *ops: OpName, **readers: Reader) -> Callable[[FunctionT], FunctionT]:
        """
        Registers the function of some ops. It takes the values of the operands, after the CTA if
        its first parameter is `cta`, and by name what readers find in the op; the op itself as
        `op`.
        """

        def register(function: FunctionT) -> FunctionT:
            parameters = signature(function).parameters
            in_cta = next(iter(parameters), "") == "cta"
            named = {p.name for p in parameters.values() if p.kind is Parameter.KEYWORD_ONLY}
            known = dict(readers)
            if "op" in named:
                known["op"] = lambda op: op
            assert named == set(known), f"{function.__name__} lacks readers"

            def bind(op: Operation, program: BoundProgram) -> Function | InCta:
                bound: Function = function
                if known:
                    bound = partial(function, **{name: read(op) for name, read in known.items()})
                return InCta(bound) if in_cta else bound

            self.binds(*ops)(bind)
            return function

        return register

    def leaves(self, exit_kind: BodyExit, *ops: OpName) -> None:
        """Registers terminators."""
        self.exits.update({op if isinstance(op, str) else op.name: exit_kind for op in ops})


TILES = Registry(())
"""Levels 0 to 2: a CTA runs at once, on whole tiles."""
THREADS = Registry((1,))
"""Levels 3 and 4: all threads of a CTA run at once, or of a warp."""


def binds(*ops: OpName) -> Callable[[Binder], Binder]:
    """Registers the binder of ops that do the same at all levels."""

    def register(binder: Binder) -> Binder:
        return THREADS.binds(*ops)(TILES.binds(*ops)(binder))

    return register


def runs(*ops: OpName, **readers: Reader) -> Callable[[FunctionT], FunctionT]:
    """Registers the function of ops that do the same at all levels."""

    def register(function: FunctionT) -> FunctionT:
        return THREADS.runs(*ops, **readers)(TILES.runs(*ops, **readers)(function))

    return register


@dataclass
class Body:
    """A block of ops, bound: run it with its arguments, and get what its terminator is given."""

    arguments: list[int]
    steps: list[Step] = field(default_factory=list[Step])
    ops: list[Operation] = field(default_factory=list[Operation])
    exit: BodyExit = BodyExit.YIELD
    operands: list[int] = field(default_factory=list[int])
    defined: list[int] = field(default_factory=list[int])
    """The registers of the results of its ops."""
    deadline: float | None = None
    """When to give up, as `process_time` counts."""

    def run(self, frame: CallFrame, values: Sequence[Value] = ()) -> Signal:
        if self.deadline is not None and process_time() > self.deadline:
            raise OutOfTimeError
        registers = frame.registers
        for register, value in zip(self.arguments, values, strict=True):
            registers[register] = value
        steps = iter(self.steps)
        try:
            for step in steps:
                signal = step(frame)
                if signal is not None:
                    return signal
        except ExecutionError as error:
            op = self.ops[-1 - length_hint(steps)]
            raise error.at(op, frame.cta.index) from None
        return Signal(self.exit, [registers[register] for register in self.operands])


@dataclass
class BoundProgram:
    """Binds the bodies of one function, and numbers its values."""

    registry: Registry = TILES
    guard_of: Callable[[BoundProgram, Operation], Step | None] | None = None
    """A step in front of that of an op, which may object to the values of its operands."""
    track: Callable[[BoundProgram, Operation, Step], Step] | None = None
    """Makes another step of that of an op, which follows what is known of values."""
    registers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    deadline: float | None = None
    """When to give up, as `process_time` counts."""

    @property
    def lead(self) -> tuple[int, ...]:
        """The dimensions that values have in front."""
        return self.registry.lead

    def register(self, value: SSAValue) -> int:
        """The number of the register of a value."""
        return self.registers.setdefault(value, len(self.registers))

    def all(self, values: Sequence[SSAValue]) -> list[int]:
        """The numbers of the registers of values."""
        return [self.register(value) for value in values]

    def bind_region(self, region: Region) -> Body | BranchGraph | None:
        """The blocks of a region; `None` if there is none."""
        if not region.blocks:
            return None
        if len(region.blocks) == 1:
            return self.bind_block(region.block)
        numbers = {block: number for number, block in enumerate(in_order(region))}
        return BranchGraph(
            [self.bind_block(block) for block in numbers],
            [branch_of(block.last_op, numbers) for block in numbers],
        )

    def bind_block(self, block: Block) -> Body:
        """The ops of a block up to its terminator."""
        body = Body(self.all(block.args), deadline=self.deadline)
        for op in block.ops:
            exit_kind = self.registry.exits.get(op.name)
            if exit_kind is not None:
                body.exit, body.operands = exit_kind, self.all(op.operands)
                return body
            body.steps.append(self.bind(op))
            body.ops.append(op)
            body.defined += self.all(op.results)
        raise ExecutionError(f"a block of '{block.parent_op()}' has no terminator")

    def bind(self, op: Operation) -> Step:
        """The step of an op, after its guard."""
        step = self._bind(op)
        if self.track is not None:
            step = self.track(self, op, step)
        guard = None if self.guard_of is None else self.guard_of(self, op)
        if guard is None:
            return step

        def guarded(frame: CallFrame) -> Signal | None:
            guard(frame)
            return step(frame)

        return guarded

    def _bind(self, op: Operation) -> Step:
        binder = self.registry.binders.get(op.name)
        if binder is None:
            raise ExecutionError(f"'{op.name}' cannot be run on the CPU", op)
        try:
            bound = binder(op, self)
        except ExecutionError as error:
            raise ExecutionError(error.message, error.op or op) from None
        if isinstance(bound, Direct):
            return bound.step
        if not isinstance(bound, InCta):
            return _make_step(bound, self.all(op.operands), self.all(op.results))
        operands = op.operands if bound.operands is None else bound.operands
        results = op.results if bound.results is None else bound.results
        return _make_step_in_cta(bound.function, self._optional(operands), self._optional(results))

    def _optional(self, values: Sequence[SSAValue | None]) -> list[int | None]:
        return [None if value is None else self.register(value) for value in values]


# Steps: a function applied to registers


def _make_step(function: Function, operands: list[int], results: list[int]) -> Step:
    """A step for the usual numbers of operands and results, or for any."""
    if len(results) == 1:
        (result,) = results
        if len(operands) == 1:
            (only,) = operands

            def unary(frame: CallFrame) -> None:
                registers = frame.registers
                registers[result] = function(registers[only])

            return unary
        if len(operands) == 2:
            first, second = operands

            def binary(frame: CallFrame) -> None:
                registers = frame.registers
                registers[result] = function(registers[first], registers[second])

            return binary

    def general(frame: CallFrame) -> None:
        registers = frame.registers
        values = function(*[registers[operand] for operand in operands])
        _store(registers, results, values)

    return general


def _make_step_in_cta(
    function: Function, operands: list[int | None], results: list[int | None]
) -> Step:
    """A step that also gets the CTA."""

    def step(frame: CallFrame) -> None:
        registers = frame.registers
        values = function(
            frame.cta,
            *[None if operand is None else registers[operand] for operand in operands],
        )
        _store(registers, results, values)

    return step


def _store(registers: list[Value], results: Sequence[int | None], values: Any) -> None:
    if len(results) == 1:
        values = (values,)
    for result, value in zip(results, () if values is None else values, strict=True):
        if result is not None:
            registers[result] = value
