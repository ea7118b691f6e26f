"""
What operations do to memory, as they declare it: their effects, and the order these ask for.

xDSL's memory effects tell reads from writes. A GPU program needs more to know what may overtake
what: a load that acquires reads, and nothing after it may come before it. So each op with a place
in the memory order has a trait that declares its `Effect`, from which xDSL's effects follow:

    class GdcWaitOp(TokenOperation):
        traits = traits_def(WaitsForGrids())

`analysis/memory_order.py` answers questions about programs from this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Flag, auto
from functools import cache
from typing import ClassVar, Final, Self, cast

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.traits import (
    EffectInstance,
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    RecursiveMemoryEffect,
    get_effects,
)


class Effect(Flag):
    """What an op does that other ops may have to come before or after."""

    NONE = 0
    READ = auto()
    """Of memory that other threads see."""
    WRITE = auto()
    ATOMIC = auto()
    """A strong access, which is in order with other strong ones of the same bytes: relaxed or more
    by its semantic, or volatile."""
    ACQUIRE = auto()
    """What follows sees what others released."""
    RELEASE = auto()
    """What came before is seen by those who acquire."""
    FENCE = auto()
    """A barrier for all accesses of the CTA."""
    GRID_WAIT = auto()
    """Waits for the grids that this one depends on; any thread may do so for itself, and again."""
    GRID_LAUNCH = auto()
    """Lets the grids start that depend on this one."""
    PRINT = auto()
    ASSERT = auto()
    """May end the program."""
    UNKNOWN = auto()
    """Anything."""

    # Those of `Flag` find a member anew each time, which takes five times as long.

    def __or__(self, other: Self) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        known = _MEMBERS.get(self._value_ | other._value_)
        return super().__or__(other) if known is None else cast("Self", known)

    def __and__(self, other: Self) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        known = _MEMBERS.get(self._value_ & other._value_)
        return super().__and__(other) if known is None else cast("Self", known)

    def __bool__(self) -> bool:
        return self._value_ != 0


_MEMBERS: Final = Effect._value2member_map_
"""Effects, and combinations of them that were made before, by their bits."""


ACCESS: Final = Effect.READ | Effect.WRITE

SEMANTICS: Final = {
    "weak": Effect.NONE,
    "relaxed": Effect.ATOMIC,
    "acquire": Effect.ATOMIC | Effect.ACQUIRE,
    "release": Effect.ATOMIC | Effect.RELEASE,
    "acq_rel": Effect.ATOMIC | Effect.ACQUIRE | Effect.RELEASE,
    "seq_cst": Effect.ATOMIC | Effect.ACQUIRE | Effect.RELEASE,
}
"""What the memory semantics of an access add to it."""


class MemoryOrder(MemoryEffect, ABC):
    """Declares the effects of an op. One that does more than read is never moved or merged."""

    @classmethod
    @abstractmethod
    def get_order(cls, op: Operation) -> Effect:
        """The effects of an op, without those of ops in its regions."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        effects = {EffectInstance(MemoryEffectKind.READ)}
        if cls.get_order(op) != Effect.READ:
            effects.add(EffectInstance(MemoryEffectKind.WRITE))
        return effects


class AccessOrder(MemoryOrder, ABC):
    """An access to memory, with the order that its `mem_semantic` and `volatile` ask for."""

    ACCESS: ClassVar[Effect]

    @classmethod
    def get_order(cls, op: Operation) -> Effect:
        semantic = op.properties.get("mem_semantic")
        order = SEMANTICS[semantic.data if isinstance(semantic, StringAttr) else "weak"]
        if "volatile" in op.properties:
            order |= Effect.ATOMIC
        return cls.ACCESS | order


class Reads(AccessOrder):
    """A load."""

    ACCESS = Effect.READ


class Writes(AccessOrder):
    """A store."""

    ACCESS = Effect.WRITE


class Updates(AccessOrder):
    """An atomic that reads and writes in one step."""

    ACCESS = Effect.READ | Effect.WRITE | Effect.ATOMIC


class FixedOrder(MemoryOrder, ABC):
    """Effects that all ops of a kind have."""

    EFFECT: ClassVar[Effect]

    @classmethod
    def get_order(cls, op: Operation) -> Effect:
        return cls.EFFECT


class Fences(FixedOrder):
    """All accesses of the CTA that come before it are done before those that come after it."""

    EFFECT = Effect.FENCE


class WaitsForGrids(FixedOrder):
    """What the grids that this one depends on wrote is there afterwards."""

    EFFECT = Effect.GRID_WAIT


class LaunchesGrids(FixedOrder):
    """Grids that depend on this one may start."""

    EFFECT = Effect.GRID_LAUNCH


class Prints(FixedOrder):
    """Writes to the output of the program."""

    EFFECT = Effect.PRINT


class Asserts(FixedOrder):
    """Ends the program if a condition does not hold."""

    EFFECT = Effect.ASSERT


class Assumes(FixedOrder):
    """Says what holds where it stands; nothing is in order with it."""

    EFFECT = Effect.NONE


class ReservesMemory(FixedOrder):
    """Memory of its own, so that two such ops are never merged; nothing is in order with it."""

    EFFECT = Effect.NONE


class UnknownEffects(FixedOrder):
    """Anything may happen."""

    EFFECT = Effect.UNKNOWN


PURE: Final = (gpu.BlockIdOp, gpu.GridDimOp, gpu.BlockDimOp, gpu.ThreadIdOp, arith.RemUIOp)
"""Ops of xDSL's that declare no effects, and have none."""

STRUCTURAL: Final = (IsTerminator, RecursiveMemoryEffect, IsolatedFromAbove)
"""Ops that do nothing beside what ops in them do, if these run at all."""


def own_effects(op: Operation) -> Effect:
    """The effects of an op, without those of ops in its regions if these run in it."""
    if orders := _orders_of(type(op)):
        found = Effect.NONE
        for order in orders:
            found |= order.get_order(op)
        return found
    if _has_no_own_effects(type(op)):
        return Effect.NONE
    effects = get_effects(op)
    if effects is None:
        return Effect.UNKNOWN
    found = Effect.NONE
    for effect in effects:
        if effect.kind is MemoryEffectKind.READ:
            found |= Effect.READ
        elif effect.kind is MemoryEffectKind.WRITE:
            found |= Effect.WRITE
    return found


@cache
def _orders_of(op_class: type[Operation]) -> list[MemoryOrder]:
    return op_class.get_traits_of_type(MemoryOrder)


@cache
def _has_no_own_effects(op_class: type[Operation]) -> bool:
    """Whether ops of a class are known to do nothing by themselves."""
    return issubclass(op_class, PURE) or any(map(op_class.has_trait, STRUCTURAL))


def effects_of(op: Operation) -> Effect:
    """The effects of an op and of all ops in it."""
    found = own_effects(op)
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                found |= effects_of(inner)
    return found


def is_plain_load(op: Operation) -> bool:
    """Whether an op does nothing but read memory, in no order with other threads."""
    return _reads(type(op)) and own_effects(op) == Effect.READ


@cache
def _reads(op_class: type[Operation]) -> bool:
    """Asked of a class once: its traits stay what they are, and most ops have none of this kind."""
    return op_class.has_trait(Reads)
