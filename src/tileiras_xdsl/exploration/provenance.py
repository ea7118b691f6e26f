"""
Provenance of ops. Each op of the input module gets a *mark*, a small number in its location: every
conversion gives new ops the location of the op that they are generated for.

    loc("softmax.py":12:8)    becomes    loc("marks 7"("softmax.py":12:8))

Three things are added that locations alone do not tell. The marks of an op that a pass folded away
go to the value that replaced it, for example when `cse` finds its equal: remaining users tell which
one it is. The marks of a loop or branch that was lowered to `cf` go to the branches beside its
former body. And other ops without a location get the marks of the nearest op.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, cast

from xdsl.dialects.builtin import LocationAttr, ModuleOp, NameLoc, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.xdsl_extras.walking import walk

Marks = tuple[int, ...]
"""In rising order."""

_PREFIX: Final = "marks "


def get_marks(op: Operation) -> Marks:
    """The marks of the ops that an op came from; none if nobody knows."""
    location = op.location
    return marks_of_name(location.desc.data) if isinstance(location, NameLoc) else ()


def marks_of_name(name: str) -> Marks:
    """The marks that the name of a location stands for; none if it is not one of ours."""
    return tuple(map(int, name[len(_PREFIX) :].split())) if name.startswith(_PREFIX) else ()


def set_marks(op: Operation, marks: Iterable[int]) -> None:
    """Gives an op other marks; the rest of its location stays."""
    name = _PREFIX + " ".join(map(str, sorted(marks)))
    op.location = NameLoc(StringAttr(name), get_source(op))


def get_source(op: Operation) -> LocationAttr:
    """The location of an op without marks."""
    if isinstance(op.location, NameLoc) and op.location.desc.data.startswith(_PREFIX):
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
        for find in (self._structure.find_marks, _marks_of_jumps, _nearest_marks):
            for op in reversed(unmarked):
                if not get_marks(op) and (marks := find(op)):
                    set_marks(op, marks)
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

    def find_marks(self, op: Operation) -> Marks:
        """Those of a loop or branch that is gone, of an op that is beside what was in it."""
        for near in (op.prev_op, op.next_op):
            if near is None:
                continue
            owner = self._owners.get(near)
            if owner is None or owner.parent is not None:
                owner = self._following.get(near)
            if owner is not None and owner.parent is None:
                return get_marks(owner)
        return ()


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


def _marks_of_jumps(op: Operation) -> Marks:
    """For the end of a block, those of an op that jumps there."""
    block = op.parent
    if block is None or block.last_op is not op:
        return ()
    jumps = (each.last_op for each in block.predecessors())
    return next((marks for jump in jumps if jump is not None and (marks := get_marks(jump))), ())


def _nearest_marks(op: Operation) -> Marks:
    """Those of a user, of the op before or after, or of the op around."""
    users = (use.operation for result in op.results for use in result.uses)
    for near in (*users, op.prev_op, op.next_op, op.parent_op()):
        if near is not None and (marks := get_marks(near)):
            return marks
    return ()
