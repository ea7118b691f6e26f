"""Branches, loops and ways out of them: those of `cuda_tile`, and those of `scf`."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import func, gpu, scf
from xdsl.ir import Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.nv_tileaa.aggregate import YieldOp

from .elements import dtype_of
from .machine import TERMINATORS, Direct, Exit, Frame, Program, Signal, Value, binds
from .types import element_of

TERMINATORS.update(
    {
        ct.YieldOp: Exit.YIELD,
        ct.ContinueOp: Exit.CONTINUE,
        ct.BreakOp: Exit.BREAK,
        ct.ReturnOp: Exit.RETURN,
        YieldOp: Exit.YIELD,
        scf.YieldOp: Exit.YIELD,
        scf.ConditionOp: Exit.CONDITION,
        gpu.ReturnOp: Exit.RETURN,
        func.ReturnOp: Exit.RETURN,
    }
)


def _bind_if(op: Operation, program: Program) -> Direct:
    (condition,) = program.all(op.operands)
    results = program.all(op.results)
    then, otherwise = (program.bind_region(region) for region in op.regions)

    def step(frame: Frame) -> Signal | None:
        registers = frame.registers
        body = then if registers[condition] else otherwise
        if body is None:
            return None
        signal = body.run(frame)
        if signal.exit is not Exit.YIELD:
            return signal
        for result, value in zip(results, signal.values, strict=True):
            registers[result] = value
        return None

    return Direct(step)


binds(ct.IfOp, scf.IfOp)(_bind_if)


def _bind_for(op: Operation, program: Program, unsigned: bool) -> Direct:
    lower, upper, step_by, *inits = program.all(op.operands)
    results = program.all(op.results)
    body = program.bind_block(op.regions[0].block)
    element = element_of(op.operands[0].type)
    dtype = dtype_of(element)
    width = dtype.itemsize * 8

    def number(value: Value) -> int:
        whole = int(value)
        return whole % (1 << width) if unsigned else whole

    def step(frame: Frame) -> None:
        registers = frame.registers
        index, end, increment = (number(registers[i]) for i in (lower, upper, step_by))
        carried = [registers[init] for init in inits]
        while index < end:
            counter = np.asarray(index).astype(dtype)
            carried = body.run(frame, [counter, *carried]).values
            if increment <= 0:
                break
            index += increment
        for result, value in zip(results, carried, strict=True):
            registers[result] = value

    return Direct(step)


@binds(ct.ForOp)
def bind_tile_for(op: ct.ForOp, program: Program) -> Direct:
    return _bind_for(op, program, op.unsigned_cmp is not None)


@binds(scf.ForOp)
def bind_scf_for(op: scf.ForOp, program: Program) -> Direct:
    return _bind_for(op, program, unsigned=False)


@binds(ct.LoopOp)
def bind_loop(op: ct.LoopOp, program: Program) -> Direct:
    inits, results = program.all(op.operands), program.all(op.results)
    body = program.bind_block(op.body.block)

    def step(frame: Frame) -> Signal | None:
        registers = frame.registers
        carried = [registers[init] for init in inits]
        while True:
            signal = body.run(frame, carried)
            if signal.exit is Exit.CONTINUE:
                carried = signal.values
                continue
            if signal.exit is Exit.RETURN:
                return signal
            for result, value in zip(results, signal.values, strict=True):
                registers[result] = value
            return None

    return Direct(step)


@binds(scf.WhileOp)
def bind_while(op: scf.WhileOp, program: Program) -> Direct:
    inits, results = program.all(op.operands), program.all(op.results)
    before = program.bind_block(op.before_region.block)
    after = program.bind_block(op.after_region.block)

    def step(frame: Frame) -> None:
        registers = frame.registers
        carried = [registers[init] for init in inits]
        while True:
            condition, *values = before.run(frame, carried).values
            if not condition:
                for result, value in zip(results, values, strict=True):
                    registers[result] = value
                return
            carried = after.run(frame, values).values

    return Direct(step)
