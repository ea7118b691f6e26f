"""
Other CTAs and the previous grid, next to kernels of two warps at level 3 and level 4.

Each rule has a kernel that keeps it and siblings that break it: by a missing wait, barrier, fence,
or by a scope that is too narrow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.environment import (
    Add,
    AwaitAcquire,
    Environment,
    KernelAccess,
    Observer,
    Other,
    OtherBlock,
    PreviousGrid,
    Read,
    Release,
    Write,
)
from tileiras_xdsl.interpreter.memory import Memory as DeviceMemory
from tileiras_xdsl.interpreter.threads import run_threads

from ..harness.kernels import (
    POINTER,
    block_size,
    gpu_kernel,
    gpu_module,
    i32_constants,
    shared_memory,
)
from .thread_levels import LEVELS, Lowering, at_level_3

Array = npt.NDArray[Any]
SEEDS = range(5)


def kernel(body: str, threads: int = 64) -> str:
    """
    A kernel in which `%x` is an array, `%flag` a number, `%out` an array with a place `%mine` for
    each thread; `%first` is true in one thread, `%low` in the first warp; `%s` is shared memory.
    """
    start = """
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %s = llvm.mlir.addressof @shared : !llvm.ptr<3>
    %first = arith.cmpi eq, %t, %c0 : i32
    %low = arith.cmpi ult, %t, %c32 : i32
    %true = arith.constant true
    %high = arith.xori %low, %true : i1
    %ticks = arith.constant 1000 : i32
    %here = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %slot = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %mine = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    """
    function = gpu_kernel(
        i32_constants((0, 1, 2, 32, 64, 256)) + start + body,
        [f"%{name}: {POINTER}" for name in ("x", "flag", "out")],
        attributes=[block_size(threads)],
    )
    return gpu_module(shared_memory(4096) + function)


class Memory:
    """The arguments of a kernel."""

    def __init__(self) -> None:
        self.x, self.out = np.zeros(64, np.int32), np.zeros(64, np.int32)
        self.flag = np.zeros(4, np.int32)

    def publish(self, scope: str = "gpu") -> OtherBlock:
        """Another CTA that writes `x`, and then sets the flag."""
        return OtherBlock([Write(self.x, slice(None), 7), Release(self.flag, 0, 1, scope)])


Others = Callable[[Memory], Sequence[Other]]


def launch(
    text: str,
    others: Others,
    lower: Lowering = at_level_3,
    *,
    seed: int | None = 0,
    grid: int = 1,
    check_races: bool = True,
    side_by_side: bool = False,
) -> Memory:
    """Runs a kernel next to others."""
    memory = Memory()
    run_threads(
        lower(text),
        grid,
        [memory.x, memory.flag, memory.out],
        entry="k",
        others=others(memory),
        seed=seed,
        check_races=check_races,
        side_by_side=side_by_side,
    )
    return memory


def first_error(text: str, others: Others, lower: Lowering = at_level_3) -> str:
    """What is wrong with a kernel, by the first seed that shows it."""
    for seed in SEEDS:
        try:
            launch(text, others, lower, seed=seed)
        except ExecutionError as error:
            return str(error)
    return "nothing"


def published(memory: Memory) -> Sequence[Other]:
    """Another CTA that writes `x`, and then sets the flag."""
    return [memory.publish()]


def idle(memory: Memory) -> Sequence[Other]:
    """Another CTA that does nothing."""
    return [OtherBlock([])]


def nobody(memory: Memory) -> Sequence[Other]:
    """Nobody else runs."""
    return []


# Copies that are under way when a flag is released

PUBLISH_BY_COPY = """
llvm.store %t, %slot : i32, !llvm.ptr<3>
nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
gpu.barrier
scf.if %first {
  nvvm.cp.async.bulk.global.shared.cta %x, %s, %c256 : !llvm.ptr<1>, !llvm.ptr<3>, i32
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0
  // the owner releases
}
gpu.barrier
"""
RELEASE = """
llvm.store %c1, %flag atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
"""
RELAXED_STORE = RELEASE.replace("release", "monotonic")
UPDATE = '%0 = llvm.atomicrmw add %flag, %c1 syncscope("device") acq_rel : !llvm.ptr<1>, i32'
FENCE = "nvvm.fence.acq_rel {scope = #nvvm.mem_scope<gpu>}"
FROM_SAME_THREAD = PUBLISH_BY_COPY.replace("// the owner releases", RELEASE)
FROM_OTHER_WARP = (
    PUBLISH_BY_COPY
    + f"""
%is_32 = arith.cmpi eq, %t, %c32 : i32
scf.if %is_32 {{ {RELEASE} }}
"""
)


def awaited(memory: Memory) -> Sequence[Other]:
    """Another CTA that reads `x` when the flag is set, and writes what it has read to `out`."""

    def into(found: Array) -> None:
        memory.out[:] = found

    return [OtherBlock([AwaitAcquire(memory.flag, 0, 1), Read(memory.x, slice(None), into)])]


@pytest.mark.every(3)
@LEVELS
@pytest.mark.parametrize("body", [FROM_SAME_THREAD, FROM_OTHER_WARP])
def test_release_behind_a_copy(body: str, lower: Lowering) -> None:
    for seed in SEEDS:
        memory = launch(kernel(body), awaited, lower, seed=seed)
        assert memory.out.tolist() == list(range(64))


@LEVELS
@pytest.mark.parametrize("body", [FROM_SAME_THREAD, FROM_OTHER_WARP])
@pytest.mark.parametrize("wait", ["0 {read}", "1"])
def test_release_while_a_copy_is_in_flight(body: str, wait: str, lower: Lowering) -> None:
    text = kernel(body.replace("wait_group 0", f"wait_group {wait}"))
    if wait == "1":
        text = text.replace('"gpu.return"', "nvvm.cp.async.bulk.wait_group 0\n" + '"gpu.return"')
    with pytest.raises(ExecutionError, match=r"race: another CTA reads byte 0 of x, written by "):
        launch(text, awaited, lower)


@LEVELS
@pytest.mark.parametrize(
    ("release", "is_right"),
    [
        (RELEASE, True),
        (RELEASE.replace("device", "block"), False),
        (RELAXED_STORE, False),
        (FENCE + RELAXED_STORE, True),
        (FENCE.replace("gpu", "cta") + RELAXED_STORE, False),
        (UPDATE, True),
        (UPDATE.replace("acq_rel", "acquire"), False),
        ("llvm.store %c1, %flag : i32, !llvm.ptr<1>", False),
    ],
)
def test_releases(release: str, is_right: bool, lower: Lowering) -> None:
    text = kernel(
        f"llvm.store %t, %here : i32, !llvm.ptr<1>\n gpu.barrier\n scf.if %first {{ {release} }}"
    )
    if is_right:
        assert launch(text, awaited, lower).out.tolist() == list(range(64))
    else:
        with pytest.raises(ExecutionError, match="race: another CTA reads byte 0 of"):
            launch(text, awaited, lower)


def test_release_of_another_lane() -> None:
    """A release covers what its thread has done, and nothing that it has not met."""
    text = kernel(f"llvm.store %t, %here : i32, !llvm.ptr<1>\n scf.if %first {{ {RELEASE} }}")
    with pytest.raises(ExecutionError, match="race: another CTA reads byte 4 of x"):
        launch(text, awaited)


# Acquires: whose they are, and how far they reach


def acquire(how: str = 'syncscope("device") acquire') -> str:
    """Spins until the flag is set."""
    return f"""
    scf.while () : () -> () {{
      %v = llvm.load %flag atomic {how} {{alignment = 4 : i64}} : !llvm.ptr<1> -> i32
      %again = arith.cmpi eq, %v, %c0 : i32
      scf.condition(%again)
    }} do {{
      scf.yield
    }}
    """


ACQUIRE_AND_COPY = f"""
scf.if %first {{ {acquire()} }}
gpu.barrier
%v = llvm.load %here : !llvm.ptr<1> -> i32
llvm.store %v, %mine : i32, !llvm.ptr<1>
"""


@LEVELS
def test_acquire_of_one_thread(lower: Lowering) -> None:
    for seed in SEEDS:
        memory = launch(kernel(ACQUIRE_AND_COPY), published, lower, seed=seed)
        assert (memory.out == 7).all()


def test_acquire_of_any_thread() -> None:
    """Neither the first of its warp nor of the first warp."""
    thread = "%c37 = arith.constant 37 : i32\n%is_37 = arith.cmpi eq, %t, %c37 : i32\n"
    text = kernel(thread + ACQUIRE_AND_COPY.replace("%first", "%is_37"))
    for seed in SEEDS:
        assert (launch(text, published, seed=seed).out == 7).all()


def test_acquire_of_another_warp() -> None:
    text = kernel(ACQUIRE_AND_COPY.replace("gpu.barrier", ""))
    assert "of x" in first_error(text, published)
    assert "another CTA" in first_error(text, published)


@LEVELS
@pytest.mark.parametrize(
    "how",
    ['syncscope("block") acquire', 'syncscope("device") monotonic', 'syncscope("cluster") acquire'],
)
def test_acquires_that_are_too_weak(how: str, lower: Lowering) -> None:
    text = kernel(ACQUIRE_AND_COPY.replace(acquire(), acquire(how)))
    assert "another CTA" in first_error(text, published, lower)


@pytest.mark.parametrize(("scope", "is_right"), [("gpu", True), ("sys", True), ("cta", False)])
def test_fence_behind_a_relaxed_read(scope: str, is_right: bool) -> None:
    fence = f"nvvm.fence.acq_rel {{scope = #nvvm.mem_scope<{scope}>}}"
    relaxed = acquire('syncscope("device") monotonic')
    text = kernel(ACQUIRE_AND_COPY.replace(acquire(), relaxed + fence))
    assert ("another CTA" in first_error(text, published)) is not is_right


@pytest.mark.parametrize("scope", ["cta", "cluster"])
def test_release_of_another_cta_in_a_narrow_scope(scope: str) -> None:
    text = kernel(ACQUIRE_AND_COPY)
    assert "another CTA" in first_error(text, lambda memory: [memory.publish(scope)])


def test_updates_carry_releases_on() -> None:
    """An atomic update of a flag does not hide what others have released there."""

    def others(memory: Memory) -> Sequence[Other]:
        halves = memory.x[:32], memory.x[32:]
        return [
            OtherBlock([Write(half, slice(None), 7), Add(memory.flag, 0, 1, "release")])
            for half in halves
        ]

    both = acquire().replace("arith.cmpi eq, %v, %c0", "arith.cmpi slt, %v, %c2")
    text = kernel(ACQUIRE_AND_COPY.replace(acquire(), both))
    for seed in SEEDS:
        assert (launch(text, others, seed=seed).out == 7).all()


@pytest.mark.parametrize(("thread", "is_right"), [("%c0", True), ("%c32", False)])
def test_stores_behind_a_release(thread: str, is_right: bool) -> None:
    """A relaxed store of the same thread carries a release on, that of another one hides it."""

    def others(memory: Memory) -> Sequence[Other]:
        return [OtherBlock([AwaitAcquire(memory.flag, 0, 2), Read(memory.x, 0)])]

    body = f"""
    scf.if %first {{
      llvm.store %c1, %x : i32, !llvm.ptr<1>
      {RELEASE}
    }}
    gpu.barrier
    %is_last = arith.cmpi eq, %t, {thread} : i32
    scf.if %is_last {{ {RELAXED_STORE.replace("%c1", "%c2")} }}
    """
    error = first_error(kernel(body), others)
    assert error == "nothing" if is_right else "another CTA reads byte 0 of x" in error


def test_ordinary_read_of_a_flag() -> None:
    text = kernel("%v = llvm.load %flag : !llvm.ptr<1> -> i32")
    assert "another CTA" in first_error(text, published)


def test_ordinary_write_of_a_flag() -> None:
    """Whether it comes before or after the strong read of the kernel."""
    for seed in SEEDS:
        with pytest.raises(ExecutionError, match="another CTA"):
            launch(kernel(LOAD), lambda memory: [OtherBlock([Write(memory.flag, 0, 1)])], seed=seed)


@LEVELS
def test_release_and_acquire_between_warps(lower: Lowering) -> None:
    """Within a CTA they synchronize, too, in the scope of a CTA."""
    release, block = RELEASE.replace("device", "block"), 'syncscope("block") acquire'
    body = f"""
    scf.if %first {{
      llvm.store %c64, %x : i32, !llvm.ptr<1>
      {release}
    }}
    %is_32 = arith.cmpi eq, %t, %c32 : i32
    scf.if %is_32 {{
      {acquire(block)}
      %v = llvm.load %x : !llvm.ptr<1> -> i32
      llvm.store %v, %mine : i32, !llvm.ptr<1>
    }}
    nvvm.barrier id = %c1 number_of_threads = %c64
    """
    for seed in SEEDS:
        assert launch(kernel(body), idle, lower, seed=seed).out[32] == 64
    for weaker in (
        body.replace("release {", "monotonic {"),
        body.replace('syncscope("block") acquire', 'syncscope("block") monotonic'),
    ):
        assert "race: thread 32 reads byte 0 of x" in first_error(kernel(weaker), idle, lower)


# Copies of what another CTA has written

COPY_IN = f"""
scf.if %first {{
  nvvm.mbarrier.init.shared %s, %c1 : !llvm.ptr<3>, i32
  {acquire()}
  nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async>}}
}}
gpu.barrier
%data = llvm.getelementptr %s[%c32] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
scf.if %first {{
  nvvm.mbarrier.arrive.expect_tx.shared %s, %c256 : !llvm.ptr<3>, i32
  nvvm.cp.async.bulk.shared.cluster.global %data, %x, %s, %c256
    : !llvm.ptr<3>, !llvm.ptr<1>, !llvm.ptr<3>, i32
}}
%even = arith.constant false
%done = nvvm.mbarrier.try_wait.parity.shared %s, %even, %ticks : !llvm.ptr<3>, i1, i32 -> i1
%from = llvm.getelementptr %data[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
%v = llvm.load %from : !llvm.ptr<3> -> i32
llvm.store %v, %mine : i32, !llvm.ptr<1>
"""


@LEVELS
def test_copy_behind_an_acquire(lower: Lowering) -> None:
    for seed in SEEDS:
        assert (launch(kernel(COPY_IN), published, lower, seed=seed).out == 7).all()


@LEVELS
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (acquire(), "", "another CTA"),
        ("<async>", "<async.shared>, space = #nvvm.shared_space<cta>", "without a proxy fence"),
        ("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}", "", "without a proxy fence"),
    ],
)
def test_copy_too_early(old: str, new: str, message: str, lower: Lowering) -> None:
    assert old in COPY_IN
    assert message in first_error(kernel(COPY_IN.replace(old, new)), published, lower)


# The previous grid


def depends(memory: Memory) -> Sequence[Other]:
    memory.x[:] = np.arange(64)
    return [PreviousGrid([memory.x])]


COPY = """
%v = llvm.load %here : !llvm.ptr<1> -> i32
llvm.store %v, %mine : i32, !llvm.ptr<1>
"""
WAIT = "nvvm.griddepcontrol.wait\n"
WAIT_OF_ONE_WARP = "scf.if %low { nvvm.griddepcontrol.wait }\n"


@LEVELS
@pytest.mark.parametrize("wait", [WAIT, WAIT_OF_ONE_WARP + "gpu.barrier\n"])
def test_wait_for_the_previous_grid(wait: str, lower: Lowering) -> None:
    for seed in SEEDS:
        memory = launch(kernel(wait + COPY), depends, lower, seed=seed, grid=2)
        assert memory.x.tolist() == memory.out.tolist() == list(range(64))


@pytest.mark.every(5)
@LEVELS
@pytest.mark.parametrize("body", [COPY, COPY + WAIT, WAIT_OF_ONE_WARP + COPY])
def test_read_before_the_previous_grid_is_over(body: str, lower: Lowering) -> None:
    with pytest.raises(ExecutionError, match=r"reads byte .* of x, written by the previous grid"):
        launch(kernel(body), depends, lower)
    for seed in SEEDS:
        memory = launch(kernel(body), depends, lower, seed=seed, check_races=False)
        assert (memory.out[32:] != np.arange(32, 64)).all()
        assert memory.x.tolist() == list(range(64))


def test_wait_of_a_warp_that_another_does_not_come_after() -> None:
    """A relaxed flag tells that a warp has waited, but orders nothing."""
    body = f"""
    scf.if %low {{
      nvvm.griddepcontrol.wait
      scf.if %first {{ // release }}
    }} else {{
      {acquire()}
      {COPY}
    }}
    """
    right = body.replace("// release", RELEASE)
    assert first_error(kernel(right), depends) == "nothing"
    for wrong in (
        body.replace("// release", RELAXED_STORE),
        right.replace("acquire", "monotonic"),
    ):
        assert "reads byte 128 of x, written by the previous" in first_error(kernel(wrong), depends)


def test_write_before_the_previous_grid_is_over() -> None:
    write = "llvm.store %c1, %here : i32, !llvm.ptr<1>\n"
    with pytest.raises(ExecutionError, match="writes byte 0 of x, written by the previous grid"):
        launch(kernel("scf.if %low {" + write + "}" + WAIT), depends)
    assert (launch(kernel(WAIT + write), depends, grid=2).x == 1).all()


def test_loop_bound_before_the_previous_grid_is_over() -> None:
    """A warp that reads its trip count before the wait, while the others wait."""
    body = """
    scf.if %low {
      %n = llvm.load %x : !llvm.ptr<1> -> i32
      scf.for %i = %c0 to %n step %c1 : i32 { llvm.store %i, %mine : i32, !llvm.ptr<1> }
    } else {
      nvvm.griddepcontrol.wait
    }
    """
    with pytest.raises(ExecutionError, match="thread 0 reads byte 0 of x, written by the previous"):
        launch(kernel(body), depends)


# Loops without turns, and branches that nobody takes

EARLY_READ = """
%n = llvm.load %x : !llvm.ptr<1> -> i32
scf.for %i = %c0 to %n step %c1 : i32 {
  nvvm.barrier id = %c1 number_of_threads = %c64
}
// meet
scf.if %first { llvm.store %c1, %x : i32, !llvm.ptr<1> }
nvvm.barrier id = %c2 number_of_threads = %c64
"""


@LEVELS
def test_store_behind_a_loop_without_turns(lower: Lowering) -> None:
    text = kernel(EARLY_READ)
    assert "race: thread 0 writes byte 0 of x, read by" in first_error(text, nobody, lower)
    meeting = "nvvm.barrier id = %c1 number_of_threads = %c64"
    assert first_error(text.replace("// meet", meeting), nobody, lower) == "nothing"


# Flags that change between two reads of them


def spin(load: str) -> str:
    """A loop of all threads, with barriers, that ends when the flag is set."""
    return f"""
    scf.while () : () -> () {{
      gpu.barrier
      {load}
      gpu.barrier
      %again = arith.cmpi eq, %v, %c0 : i32
      scf.condition(%again)
    }} do {{
      scf.yield
    }}
    gpu.barrier
    """


LOAD = """
%v = llvm.load %flag atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
"""
OWNER_LOADS = f"""
scf.if %first {{
  {LOAD.replace("%v", "%found")}
  llvm.store %found, %s : i32, !llvm.ptr<3>
}}
gpu.barrier
%v = llvm.load %s : !llvm.ptr<3> -> i32
"""


@pytest.mark.part("kernels")
@pytest.mark.every(4, first=3)
@LEVELS
@pytest.mark.parametrize("threads", [32, 64])
def test_flag_that_one_thread_reads(threads: int, lower: Lowering) -> None:
    text = kernel(spin(OWNER_LOADS) + COPY, threads)
    for seed in range(8):
        assert (launch(text, published, lower, seed=seed).out[:threads] == 7).all()


@LEVELS
@pytest.mark.parametrize("threads", [32, 64])
def test_flag_that_all_threads_read(threads: int, lower: Lowering) -> None:
    """Some warps, or lanes, leave the loop a turn earlier than others."""
    assert "divergent barrier" in first_error(kernel(spin(LOAD) + COPY, threads), published, lower)


@LEVELS
def test_trip_count_that_all_threads_read(lower: Lowering) -> None:
    body = f"""
    {LOAD}
    scf.for %i = %c0 to %v step %c1 : i32 {{ gpu.barrier }}
    """
    for load in (LOAD, LOAD.replace("acquire", "monotonic")):
        text = kernel(body.replace(LOAD, load))
        error = first_error(text, lambda memory: [OtherBlock([Add(memory.flag, 0, 2)])], lower)
        assert "deadlock" in error or "divergent" in error


def test_steps_between_the_reads_of_two_warps() -> None:
    """A step that seeks it is taken when one warp has read, and another one is about to."""
    array = np.zeros(4, np.int32)
    memory = DeviceMemory()
    (base,) = memory.add_arrays([array], ["flag"])
    steps = [OtherBlock([Release(array, 0, 1)])]
    found: set[bool] = set()
    for seed in range(20):
        array[:] = 0
        environment = Environment(steps, memory, seed, Observer(), splits_readers=True)
        if not environment.ctas[0].seeks_split:
            continue
        values: list[int] = []
        for warp, op in ((0, "a"), (0, "a"), (0, "b"), (1, "a")):
            access = KernelAccess(warp, op, base, np.array([0]), 4, is_strong_load=True)
            environment.before(access, may_spin=True)
            values.append(int(array[0]))
        found.add(values == [0, 0, 0, 1])
    assert found == {True}


def test_barriers_of_different_ops() -> None:
    """Warps that meet at different barriers have gone different ways."""
    body = "scf.if %low { gpu.barrier } else { gpu.barrier }"
    assert "divergent barrier: thread" in first_error(kernel(body), idle)


# CTAs of a grid side by side

SIDE_BY_SIDE = f"""
%cta = nvvm.read.ptx.sreg.ctaid.x : i32
%consumes = arith.cmpi eq, %cta, %c0 : i32
scf.if %consumes {{
  {ACQUIRE_AND_COPY}
}} else {{
  {FROM_SAME_THREAD}
}}
"""


@LEVELS
def test_cta_that_waits_for_a_later_one(lower: Lowering) -> None:
    for seed in SEEDS:
        memory = launch(kernel(SIDE_BY_SIDE), nobody, lower, seed=seed, grid=2, side_by_side=True)
        assert memory.out.tolist() == list(range(64))


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("wait_group 0", "wait_group 0 {read}"),
        ('syncscope("device") release', 'syncscope("block") release'),
        ("release {", "monotonic {"),
        ('syncscope("device") acquire', 'syncscope("block") acquire'),
        (acquire() + " }\ngpu.barrier", acquire() + " }\n"),
    ],
)
def test_races_of_ctas(old: str, new: str) -> None:
    assert old in SIDE_BY_SIDE
    text = kernel(SIDE_BY_SIDE.replace(old, new))
    for seed in SEEDS:
        with pytest.raises(ExecutionError, match=r"race: .* of CTA \d .* of x, .* of CTA \d"):
            launch(text, nobody, grid=2, seed=seed, side_by_side=True)


def test_multiprocessors_of_ctas() -> None:
    """CTAs that run side by side may be on different ones."""
    body = """
    %processor = nvvm.read.ptx.sreg.smid : i32
    %count = nvvm.read.ptx.sreg.nsmid : i32
    %here_too = llvm.getelementptr %x[%processor] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    scf.if %first { llvm.store %count, %here_too : i32, !llvm.ptr<1> }
    """
    assert launch(kernel(body), nobody, grid=3, side_by_side=True).x[:4].tolist() == [3, 3, 3, 0]
    # One after the other, all on the first of the SMs of the simulated device, which are two.
    assert launch(kernel(body), nobody, grid=3).x[:4].tolist() == [2, 0, 0, 0]


def test_grids_that_are_not_run_side_by_side() -> None:
    with pytest.raises(ExecutionError, match="no whole warps"):
        launch(kernel("", 48), nobody, grid=2, side_by_side=True)
    with pytest.raises(ExecutionError, match="65 CTAs of 64 threads are too many"):
        launch(kernel(""), nobody, grid=65, side_by_side=True)
    launch(kernel("", 48), nobody, side_by_side=True)


# Others that do not end, and others that make no sense


def test_cta_that_waits_for_nothing() -> None:
    text = kernel("llvm.store %c2, %flag : i32, !llvm.ptr<1>", 1)
    with pytest.raises(ExecutionError, match=r"another CTA waits until 'flag' holds 1, .* 2$"):
        launch(text, awaited)


def test_loop_that_nobody_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tileiras_xdsl.interpreter.environment.MOST_SPINS", 100)
    with pytest.raises(ExecutionError, match="again and again, which nobody changes"):
        launch(kernel(acquire()), lambda memory: [OtherBlock([Write(memory.x, 0, 1)])])


def test_others_that_make_no_sense() -> None:
    text = kernel("")
    with pytest.raises(ExecutionError, match="no argument of the kernel"):
        launch(text, lambda memory: [OtherBlock([Write(np.zeros(2), 0, 1)])])
    with pytest.raises(ExecutionError, match="there is no scope 'device'"):
        launch(text, lambda memory: [memory.publish("device")])
    with pytest.raises(ExecutionError, match="there is no order 'weak'"):
        launch(text, lambda memory: [OtherBlock([Add(memory.x, 0, 1, "weak")])])


@pytest.mark.parametrize("check_races", [False, True])
def test_arrays_keep_what_others_write(check_races: bool) -> None:
    def others(memory: Memory) -> Sequence[Other]:
        part = memory.x[8:32:8]
        return [OtherBlock([Write(part, slice(None), [1, 2, 3]), Add(memory.flag, (1,), 5)])]

    memory = launch(kernel(""), others, grid=2, check_races=check_races)
    assert memory.x[8:32:8].tolist() == [1, 2, 3]
    assert memory.x.sum() == 6
    assert memory.flag.tolist() == [0, 5, 0, 0]


@pytest.mark.part("kernels")
def test_a_warp_may_be_ahead_of_another() -> None:
    """What one warp reads first can be newer than what another one reads after that."""
    text = kernel("""
        %before = llvm.load %flag atomic syncscope("device") monotonic {alignment = 4 : i64}
          : !llvm.ptr<1> -> i32
        %then = llvm.load %flag atomic syncscope("device") monotonic {alignment = 4 : i64}
          : !llvm.ptr<1> -> i32
        llvm.store %before, %here : i32, !llvm.ptr<1>
        llvm.store %then, %mine : i32, !llvm.ptr<1>
    """)

    def count(memory: Memory) -> Sequence[Other]:
        return [OtherBlock([Add(memory.flag, 0, 1)] * 8)]

    runs = [launch(text, count, seed=seed) for seed in range(40)]
    assert all((memory.x <= memory.out).all() for memory in runs)
    assert any(memory.x.max() > memory.out.min() for memory in runs)
