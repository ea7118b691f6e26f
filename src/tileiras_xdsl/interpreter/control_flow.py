"""
Branches, loops and ways out of them, for all levels: those of `cuda_tile` and of `scf`.

A condition of a tile program is one number. Where threads disagree, each side runs for those that
take it, and results are merged; a value with one row is the same for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import cast

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nv_tileas import shape

from .errors import ExecutionError
from .machine import (
    THREADS,
    TILES,
    Body,
    BodyExit,
    BoundProgram,
    BranchGraph,
    CallFrame,
    Direct,
    Signal,
    binds,
    merge_all,
)
from .values import Array, Mask, Value, dtype_of_type, has, integers_of

MAX_ITERATIONS = 1_000_000
"""Turns of a `while` of threads after which it is taken to wait for what cannot happen."""

TILES.leaves(BodyExit.CONTINUE, ct.ContinueOp)
TILES.leaves(BodyExit.BREAK, ct.BreakOp)
TILES.leaves(BodyExit.RETURN, ct.ReturnOp)
TILES.leaves(BodyExit.YIELD, ct.YieldOp, "nv_tileaa.yield", shape.YieldOp, pl.PipelineYieldOp)
THREADS.leaves(BodyExit.YIELD, "gpu.yield", "memref.alloca_scope.return")
THREADS.leaves(BodyExit.RETURN, "llvm.return", "llvm.unreachable")
for registry in (TILES, THREADS):
    registry.leaves(BodyExit.YIELD, "scf.yield", "scf.condition")
    registry.leaves(BodyExit.RETURN, "gpu.return", "func.return")
    registry.leaves(BodyExit.BRANCH, "cf.br", "cf.cond_br", "cf.switch")
    registry.leaves(BodyExit.BRANCH, "llvm.br", "llvm.cond_br", "llvm.switch")


def _run(body: Body | BranchGraph | None, frame: CallFrame, values: Sequence[Value] = ()) -> Signal:
    return Signal(BodyExit.YIELD, []) if body is None else body.run(frame, values)


def assign(frame: CallFrame, registers: Sequence[int], values: Sequence[Value]) -> None:
    """Gives results their values."""
    for register, value in zip(registers, values, strict=True):
        frame.registers[register] = value


def _mask(active: Mask | None, threads: int) -> Mask:
    """A mask of threads, or of all."""
    return np.ones(threads, np.bool_) if active is None else active


@binds(ct.IfOp, "scf.if")
def bind_if(op: Operation, program: BoundProgram) -> Direct:
    """One of two regions, or both for different threads."""
    (condition,) = program.all(op.operands)
    results = program.all(op.results)
    then, otherwise = (program.bind_region(region) for region in op.regions)

    def step(frame: CallFrame) -> Signal | None:
        cta, flags = frame.cta, cast(Mask, frame.registers[condition])
        before: Mask | None = cta.active
        taken = flags if before is None or flags.size == 1 else flags[before]
        is_uniform = taken.size == 1 or taken.all() or not taken.any()
        if is_uniform:
            signal = _run(then if taken.flat[0] else otherwise, frame)
            if signal.exit is not BodyExit.YIELD:
                return signal
            values = signal.values
        else:
            cta.active = flags if before is None else flags & before
            first = _run(then, frame).values
            cta.active = ~flags if before is None else ~flags & before
            second = _run(otherwise, frame).values
            cta.active = before
            values = merge_all(flags, first, second)
        if results:
            assign(frame, results, values)
        return None

    return Direct(step)


@binds(ct.ForOp, "scf.for")
def bind_for(op: Operation, program: BoundProgram) -> Direct:
    """A counted loop; each thread may have bounds of its own."""
    lower, upper, step_by, *inits = program.all(op.operands)
    results = program.all(op.results)
    body = program.bind_block(op.regions[0].block)
    dtype = dtype_of_type(op.operands[0].type)
    read_as = np.dtype(f"u{dtype.itemsize}") if has(op, "unsignedCmp") else dtype
    lead, of_threads = program.lead, program.registry is THREADS

    def run_uniform(frame: CallFrame, index: int, end: int, by: int) -> list[Value]:
        carried = [frame.registers[init] for init in inits]
        while index < end:
            counter = np.array(index).astype(dtype).reshape(lead)
            carried = body.run(frame, [counter, *carried]).values
            if by <= 0:
                break
            index += by
        return carried

    def run_divergent(frame: CallFrame, index: Array, end: Array, by: Array) -> list[Value]:
        cta, before = frame.cta, frame.cta.active
        carried = [frame.registers[init] for init in inits]
        while True:
            running = np.broadcast_to(index < end, (cta.threads,)) & _mask(before, cta.threads)
            if not running.any():
                break
            cta.active = None if running.all() else running
            values = body.run(frame, [index.astype(dtype), *carried]).values
            carried = values if cta.active is None else merge_all(running, values, carried)
            index = index + by
        cta.active = before
        return carried

    def step(frame: CallFrame) -> None:
        bounds = [cast(Array, frame.registers[i]).view(read_as) for i in (lower, upper, step_by)]
        if frame.cta.active is not None:
            # Threads that are not here may have bounds that make no sense.
            first = frame.cta.first_active()
            bounds = [
                value if value.size == 1 else np.where(frame.cta.active, value, value[first])
                for value in bounds
            ]
        if of_threads and (bounds[2] <= 0).any():
            raise ExecutionError("the step of a loop must be positive", op)
        if all(value.size == 1 or (value == value[0]).all() for value in bounds):
            start, end, by = (int(value.flat[0]) for value in bounds)
            assign(frame, results, run_uniform(frame, start, end, by))
        else:
            index, end, by = (value.astype(np.int64) for value in bounds)
            assign(frame, results, run_divergent(frame, index, end, by))

    return Direct(step)


@TILES.binds(ct.LoopOp)
def bind_loop(op: ct.LoopOp, program: BoundProgram) -> Direct:
    """A loop that is left by a break."""
    inits, results = program.all(op.operands), program.all(op.results)
    body = program.bind_block(op.body.block)

    def step(frame: CallFrame) -> Signal | None:
        signal = Signal(BodyExit.CONTINUE, [frame.registers[init] for init in inits])
        while signal.exit is BodyExit.CONTINUE:
            signal = body.run(frame, signal.values)
        if signal.exit is BodyExit.RETURN:
            return signal
        assign(frame, results, signal.values)
        return None

    return Direct(step)


@binds("scf.while")
def bind_while(op: Operation, program: BoundProgram) -> Direct:
    """A loop with a condition in its midst, by which threads leave it one by one."""
    inits, results = program.all(op.operands), program.all(op.results)
    before, after = (program.bind_block(region.block) for region in op.regions)
    # At the tile levels a CTA may wait for another one as long as it takes.
    iterations = range(MAX_ITERATIONS) if program.registry is THREADS else None

    def step(frame: CallFrame) -> None:
        cta, entered = frame.cta, frame.cta.active
        carried = [frame.registers[init] for init in inits]
        left: list[Value] = []
        running: Mask | None = None
        for _ in count() if iterations is None else iterations:
            condition, *values = before.run(frame, carried).values
            left = values if running is None else merge_all(running, values, left)
            if condition.size > 1:
                here = _mask(entered, cta.threads) if running is None else running
                going = condition & here
                if not going.any():
                    break
                if running is not None or not going[here].all():
                    running = going
                    cta.active = None if going.all() else going
            elif not condition:
                break
            carried = after.run(frame, values).values
        else:
            raise ExecutionError(f"did not end after {MAX_ITERATIONS} iterations", op)
        cta.active = entered
        assign(frame, results, left)

    return Direct(step)


@binds("scf.execute_region", "memref.alloca_scope")
@TILES.binds(shape.PragmaOp)
@TILES.binds(pl.ProduceOneOp, pl.ProduceOneAsyncOp, pl.ConsumeOneOp, pl.ConsumeOneAsyncOp)
def bind_execute_region(op: Operation, program: BoundProgram) -> Direct:
    """A region that runs once, as if nothing were said about it."""
    body, results = program.bind_region(op.regions[0]), program.all(op.results)
    count = len(op.regions[0].blocks[0].args) if op.regions[0].blocks else 0
    arguments = program.all(op.operands[:count])

    def step(frame: CallFrame) -> None:
        given = [frame.registers[argument] for argument in arguments]
        assign(frame, results, _run(body, frame, given).values)

    return Direct(step)


@binds("scf.index_switch")
def bind_index_switch(op: Operation, program: BoundProgram) -> Direct:
    """One region for each number, the first for all others."""
    (argument,) = program.all(op.operands)
    results = program.all(op.results)
    default, *bodies = (program.bind_region(region) for region in op.regions)
    cases = integers_of(op, "cases")

    def step(frame: CallFrame) -> None:
        cta, before = frame.cta, frame.cta.active
        number = np.broadcast_to(cast(Array, frame.registers[argument]), (cta.threads,))
        rest = _mask(before, cta.threads)
        merged: list[Value] = [None] * len(results)
        for case, body in [*zip(cases, bodies, strict=True), (None, default)]:
            here = rest if case is None else rest & (number == case)
            if not here.any():
                continue
            cta.active = None if here.all() else here
            merged = merge_all(here, _run(body, frame).values, merged)
            rest = rest & ~here
        cta.active = before
        assign(frame, results, merged)

    return Direct(step)
