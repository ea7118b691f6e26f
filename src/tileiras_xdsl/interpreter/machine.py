"""
How programs are run: bodies are bound once, then executed.

xDSL's interpreter looks up an implementation for each op each time it is met. Here a
*binder* is called once for each op of a body: it reads attributes and types, and returns a
function of the operands' values, or, for ops with regions, a step that works on the frame
itself. A bound body is a list of such steps over numbered registers.

    @binds(AddIOp)
    def bind_addi(op, program):
        element = element_of(op.result.type)
        return lambda a, b: numerics.addi(element, a, b)

One file for each dialect registers its binders. Values: NumPy arrays (of rank 0 for scalars)
for tiles and tensors, addresses in them for pointers, and objects for views and tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from typing_extensions import TypeVar
from xdsl.ir import Block, Operation, Region, SSAValue

from .errors import ExecutionError
from .steps import make_step, make_step_in_block

if TYPE_CHECKING:
    from .blocks import BlockState

Value: TypeAlias = Any
"""What an SSA value is at run time."""


class Exit(Enum):
    """How control leaves a body."""

    YIELD = auto()
    CONTINUE = auto()
    BREAK = auto()
    RETURN = auto()
    CONDITION = auto()


class Signal(NamedTuple):
    """A body was left, with these values."""

    exit: Exit
    values: list[Value]


class Frame:
    """The registers of one run of a function, and the block of the grid it runs in."""

    __slots__ = ("block", "registers")

    def __init__(self, size: int, block: BlockState):
        self.registers: list[Value] = [None] * size
        self.block = block


Function: TypeAlias = Callable[..., Value]
"""Values of the operands to that of the result; a tuple if there are several, or none."""
Step: TypeAlias = Callable[[Frame], Signal | None]
Guard: TypeAlias = Callable[..., None]
"""Looks at the block of the grid and the values of the operands of an op before it."""


@dataclass(frozen=True)
class Direct:
    """What a binder returns if it works on the frame instead of on operand values."""

    step: Step


@dataclass(frozen=True)
class InBlock:
    """What a binder returns if its function takes the block of the grid first."""

    function: Function


OpT = TypeVar("OpT", bound=Operation)
FoundT = TypeVar("FoundT")
Binder: TypeAlias = Callable[[Any, "Program"], "Function | Direct | InBlock"]

BINDERS: dict[type[Operation], Binder] = {}
TERMINATORS: dict[type[Operation], Exit] = {}


def find(table: Mapping[type[Operation], FoundT], op: Operation) -> FoundT | None:
    """What is registered for an op, or for the op of xDSL that ours is in the place of."""
    for op_class in type(op).__mro__:
        if (found := table.get(op_class)) is not None:
            return found
    return None


def binds(*op_classes: type[Operation]) -> Callable[[Binder], Binder]:
    """Registers the binder of some ops."""

    def register(binder: Binder) -> Binder:
        for op_class in op_classes:
            assert op_class not in BINDERS, f"{op_class.name} has a binder already"
            BINDERS[op_class] = binder
        return binder

    return register


@dataclass
class Body:
    """A block, bound: run it with its arguments."""

    steps: list[Step]
    arguments: list[int]
    exit: Exit
    operands: list[int]

    def run(self, frame: Frame, values: Sequence[Value] = ()) -> Signal:
        registers = frame.registers
        for register, value in zip(self.arguments, values, strict=True):
            registers[register] = value
        for step in self.steps:
            signal = step(frame)
            if signal is not None:
                return signal
        return Signal(self.exit, [registers[register] for register in self.operands])


@dataclass
class Program:
    """Binds the bodies of one function, and numbers its values."""

    registers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    guard_of: Callable[[Operation], Guard | None] | None = None
    """The checks of values before an op, if any are asked for."""

    def register(self, value: SSAValue) -> int:
        """The number of the register of a value."""
        return self.registers.setdefault(value, len(self.registers))

    def all(self, values: Sequence[SSAValue]) -> list[int]:
        return [self.register(value) for value in values]

    def bind_region(self, region: Region) -> Body | None:
        """The only block of a region; `None` if there is none."""
        return self.bind_block(region.block) if region.blocks else None

    def bind_block(self, block: Block) -> Body:
        arguments = self.all(block.args)
        steps: list[Step] = []
        for op in block.ops:
            exit = find(TERMINATORS, op)
            if exit is not None:
                return Body(steps, arguments, exit, self.all(op.operands))
            steps.append(self.bind(op))
        raise ExecutionError(f"a block of '{block.parent_op()}' has no terminator")

    def bind(self, op: Operation) -> Step:
        """The step of an op, after its guard."""
        step = self._bind(op)
        guard = None if self.guard_of is None else self.guard_of(op)
        return step if guard is None else _guarded(guard, self.all(op.operands), step)

    def _bind(self, op: Operation) -> Step:
        binder = find(BINDERS, op)
        if binder is None:
            raise ExecutionError(f"'{op.name}' cannot be run on the CPU", op)
        bound = binder(op, self)
        if isinstance(bound, Direct):
            return bound.step
        operands, results = self.all(op.operands), self.all(op.results)
        if isinstance(bound, InBlock):
            return make_step_in_block(bound.function, operands, results)
        return make_step(bound, operands, results)


def _guarded(guard: Guard, operands: list[int], step: Step) -> Step:
    def guarded(frame: Frame) -> Signal | None:
        registers = frame.registers
        guard(frame.block, *[registers[operand] for operand in operands])
        return step(frame)

    return guarded
