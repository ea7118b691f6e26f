"""How fast the CPU of this machine is: FMAs in registers, copies in cache and in memory."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter, thread_time
from typing import Final

import numpy as np

from tileiras_xdsl.targets.cpu import CpuRates, CpuTarget

from . import host

CHAINS: Final = 12
"""Sums that do not wait for each other: FMAs take 4 or 5 clocks, and cores have two units."""
STEPS: Final = 200_000
IN_CACHE: Final = 1 << 18
IN_MEMORY: Final = 1 << 26
"""Bytes of a copy: what is read and what is written are half of it each."""
MOST_MEMORY: Final = 1 << 30
"""Of the copies of all cores."""
REPEATS: Final = 20


def fma_loop(target: CpuTarget) -> str:
    """LLVM IR of a function that does as many steps of FMAs as its third argument says."""
    ty = f"<{target.vector_bits // 32} x float>"
    phis = (f"%a{n} = phi {ty} [ %x, %entry ], [ %b{n}, %loop ]" for n in range(CHAINS))
    fmas = (
        f"%b{n} = call {ty} @llvm.fma({ty} %a{n}, {ty} %x, {ty} %x)"
        if target.has_fma
        else f"%m{n} = fmul {ty} %a{n}, %x\n%b{n} = fadd {ty} %m{n}, %x"
        for n in range(CHAINS)
    )
    stores = (
        f"%p{n} = getelementptr {ty}, ptr %scratch, i64 {n}\nstore {ty} %b{n}, ptr %p{n}, align 4"
        for n in range(CHAINS)
    )
    lines = (
        f'target triple = "{target.triple}"',
        f'target datalayout = "{host.data_layout(target)}"',
        f"declare {ty} @llvm.fma({ty}, {ty}, {ty})",
        "define void @fmas(ptr %a, i64 %first, i64 %n, i64 %gx, i64 %gy, i64 %gz, ptr %scratch) {",
        "entry:",
        f"%x = load {ty}, ptr %a, align 4",
        "br label %loop",
        "loop:",
        "%i = phi i64 [ 0, %entry ], [ %next, %loop ]",
        *phis,
        *fmas,
        "%next = add i64 %i, 1",
        "%more = icmp slt i64 %next, %n",
        "br i1 %more, label %loop, label %done",
        "done:",
        *stores,
        "ret void",
        "}",
    )
    return "\n".join(lines)


def _best(call: Callable[[], object], clock: Callable[[], float] = thread_time) -> float:
    """The shortest time of several, by default without that of other threads."""
    times: list[float] = []
    for _ in range(REPEATS):
        start = clock()
        call()
        times.append(clock() - start)
    return min(times)


def measure(target: CpuTarget, cores: int) -> CpuRates:
    """Takes a second or less; memory looks slower than it is if something else uses it."""
    linked = host.Linked(host.optimize(fma_loop(target), target)[1], "fmas")
    given, scratch = np.full(64, 0.5, np.float32), np.zeros(64 * CHAINS, np.float32)
    at, to = (each.__array_interface__["data"][0] for each in (given, scratch))
    seconds = _best(lambda: linked.function(at, 0, STEPS, 1, 1, 1, to))
    flops = 2 * CHAINS * target.vector_bits // 32 * STEPS / seconds
    source, copy = np.ones((2, IN_CACHE // 2), np.uint8)
    cache = IN_CACHE / _best(lambda: np.copyto(copy, source))
    size = min(IN_MEMORY, MOST_MEMORY // cores) // 2
    copies, sources = ([np.ones(size, np.uint8) for _ in range(cores)] for _ in range(2))
    with ThreadPoolExecutor(cores) as pool:

        def copy_all() -> None:
            list(pool.map(np.copyto, copies, sources))

        memory = cores * 2 * size / _best(copy_all, perf_counter)
    return CpuRates(cores, flops, cache, memory)
