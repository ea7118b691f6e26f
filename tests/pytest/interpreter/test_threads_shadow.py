"""Races are found exactly where a model that remembers every access finds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.threads.clocks import ClockedShadow, Clocks
from tileiras_xdsl.interpreter.threads.shadow import WARP, Touch

THREADS, SIZE = 96, 64
OP = ModuleOp([])


def make_shadow() -> ClockedShadow:
    """Memory that nobody has touched."""
    return ClockedShadow("memory", SIZE, Clocks(THREADS))


def all_meet(shadow: ClockedShadow) -> None:
    """A barrier of the CTA."""
    everyone = np.arange(THREADS)
    shadow.clocks.acquire(everyone[: THREADS // WARP], shadow.clocks.release(everyone))


@dataclass
class Model:
    """All accesses to bytes, with the meetings of warps that were before them."""

    accesses: dict[int, list[tuple[int, bool, int]]] = field(
        default_factory=dict[int, list[tuple[int, bool, int]]]
    )
    meetings: list[int] = field(default_factory=lambda: [0] * (THREADS // WARP))

    def all_met(self) -> None:
        """A barrier of the CTA."""
        self.accesses.clear()

    def warps_met(self, warps: list[int]) -> None:
        """A barrier of some warps."""
        for warp in warps:
            self.meetings[warp] += 1

    def is_race(self, byte: int, thread: int, writes: bool) -> bool:
        """Whether an access is not ordered after another of another thread."""
        warp = thread // WARP
        for other, wrote, meeting in self.accesses.get(byte, []):
            is_ordered = other // WARP == warp and meeting < self.meetings[warp]
            if other != thread and (writes or wrote) and not is_ordered:
                return True
        return False

    def add(self, byte: int, thread: int, writes: bool) -> None:
        """Remembers an access."""
        entry = (thread, writes, self.meetings[thread // WARP])
        self.accesses.setdefault(byte, []).append(entry)


def step(random: Random, model: Model, shadow: ClockedShadow) -> tuple[bool, bool]:
    """Something random; whether the model and the shadow call it a race."""
    kind = random.choice(("read", "read", "read", "write", "write", "warps", "all"))
    if kind == "all":
        model.all_met()
        all_meet(shadow)
        return False, False
    if kind == "warps":
        warps = random.sample(range(THREADS // WARP), random.randint(1, 2))
        model.warps_met(warps)
        shadow.clocks.warps_met(np.array(warps), np.arange(THREADS))
        return False, False
    writes, size = kind == "write", random.choice((1, 2, 4, 8, 16))
    # Few threads and places, so that they meet often.
    count = random.randint(1, 3)
    threads = sorted(random.sample((0, 1, 2, 31, 32, 33, 64), count))
    places = [random.randrange(0, SIZE, size) for _ in threads]
    if writes:
        places = random.sample(range(0, SIZE, size), count)
    expected = False
    for thread, place in zip(threads, places, strict=True):
        for byte in range(place, place + size):
            expected |= model.is_race(byte, thread, writes)
    for thread, place in zip(threads, places, strict=True):
        for byte in range(place, place + size):
            model.add(byte, thread, writes)
    offsets, who = np.array(places), np.array(threads)
    try:
        if writes:
            data = np.zeros((count, size), np.uint8)
            shadow.write(Touch(OP, offsets, size, who), data, data)
        else:
            shadow.read(Touch(OP, offsets, size, who), whole_warps=False)
    except ExecutionError:
        return expected, True
    return expected, False


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(20))
def test_random_accesses(seed: int) -> None:
    random = Random(seed)
    races = 0
    for _ in range(40):
        model, shadow = Model(), make_shadow()
        for _ in range(60):
            expected, found = step(random, model, shadow)
            assert found == expected
            if found:
                races += 1
                break
    assert races


def touch(*threads: int) -> Touch:
    """Each thread touches the same four bytes."""
    return Touch(OP, np.zeros(len(threads), np.int64), 4, np.array(threads))


def write(shadow: ClockedShadow, thread: int) -> None:
    data = np.zeros((1, 4), np.uint8)
    shadow.write(touch(thread), data, data)


def test_atomic_and_write_of_one_thread() -> None:
    shadow = make_shadow()
    shadow.update(touch(5))
    shadow.update(touch(5))
    write(shadow, 5)
    shadow.update(touch(5))
    shadow.read(touch(5), whole_warps=False)
    with pytest.raises(ExecutionError, match=r"thread 6 .* by an atomic of thread 5"):
        write(shadow, 6)


@pytest.mark.parametrize("together", [True, False])
def test_atomics_of_two_threads(together: bool) -> None:
    shadow = make_shadow()
    for threads in ((5, 70),) if together else ((5,), (70,)):
        shadow.update(touch(*threads))
    for thread in (5, 70):
        with pytest.raises(ExecutionError, match="written by an atomic"):
            write(shadow, thread)
        with pytest.raises(ExecutionError, match="written by an atomic"):
            shadow.read(touch(thread), whole_warps=False)
    all_meet(shadow)
    write(shadow, 5)
