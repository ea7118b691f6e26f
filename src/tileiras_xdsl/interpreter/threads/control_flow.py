"""
Branches and loops of `scf`. Where threads disagree, each side runs for those that take it, and
results are merged.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.interpreter.errors import ExecutionError

from .attributes import integers_of
from .machine import Body, Direct, Frame, Graph, Program, binds
from .state import BlockState
from .values import Array, Mask, Value, dtype_of_type, merge

MAX_TURNS = 1_000_000
"""Turns of a `while` after which it is taken to wait for something that cannot happen."""


def _run(body: Body | Graph | None, frame: Frame) -> list[Value]:
    return [] if body is None else body.run(frame)


def _assign(frame: Frame, registers: list[int], values: list[Value]) -> None:
    for register, value in zip(registers, values, strict=True):
        frame.registers[register] = value


def _merge_all(mask: Mask, new: list[Value], old: list[Value]) -> list[Value]:
    return [merge(mask, a, b) for a, b in zip(new, old, strict=True)]


@binds("scf.if")
def bind_if(op: Operation, program: Program) -> Direct:
    """One of two regions, or both for different threads."""
    (condition,) = program.all(op.operands)
    results = program.all(op.results)
    then, otherwise = (program.bind_region(region) for region in op.regions)

    def step(frame: Frame) -> None:
        block = frame.block
        flags = cast(Mask, frame.registers[condition])
        before = block.active
        taken = flags if before is None or len(flags) == 1 else flags[before]
        if taken.all() or not taken.any():
            _assign(frame, results, _run(then if taken[0] else otherwise, frame))
            return
        block.active = flags if before is None else flags & before
        first = _run(then, frame)
        block.active = ~flags if before is None else ~flags & before
        second = _run(otherwise, frame)
        block.active = before
        if results:
            _assign(frame, results, _merge_all(flags, first, second))

    return Direct(step)


@binds("scf.for")
def bind_for(op: Operation, program: Program) -> Direct:
    """A counted loop; each thread may have bounds of its own."""
    lower, upper, step_by, *inits = program.all(op.operands)
    results = program.all(op.results)
    body = program.bind_block(op.regions[0].block)
    dtype = dtype_of_type(op.operands[0].type)

    def run_uniform(frame: Frame, start: int, end: int, by: int) -> list[Value]:
        carried = [frame.registers[init] for init in inits]
        for index in range(start, end, by):
            carried = body.run(frame, [np.array([index], dtype), *carried])
        return carried

    def run_divergent(frame: Frame, index: Array, end: Array, by: Array) -> list[Value]:
        block, before = frame.block, frame.block.active
        carried = [frame.registers[init] for init in inits]
        while True:
            running = np.broadcast_to(index < end, (block.threads,)) & block_mask(before, block)
            if not running.any():
                break
            block.active = None if running.all() else running
            values = body.run(frame, [index.astype(dtype), *carried])
            carried = values if block.active is None else _merge_all(running, values, carried)
            index = index + by
        block.active = before
        return carried

    def step(frame: Frame) -> None:
        bounds = [cast(Array, frame.registers[i]).astype(np.int64) for i in (lower, upper, step_by)]
        if frame.block.active is not None:
            # Threads that are not here may have bounds that make no sense.
            first = frame.block.first_active()
            bounds = [
                value if len(value) == 1 else np.where(frame.block.active, value, value[first])
                for value in bounds
            ]
        if (bounds[2] <= 0).any():
            raise ExecutionError("the step of a loop must be positive", op)
        if all(len(value) == 1 or (value == value[0]).all() for value in bounds):
            start, end, by = (int(value[0]) for value in bounds)
            _assign(frame, results, run_uniform(frame, start, end, by))
        else:
            _assign(frame, results, run_divergent(frame, *bounds))

    return Direct(step)


def block_mask(active: Mask | None, block: BlockState) -> Mask:
    """A mask of threads, or of all."""
    return np.ones(block.threads, np.bool_) if active is None else active


@binds("scf.while")
def bind_while(op: Operation, program: Program) -> Direct:
    """A loop that threads leave one by one."""
    inits, results = program.all(op.operands), program.all(op.results)
    before_body = program.bind_block(op.regions[0].block)
    after_body = program.bind_block(op.regions[1].block)

    def step(frame: Frame) -> None:
        block, entered = frame.block, frame.block.active
        carried = [frame.registers[init] for init in inits]
        left: list[Value] | None = None
        running = block_mask(entered, block)
        for _ in range(MAX_TURNS):
            condition, *values = before_body.run(frame, carried)
            left = values if left is None else _merge_all(running, values, left)
            going = np.broadcast_to(condition, (block.threads,)) & running
            if not going.any():
                break
            running = going
            block.active = None if going.all() else going
            carried = _merge_all(going, after_body.run(frame, values), carried)
        else:
            raise ExecutionError(f"did not end after {MAX_TURNS} turns", op)
        block.active = entered
        _assign(frame, results, left)

    return Direct(step)


@binds("scf.execute_region", "memref.alloca_scope")
def bind_execute_region(op: Operation, program: Program) -> Direct:
    """A region that runs once."""
    results = program.all(op.results)
    body = program.bind_region(op.regions[0])

    def step(frame: Frame) -> None:
        _assign(frame, results, _run(body, frame))

    return Direct(step)


@binds("scf.index_switch")
def bind_index_switch(op: Operation, program: Program) -> Direct:
    """One region for each number, the first for all others."""
    (argument,) = program.all(op.operands)
    results = program.all(op.results)
    default, *bodies = (program.bind_region(region) for region in op.regions)
    cases = integers_of(op, "cases")

    def step(frame: Frame) -> None:
        block, before = frame.block, frame.block.active
        number = np.broadcast_to(cast(Array, frame.registers[argument]), (block.threads,))
        rest = block_mask(before, block)
        merged: list[Value] | None = None
        for case, body in [*zip(cases, bodies, strict=True), (None, default)]:
            here = rest if case is None else rest & (number == case)
            if not here.any():
                continue
            block.active = None if here.all() else here
            values = _run(body, frame)
            merged = values if merged is None else _merge_all(here, values, merged)
            rest = rest & ~here
        block.active = before
        _assign(frame, results, merged or [])

    return Direct(step)
