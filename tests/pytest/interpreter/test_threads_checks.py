"""Bugs of threads that are planted into kernels are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError, Uninitialized
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.threads import run_threads

from .test_threads import example, random_floats
from .test_threads_ops import compute, kernel

I32 = (np.int32, "i32")

EXCHANGE = """
%p = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
llvm.store %t, %p : i32, !llvm.ptr<3>
BETWEEN
%one = arith.constant 1 : i64
%j = arith.xori %i, %one : i64
%q = llvm.getelementptr %s[%j] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
%r = llvm.load %q : !llvm.ptr<3> -> i32
"""
"""Threads exchange values with their neighbours through shared memory."""

CP_ASYNC = """
%c16 = arith.constant 16 : i32
%bytes = arith.constant 16 : i64
%at = arith.muli %i, %bytes : i64
%to = llvm.getelementptr %s[%at] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
%from = llvm.getelementptr %x[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
"""


# Races


def test_a_barrier_orders_threads() -> None:
    found = compute(EXCHANGE.replace("BETWEEN", "gpu.barrier"), I32)
    assert (found == np.arange(32) ^ 1).all()


def test_a_missing_barrier_is_a_race() -> None:
    with pytest.raises(
        ExecutionError,
        match=r"'llvm.load' op race: thread 0 reads byte 4 of shared memory, written by thread 1 "
        r"in 'llvm.store' at .*, without a barrier in between",
    ):
        compute(EXCHANGE.replace("BETWEEN", ""), I32)


def test_a_barrier_of_the_warp_orders_its_lanes() -> None:
    sync = "%all = arith.constant -1 : i32\nnvvm.bar.warp.sync %all : i32"
    found = compute(EXCHANGE.replace("BETWEEN", sync), I32)
    assert (found == np.arange(32) ^ 1).all()


def test_a_barrier_of_the_warp_does_not_order_others() -> None:
    sync = "%all = arith.constant -1 : i32\nnvvm.bar.warp.sync %all : i32"
    body = EXCHANGE.replace("BETWEEN", sync).replace("constant 1 : i64", "constant 32 : i64")
    a = np.zeros(64, np.int32)
    with pytest.raises(ExecutionError, match=r"race: thread 0 reads byte 128"):
        compute(body, I32, (a, "i32"))
    found = compute(body.replace("nvvm.bar.warp.sync %all : i32", "gpu.barrier"), I32, (a, "i32"))
    assert (found == np.arange(64) ^ 32).all()


def test_a_write_after_a_read_is_a_race() -> None:
    body = EXCHANGE.replace("BETWEEN", "gpu.barrier") + "llvm.store %r, %p : i32, !llvm.ptr<3>"
    with pytest.raises(ExecutionError, match=r"race: thread 0 writes byte 0 .*, read by thread 1"):
        compute(body, I32)
    text = body.replace("llvm.store %r", "gpu.barrier\nllvm.store %r")
    assert (compute(text, I32) == np.arange(32) ^ 1).all()


@pytest.mark.parametrize(("value", "is_race"), [("%t", True), ("%seven", False)])
def test_writes_to_one_place(value: str, is_race: bool) -> None:
    """Threads that write the same value at the same time do no harm."""
    body = f"""
    %seven = arith.constant 7 : i32
    llvm.store {value}, %s : i32, !llvm.ptr<3>
    gpu.barrier
    %r = llvm.load %s : !llvm.ptr<3> -> i32
    """
    if is_race:
        with pytest.raises(ExecutionError, match=r"race: .* writes byte 0 .* in the same op"):
            compute(body, I32)
    else:
        assert (compute(body, I32) == 7).all()


def test_atomics_race_with_plain_accesses_only() -> None:
    body = """
    %zero = arith.constant 0 : i32
    %is_first = arith.cmpi eq, %t, %zero : i32
    scf.if %is_first {
      llvm.store %zero, %s : i32, !llvm.ptr<3>
    }
    gpu.barrier
    %old = llvm.atomicrmw add %s, %t monotonic : !llvm.ptr<3>, i32
    %old2 = llvm.atomicrmw add %s, %t monotonic : !llvm.ptr<3>, i32
    BETWEEN
    %r = llvm.load %s : !llvm.ptr<3> -> i32
    """
    assert (compute(body.replace("BETWEEN", "gpu.barrier"), I32) == 2 * sum(range(32))).all()
    with pytest.raises(ExecutionError, match=r"race: .* by an atomic of thread 31 in 'llvm"):
        compute(body.replace("BETWEEN", ""), I32)


RACE_IN_GLOBAL_MEMORY = """
%p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
llvm.store %t, %p : i32, !llvm.ptr<1>
%one = arith.constant 1 : i64
%j = arith.xori %i, %one : i64
%q = llvm.getelementptr %x[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
%r = llvm.load %q : !llvm.ptr<1> -> i32
"""


def test_races_in_global_memory() -> None:
    module = load(kernel(RACE_IN_GLOBAL_MEMORY, ["%x: !llvm.ptr<1>"]))
    x = np.zeros(32, np.int32)
    with pytest.raises(
        ExecutionError, match=r"race: thread 0 reads byte 4 of x, written by thread"
    ):
        run_threads(module, 1, [x], entry="k")
    run_threads(module, 1, [x], entry="k", check_races=False)
    run(module, grid=1, args=[x], check=False)
    with pytest.raises(ExecutionError, match=r"race"):
        run(module, grid=1, args=[x])


# Barriers


def test_a_divergent_barrier() -> None:
    body = """
    %ten = arith.constant 10 : i32
    %small = arith.cmpi slt, %t, %ten : i32
    scf.if %small {
      gpu.barrier
    }
    %r = arith.addi %t, %t : i32
    """
    with pytest.raises(
        ExecutionError, match=r"divergent barrier: 10 of 32 threads .* thread 10 is"
    ):
        compute(body, I32)


def test_lanes_that_do_not_come() -> None:
    body = """
    %ten = arith.constant 10 : i32
    %all = arith.constant -1 : i32
    %one = arith.constant 1 : i32
    %clamp = arith.constant 31 : i32
    %small = arith.cmpi slt, %t, %ten : i32
    %r = scf.if %small -> (i32) {
      %v = nvvm.shfl.sync bfly %all, %t, %one, %clamp : i32 -> i32
      scf.yield %v : i32
    } else {
      scf.yield %t : i32
    }
    """
    with pytest.raises(
        ExecutionError, match=r"lane 10 of warp 0 is in the mask, but does not come"
    ):
        compute(body, I32)
    found = compute(body.replace("constant -1", "constant 1023"), I32)
    assert (found == [t ^ 1 if t < 10 else t for t in range(32)]).all()


# Memory


def test_shared_memory_that_was_never_written() -> None:
    with pytest.raises(
        ExecutionError, match=r"thread 0 reads shared memory, which was never written"
    ):
        compute("%r = llvm.load %s : !llvm.ptr<3> -> i32", I32)


def test_global_memory_that_was_never_written() -> None:
    module = load(kernel(RACE_IN_GLOBAL_MEMORY, ["%x: !llvm.ptr<1>"]))
    x = Uninitialized(np.zeros(32, np.int32))
    run_threads(module, 1, [x], entry="k", check_races=False)
    text = kernel("%v = llvm.load %x : !llvm.ptr<1> -> i32", ["%x: !llvm.ptr<1>"])
    with pytest.raises(ExecutionError, match=r"thread 0 reads x, which was never written"):
        run_threads(load(text), 1, [x], entry="k", check_races=False)


def test_bytes_between_the_elements_of_an_array() -> None:
    body = """
    %p = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %p : !llvm.ptr<1> -> i32
    """
    rows = np.zeros((2, 32), np.int32)
    module = load(kernel(body, ["%x: !llvm.ptr<1>"]))
    run_threads(module, 1, [rows], entry="k", check_races=False)
    with pytest.raises(
        ExecutionError,
        match=r"thread 24 reads 4 bytes at offset 96 of x, which lie between its elements, "
        r"after x\[0, 24\] of an array of shape \(2, 24\)",
    ):
        run_threads(module, 1, [rows[:, :24]], entry="k", check_races=False)


def test_accesses_out_of_bounds() -> None:
    body = """
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %v = llvm.load %p : !llvm.ptr<1> -> i32
    """
    module = load(kernel(body, ["%x: !llvm.ptr<1>"]))
    with pytest.raises(ExecutionError, match=r"thread 20 reads 4 bytes .* 0 bytes past .*x"):
        run_threads(module, 1, [np.zeros(20, np.int32)], entry="k")
    body = """
    %far = arith.constant 8190 : i64
    %p = llvm.getelementptr %s[%far] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
    llvm.store %t, %p {alignment = 2 : i64} : i32, !llvm.ptr<3>
    """
    with pytest.raises(ExecutionError, match=r"writes 4 bytes at offset 8190 of shared memory"):
        run_threads(load(kernel(body, ["%x: i32"])), 1, [1], entry="k")


def test_misaligned_accesses() -> None:
    body = """
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %v = llvm.load %p : !llvm.ptr<1> -> vector<4xi32>
    """
    module = load(kernel(body, ["%x: !llvm.ptr<1>"]))
    with pytest.raises(ExecutionError, match=r"thread 1 reads address .* not aligned to 16 bytes"):
        run_threads(module, 1, [np.zeros(64, np.int32)], entry="k")


def test_a_read_only_array() -> None:
    module = load(kernel(RACE_IN_GLOBAL_MEMORY, ["%x: !llvm.ptr<1>"]))
    x = np.zeros(32, np.int32)
    x.flags.writeable = False
    with pytest.raises(ExecutionError, match=r"writes to 'x', which is read-only"):
        run_threads(module, 1, [x], entry="k")


# Copies


def copy_kernel(after: str) -> Any:
    """Threads copy 16 bytes each, then do something."""
    begin = "nvvm.cp.async.shared.global %to, %from, %c16 : !llvm.ptr<3>, !llvm.ptr<1>, i32\n"
    return load(kernel(CP_ASYNC + begin + after, ["%x: !llvm.ptr<1>", "%out: !llvm.ptr<1>"]))


READ = """
%q = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
%v = llvm.load %to : !llvm.ptr<3> -> vector<4xi32>
llvm.store %v, %q : vector<4xi32>, !llvm.ptr<1>
"""
COMMIT = "nvvm.cp.async.commit.group\n"
WAIT = "nvvm.cp.async.wait.group 0\n"


def test_copies_are_there_after_a_wait() -> None:
    x, out = np.arange(128, dtype=np.int32), np.zeros(128, np.int32)
    for wait in (COMMIT + WAIT, "nvvm.cp.async.wait.all\n"):
        run_threads(copy_kernel(wait + READ), 1, [x, out], entry="k")
        assert (out == x).all()
        out[:] = 0


@pytest.mark.parametrize("wait", ["", WAIT, COMMIT, COMMIT + WAIT.replace("0", "1")])
def test_copies_that_nobody_has_waited_for(wait: str) -> None:
    x, out = np.arange(128, dtype=np.int32), np.zeros(128, np.int32)
    with pytest.raises(ExecutionError, match=r"reads shared memory that an asynchronous copy"):
        run_threads(copy_kernel(wait + READ), 1, [x, out], entry="k")


def test_copies_of_fewer_bytes_are_filled_with_zeros() -> None:
    x, out = np.arange(128, dtype=np.int32), np.zeros(128, np.int32)
    body = """
    %zero = arith.constant 0 : i32
    %twenty = arith.constant 20 : i32
    %in = arith.cmpi slt, %t, %twenty : i32
    %size = arith.select %in, %c16, %zero : i32
    nvvm.cp.async.shared.global %to, %from, %c16, %size : !llvm.ptr<3>, !llvm.ptr<1>, i32
    """
    text = kernel(
        CP_ASYNC + body + COMMIT + WAIT + READ, ["%x: !llvm.ptr<1>", "%out: !llvm.ptr<1>"]
    )
    run_threads(load(text), 1, [x[:80].copy(), out], entry="k")
    assert (out == np.where(np.arange(128) < 80, x, 0)).all()


STENCIL = example("cp_async_stencil")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{numGroups = 1 : i32}", "{numGroups = 2 : i32}", "asynchronous copy"),
        ("gpu.barrier", "", "race: .* written by .* in 'nvgpu.device_async_copy'"),
    ],
)
def test_bugs_of_the_stencil(old: str, new: str, message: str) -> None:
    x, out = random_floats(3 * 512 + 8), np.zeros(3 * 512, np.float32)
    assert old in STENCIL
    with pytest.raises(ExecutionError, match=message):
        run_threads(load(STENCIL.replace(old, new, 1)), 1, [x, out, 3])


def test_the_second_barrier_of_the_stencil() -> None:
    x, out = random_floats(3 * 512 + 8), np.zeros(3 * 512, np.float32)
    head, _, tail = STENCIL.rpartition("gpu.barrier")
    with pytest.raises(ExecutionError, match=r"'nvgpu.device_async_copy' op race: .* read by"):
        run_threads(load(head + tail), 1, [x, out, 3])


@pytest.mark.parametrize("barrier", [0, 1])
def test_barriers_of_the_matmul(barrier: int) -> None:
    parts = example("mma_matmul").replace("2048", "128").split("gpu.barrier")
    text = "gpu.barrier".join(parts[: barrier + 1]) + "gpu.barrier".join(parts[barrier + 1 :])
    a, c = random_floats(128, 128, dtype=np.float16), np.zeros((128, 128), np.float32)
    with pytest.raises(ExecutionError, match=r"race"):
        run_threads(load(text), 1, [a, a, c])


# Warps that wait for each other


PIPELINE = """
%full = nvgpu.mbarrier.create : !nvgpu.mbarrier
%empty = nvgpu.mbarrier.create : !nvgpu.mbarrier
%lanes = arith.constant 32 : i32
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c5 = arith.constant 5 : i32
%zero = arith.constant 0 : i64
%even = arith.constant false
%odd = arith.constant true
%ticks = arith.constant 1000 : i32
%is_first = arith.cmpi eq, %t, %c0 : i32
scf.if %is_first {
  nvgpu.mbarrier.init %full, %lanes : !nvgpu.mbarrier, i32
  nvgpu.mbarrier.init %empty, %lanes : !nvgpu.mbarrier, i32
}
gpu.barrier
%c31 = arith.constant 31 : i64
%lane = arith.andi %i, %c31 : i64
%slot = llvm.getelementptr %s[%lane] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
%is_producer = arith.cmpi ult, %t, %lanes : i32
%r = scf.if %is_producer -> (i32) {
  %last = scf.for %n = %c0 to %c5 step %c1 iter_args(%phase = %odd) -> (i1) : i32 {
    %ready = nvgpu.mbarrier.try_wait.parity %empty, %phase, %ticks
      : !nvgpu.mbarrier, i1, i32 -> i1
    %v = arith.muli %n, %t : i32
    llvm.store %v, %slot : i32, !llvm.ptr<3>
    %token = nvgpu.mbarrier.arrive %full : !nvgpu.mbarrier -> !nvgpu.token
    %next = arith.xori %phase, %odd : i1
    scf.yield %next : i1
  }
  scf.yield %c0 : i32
} else {
  %sum, %last = scf.for %n = %c0 to %c5 step %c1 iter_args(%x = %c0, %phase = %even)
      -> (i32, i1) : i32 {
    %ready = nvgpu.mbarrier.try_wait.parity %full, %phase, %ticks
      : !nvgpu.mbarrier, i1, i32 -> i1
    %at = arith.xori %lane, %c31 : i64
    %other = llvm.getelementptr %s[%at] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
    %v = llvm.load %other : !llvm.ptr<3> -> i32
    %y = arith.addi %x, %v : i32
    %token = nvgpu.mbarrier.arrive %empty : !nvgpu.mbarrier -> !nvgpu.token
    %next = arith.xori %phase, %odd : i1
    scf.yield %y, %next : i32, i1
  }
  scf.yield %sum : i32
}
"""
"""One warp writes numbers for another, which says when it has read them."""


def test_a_warp_works_for_another() -> None:
    found = compute(PIPELINE, I32, (np.zeros(64, np.int32), "i32"))
    assert (found[:32] == 0).all()
    assert (found[32:] == sum(range(5)) * np.arange(31, -1, -1)).all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("try_wait.parity %empty, %phase", "try_wait.parity %empty, %odd", "deadlock: thread"),
        ("try_wait.parity %full, %phase", "try_wait.parity %full, %odd", "never written"),
        ("%full, %lanes :", "%full, %c1 :", "deadlock: thread"),
        ("iter_args(%phase = %odd)", "iter_args(%phase = %even)", "deadlock: thread"),
    ],
)
def test_bugs_of_a_pipeline(old: str, new: str, message: str) -> None:
    assert old in PIPELINE
    with pytest.raises(ExecutionError, match=message):
        compute(PIPELINE.replace(old, new), I32, (np.zeros(64, np.int32), "i32"))


NAMED_BARRIER = """
%id = arith.constant 3 : i32
%count = arith.constant 64 : i32
%c32 = arith.constant 32 : i64
%c64 = arith.constant 64 : i64
%p = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
%takes_part = arith.cmpi slt, %i, %c64 : i64
%r = scf.if %takes_part -> (i32) {
  llvm.store %t, %p : i32, !llvm.ptr<3>
  nvvm.barrier id = %id number_of_threads = %count
  %j = arith.xori %i, %c32 : i64
  %q = llvm.getelementptr %s[%j] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  %v = llvm.load %q : !llvm.ptr<3> -> i32
  scf.yield %v : i32
} else {
  scf.yield %t : i32
}
"""


def test_a_barrier_of_some_warps() -> None:
    a = np.zeros(96, np.int32)
    found = compute(NAMED_BARRIER, I32, (a, "i32"))
    assert (found == [t ^ 32 if t < 64 else t for t in range(96)]).all()
    body = NAMED_BARRIER.replace("%count = arith.constant 64", "%count = arith.constant 96")
    with pytest.raises(ExecutionError, match=r"at barrier 3, where 64 of 96 threads are"):
        compute(body, I32, (a, "i32"))


# Barriers in shared memory


MBARRIER = """
%bar = nvgpu.mbarrier.create : !nvgpu.mbarrier
%count = arith.constant 32 : i32
%zero = arith.constant 0 : i32
%even = arith.constant false
%ticks = arith.constant 1000 : i32
%is_first = arith.cmpi eq, %t, %zero : i32
scf.if %is_first {
  nvgpu.mbarrier.init %bar, %count : !nvgpu.mbarrier, i32
}
gpu.barrier
"""
ARRIVE = "%token = nvgpu.mbarrier.arrive %bar : !nvgpu.mbarrier -> !nvgpu.token\n"
TRY_WAIT = """
%done = nvgpu.mbarrier.try_wait.parity %bar, %even, %ticks : !nvgpu.mbarrier, i1, i32 -> i1
"""


def test_a_barrier_in_shared_memory_orders_threads() -> None:
    body = MBARRIER + EXCHANGE.replace("BETWEEN", ARRIVE + TRY_WAIT)
    assert (compute(body, I32) == np.arange(32) ^ 1).all()
    with pytest.raises(ExecutionError, match=r"race"):
        compute(MBARRIER + EXCHANGE.replace("BETWEEN", ARRIVE), I32)


def test_a_barrier_in_shared_memory_that_nobody_completes() -> None:
    with pytest.raises(ExecutionError, match=r"deadlock: thread 0 waits .* lacks 32 of 32 arr"):
        compute(MBARRIER + EXCHANGE.replace("BETWEEN", TRY_WAIT), I32)
    wrong = MBARRIER.replace("constant 32", "constant 33")
    with pytest.raises(ExecutionError, match=r"deadlock: thread 0 waits .* lacks 1 of 33 arr"):
        compute(wrong + EXCHANGE.replace("BETWEEN", ARRIVE + TRY_WAIT), I32)
