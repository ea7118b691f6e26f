"""
Provenance of ops. Each op of the input module gets a *mark*, a small number in its location: every
conversion gives new ops the location of the op that they are generated for.

    loc("softmax.py":12:8)    becomes    loc("marks 7"("softmax.py":12:8))

Three things are added that locations alone do not tell. The marks of an op that a pass folded away
go to the value that replaced it, for example when `cse` finds its equal: remaining users tell which
one it is. The marks of a loop or branch that was lowered to `cf` go to the branches beside its
former body. And other ops without a location get the marks of the nearest op.

Branches have numbers, too, when ops on tiles become those of threads, where no `scf.if` stays:

    loc("marks 7 within 2 5"("softmax.py":12:8))        in branch 5, which is in branch 2
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, cast

from xdsl.dialects.builtin import LocationAttr, ModuleOp, NameLoc, StringAttr
from xdsl.dialects.scf import IfOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileiras_xdsl.xdsl_extras.walking import walk

Marks = tuple[int, ...]
"""In rising order."""

Branches = tuple[int, ...]
"""The numbers of branches around an op, from the outermost."""

Place = tuple[Marks, Branches]

NOWHERE: Final[Place] = ((), ())

_PREFIX: Final = "marks "
_WITHIN: Final = " within "


def get_marks(op: Operation) -> Marks:
    """The marks of the ops that an op came from; none if nobody knows."""
    location = op.location
    return marks_of_name(location.desc.data) if isinstance(location, NameLoc) else ()


def marks_of_name(name: str) -> Marks:
    """The marks that the name of a location stands for; none if it is not one of ours."""
    return _numbers(name[len(_PREFIX) :].partition(_WITHIN)[0]) if _is_ours(name) else ()


def get_branches(op: Operation) -> Branches:
    """The branches that an op was in, as ops on tiles, or what it came from."""
    location = op.location
    name = location.desc.data if isinstance(location, NameLoc) else ""
    return _numbers(name.partition(_WITHIN)[2]) if _is_ours(name) else ()


def place_of(op: Operation) -> Place:
    """What an op came from, and the branches that it was in."""
    return get_marks(op), get_branches(op)


def set_marks(op: Operation, marks: Iterable[int], branches: Branches | None = None) -> None:
    """Gives an op other marks, or branches as well; the rest of its location stays."""
    name = _PREFIX + " ".join(map(str, sorted(marks)))
    if within := get_branches(op) if branches is None else branches:
        name += _WITHIN + " ".join(map(str, within))
    op.location = NameLoc(StringAttr(name), get_source(op))


def _is_ours(name: str) -> bool:
    return name.startswith(_PREFIX)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def number_branches(module: ModuleOp) -> dict[Region, int]:
    """The numbers of all branches of a module."""
    ops = (op for op in walk(module) if isinstance(op, IfOp))
    return {region: number for number, region in enumerate(r for op in ops for r in op.regions)}


def mark_branches(module: ModuleOp) -> None:
    """Notes for each op of a module which branches are around it."""
    numbers = number_branches(module)
    around: dict[Operation | None, Branches] = {None: ()}
    for op in walk(module):
        within = around.get(op.parent_op(), ())
        region = op.parent_region()
        if region is not None and region in numbers:
            within = (*within, numbers[region])
        around[op] = within
        if get_branches(op) != within:
            set_marks(op, get_marks(op), within)


def get_source(op: Operation) -> LocationAttr:
    """The location of an op without marks."""
    if isinstance(op.location, NameLoc) and _is_ours(op.location.desc.data):
        return cast(LocationAttr, op.location.location)
    return op.location


class Tracker:
    """Follows the ops of a module that passes change in place."""

    def __init__(self, module: ModuleOp):
        """Gives every op its mark."""
        self._module = module
        for number, op in enumerate(walk(module)):
            set_marks(op, (number,))
        self._remember(_shapes(module))

    def follow(self) -> bool:
        """To be called after every pass; returns whether it changed anything."""
        before, after = self._shapes, _shapes(self._module)
        # Objects that are the same are equal without a look at what is in them.
        if list(before.items()) == list(after.items()):
            return False
        vanished = self._carried - _carried(after)
        if vanished:
            _keep_folded(before, after, vanished)
        unmarked = [op for op in after if not get_marks(op)]
        for find in (self._structure.find_owner, _find_jump, _find_nearest):
            for op in reversed(unmarked):
                if not get_marks(op) and (near := find(op)) is not None:
                    set_marks(op, get_marks(near), get_branches(near))
        self._remember(after)
        return True

    def _remember(self, shapes: dict[Operation, _Shape]) -> None:
        self._shapes = shapes
        self._carried = _carried(shapes)
        self._structure = _Structure(shapes)


class _Structure:
    """What was in loops and branches and before them, which may be taken apart."""

    def __init__(self, ops: Iterable[Operation]):
        self._owners: dict[Operation, Operation] = {}
        self._following: dict[Operation, Operation] = {}
        for owner in ops:
            if not owner.regions:
                continue
            if owner.prev_op is not None:
                self._following[owner.prev_op] = owner
            for region in owner.regions:
                for block in region.blocks:
                    self._owners.update(dict.fromkeys(block.ops, owner))

    def find_owner(self, op: Operation) -> Operation | None:
        """A loop or branch that is gone, of an op that is beside what was in it."""
        for near in (op.prev_op, op.next_op):
            if near is None:
                continue
            owner = self._owners.get(near)
            if owner is None or owner.parent is not None:
                owner = self._following.get(near)
            if owner is not None and owner.parent is None:
                return owner if get_marks(owner) else None
        return None


_Shape = tuple[object, ...]
"""All that makes an op what it is; its operands come first."""


def _shapes(module: ModuleOp) -> dict[Operation, _Shape]:
    return {
        op: (
            tuple(op.operands),
            op.parent,
            tuple(op.results.types),
            tuple(op.attributes.items()),
            tuple(op.properties.items()),
            tuple(op.successors),
            tuple(_argument_types(op)) if op.regions else (),
        )
        for op in walk(module)
    }


def _argument_types(op: Operation) -> Iterator[Attribute | Block]:
    for region in op.regions:
        for block in region.blocks:
            yield block
            yield from block.arg_types


def _carried(ops: Iterable[Operation]) -> set[int]:
    return {mark for op in ops for mark in get_marks(op)}


def _keep_folded(
    before: dict[Operation, _Shape], after: dict[Operation, _Shape], vanished: set[int]
) -> None:
    """Gives marks that no op has any more to the values that took the place of their ops."""
    for op, shape in after.items():
        old = cast(Sequence[SSAValue], before[op][0] if op in before else ())
        new = cast(Sequence[SSAValue], shape[0])
        if len(old) != len(new) or old == new:
            continue
        for was, now in zip(old, new, strict=True):
            if was is now or isinstance(was.owner, Block) or isinstance(now.owner, Block):
                continue
            if lost := vanished.intersection(get_marks(was.owner)):
                set_marks(now.owner, lost.union(get_marks(now.owner)))


def _find_jump(op: Operation) -> Operation | None:
    """For the end of a block, an op that jumps there."""
    block = op.parent
    if block is None or block.last_op is not op:
        return None
    jumps = (each.last_op for each in block.predecessors())
    return next((jump for jump in jumps if jump is not None and get_marks(jump)), None)


def _find_nearest(op: Operation) -> Operation | None:
    """A user, the op before or after, or the op around."""
    users = (use.operation for result in op.results for use in result.uses)
    ops = (*users, op.prev_op, op.next_op, op.parent_op())
    return next((near for near in ops if near is not None and get_marks(near)), None)
