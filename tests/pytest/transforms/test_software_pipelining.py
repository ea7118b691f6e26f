"""Random loops whose early ops run an iteration ahead compute what they did before."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGE, Stage, StageAttr
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.tileas.kernel_model.slicing import operands_of
from tileiras_xdsl.transforms.tileas.schedule.software_pipelining import pipeline_loop_body
from tileiras_xdsl.transforms.tileas.tileas_materialize_schedule import (
    TileasMaterializeSchedulePass,
)

from ..harness.modules import context

LOOPS = 40
CARRIED = 5
TRIPS = (0, 1, 2, 5)


@dataclass
class Writer:
    """Writes a loop over small integers; `%out` takes what it carried."""

    rng: random.Random
    lines: list[str] = field(default_factory=list[str])

    def body(self) -> list[str]:
        """Ops that use what the loop carries; what it carries on."""
        rng = self.rng
        carried = [f"%c{number}" for number in range(CARRIED)]
        values = [*carried, "%i", "%a", "%b"]
        for number in range(rng.randint(2, 10)):
            name = rng.choice(["addi", "subi", "muli", "xori"])
            # Late values are used more often than early ones.
            first, second, third = (rng.choice([*values, *values[-3:]]) for _ in range(3))
            if rng.random() < 0.25:
                # A branch captures what it computes with.
                self.lines.append(f"""
                %q{number} = arith.cmpi slt, {first}, {rng.choice(values)} : i32
                %v{number} = scf.if %q{number} -> (i32) {{
                  %w{number} = arith.{name} {second}, {third} : i32
                  scf.yield %w{number} : i32
                }} else {{
                  scf.yield {third} : i32
                }}""")
            else:
                self.lines.append(f"%v{number} = arith.{name} {first}, {second} : i32")
            values.append(f"%v{number}")
        return [rng.choice([*values, *values[8:], *values[8:]]) for _ in carried]

    def module(self) -> ModuleOp:
        inits = [self.rng.choice(["%a", "%b", "%n"]) for _ in range(CARRIED)]
        ends = self.body()
        pairs = ", ".join(f"%c{number} = {init}" for number, init in enumerate(inits))
        types = ", ".join(["i32"] * CARRIED)
        results = ", ".join(f"%r{number}" for number in range(CARRIED))
        stores = "\n".join(
            f"""
            %o{number} = arith.constant {number} : i64
            %p{number} = nv_tileaa.addptr %out, %o{number} {{elem_type = i32}} : !llvm.ptr<1>, i64
            %t{number} = nv_tileaa.store %p{number}, %r{number} token(%t)
                : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token"""
            for number in range(CARRIED)
        )
        body = "\n".join(self.lines)
        return load(f"""
        "gpu.module"() <{{sym_name = "m"}}> ({{
          "gpu.func"() <{{function_type = (!llvm.ptr<1>, {types}) -> (), kernel}}> ({{
          ^bb0(%out: !llvm.ptr<1>, %a: i32, %b: i32, %low: i32, %n: i32, %step: i32):
            %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
            {results} = scf.for %i = %low to %n step %step
                iter_args({pairs}) -> ({types}) : i32 {{
              {body}
              scf.yield {", ".join(ends)} : {types}
            }}
            {stores}
            "gpu.return"() : () -> ()
          }}) {{sym_name = "k"}} : () -> ()
        }}) : () -> ()
        """)


def find_loop(module: ModuleOp) -> scf.ForOp:
    return next(op for op in module.walk() if isinstance(op, scf.ForOp))


def find_tainted(loop: scf.ForOp, late: set[Operation]) -> set[SSAValue]:
    """What late ops of this iteration, or of any before, decide."""
    body = loop.body.block
    assert body.last_op is not None
    tainted: set[SSAValue] = {result for op in late for result in op.results}
    while True:
        found = {
            argument
            for argument, value in zip(body.args[1:], body.last_op.operands, strict=True)
            if value in tainted
        }
        if found <= tainted:
            return tainted
        tainted |= found


def assign_random_stages(loop: scf.ForOp, rng: random.Random) -> int:
    """Puts some ops, and all that needs them, an iteration behind the others; how many."""
    body = loop.body.block
    ops = [op for op in body.ops if op is not body.last_op]
    late = {op for op in ops if rng.random() < 0.3}
    while True:
        tainted = find_tainted(loop, late)
        more = {op for op in ops if any(operand in tainted for operand in operands_of(op))}
        if more <= late:
            break
        late |= more
    # Early and late ops stay in order among themselves.
    early, others = ([op for op in ops if (op in late) == side] for side in (False, True))
    order: list[Operation] = []
    while early or others:
        chosen = early if not others or (early and rng.random() < 0.5) else others
        order.append(chosen.pop(0))
    for place, op in enumerate(order):
        STAGE.set(op, StageAttr(Stage(int(op in late), place)))
    return len(late)


def results(module: ModuleOp, arguments: list[int]) -> list[int]:
    out = np.zeros(CARRIED, np.int32)
    run(module, grid=1, args=[out, *arguments])
    return out.tolist()


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("first", range(0, LOOPS, 20))
def test_loops_compute_the_same(first: int):
    rotated = 0
    for seed in range(first, first + 20):
        rng = random.Random(seed)
        module = Writer(rng).module()
        changed = module.clone()
        loop = find_loop(changed)
        total = len(loop.body.block.ops) - 1
        rotated += 0 < assign_random_stages(loop, rng) < total
        pipeline_loop_body(loop)
        changed.verify()
        for trips in TRIPS:
            low, step = rng.randint(-5, 5), rng.randint(1, 3)
            bound = low + trips * step - (rng.randrange(step) if trips else 0)
            arguments = [rng.randint(-9, 9), rng.randint(-9, 9), low, bound, step]
            assert results(changed, arguments) == results(module, arguments), f"seed {seed}"
    assert rotated > 5


@pytest.mark.parametrize(("trips", "step"), [(1, 2), (1, 1 << 30), (2, 3), (3, 1)])
def test_bounds_near_the_least_integer(trips: int, step: int):
    """The bound less the step would be less than all integers."""
    rng = random.Random(trips)
    module = Writer(rng).module()
    changed = module.clone()
    loop = find_loop(changed)
    assign_random_stages(loop, rng)
    pipeline_loop_body(loop)
    low = -(1 << 31)
    arguments = [3, 5, low, low + (trips - 1) * step + 1, step]
    assert results(changed, arguments) == results(module, arguments)


@pytest.mark.parametrize("low", [-(1 << 31), -2, 0, 7, (1 << 31) - 3, (1 << 31) - 2])
def test_one_iteration_at_most(low: int):
    """No loop is left if the bound is a step above the first one, nor an iteration if it wraps."""
    for seed in range(5):
        rng = random.Random(seed)
        module = Writer(rng).module()
        loop = find_loop(module)
        step = arith.ConstantOp(IntegerAttr(2, i32))
        upper = arith.AddiOp(loop.lb, step.result)
        Rewriter.insert_op([step, upper], InsertPoint.before(loop))
        loop.operands = [loop.lb, upper.result, step.result, *loop.iter_args]
        changed = module.clone()
        loop = find_loop(changed)
        assign_random_stages(loop, rng)
        pipeline_loop_body(loop)
        changed.verify()
        assert not any(isinstance(op, scf.ForOp) for op in changed.walk())
        arguments = [rng.randint(-9, 9), rng.randint(-9, 9), low, 0, 0]
        assert results(changed, arguments) == results(module, arguments)


def test_loops_without_stages_stay():
    module = Writer(random.Random(0)).module()
    changed = module.clone()
    pipeline_loop_body(find_loop(changed))
    TileasMaterializeSchedulePass().apply(context(), changed)
    assert changed.is_structurally_equivalent(module)
