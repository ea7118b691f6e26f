"""
Early exits in structured control flow.

A block of `cuda_tile` may be left in several ways: by `yield` to the op after its `if`, by
`continue` and `break` to a loop around it, by `return`. A block of `scf` has one terminator, with a
fixed list of values. An `ExitFrame` has that list, its values for each kind of exit (`ub.poison`
where a value is not needed), and the terminator.

    loop body            keep going?, carried values, results [, returned?]     scf.condition
    arm of an if         the same as the block around the if                    scf.yield
    arm with a rest      falls through?, the same, results of the if            scf.yield
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.xdsl_extras.dialect_conversion import ConversionError, ConversionRewriter


class ExitKind(Enum):
    """A way to leave a block."""

    YIELD = auto()
    CONTINUE = auto()
    BREAK = auto()
    RETURN = auto()


EXITS: dict[type[Operation], ExitKind] = {
    ct.YieldOp: ExitKind.YIELD,
    ct.ContinueOp: ExitKind.CONTINUE,
    ct.BreakOp: ExitKind.BREAK,
    ct.ReturnOp: ExitKind.RETURN,
}


def get_exits(block: Block) -> set[ExitKind]:
    """The ways in which control may leave a block."""
    exits = set[ExitKind]()
    for op in block.ops:
        if isinstance(op, ct.IfOp):
            inner = get_if_exits(op)
            exits |= inner - {ExitKind.YIELD}
            if ExitKind.YIELD not in inner:
                return exits
        elif isinstance(op, ct.LoopOp):
            exits |= get_exits(op.body.block) & {ExitKind.RETURN}
        elif (exit_kind := EXITS.get(type(op))) is not None:
            exits.add(exit_kind)
    return exits


def get_if_exits(op: ct.IfOp) -> set[ExitKind]:
    """The ways in which control may leave an `if`."""
    exits = get_exits(op.then_region.block)
    return exits | (get_exits(op.else_region.block) if op.has_else else {ExitKind.YIELD})


Slot = SSAValue | Attribute | bool
"""A value, a constant i1, or the type of a poison value."""


class ExitFrame(ABC):
    """The terminator of a block and its operands."""

    types: Sequence[Attribute]

    @abstractmethod
    def slots(self, exit_kind: ExitKind, values: Sequence[SSAValue]) -> list[Slot]:
        """The operands of the terminator for a kind of exit with these values."""

    def terminator(self, values: Sequence[SSAValue], rewriter: ConversionRewriter) -> Operation:
        """The op that ends the block."""
        return scf.YieldOp(*values)

    def end(self, rewriter: ConversionRewriter, slots: Sequence[Slot]) -> None:
        """Ends the block that is being converted."""
        values = [materialize(slot, rewriter) for slot in slots]
        rewriter.insert(self.terminator(values, rewriter))


def materialize(slot: Slot, rewriter: ConversionRewriter) -> SSAValue:
    """The value of a slot."""
    if isinstance(slot, bool):
        return rewriter.insert(arith.ConstantOp(IntegerAttr.from_bool(slot))).result
    if isinstance(slot, SSAValue):
        return slot
    return rewriter.insert(PoisonOp(slot)).result


def _unexpected(exit_kind: ExitKind) -> ConversionError:
    return ConversionError(f"leaves a region that cannot be left by {exit_kind.name.lower()}")


@dataclass
class SingleExitFrame(ExitFrame):
    """
    A block with one kind of exit: the body of a function, a reduction, a scan or a counted loop,
    and an arm of an `if` that only yields.
    """

    types: Sequence[Attribute]
    exit: ExitKind
    make_terminator: Callable[[Sequence[SSAValue], ConversionRewriter], Operation] | None = None
    """`scf.yield`, if there is none."""

    def slots(self, exit_kind: ExitKind, values: Sequence[SSAValue]) -> list[Slot]:
        if exit_kind is not self.exit:
            raise _unexpected(exit_kind)
        return list(values)

    def terminator(self, values: Sequence[SSAValue], rewriter: ConversionRewriter) -> Operation:
        return (self.make_terminator or super().terminator)(values, rewriter)


class LoopFrame(ExitFrame):
    """
    The body of a `loop`: whether to continue, the loop-carried values, the results; and, if there
    is a `return` inside, whether it was executed, with its values.
    """

    def __init__(
        self,
        carried: Sequence[Attribute],
        results: Sequence[Attribute],
        returned: Sequence[Attribute] | None,
    ):
        self.carried, self.results, self.returned = carried, results, returned
        after = () if returned is None else (i1, *returned)
        self.types = (i1, *carried, *results, *after)

    def slots(self, exit_kind: ExitKind, values: Sequence[SSAValue]) -> list[Slot]:
        after: list[Slot] = [] if self.returned is None else [False, *self.returned]
        match exit_kind:
            case ExitKind.CONTINUE:
                return [True, *values, *self.results, *after]
            case ExitKind.BREAK:
                return [False, *self.carried, *values, *after]
            case ExitKind.RETURN:
                return [False, *self.carried, *self.results, True, *values]
            case ExitKind.YIELD:
                raise _unexpected(exit_kind)

    def terminator(self, values: Sequence[SSAValue], rewriter: ConversionRewriter) -> Operation:
        return scf.ConditionOp(values[0], *values[1:])


class ArmFrame(ExitFrame):
    """An arm of an `if` that is the last thing in its block: it ends as that block does."""

    def __init__(self, outer: ExitFrame):
        self.outer = outer
        self.types = outer.types

    def slots(self, exit_kind: ExitKind, values: Sequence[SSAValue]) -> list[Slot]:
        return self.outer.slots(exit_kind, values)


class SplitFrame(ExitFrame):
    """
    An arm of an `if` with a rest after it that only some paths reach: whether this one does,
    what the block ends with if not, and the results of the `if` for the rest.
    """

    def __init__(self, outer: ExitFrame, results: Sequence[Attribute]):
        self.outer, self.results = outer, results
        self.types = (i1, *outer.types, *results)

    def slots(self, exit_kind: ExitKind, values: Sequence[SSAValue]) -> list[Slot]:
        if exit_kind is ExitKind.YIELD:
            return [True, *self.outer.types, *values]
        return [False, *self.outer.slots(exit_kind, values), *self.results]
