"""
Those who touch global memory from outside of the CTAs that run: other CTAs, and the grid that
the launch depends on.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from xdsl.ir import Operation

from tileiras_xdsl.interpreter.accesses import Semantics
from tileiras_xdsl.interpreter.environment import (
    ArrayElements,
    Environment,
    KernelAccess,
    Observer,
    Other,
    OtherBlock,
    PreviousGrid,
)
from tileiras_xdsl.interpreter.memory import Allocation
from tileiras_xdsl.interpreter.values import Integers

from .clocks import ClockedShadow
from .shadow import WARP
from .state import CtaThreads, GlobalMemory


def names_of(others: Sequence[Other]) -> list[str]:
    """What others are called."""
    ctas = sum(isinstance(other, OtherBlock) for other in others)
    names: list[str] = []
    for other in others:
        if isinstance(other, PreviousGrid):
            names.append("the previous grid")
        else:
            place = len([name for name in names if name.startswith("another")])
            names.append(f"another CTA (number {place})" if ctas > 1 else "another CTA")
    return names


@contextmanager
def outside(
    others: Sequence[Other],
    device: GlobalMemory,
    seed: int | None,
) -> Generator[Environment]:
    """Others while a kernel runs; at the end they do what is left to do."""
    clocks = device.clocks
    if clocks is not None:
        for number, other in enumerate(others):
            clocks.is_generic[clocks.outsider(number)] = isinstance(other, OtherBlock)
    observer = Observer() if clocks is None else ClockObserver(device)
    environment = Environment(others, device.memory, seed, observer, splits_readers=True)
    environment.begin()
    try:
        yield environment
        environment.finish()
    finally:
        environment.restore()


class ClockObserver(Observer):
    """Others as parties of clocks."""

    def __init__(self, device: GlobalMemory):
        self.device = device

    def _shadow(self, place: ArrayElements) -> ClockedShadow | None:
        if not len(place.offsets):
            return None
        piece = self.device.find(place.allocation.base)
        shadow = None if piece is None else piece.shadow
        return shadow if isinstance(shadow, ClockedShadow) else None

    def read(self, other: int, place: ArrayElements, semantics: Semantics) -> None:
        if (shadow := self._shadow(place)) is not None:
            shadow.read_from_outside(other, place.offsets, place.size, semantics)

    def write(
        self, other: int, place: ArrayElements, semantics: Semantics, *, updates: bool
    ) -> None:
        if (shadow := self._shadow(place)) is not None:
            shadow.write_from_outside(other, place.offsets, place.size, semantics, updates=updates)

    def hold(self, other: int, place: ArrayElements) -> None:
        if (shadow := self._shadow(place)) is not None:
            shadow.hold_from_outside(other, place.offsets, place.size)


# Accesses of threads, before which others may take steps


def before_access(
    cta: CtaThreads,
    op: Operation,
    piece: Allocation,
    offsets: Integers,
    size: int,
    threads: Integers,
    *,
    asks: bool,
) -> KernelAccess | None:
    """
    Lets others, and other warps, run before an access, which may ask for what they change; `None`
    if nobody outside can.
    """
    environment: Environment | None = cta.environment
    if environment is None or not piece.is_global:
        return None
    if asks:
        cta.rest()
    else:
        environment.happened()
    access = KernelAccess(int(threads[0]) // WARP, op, piece.base, offsets, size, asks)
    environment.before(access, may_spin=asks)
    return access


def lanes_before_others(cta: CtaThreads, access: KernelAccess | None) -> int | None:
    """How many lanes read before an other CTA changes what they read, if one does."""
    if access is None or not access.is_strong_load or cta.environment is None:
        return None
    return cta.environment.between_lanes(access)


def take_between(cta: CtaThreads, access: KernelAccess) -> None:
    """An other CTA changes what some lanes have read, and others are about to."""
    if cta.environment is not None:
        cta.environment.take_between(access)


ROUNDS = 4
"""So often all other warps have a turn before the previous grid ends."""


def wait_for_grids(cta: CtaThreads, environment: Environment) -> None:
    """
    Threads wait for the previous grid. It ends late, so that warps that do not wait for it go on
    meanwhile.
    """
    for _ in range(ROUNDS):
        if environment.is_held:
            cta.rest()
    environment.wait_for_grid()
    if cta.clocks is not None:
        grids = {grid.number for grid in environment.grids}
        cta.clocks.wait_for_grids(cta.active_threads(), sorted(grids))
