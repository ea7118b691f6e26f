"""Kernels that start while the one ahead of them still writes what they read and write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl import compile, load, run
from tileiras_xdsl.dialects.gpu import BarrierOp
from tileiras_xdsl.dialects.memory_order import Effect, effects_of
from tileiras_xdsl.dialects.nv_tileaa.memory import GdcLaunchDependentsOp, GdcWaitOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.dialects.nvgpu.types import PROGRAMMATIC, get_cluster_ctas
from tileiras_xdsl.dialects.nvvm import Tcgen05AllocOp
from tileiras_xdsl.dialects.nvvm.warp import (
    GriddepcontrolLaunchDependentsOp,
    GriddepcontrolWaitOp,
)
from tileiras_xdsl.interpreter.environment import PreviousGrid
from tileiras_xdsl.pipeline import select_steps

from ..harness.passes import run_steps
from ..harness.remarks import asked, told
from .test_tileas_dynamic_persistent import PAIRS, product
from .test_warpgroup_kernels import Array, Gemm, View, as_arguments, kernel, lower, numbers

GEMM = Gemm("f16", 64, 32, 16)
LEVELS = (3, 4)
TILES = View("x", "f32", (8, 16)), View("y", "f32", (8, 16))
BYTECODE = Path(__file__).parents[3] / "benchmarks" / "gpu" / "bytecode"


def gemm_text() -> str:
    a, b, c = GEMM.views
    return kernel((a, b, c), f"{GEMM.zero}\n{GEMM.loop('%i', '%j')}\n{c.store('%sum', '%i', '%j')}")


def sums_text() -> str:
    """Threads load, without TMA: a tile is added to what another matrix has there."""
    x, y = TILES
    return kernel(
        TILES,
        f"""
    {x.load("%a", "%i", "%j")}
    {y.load("%b", "%i", "%j")}
    %c = addf %a, %b : {x.tile_type}
    {y.store("%c", "%i", "%j")}""",
    )


def gemm_arrays(rows: int, columns: int, steps: int) -> list[Array]:
    return [
        numbers("f16", 64 * rows, 16 * steps),
        numbers("f16", 16 * steps, 32 * columns),
        np.zeros((64 * rows, 32 * columns), np.float32),
    ]


def run_early(
    module: ModuleOp, grid: tuple[int, int], arrays: Sequence[Array], steps: int, sm_count: int
) -> None:
    """Runs a kernel while the one ahead of it writes all of its arrays."""
    others = [PreviousGrid([*arrays])]
    arguments = as_arguments(arrays, steps)
    run(module, grid=(*grid, 1), args=arguments, check=True, others=others, sm_count=sm_count)


def function_of(module: ModuleOp) -> FuncOp:
    (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
    return function


def compiled(text: str | Path, abi: str = "host-maps", arch: str = "sm_90a") -> FuncOp:
    """A kernel at the end of the level of tiles."""
    module = asked(load(text))
    run_steps(module, select_steps(3, to="tileas", arch=arch), arch, abi)
    return function_of(module)


def serial(function: FuncOp) -> str | None:
    """Why a kernel starts when the one ahead of it has ended, if a remark says so."""
    remarks = told(function, message="starts when the kernel ahead of it has ended")
    return remarks[0].reason if remarks else None


@pytest.mark.part("kernels")
@pytest.mark.every(5)
@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("grid", "sm_count"), [((2, 3), 2), ((2, 2), 8), ((1, 1), 1)])
def test_products(level: int, grid: tuple[int, int], sm_count: int, arch: str):
    module = lower(gemm_text(), "host-maps", 3, 4, arch)[level]
    arrays = gemm_arrays(*grid, steps=3)
    expected = arrays[0].astype(np.float32) @ arrays[1].astype(np.float32)
    run_early(module, grid, arrays, 3, sm_count)
    np.testing.assert_allclose(arrays[2], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.part("kernels")
@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("level", LEVELS)
def test_nothing_to_do(level: int, arch: str):
    """A main loop without iterations waits, too, before zeros are stored."""
    module = lower(gemm_text(), "host-maps", 3, 4, arch)[level]
    arrays = gemm_arrays(2, 2, steps=1)
    arrays[2][...] = 7
    run_early(module, (2, 2), arrays, 0, 2)
    assert not arrays[2].any()


@pytest.mark.part("kernels")
@pytest.mark.parametrize("level", LEVELS)
def test_threads_that_load(level: int):
    module = lower(sums_text(), "host-maps", 3, 4)[level]
    arrays = [numbers("f32", 16, 48), numbers("f32", 16, 48)]
    expected = arrays[0] + arrays[1]
    run_early(module, (2, 3), arrays, 0, 4)
    np.testing.assert_array_equal(arrays[1], expected)


@pytest.mark.parametrize("text", [gemm_text(), sums_text()], ids=["gemm", "sums"])
def test_without_waits_it_shows(text: str):
    """The interpreter would notice a kernel that does not wait."""
    module = lower(text, "host-maps", 3, 4)[3]
    waits = [op for op in module.walk() if isinstance(op, GriddepcontrolWaitOp)]
    assert waits
    for op in waits:
        op.detach()
        op.erase()
    is_gemm = text == gemm_text()
    arrays = gemm_arrays(1, 1, 2) if is_gemm else [numbers("f32", 8, 16), numbers("f32", 8, 16)]
    before = [array.copy() for array in arrays]
    expected = before[0].astype(np.float32) @ before[1] if is_gemm else before[0] + before[1]
    try:
        run_early(module, (1, 1), arrays, 2, 1)
    except Exception as error:
        assert "grid" in str(error)  # noqa: PT017
    else:
        assert not np.allclose(arrays[-1], expected, rtol=1e-3)


@pytest.mark.parametrize("text", [gemm_text(), sums_text()], ids=["gemm", "sums"])
def test_every_thread_waits(text: str):
    """On every path, so that no kernel ends before the one ahead of it."""
    function = compiled(text)
    assert PROGRAMMATIC.is_on(function)
    ops = [op for op in function.body.block.ops if effects_of(op) & ~Effect.GRID_LAUNCH]
    first = next(op for op in ops if not isinstance(op, AgentSwitchOp))
    assert isinstance(first, GdcWaitOp)
    assert all(isinstance(op, AgentSwitchOp) for op in ops[: ops.index(first)])


def test_agents_wait_for_themselves():
    """
    The producer when it has computed where its first tiles are, the consumer at once.
    """
    (switch,) = (op for op in compiled(gemm_text()).walk() if isinstance(op, AgentSwitchOp))
    (producer,), (consumer,) = (
        [op for op in agent.walk() if isinstance(op, GdcWaitOp)] for agent in switch.agents
    )
    branch = producer.parent_op()
    assert isinstance(branch, scf.IfOp)
    loop = branch.parent_op()
    assert isinstance(loop, scf.ForOp)
    before = [op for op in loop.body.block.ops if op.is_before_in_block(branch)]
    assert before
    assert not any(map(effects_of, before))
    assert consumer.parent_op() is switch


def has_waited(op: Operation | None) -> bool:
    """Whether there is a wait on the way to an op, in its block or in one around it."""
    while op is not None:
        block = op.parent
        if block is not None and any(
            isinstance(each, GdcWaitOp) and each.is_before_in_block(op) for each in block.ops
        ):
            return True
        op = op.parent_op()
    return False


@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("text", [gemm_text(), sums_text()], ids=["gemm", "sums"])
def test_the_next_kernel_may_start_early(text: str, arch: str):
    """
    When this one has waited, or if a persistent kernel has no more tile blocks than CTAs. Not
    before: the next one may read what kernels before this one wrote, and not wait for that.
    """
    function = compiled(text, arch=arch)
    (launch,) = (op for op in function.walk() if isinstance(op, GdcLaunchDependentsOp))
    assert isinstance(launch.parent_op(), scf.IfOp) == (text == gemm_text())
    assert has_waited(launch)


def test_the_next_kernel_may_start_early_behind_clusters():
    """All CTAs of the grid run by then, so none of the next one takes the place of a peer."""
    function = compiled(product(PAIRS))
    assert get_cluster_ctas(function) == 2
    (launch,) = (op for op in function.walk() if isinstance(op, GdcLaunchDependentsOp))
    assert isinstance(launch.parent_op(), scf.IfOp)
    assert has_waited(launch)


def paths_without_wait(ptx: str) -> list[str]:
    """
    The instructions of PTX that a thread may execute without having waited, of those that must not
    be: the end of the kernel, and what lets the next one start.
    """
    lines = [line.split("//")[0].strip() for line in ptx[ptx.index(".entry") :].splitlines()]
    labels = {line[:-1]: index for index, line in enumerate(lines) if line.endswith(":")}
    pending, seen, found = [0], set[int](), list[str]()
    while pending:
        index = pending.pop()
        if index in seen or lines[index] == "griddepcontrol.wait;":
            continue
        seen.add(index)
        line = lines[index]
        assert not line.startswith("brx")
        if line in ("ret;", "exit;", "griddepcontrol.launch_dependents;"):
            found.append(line)
        if match := re.fullmatch(r"(@!?%p\d+ +)?bra(?:\.uni)?\s+(\S+);", line.replace("\t", " ")):
            pending.append(labels[match[2]])
            if match[1] is None:
                continue
        if line not in ("ret;", "exit;", "trap;"):
            pending.append(index + 1)
    return found


@pytest.mark.every(16)
@pytest.mark.parametrize("arch", ["sm_90", "sm_100", "sm_120"])
@pytest.mark.parametrize(
    "name", ["gemm", "sums", "softmax", "matmul_partial_128x128x64", "matmul_128x256x64"]
)
def test_every_path_of_the_code_waits(name: str, arch: str):
    """
    Completion is transitive: a grid that waited on every path has not ended before the one ahead of
    it. And what is started early finds that all have ended but this one.
    """
    texts = {"gemm": gemm_text(), "sums": sums_text()}
    made = compile(texts.get(name) or BYTECODE / f"{name}.tileirbc", arch, abi="host-maps")
    (record,) = made.records
    assert record.programmatic
    assert not paths_without_wait(made.ptx)
    assert "ret;" in paths_without_wait(made.ptx.replace("griddepcontrol.wait", "nanosleep.u32 1"))


@pytest.mark.part("kernels")
@pytest.mark.parametrize("opt", [2, 3])
def test_the_next_kernel_starts_after_tensor_memory_is_allocated(opt: int):
    """
    Else its CTAs might take the columns of a CTA of this kernel that has none yet, and wait for it.
    """
    ops = list(lower(gemm_text(), "host-maps", opt, 4, "sm_100a")[3].walk())
    (allocation,) = (op for op in ops if isinstance(op, Tcgen05AllocOp))
    (launch,) = (op for op in ops if isinstance(op, GriddepcontrolLaunchDependentsOp))
    barrier = next(op for op in ops[ops.index(allocation) :] if isinstance(op, BarrierOp))
    assert ops.index(barrier) < ops.index(launch)
    waits = [op for op in ops if isinstance(op, GriddepcontrolWaitOp)]
    assert waits
    assert all(ops.index(barrier) < ops.index(wait) for wait in waits)


def own_launch(text: str) -> str:
    """The same program, which lets the next kernel start itself."""
    return text.replace("return", "%launched = gdc_launch_dependents_tko -> token\nreturn", 1)


@pytest.mark.parametrize(
    ("text", "abi", "arch", "reason"),
    [
        (sums_text(), "device-maps", "sm_90a", None),
        (sums_text(), "host-maps", "sm_80", None),
        (own_launch(sums_text()), "host-maps", "sm_90a", "the program waits for other kernels"),
        (kernel(TILES, ""), "host-maps", "sm_90a", "it does nothing with memory"),
    ],
    ids=["device-maps", "sm_80", "own", "nothing"],
)
def test_left_alone(text: str, abi: str, arch: str, reason: str | None):
    function = compiled(text, abi, arch)
    assert not PROGRAMMATIC.is_on(function)
    assert not any(isinstance(op, GdcWaitOp) for op in function.walk())
    said = serial(function)
    assert said is None if reason is None else said is not None and reason in said


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("attention_d64", None),
        ("histogram", "most CTAs of a large grid return at once"),
        ("softmax", None),
        ("matmul_partial_128x128x64", None),
    ],
)
def test_kernels_of_the_benchmark(name: str, reason: str | None):
    function = compiled(BYTECODE / f"{name}.tileirbc")
    assert serial(function) == reason
    assert PROGRAMMATIC.is_on(function) == (reason is None)
