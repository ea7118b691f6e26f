"""What the interpreters of tiles and of threads share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.arith import AddiOp
from xdsl.dialects.builtin import i32

import tileiras_xdsl.interpreter.run
import tileiras_xdsl.interpreter.threads
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.arithmetic import CONVERSIONS, FUNCTIONS
from tileiras_xdsl.interpreter.machine import (
    THREADS,
    TILES,
    BoundProgram,
    CallFrame,
    InCta,
    Registry,
)
from tileiras_xdsl.interpreter.schedule import TaskScheduler
from tileiras_xdsl.interpreter.values import word

assert tileiras_xdsl.interpreter.run, "it registers what ops do"
assert tileiras_xdsl.interpreter.threads, "it registers what ops do"


class Cta:
    """A CTA that has nothing but an index."""

    index = (1, 2, 3)


def test_arithmetic_has_one_meaning_at_all_levels() -> None:
    names = [name for names, _, _ in (*FUNCTIONS, *CONVERSIONS) for name in names.split()]
    common = [name for name in names if "." in name]
    assert "arith.addf" in common
    assert all(TILES.binders[name] is THREADS.binders[name] for name in common)


def test_control_flow_has_one_meaning_at_all_levels() -> None:
    for name in ("scf.if", "scf.for", "scf.while", "scf.execute_region", "scf.index_switch"):
        assert TILES.binders[name] is THREADS.binders[name]


def test_what_is_known_of_an_op_is_read_once() -> None:
    registry = Registry(())
    reads: list[str] = []

    @registry.runs("test.op", name=lambda op: reads.append(op.name) or op.name)
    def run_op(cta: Cta, value: int, *, name: str) -> str:  # pyright: ignore[reportUnusedFunction]
        return f"{name} {cta.index} {value}"

    op = test.TestOp([test.TestOp(result_types=[i32]).res[0]], [i32])
    program = BoundProgram(registry)
    step = program.bind(op)
    frame = CallFrame(len(program.registers), Cta())
    for number in (7, 8):
        frame.registers[program.register(op.operands[0])] = number
        step(frame)
        assert frame.registers[program.register(op.res[0])] == f"test.op (1, 2, 3) {number}"
    assert reads == ["test.op"]


def test_a_function_has_readers_for_all_it_must_know() -> None:
    def run_op(value: int, *, name: str) -> None: ...

    with pytest.raises(AssertionError, match="run_op lacks readers"):
        Registry(()).runs("test.op")(run_op)
    with pytest.raises(AssertionError, match="run_op lacks readers"):
        Registry(()).runs("test.op", name=word("name"), other=word("other"))(run_op)


def test_an_op_has_one_binder() -> None:
    registry = Registry(())
    registry.binds("test.op")(lambda op, program: len)
    with pytest.raises(AssertionError, match=r"test\.op has a binder already"):
        registry.binds("test.op")(lambda op, program: len)


def test_operands_and_results_may_not_be_there() -> None:
    registry = Registry(())
    op = test.TestOp([test.TestOp(result_types=[i32]).res[0]], [i32, i32])
    given: list[object] = []

    def apply(cta: Cta, *values: object) -> tuple[int, int]:
        given.extend(values)
        return 3, 4

    registry.binds("test.op")(
        lambda op, program: InCta(apply, [None, op.operands[0]], [None, op.res[1]])
    )
    program = BoundProgram(registry)
    step = program.bind(op)
    frame = CallFrame(4, Cta())
    frame.registers[program.register(op.operands[0])] = 5
    step(frame)
    assert given == [None, 5]
    assert frame.registers[program.register(op.res[1])] == 4
    assert op.res[0] not in program.registers


@pytest.mark.parametrize("registry", [TILES, THREADS])
def test_errors_are_raised_at_the_op_in_the_cta(registry: Registry) -> None:
    from xdsl.dialects.func import ReturnOp
    from xdsl.ir import Block

    first, second = test.TestOp(result_types=[i32]), test.TestOp(result_types=[i32])
    block = Block([first, second, AddiOp(first.res[0], second.res[0]), ReturnOp()])
    own = Registry(registry.lead)
    own.exits = registry.exits
    own.binders = {**registry.binders, "test.op": lambda op, program: partial(_fail, op is second)}
    body = BoundProgram(own).bind_block(block)
    with pytest.raises(ExecutionError, match=r"'test.op' op fails \(CTA \(1, 2, 3\)\)") as info:
        body.run(CallFrame(8, Cta()))
    assert info.value.op is second


def _fail(fails: bool) -> np.ndarray:  # pyright: ignore[reportMissingTypeArgument, reportUnknownParameterType]
    if fails:
        raise ExecutionError("fails")
    return np.zeros((), np.int32)


# Tasks that wait for each other


def run_tasks(make: Callable[[TaskScheduler], list[Callable[[], object]]]) -> None:
    schedule = TaskScheduler([lambda: schedule.run_within(make(schedule))])
    schedule.run()


def test_tasks_of_a_task_take_turns() -> None:
    done: list[str] = []

    def wait(schedule: TaskScheduler) -> None:
        while not done:
            assert schedule.pause()
        done.append("waited")

    run_tasks(lambda schedule: [partial(wait, schedule), lambda: done.append("done")])
    assert done == ["done", "waited"]


def test_tasks_of_a_task_that_all_wait_are_stuck() -> None:
    def wait(schedule: TaskScheduler) -> None:
        while schedule.pause():
            pass
        raise ExecutionError("stuck")

    with pytest.raises(ExecutionError, match="stuck"):
        run_tasks(lambda schedule: [partial(wait, schedule)] * 2)
