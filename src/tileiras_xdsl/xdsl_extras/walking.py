"""Walks over ops, where xDSL's cost more than what is done on the way."""

from __future__ import annotations

from typing_extensions import TypeVar
from xdsl.ir import Operation, Region

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


_IS_OF: dict[tuple[type[Operation], ...], dict[type[Operation], bool]] = {}
"""Whether classes of ops are among some kinds: `ABCMeta.__instancecheck__` takes long to say no."""


def find_all(root: Operation | Region, *kinds: type[OpT]) -> list[OpT]:
    """The ops of some kinds in an op, itself included, in the order of a walk."""
    known = _IS_OF.setdefault(kinds, {})
    found: list[OpT] = []
    for op in walk(root):
        is_one = known.get(type(op))
        if is_one is None:
            is_one = known[type(op)] = issubclass(type(op), kinds)
        if is_one:
            found.append(op)  # pyright: ignore[reportArgumentType]
    return found
