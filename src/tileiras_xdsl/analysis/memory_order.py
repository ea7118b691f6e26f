"""
Which memory effects may be reordered: decided here for all passes.

Every op declares its memory effects (`dialects/memory_order.py`). Two effects that follow each
other stay in order always, or if they may alias, or never have to:

    first \\ second     read      write      acquire    release    fence, grids   print   assert
    read               –         memory     –          always     always         –       –
    write              memory    memory     memory     always     always         –       always
    strong read        (*)       memory     (*)        always     always         –       –
    acquire            always    always     always     always     always         –       –
    fence, grid wait   always    always     always     always     always         –       always
    grid launch        –         –          –          always     always         –       always
    print              –         –          –          –          –              always  always
    assert             –         always     –          always     always         always  always

(*) Strong reads of the same bytes are in order: a later one never sees less than an earlier one.
An op with unknown effects is in order with all that have any. Loads may come before an `assert`,
which no token orders.

Up to `discharge-mem-tokens`, tokens say which effects are ordered at all; that pass calls
`ordering` for each pair that a token orders. As it drops the tokens it marks weak loads, so that
later passes know more than program order tells:

- `nv_tileaa.independent`: the load depends on no effect of the kernel;
- `nv_tileaa.after_grid_wait`: it depends on waits for other grids only;
- `nv_tileaa.hoistable`: it depends on no effect of the innermost loop around it;
- `nv_tileaa.invariant`: no later effect of the kernel changes the memory it reads, or lets another
  CTA do so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import Enum
from functools import partial
from itertools import chain
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsolatedFromAbove

from tileiras_xdsl.dialects.memory_order import (
    ACCESS,
    Effect,
    effects_of,
    is_plain_load,
    own_effects,
)
from tileiras_xdsl.dialects.nv_tileaa.decisions import (
    AFTER_GRID_WAIT,
    HOISTABLE,
    INDEPENDENT,
    INVARIANT,
)
from tileiras_xdsl.dialects.nv_tileaa.memory import AddPtrOp
from tileiras_xdsl.dialects.nv_tileaa.views import TileLoad
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .alias import Aliases
from .slices import reachable

_ALL: Final = Effect.FENCE | Effect.GRID_WAIT | Effect.GRID_LAUNCH
"""Effects that no earlier access may be moved below."""
_IN_ORDER: Final = ACCESS | Effect.ACQUIRE | Effect.RELEASE | _ALL
_BEHIND_ASSERTS: Final = Effect.WRITE | Effect.RELEASE | Effect.PRINT | Effect.ASSERT | _ALL


class Ordering(Enum):
    """When two effects have to stay in order."""

    FREE = "never"
    SAME_MEMORY = "if they touch the same memory"
    ALWAYS = "always"


def ordering(first: Effect, second: Effect) -> Ordering:
    """When two effects that follow each other must not be reordered."""
    if not first or not second:
        return Ordering.FREE
    if (first | second) & Effect.UNKNOWN:
        return Ordering.ALWAYS
    if first & (Effect.ACQUIRE | Effect.FENCE | Effect.GRID_WAIT) and second & _IN_ORDER:
        return Ordering.ALWAYS
    if second & (Effect.RELEASE | _ALL) and first & _IN_ORDER:
        return Ordering.ALWAYS
    if first & Effect.ASSERT and second & _BEHIND_ASSERTS:
        return Ordering.ALWAYS
    if second & Effect.ASSERT and first & _BEHIND_ASSERTS:
        return Ordering.ALWAYS
    if first & second & Effect.PRINT:
        return Ordering.ALWAYS
    if first & ACCESS and second & ACCESS:
        if (first | second) & Effect.WRITE or first & second & Effect.ATOMIC:
            return Ordering.SAME_MEMORY
    return Ordering.FREE


def function_of(op: Operation) -> Operation:
    """The kernel around an op."""
    while not op.has_trait(IsolatedFromAbove) and (parent := op.parent_op()) is not None:
        op = parent
    return op


def ops_before(op: Operation) -> Iterator[Operation]:
    """
    Ops of a kernel that may run before an op, entirely or in part: all that precede it, and the
    loops around it, whose earlier iterations do.
    """
    while (parent := op.parent_op()) is not None:
        before = op.prev_op
        while before is not None:
            yield before
            before = before.prev_op
        if parent.has_trait(IsolatedFromAbove):
            return
        if not isinstance(parent, scf.IfOp | scf.IndexSwitchOp):
            yield parent
        op = parent


def may_move_above(load: Operation, earlier: Operation) -> bool:
    """Whether a weak load may be moved above a preceding op and all that is in its regions."""
    if not is_plain_load(load):
        return False
    if INDEPENDENT.is_on(load):
        return True
    effects = effects_of(earlier)
    if AFTER_GRID_WAIT.is_on(load) and not effects & Effect.GRID_WAIT:
        return True
    return ordering(effects, Effect.READ) is Ordering.FREE


def is_independent(load: Operation) -> bool:
    """Whether a weak load may be hoisted to the start of its kernel."""
    return is_plain_load(load) and all(map(partial(may_move_above, load), ops_before(load)))


def may_be_hoisted_across(load: Operation) -> bool:
    """
    Whether a producer warp may issue a weak load arbitrarily early, once it has waited for other
    grids. Any thread can do that wait itself (`grid_waits_before`), but no thread can acquire for
    another, or see its stores without a barrier.
    """
    return is_plain_load(load) and what_holds(load) is None


def what_holds(load: Operation) -> Operation | None:
    """An op, other than waits for other grids, that a weak load must stay after; `None` if free."""
    if INDEPENDENT.is_on(load) or AFTER_GRID_WAIT.is_on(load):
        return None
    for earlier in ops_before(load):
        if _holds_loads(effects_of(earlier)):
            return next(op for op in walk(earlier) if _holds_loads(own_effects(op)))
    return None


def _holds_loads(effects: Effect) -> bool:
    return ordering(effects & ~Effect.GRID_WAIT, Effect.READ) is not Ordering.FREE


def grid_waits_before(op: Operation) -> list[Operation]:
    """The waits for other grids that may run before an op; an independent load needs none."""
    if INDEPENDENT.is_on(op):
        return []
    return [
        each
        for earlier in ops_before(op)
        for each in walk(earlier)
        if own_effects(each) & Effect.GRID_WAIT
    ]


def may_move_before(load: Operation, anchor: Operation) -> bool:
    """Whether a weak load may be moved above a preceding op of its block."""
    earlier = load.prev_op
    while earlier is not None:
        if not may_move_above(load, earlier):
            return False
        if earlier is anchor:
            return True
        earlier = earlier.prev_op
    return False


def may_be_pipelined_in(loop: Operation, load: Operation) -> bool:
    """Whether software pipelining may issue a weak load in an earlier iteration of a loop."""
    return is_plain_load(load) and (HOISTABLE.is_on(load) or may_move_above(load, loop))


def follows_loads(op: Operation) -> bool:
    """
    Whether preceding loads must complete before an op, whichever warp issued them: it may change
    what they read, or let others do so. Barriers order only the threads that take part.
    """
    effects = effects_of(op) & ~(Effect.FENCE | Effect.GRID_WAIT)
    return ordering(Effect.READ, effects) is not Ordering.FREE


class AddressValues:
    """
    The loaded values of a kernel that are scalars, or tiles that pointers are computed of: a warp
    that computes them for itself repeats the load.
    """

    def __init__(self, kernel: Operation):
        users = (op.operands for op in walk(kernel) if isinstance(op, AddPtrOp | TileLoad))
        self._tiles = set(reachable(chain.from_iterable(users), _made_of))

    def __contains__(self, value: SSAValue) -> bool:
        return not isinstance(value.type, TensorType) or value in self._tiles


def _made_of(value: SSAValue) -> Collection[SSAValue]:
    """The operands of a value's defining op, if it has neither effects nor regions."""
    op = value.owner
    if not isinstance(op, Operation) or op.regions or own_effects(op):
        return ()
    return op.operands


def is_invariant(load: Operation) -> bool:
    """
    Whether nothing in the kernel changes the memory that a load reads, or lets another CTA do so:
    then the load can be rematerialized anywhere after it.
    """
    if INVARIANT.is_on(load):
        return True
    function = function_of(load)
    aliases = Aliases(function)
    loops = find_all(function, scf.ForOp, scf.WhileOp)
    for op in walk(function):
        effects = own_effects(op)
        if effects & (Effect.RELEASE | Effect.UNKNOWN):
            return False
        if effects & Effect.WRITE and aliases.may_alias_in(load, op, loops):
            return False
    return True
