"""
The meaning of blocks and branches, for all values at once.

A value is a tile of terms. A state has the bytes of memory, the history of other effects, and
whether behaviour was undefined.
The two branches of an `if` are both run, and their states and values merged by its condition; a
branch that leaves its block (by `break`, `continue` or `return`) gives an exit. Ops without a
meaning of their own are functions of their operands that the solver knows nothing about: the same
op of the same operands gives the same result, and an op with effects the same history.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType, IntegerType, TensorType, VectorType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.cuda_tile.types import PtrType, TileType, is_float
from tileiras_xdsl.dialects.nv_tileaa.attributes import is_pointer

from .smt import Term, z3

# Tiles of terms: the value of an SSA value, for all inputs at once.


POINTER_BITS = 64
MAX_LANES = 64
"""Larger tiles are not translated: what holds for a few lanes holds for many."""

TOKEN_BITS = 16
"""A token is the set of the accesses before it, of this many."""


HANDLES = ("nv_tileaa.queue",)
"""Types whose values are passed on and nothing else."""


class Unsupported(Exception):
    """There is no translation."""


class Lane(NamedTuple):
    """An element: its bits, and whether it is poison."""

    bits: Term
    poison: Term


class Tile(NamedTuple):
    """The elements of a scalar (of rank 0), tile, tensor or vector, row-major."""

    shape: tuple[int, ...]
    lanes: tuple[Lane, ...]

    @property
    def scalar(self) -> Lane:
        """The only element."""
        assert len(self.lanes) == 1
        return self.lanes[0]

    def map(self, function: Callable[[Lane], Lane]) -> Tile:
        """A function of each element."""
        return Tile(self.shape, tuple(map(function, self.lanes)))

    def pick(self, shape: Sequence[int], places: Sequence[int]) -> Tile:
        """The elements of these places in another shape."""
        return Tile(tuple(shape), tuple(self.lanes[place] for place in places))


def shape_of(ty: Attribute) -> tuple[int, ...]:
    """The shape of a type; a scalar has rank 0."""
    return ty.get_shape() if isinstance(ty, TileType | TensorType | VectorType) else ()


def element_of(ty: Attribute) -> Attribute:
    """The element type; a scalar is its own."""
    is_tile = isinstance(ty, TileType | TensorType | VectorType)
    return ty.get_element_type() if is_tile else ty


def is_token(ty: Attribute) -> bool:
    """Whether a type is that of memory tokens, of either dialect."""
    return ty.name in ("cuda_tile.token", "nv_tileaa.mem_token")


def width_of(element: Attribute) -> int:
    """The bits of an element, or of a token."""
    if isinstance(element, IntegerType):
        return element.width.data
    if isinstance(element, IndexType | LLVMPointerType | PtrType) or is_pointer(element):
        return POINTER_BITS
    if is_float(element):
        return element_bit_width(element)
    if is_token(element):
        return TOKEN_BITS
    if element.name in HANDLES:
        return POINTER_BITS
    raise Unsupported(f"type {element}")


def count_lanes(ty: Attribute) -> int:
    """The elements of a type, unless there are too many."""
    count = prod(shape_of(ty))
    if count > MAX_LANES:
        raise Unsupported(f"{count} elements")
    return count


def constant(bits: int, width: int) -> Lane:
    """An element that is known."""
    return Lane(z3.BitVecVal(bits, width), z3.BoolVal(False))


def unknown(ty: Attribute, name: str, *, may_be_poison: bool = True) -> Tile:
    """Any value of a type."""
    width = width_of(element_of(ty))
    may_be_poison = may_be_poison and not is_token(ty)
    lanes = tuple(
        Lane(
            z3.BitVec(f"{name}[{number}]", width),
            z3.Bool(f"{name}[{number}] is poison") if may_be_poison else z3.BoolVal(False),
        )
        for number in range(count_lanes(ty))
    )
    return Tile(shape_of(ty), lanes)


def splat(lane: Lane, ty: Attribute) -> Tile:
    """A tile whose elements are one."""
    return Tile(shape_of(ty), (lane,) * count_lanes(ty))


def choose(condition: Term, first: Tile, second: Tile) -> Tile:
    """One of two tiles of a type."""
    lanes = tuple(
        Lane(z3.If(condition, a.bits, b.bits), z3.If(condition, a.poison, b.poison))
        for a, b in zip(first.lanes, second.lanes, strict=True)
    )
    return Tile(first.shape, lanes)


def elementwise(function: Callable[..., Lane], *tiles: Tile) -> Tile:
    """A function of elements at the same place; scalars belong to each of them."""
    shape = max((tile.shape for tile in tiles), key=len)
    count = max(len(tile.lanes) for tile in tiles)
    spread = [tile.lanes * (count if len(tile.lanes) == 1 else 1) for tile in tiles]
    return Tile(shape, tuple(function(*lanes) for lanes in zip(*spread, strict=True)))


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


def of_lanes(*names: str) -> Callable[[Callable[..., Lane]], Callable[..., Lane]]:
    """Registers ops whose elements are a function of the op and of its operands' elements."""

    def register(function: Callable[..., Lane]) -> Callable[..., Lane]:
        @means(*names)
        def _(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
            return [elementwise(partial(function, op), *operands)]

        return function

    return register


def of_bits(*names: str) -> Callable[[Callable[..., Term]], Callable[..., Term]]:
    """The same for functions of bits: an element is poison where one of an operand is."""

    def register(function: Callable[..., Term]) -> Callable[..., Term]:
        @of_lanes(*names)
        def _(op: Operation, *lanes: Lane) -> Lane:
            return strict(partial(function, op))(*lanes)

        return function

    return register


def strict(function: Callable[..., Term]) -> Callable[..., Lane]:
    """A function of bits that is poison where an operand is."""

    def apply(*lanes: Lane) -> Lane:
        return Lane(function(*(lane.bits for lane in lanes)), z3.Or(*(x.poison for x in lanes)))

    return apply


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
