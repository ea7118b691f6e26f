"""Clocks find races exactly where a model that remembers every access finds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.threads.clocks import ClockedShadow, Clocks
from tileiras_xdsl.interpreter.threads.shadow import WARP, Touch
from tileiras_xdsl.interpreter.values import Integers

THREADS, SIZE = 96, 64
WARPS = THREADS // WARP
OP = ModuleOp([])


@dataclass
class Model:
    """All accesses, and for each warp those that it comes after."""

    accesses: list[tuple[int, int, bool]] = field(default_factory=list[tuple[int, int, bool]])
    """The thread, the byte, and whether it writes."""
    known: list[set[int]] = field(default_factory=lambda: [set[int]() for _ in range(WARPS)])

    def release(self, threads: Integers) -> set[int]:
        """The accesses that come before what threads say now."""
        known = {n for n, (thread, _, _) in enumerate(self.accesses) if thread in threads}
        for warp in np.unique(threads // WARP):
            known |= self.known[int(warp)]
        return known

    def is_race(self, byte: int, thread: int, writes: bool) -> bool:
        """Whether an access is not ordered after another of another thread."""
        known = self.known[thread // WARP]
        return any(
            place == byte and other != thread and (writes or wrote) and number not in known
            for number, (other, place, wrote) in enumerate(self.accesses)
        )


class Machine:
    """Warps that access memory and talk to each other at random, and both ways to look at it."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.model, self.clocks = Model(), Clocks(THREADS)
        self.shadow = ClockedShadow("memory", SIZE, self.clocks)
        self.messages: list[tuple[set[int], Integers]] = []

    def step(self, *, by_warps: bool) -> tuple[bool, bool]:
        """Something random; whether the model and the clocks call it a race."""
        kind = self.random.choice(("read", "read", "write", "write", "say", "hear", "meet"))
        match kind:
            case "say":
                self._say(by_warps)
            case "hear" if self.messages:
                warp, message = self.random.randrange(WARPS), self.random.choice(self.messages)
                self.model.known[warp] |= message[0]
                self.clocks.acquire([warp], message[1])
            case "meet":
                warp = self.random.randrange(WARPS)
                lanes = np.arange(warp * WARP, (warp + 1) * WARP)
                self.model.known[warp] |= self.model.release(lanes)
                self.clocks.warps_met(np.array([warp]), lanes)
            case "read" | "write":
                return self._access(kind == "write")
            case _:
                pass
        return False, False

    def _say(self, by_warps: bool) -> None:
        warp = self.random.randrange(WARPS)
        threads = np.arange(warp * WARP, (warp + 1) * WARP)
        if not by_warps and self.random.random() < 0.5:
            threads = threads[self.random.choice((0, 1, 31))][None]
        self.messages.append((self.model.release(threads), self.clocks.release(threads)))

    def _access(self, writes: bool) -> tuple[bool, bool]:
        size, count = self.random.choice((1, 2, 4, 8, 16)), self.random.randint(1, 3)
        threads = np.array(sorted(self.random.sample((0, 1, 2, 31, 32, 33, 64), count)))
        places = np.array(self.random.sample(range(0, SIZE, size), count))
        touched = [
            (int(thread), int(place) + byte, writes)
            for thread, place in zip(threads, places, strict=True)
            for byte in range(size)
        ]
        expected = any(self.model.is_race(byte, thread, writes) for thread, byte, _ in touched)
        self.model.accesses += touched
        try:
            if writes:
                data = np.zeros((count, size), np.uint8)
                self.shadow.write(Touch(OP, places, size, threads), data, data)
            else:
                self.shadow.read(Touch(OP, places, size, threads), whole_warps=False)
        except ExecutionError:
            return expected, True
        return expected, False


@pytest.mark.parametrize("seed", range(4))
def test_whole_warps_talk(seed: int) -> None:
    races = 0
    for run in range(30):
        machine = Machine(1000 * seed + run)
        for _ in range(60):
            expected, found = machine.step(by_warps=True)
            assert found == expected
            if found:
                races += 1
                break
    assert races


@pytest.mark.parametrize("seed", range(4))
def test_threads_talk(seed: int) -> None:
    """Reads of several lanes are kept together, so that more may be called a race, but not less."""
    races = 0
    for run in range(30):
        machine = Machine(1000 * seed + run)
        for _ in range(60):
            expected, found = machine.step(by_warps=False)
            assert found or not expected
            if found:
                races += expected
                break
    assert races
