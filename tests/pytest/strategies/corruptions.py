"""
Damage to modules: what no text of a front end says, but the generic form can.

The results print in the generic form only. Where damaged text is mostly refused by the parser,
damaged modules get as far as the verifier.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, UnitAttr, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects.cuda_tile import TileType

from .attributes import attributes
from .draws import Draws
from .types import any_types, fits

Corruption: TypeAlias = Callable[[Draws, Operation, Sequence[Operation]], None]
"""Damages the op, one of the ops of a module."""


def _values(ops: Sequence[Operation]) -> list[SSAValue]:
    blocks = (block for op in ops for region in op.regions for block in region.blocks)
    arguments = (argument for block in blocks for argument in block.args)
    return [*(result for op in ops for result in op.results), *arguments]


def _properties(draws: Draws) -> Attribute:
    """A value for a property, mostly one of the kinds that properties have."""
    return draws.choose(
        (
            IntegerAttr(draws.choose((-1, 0, 1, 5, 77, 2**31 - 1)), i32),
            IntegerAttr(draws.choose((-1, 0, 3, 2**62, 2**63 - 1)), i64),
            DenseArrayBase.from_list(i32, [draws.integer(-1, 4) for _ in range(4)]),
            UnitAttr(),
            attributes(draws),
            attributes(draws),
        )
    )


def replace_operand(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    if op.operands:
        index = draws.integer(0, len(op.operands) - 1)
        op.operands[index] = draws.choose(_values(ops))


def drop_operand(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    if op.operands:
        operands = list(op.operands)
        del operands[draws.integer(0, len(operands) - 1)]
        op.operands = operands


def add_operand(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    if values := _values(ops):
        operands = list(op.operands)
        operands.insert(draws.integer(0, len(operands)), draws.choose(values))
        op.operands = operands


def change_type(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    """Another type for a value, everywhere it is used."""
    if not (values := _values(ops)):
        return
    value = draws.choose(values)
    ty = value.type
    if isinstance(ty, TileType) and draws.flag(70):
        element = draws.choose((i32, ty.element_type))
        shape = draws.choose(((), (2,), (1, 4), (1, *ty.get_shape()), ty.get_shape()[1:]))
        ty = TileType(element, shape) if fits(element, shape) else TileType(i32)
    else:
        ty = any_types(draws)
    value._type = ty  # pyright: ignore[reportPrivateUsage]


def drop_property(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    if op.properties:
        del op.properties[draws.choose(tuple(op.properties))]


def change_property(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    if op.properties:
        op.properties[draws.choose(tuple(op.properties))] = _properties(draws)


def swap_property(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    """The value that another op has for a property of the same name."""
    if op.properties:
        name = draws.choose(tuple(op.properties))
        others = [other.properties[name] for other in ops if name in other.properties]
        op.properties[name] = draws.choose(others)


def add_property(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    names = ("nonsense", "token", "mode", "optimization_hints", "flush_to_zero", "inbounds")
    op.properties[draws.choose(names)] = _properties(draws)


def erase(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    if op.parent is not None and not any(result.first_use for result in op.results):
        op.detach()
        op.erase()


def duplicate(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    if op.parent is not None:
        op.parent.insert_op_before(op.clone(), op)


def move(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    """To the end of some block, not inside of itself."""
    blocks = [block for other in ops for region in other.regions for block in region.blocks]
    block = draws.choose(blocks)
    if op.parent is not None and not op.is_ancestor(block):
        op.detach()
        block.add_op(op)


def add_argument(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    if op.regions and (block := op.regions[0].first_block) is not None:
        block.insert_arg(any_types(draws), draws.integer(0, len(block.args)))


def add_block(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    if op.regions:
        draws.choose(op.regions).add_block(Block())


def add_region(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    op.add_region(Region(Block()) if draws.flag() else Region())


def drop_results(draws: Draws, op: Operation, ops: Sequence[Operation]) -> None:
    if op.results and not any(result.first_use for result in op.results):
        op.results = type(op.results)(op.results[:-1])


CORRUPTIONS: tuple[Corruption, ...] = (
    *(replace_operand, replace_operand, drop_operand, add_operand),
    *(change_type, change_type, drop_results),
    *(drop_property, change_property, change_property, swap_property, add_property),
    *(erase, duplicate, move, add_argument, add_block, add_region),
)


def corrupt(draws: Draws, module: ModuleOp) -> None:
    """Damages one or two ops of `module`."""
    for _ in range(draws.choose((1, 1, 1, 2))):
        if ops := [op for op in module.walk() if op is not module]:
            draws.choose(CORRUPTIONS)(draws, draws.choose(ops), ops)
