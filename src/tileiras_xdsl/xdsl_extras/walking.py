"""
Walks over ops, where xDSL's cost more than what is done on the way, and questions about blocks and
loops that xDSL has no answer to.
"""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import TypeVar
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue

# pyright: reportPrivateUsage=false

OpT = TypeVar("OpT", bound=Operation)


def walk(root: Operation | Region) -> list[Operation]:
    """
    The ops of `root.walk()` in its order, which may be changed while one looks at them; that one
    passes every op through three generators for each level of nesting.
    """
    found: list[Operation] = []
    if isinstance(root, Region):
        _collect(root, found)
        return found
    found.append(root)
    for region in root.regions:
        _collect(region, found)
    return found


def _collect(region: Region, found: list[Operation]) -> None:
    # Properties cost as much as all else that is done with an op.
    block = region._first_block
    while block is not None:
        op = block._first_op
        while op is not None:
            found.append(op)
            if op.regions:
                for inner in op.regions:
                    _collect(inner, found)
            op = op._next_op
        block = block._next_block


def find_in_block(block: Block, *kinds: type[OpT]) -> list[OpT]:
    """The ops of some kinds in a block itself, not in their regions."""
    return [op for op in block.ops if isinstance(op, kinds)]


_IS_OF: dict[tuple[type[Operation], ...], dict[type[Operation], bool]] = {}
"""Whether classes of ops are among some kinds: `ABCMeta.__instancecheck__` takes long to say no."""


def find_all(root: Operation | Region, *kinds: type[OpT], inner_first: bool = False) -> list[OpT]:
    """
    The ops of some kinds in an op, itself included, in the order of a walk, which may have ops in
    front of those that they are in.
    """
    known = _IS_OF.setdefault(kinds, {})
    found: list[OpT] = []
    for op in root.walk(region_first=True) if inner_first else walk(root):
        is_one = known.get(type(op))
        if is_one is None:
            is_one = known[type(op)] = issubclass(type(op), kinds)
        if is_one:
            found.append(op)  # pyright: ignore[reportArgumentType]
    return found


def parents(op: Operation) -> Iterator[Operation]:
    """The ops around an op, from the inside out."""
    while (around := op.parent_op()) is not None:
        yield around
        op = around


def find_around(op: Operation, *kinds: type[OpT]) -> OpT | None:
    """The innermost op of some kinds around an op, as `getParentOfType` of MLIR."""
    return next((each for each in parents(op) if isinstance(each, kinds)), None)


def last_of(block: Block) -> Operation:
    """The last op of a block, its terminator."""
    assert block.last_op is not None
    return block.last_op


def condition_of(loop: scf.WhileOp) -> scf.ConditionOp:
    """What decides whether a loop goes on."""
    last = last_of(loop.before_region.block)
    assert isinstance(last, scf.ConditionOp)
    return last


def splat_of(elements: DenseIntOrFPElementsAttr) -> bytes | None:
    """
    The bytes of one element, if all elements have the same. What xDSL calls a splat may have zeros
    of both signs.
    """
    data, count = elements.data.data, len(elements)
    first = data[: len(data) // count] if count else b""
    return first if count and first * count == data else None


def integer_of(value: SSAValue) -> int | None:
    """What an integer is, if it is an `arith.constant`."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case _:
            return None


def ancestor_in(block: Block, op: Operation) -> Operation:
    """The op of a block that an op is, or is in."""
    found = block.find_ancestor_op_in_block(op)
    assert found is not None
    return found


def ops_between(first: Operation, last: Operation) -> list[Operation]:
    """The ops after one and in front of another in the same block."""
    found: list[Operation] = []
    op = first.next_op
    while op is not None and op is not last:
        found.append(op)
        op = op.next_op
    return found
