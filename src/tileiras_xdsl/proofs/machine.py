"""
The meaning of blocks and branches, for all values at once.

A state has the bytes of memory, the history of other effects, and whether behaviour was undefined.
The two branches of an `if` are both run, and their states and values merged by its condition; a
branch that leaves its block (by `break`, `continue` or `return`) gives an exit. Ops without a
meaning of their own are functions of their operands that the solver knows nothing about: the same
op of the same operands gives the same result, and an op with effects the same history.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from .smt import Term, z3
from .values import (
    TOKEN_BITS,
    Lane,
    Tile,
    Unsupported,
    choose,
    count_lanes,
    element_of,
    shape_of,
    width_of,
)

YIELDS = ("cuda_tile.yield", "scf.yield", "nv_tileaa.yield", "nv_tileaa.queue.yield")
"""Terminators with which a block gives values to the op around it."""

BRANCHES = ("cuda_tile.if", "scf.if")


@dataclass(frozen=True)
class State:
    """What a program has done so far."""

    undefined: Term
    memory: Term
    history: Term
    order: tuple[tuple[int, Term], ...] = ()
    """For each access, the set of accesses that tokens order before it."""

    @staticmethod
    def start() -> State:
        """The state at the start: anything may be in memory, anything may have happened."""
        byte = z3.BitVecSort(8)
        memory = z3.Array("memory", z3.BitVecSort(64), byte)
        return State(z3.BoolVal(False), memory, z3.Const("history", history_sort()))

    def fail_if(self, condition: Term) -> State:
        """Behaviour is undefined where a condition holds."""
        return replace(self, undefined=z3.Or(self.undefined, condition))


def history_sort() -> Term:
    """The sort of histories of effects."""
    return z3.DeclareSort("History")


def merge_states(condition: Term, first: State, second: State) -> State:
    """The state of one or the other branch."""
    orders = [dict(first.order), dict(second.order)]
    nothing = z3.BitVecVal(0, TOKEN_BITS)
    order = tuple(
        (event, z3.If(condition, *(each.get(event, nothing) for each in orders)))
        for event in sorted({*orders[0], *orders[1]})
    )
    return State(
        z3.If(condition, first.undefined, second.undefined),
        z3.If(condition, first.memory, second.memory),
        z3.If(condition, first.history, second.history),
        order,
    )


class Exit(NamedTuple):
    """A way out of a block."""

    condition: Term
    kind: str
    values: tuple[Tile, ...]
    types: tuple[Attribute, ...]
    state: State


class Outcome(NamedTuple):
    """All that a block does."""

    kind: Term
    """The number of the kind of exit that is taken, in `KINDS`."""
    values: dict[str, tuple[Tile, ...]]
    """What exits of each kind give."""
    types: dict[str, tuple[Attribute, ...]]
    state: State


KINDS = ("", "return", "continue", "break", "condition")
"""How blocks end; the first stands for `yield`."""


Evaluator = Callable[["Machine", Operation, Sequence[Tile]], Sequence[Tile]]
"""The results of an op; effects change the state of the machine."""

EVALUATORS: dict[str, Evaluator] = {}


def means(*names: str) -> Callable[[Evaluator], Evaluator]:
    """Registers the meaning of ops."""

    def register(evaluator: Evaluator) -> Evaluator:
        EVALUATORS.update(dict.fromkeys(names, evaluator))
        return evaluator

    return register


@dataclass
class Machine:
    """Runs a block."""

    state: State
    values: dict[SSAValue, Tile]
    outside: Callable[[SSAValue], Tile] | None = None
    """What values are that the block uses and others define."""
    exits: list[Exit] = field(default_factory=list[Exit])
    path: Term = None
    """The condition under which the block is run up to here."""

    def __post_init__(self):
        if self.path is None:
            self.path = z3.BoolVal(True)

    def get(self, value: SSAValue) -> Tile:
        """The value of an SSA value."""
        found = self.values.get(value)
        if found is None:
            if self.outside is None:
                raise Unsupported(f"{value} is not known")
            found = self.values[value] = self.outside(value)
        return found

    def run_block(self, block: Block) -> tuple[Tile, ...] | None:
        """What the block yields; nothing if it never ends with a `yield`."""
        for op in block.ops:
            if op.has_trait(IsTerminator, value_if_unregistered=False):
                values = tuple(self.get(value) for value in op.operands)
                if op.name in YIELDS:
                    return values
                types = tuple(value.type for value in op.operands)
                kind = op.name.rpartition(".")[2]
                if kind not in KINDS:
                    raise Unsupported(op.name)
                self.exits.append(Exit(self.path, kind, values, types, self.state))
                return None
            if op.name in BRANCHES:
                if not self._run_branches(op):
                    return None
            else:
                self.run_op(op)
        return ()

    def run_op(self, op: Operation) -> None:
        """Runs an op that is not a branch."""
        evaluator = EVALUATORS.get(op.name, opaque)
        operands = [self.get(value) for value in op.operands]
        for result, value in zip(op.results, evaluator(self, op, operands), strict=True):
            self.values[result] = value

    def _run_branches(self, op: Operation) -> bool:
        condition = self.get(op.operands[0]).scalar
        self.state = self.state.fail_if(condition.poison)
        holds = condition.bits == 1
        ends = [
            self._run_branch(region, holds if number == 0 else z3.Not(holds))
            for number, region in enumerate(op.regions)
        ]
        if len(ends) == 1:
            ends.append((self.state, ()))
        first, second = ends
        if first is None and second is None:
            return False
        if first is None or second is None:
            self.path = z3.And(self.path, z3.Not(holds) if first is None else holds)
            self.state, values = first or second or (self.state, ())
        else:
            self.state = merge_states(holds, first[0], second[0])
            values = [choose(holds, a, b) for a, b in zip(first[1], second[1], strict=True)]
        for result, value in zip(op.results, values, strict=True):
            self.values[result] = value
        return True

    def _run_branch(self, region: Region, condition: Term) -> tuple[State, tuple[Tile, ...]] | None:
        if not region.blocks:
            return self.state, ()
        path = z3.And(self.path, condition)
        inner = Machine(self.state, self.values, self.outside, self.exits, path)
        values = inner.run_block(region.block)
        if values is None:
            return None
        if not z3.eq(inner.path, path):
            # A branch in it leaves: only those that stay continue here.
            self.path = z3.Or(z3.And(self.path, z3.Not(condition)), inner.path)
        return inner.state, values


def run_scope(
    block: Block, arguments: Sequence[Tile], outside: Callable[[SSAValue], Tile]
) -> Outcome:
    """All that the block of a function or of the body of a loop does."""
    machine = Machine(State.start(), dict(zip(block.args, arguments, strict=True)), outside)
    values = machine.run_block(block)
    if values is not None:
        types = () if block.last_op is None else tuple(x.type for x in block.last_op.operands)
        machine.exits.append(Exit(machine.path, "", values, types, machine.state))
    return merge_exits(machine.exits)


def merge_exits(exits: Sequence[Exit]) -> Outcome:
    """The exits as one outcome. Their conditions exclude each other."""
    state = exits[-1].state
    kind = z3.BitVecVal(KINDS.index(exits[-1].kind), 8)
    for each in reversed(exits[:-1]):
        state = merge_states(each.condition, each.state, state)
        kind = z3.If(each.condition, z3.BitVecVal(KINDS.index(each.kind), 8), kind)
    values: dict[str, tuple[Tile, ...]] = {}
    types: dict[str, tuple[Attribute, ...]] = {}
    for each in reversed(exits):
        known = values.get(each.kind)
        values[each.kind] = (
            each.values
            if known is None
            else tuple(
                choose(each.condition, a, b) for a, b in zip(each.values, known, strict=True)
            )
        )
        types[each.kind] = each.types
    return Outcome(kind, values, types, state)


# Ops that the solver knows nothing about


def structural_key(op: Operation) -> tuple[str, list[SSAValue]]:
    """What an op is, apart from the values that it uses; and these values."""
    numbers: dict[SSAValue, int] = {}
    used: list[SSAValue] = []
    parts: list[str] = []

    def visit(each: Operation) -> None:
        operands: list[str] = []
        for operand in each.operands:
            if operand in numbers:
                operands.append(f"%{numbers[operand]}")
            else:
                if operand not in used:
                    used.append(operand)
                operands.append(f"${used.index(operand)}")
        attributes = sorted(
            f"{name}={value}"
            for name, value in (*each.properties.items(), *each.attributes.items())
            if name != EVENT
        )
        types = ",".join(str(ty) for ty in each.result_types)
        parts.append(f"{each.name}({','.join(operands)}){attributes}->{types}")
        for result in each.results:
            numbers[result] = len(numbers)
        for region in each.regions:
            parts.append("{")
            for block in region.blocks:
                for argument in block.args:
                    numbers[argument] = len(numbers)
                for inner in block.ops:
                    visit(inner)
            parts.append("}")

    visit(op)
    return ";".join(parts), used


EVENT = "proofs.event"
"""The attribute that numbers accesses, so that they are known again after a rewrite."""


def opaque(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    """The results of an op of which nothing is known. Effects of poison are undefined."""
    key, used = structural_key(op)
    lanes = [lane for value in used for lane in machine.get(value).lanes]
    # Of poison nothing is known, and it has no bits that would tell one from another.
    arguments = [
        lane.bits
        if z3.is_false(lane.poison)
        else z3.If(lane.poison, z3.BitVecVal(0, lane.bits.size()), lane.bits)
        for lane in lanes
    ]
    poison = z3.Or(*(lane.poison for lane in lanes)) if lanes else z3.BoolVal(False)
    is_pure = is_side_effect_free(op)
    history = machine.state.history
    if not is_pure:
        machine.state = machine.state.fail_if(poison)
        arguments += [history, machine.state.memory]
        byte = z3.BitVecSort(8)
        memory_sort = z3.ArraySort(z3.BitVecSort(64), byte)
        machine.state = replace(
            machine.state,
            history=apply_unknown(f"history:{key}", arguments, history_sort()),
            memory=apply_unknown(f"memory:{key}", arguments, memory_sort),
        )
        poison = z3.BoolVal(False)
    results: list[Tile] = []
    for index, result in enumerate(op.results):
        width = width_of(element_of(result.type))
        places = range(count_lanes(result.type))
        results.append(
            Tile(
                shape_of(result.type),
                tuple(
                    Lane(
                        apply_unknown(f"{index}.{place}:{key}", arguments, z3.BitVecSort(width)),
                        poison,
                    )
                    for place in places
                ),
            )
        )
    return results


def apply_unknown(name: str, arguments: Sequence[Term], sort: Term) -> Term:
    """A function of the arguments, of which only its name is known."""
    if not arguments:
        return z3.Const(name, sort)
    return z3.Function(name, *(each.sort() for each in arguments), sort)(*arguments)


def add_effect(machine: Machine, name: str) -> None:
    """Adds an effect other than on memory to the history."""
    history = apply_unknown(name, [machine.state.history], history_sort())
    machine.state = replace(machine.state, history=history)


@means("nv_tileaa.queue.get", "nv_tileaa.pragma")
def _run_body(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    """An op that yields what its region computes, after an effect that its attributes name."""
    attributes = sorted(
        f"{name}={value}"
        for name, value in (*op.properties.items(), *op.attributes.items())
        if name != "payload_results"
    )
    add_effect(machine, f"{op.name} {attributes}")
    inner = Machine(machine.state, machine.values, machine.outside, machine.exits, machine.path)
    values = inner.run_block(op.regions[0].block)
    if values is None:
        raise Unsupported("a region that does not yield")
    machine.state, machine.path = inner.state, inner.path
    return values
