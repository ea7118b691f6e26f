"""Clusters of CTAs, which reach each other's shared memory, at level 3 and lowered to level 4."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import f32

from tileiras_xdsl.dialects.nvgpu.types import HostMap
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.threads import run_threads

from ..harness.kernels import block_size, gpu_kernel, gpu_module, i32_constants, shared_memory
from .thread_levels import LEVELS, Lowering, at_level_3

Array = npt.NDArray[Any]
THREADS = 64


def kernel(body: str, parameters: str, cluster: str = "2, 1, 1") -> str:
    """
    A kernel of 64 threads in which `%t` is the thread, `%rank` the CTA in its cluster, `%other`
    the other one of two, `%cta` the CTA in the grid, and `%s` shared memory.
    """
    start = """
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %other = arith.xori %rank, %c1 : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %s = llvm.mlir.addressof @shared : !llvm.ptr<3>
    %first = arith.cmpi eq, %t, %c0 : i32
    """
    size = f"gpu.known_cluster_size = array<i32: {cluster}>"
    function = gpu_kernel(
        i32_constants((0, 1, 2, 4, 8, 32)) + start + body,
        parameters.split(", "),
        attributes=[block_size(THREADS), size],
    )
    return gpu_module(shared_memory(4096) + function)


MEET = """
nvvm.cluster.arrive {aligned}
nvvm.cluster.wait {aligned}
"""

# Where CTAs are


@LEVELS
def test_positions(lower: Lowering) -> None:
    registers = [
        *("cluster.ctarank", "cluster.nctarank", "clusterid.x", "nclusterid.x", "cluster.ctaid.y"),
        *("cluster.nctaid.y", "ctaid.x", "ctaid.y", "nctaid.y", "warpid"),
    ]
    body = """
    %y = nvvm.read.ptx.sreg.ctaid.y : i32
    %line = arith.muli %y, %c4 : i32
    %number = arith.addi %line, %cta : i32
    %width = arith.constant 10 : i32
    %at = arith.muli %number, %width : i32
    %last = arith.constant 63 : i32
    %is_last = arith.cmpi eq, %t, %last : i32
    scf.if %is_last {
    """
    for number, register in enumerate(registers):
        body += f"""
        %v{number} = nvvm.read.ptx.sreg.{register} : i32
        %p{number} = llvm.getelementptr %out[%at, {number}]
          : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<1 x i32>
        llvm.store %v{number}, %p{number} : i32, !llvm.ptr<1>
        """
    out = np.zeros((4, 4, 10), np.int32)
    text = kernel(body + "}", "%out: !llvm.ptr<1>", "2, 2, 1")
    run_threads(lower(text), (4, 4), [out], entry="k")
    for y, x in np.ndindex(4, 4):
        rank = y % 2 * 2 + x % 2
        assert out[y, x].tolist() == [rank, 4, x // 2, 2, y % 2, 2, x, y, 4, 1]


def test_grids_of_clusters() -> None:
    text = kernel("", "%n: i32")
    with pytest.raises(ExecutionError, match=r"a grid of .3, 1, 1. CTAs is no grid of clusters"):
        run_threads(at_level_3(text), 3, [1], entry="k")
    with pytest.raises(ExecutionError, match=r"48 threads cannot be run in clusters"):
        run_threads(at_level_3(text), 2, [1], entry="k", threads=48)
    with pytest.raises(ExecutionError, match=r"at most 16 CTAs, but got 17"):
        run_threads(at_level_3(kernel("", "%n: i32", "17, 1, 1")), 17, [1], entry="k")


def test_grids_that_count_clusters() -> None:
    body = """
    %p = llvm.getelementptr %out[%cta] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    scf.if %first {
      llvm.store %rank, %p : i32, !llvm.ptr<1>
    }
    """
    text = kernel(body, "%out: !llvm.ptr<1>")
    for flag, grid in (("", 6), ("nvvm.blocksareclusters, ", 3)):
        out = np.full(6, 7, np.int32)
        module = at_level_3(text.replace("gpu.known_cluster", f"{flag}gpu.known_cluster"))
        run_threads(module, grid, [out], entry="k")
        assert out.tolist() == [0, 1] * 3


# Shared memory of other CTAs

EXCHANGE = f"""
{MEET}// before
%mine = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
%base = arith.muli %cta, %c32 : i32
%base2 = arith.muli %base, %c2 : i32
%value = arith.addi %base2, %t : i32
%theirs = nvvm.mapa %mine, %other : !llvm.ptr<3> -> !llvm.ptr<7>
llvm.store %value, %theirs : i32, !llvm.ptr<7>
{MEET}// between
%v = llvm.load %mine : !llvm.ptr<3> -> i32
%p = llvm.getelementptr %out[%value] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
llvm.store %v, %p : i32, !llvm.ptr<1>
"""
"""Each thread writes to the other CTA what is then read there."""

READ = EXCHANGE.replace("llvm.store %value, %theirs : i32, !llvm.ptr<7>",
    "llvm.store %value, %mine : i32, !llvm.ptr<3>").replace(
    "llvm.load %mine : !llvm.ptr<3> -> i32", "llvm.load %theirs : !llvm.ptr<7> -> i32"
) + MEET + "// after\n"  # fmt: skip
"""Each thread reads from the other CTA what was written there."""

GENERIC = READ.replace(
    "llvm.load %theirs : !llvm.ptr<7> -> i32", "llvm.load %generic : !llvm.ptr -> i32"
).replace("%v =", "%generic = llvm.addrspacecast %theirs : !llvm.ptr<7> to !llvm.ptr\n%v =")


def run_exchange(body: str, lower: Lowering = at_level_3, *, check_races: bool = True) -> Array:
    out = np.zeros((4, THREADS), np.int32)
    text = kernel(body, "%out: !llvm.ptr<1>")
    run_threads(lower(text), 4, [out], entry="k", check_races=check_races)
    return out


@LEVELS
@pytest.mark.parametrize("body", [EXCHANGE, READ, GENERIC])
@pytest.mark.parametrize("check_races", [False, True])
def test_other_ctas_are_reached(lower: Lowering, body: str, check_races: bool) -> None:
    numbers = np.arange(4 * THREADS).reshape(2, 2, THREADS)
    found = run_exchange(body, lower, check_races=check_races)
    assert (found.reshape(2, 2, THREADS) == numbers[:, ::-1]).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            EXCHANGE.replace(f"{MEET}// before", ""),
            r"warp 0 of rank 0 reaches the shared memory of rank 1, whose CTA may not have begun",
        ),
        (
            EXCHANGE.replace(f"{MEET}// between", ""),
            r"of rank 1 reads shared memory of rank 1, which was never written",
        ),
        (
            EXCHANGE.replace(f"{MEET}// between", MEET.replace("arrive", "arrive.relaxed")),
            r"race: thread 0 of rank 1 reads byte 0 of shared memory of rank 1, written by thread "
            r"0 of rank 0 in 'llvm.store' at .* \(CTA \(1, 0, 0\)\)",
        ),
        (
            READ.replace(f"{MEET}// after", ""),
            r"thread 0 of rank 0 reaches the shared memory of rank 1, whose CTA has ended",
        ),
        (
            READ.replace(f"{MEET}// after", "gpu.barrier"),
            r"ends while thread 0 of rank 0 may still reach its shared memory",
        ),
        (
            EXCHANGE.replace("nvvm.mapa %mine, %other", "nvvm.mapa %mine, %c2"),
            r"asks for rank 2 of a cluster that has 2 CTAs",
        ),
        (
            EXCHANGE.replace("%mine = llvm.getelementptr %s[%t]", "%k = arith.constant 4000 : i32\n"
                "%far = arith.addi %t, %k : i32\n%mine = llvm.getelementptr %s[%far]"),
            r"thread 32 of rank 1 writes 4 bytes at offset 16128 of shared memory of rank 0, which",
        ),
    ],
)  # fmt: skip
def test_bugs_of_exchanges(text: str, message: str) -> None:
    with pytest.raises(ExecutionError, match=message):
        run_exchange(text)


def test_ctas_do_not_wait_for_warps_that_have_ended() -> None:
    body = f"""
    %is_low = arith.cmpi slt, %t, %c32 : i32
    scf.if %is_low {{
      {EXCHANGE}
    }}
    """
    found = run_exchange(body).reshape(2, 2, THREADS)
    numbers = np.arange(4 * THREADS).reshape(2, 2, THREADS)
    assert (found[:, :, :32] == numbers[:, ::-1, :32]).all()


# Boxes that go to all CTAs

STEPS = 5
HALF = 256
STAGE = 2 * HALF

CLUSTER_SCOPE = "{scope = #nvvm.mem_scope<cluster>}"
MULTICAST = f"""
%full = llvm.getelementptr %s[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%empty = llvm.getelementptr %s[2064] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%ticks = arith.constant 1000 : i32
%even = arith.constant false
%odd = arith.constant true
%all = arith.constant -1 : i32
%steps = arith.constant {STEPS} : i32
%half = arith.constant {HALF} : i32
%stage_bytes = arith.constant {STAGE} : i32
%everyone = arith.constant 3 : i16
%columns = arith.constant 16 : i32
scf.if %first {{
  scf.for %n = %c0 to %c2 step %c1 : i32 {{
    %f = llvm.getelementptr %full[%n] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    %e = llvm.getelementptr %empty[%n] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    nvvm.mbarrier.init.shared %f, %c1 : !llvm.ptr<3>, i32
    nvvm.mbarrier.init.shared %e, %c2 : !llvm.ptr<3>, i32
  }}
  nvvm.fence.mbarrier.init
}}
nvvm.cluster.arrive.relaxed {{aligned}}
nvvm.cluster.wait {{aligned}}
%cluster = nvvm.read.ptx.sreg.clusterid.x : i32
%is_producer = arith.cmpi slt, %t, %c32 : i32
scf.if %is_producer {{
  scf.if %first {{
    %row = arith.muli %cluster, %c8 : i32
    %shift = arith.muli %rank, %c4 : i32
    %my_row = arith.addi %row, %shift : i32
    %my_half = arith.muli %rank, %half : i32
    %s0, %p0 = scf.for %n = %c0 to %steps step %c1
        iter_args(%stage = %c0, %phase = %odd) -> (i32, i1) : i32 {{
      %f = llvm.getelementptr %full[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
      %e = llvm.getelementptr %empty[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
      %free = nvvm.mbarrier.try_wait.parity.shared %e, %phase, %ticks {CLUSTER_SCOPE}
        : !llvm.ptr<3>, i1, i32 -> i1
      %at = arith.muli %stage, %stage_bytes : i32
      %mine = arith.addi %at, %my_half : i32
      %to = llvm.getelementptr %s[%mine] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %column = arith.muli %n, %columns : i32
      nvvm.mbarrier.arrive.expect_tx.shared %f, %stage_bytes : !llvm.ptr<3>, i32
      nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %to, %map, %column, %my_row, %f,
        %everyone {{multicastEnable}} : !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>, i16
      %new_stage = arith.xori %stage, %c1 : i32
      %wraps = arith.cmpi eq, %stage, %c1 : i32
      %new_phase = arith.xori %phase, %wraps : i1
      scf.yield %new_stage, %new_phase : i32, i1
    }}
  }}
}} else {{
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %lane = arith.subi %t, %c32 : i32
  %sum, %s1, %p1 = scf.for %n = %c0 to %steps step %c1
      iter_args(%acc = %zero, %stage = %c0, %phase = %even) -> (vector<4xf32>, i32, i1) : i32 {{
    %f = llvm.getelementptr %full[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    %e = llvm.getelementptr %empty[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    %there = nvvm.mbarrier.try_wait.parity.shared %f, %phase, %ticks : !llvm.ptr<3>, i1, i32 -> i1
    %at = arith.muli %stage, %stage_bytes : i32
    %from = llvm.getelementptr %s[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %place = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xf32>
    %v = llvm.load %place : !llvm.ptr<3> -> vector<4xf32>
    %new = arith.addf %acc, %v : vector<4xf32>
    nvvm.bar.warp.sync %all : i32
    %speaks = arith.cmpi slt, %lane, %c2 : i32
    scf.if %speaks {{
      %their = nvvm.mapa %e, %lane : !llvm.ptr<3> -> !llvm.ptr<7>
      nvvm.mbarrier.arrive.shared.cluster %their, %c1 {CLUSTER_SCOPE} : !llvm.ptr<7>, i32
    }}
    %new_stage = arith.xori %stage, %c1 : i32
    %wraps = arith.cmpi eq, %stage, %c1 : i32
    %new_phase = arith.xori %phase, %wraps : i1
    scf.yield %new, %new_stage, %new_phase : vector<4xf32>, i32, i1
  }}
  %more = arith.addi %rank, %c1 : i32
  %weight = arith.sitofp %more : i32 to f32
  %weights = vector.broadcast %weight : f32 to vector<4xf32>
  %result = arith.mulf %sum, %weights : vector<4xf32>
  %line = arith.muli %cta, %c32 : i32
  %index = arith.addi %line, %lane : i32
  %p = llvm.getelementptr %out[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
  llvm.store %result, %p : vector<4xf32>, !llvm.ptr<1>
}}
{MEET}// at the end
"""
"""
A thread of each of two CTAs brings half of each tile to both of them; a warp of each adds all
tiles up, and tells both producers when a stage may be overwritten.
"""

WAIT_FOR_EMPTY = f"""%free = nvvm.mbarrier.try_wait.parity.shared %e, %phase, %ticks {CLUSTER_SCOPE}
        : !llvm.ptr<3>, i1, i32 -> i1
"""
SPEAKS = "%speaks = arith.cmpi slt, %lane, %c2 : i32"
SPEAKS_TO_ITSELF = "%speaks = arith.cmpi eq, %lane, %rank : i32"
START = "nvvm.cluster.arrive.relaxed {aligned}\nnvvm.cluster.wait {aligned}\n%cluster"


def run_multicast(
    body: str, lower: Lowering = at_level_3, *, check_races: bool = True
) -> tuple[Array, Array]:
    """What two clusters compute, and what they should."""
    x = np.arange(16 * 16 * STEPS).reshape(16, 16 * STEPS).astype(np.float32)
    out = np.zeros((2, 2, 8, 16), np.float32)
    tensor_map = HostMap(
        f32, 0, ((16 * STEPS, None), (16, None)), ((x.strides[0], None),), (16, 4), 0
    )
    text = kernel(body, "%x: !llvm.ptr<1>, %out: !llvm.ptr<1>, %map: !llvm.ptr")
    run_threads(
        lower(text), 4, [x, out], entry="k", tensor_maps=[tensor_map], check_races=check_races
    )
    sums = x.reshape(2, 8, STEPS, 16).sum(axis=2)
    return out, np.stack((sums, 2 * sums), axis=1)


DRAINED = MULTICAST.replace(
    "  }\n} else {",
    """  %s2, %p2 = scf.for %n = %c0 to %c2 step %c1
        iter_args(%stage = %s0, %phase = %p0) -> (i32, i1) : i32 {
      %e = llvm.getelementptr %empty[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
      %free = nvvm.mbarrier.try_wait.parity.shared %e, %phase, %ticks : !llvm.ptr<3>, i1, i32 -> i1
      %new_stage = arith.xori %stage, %c1 : i32
      %wraps = arith.cmpi eq, %stage, %c1 : i32
      %new_phase = arith.xori %phase, %wraps : i1
      scf.yield %new_stage, %new_phase : i32, i1
    }
  }
} else {""",
).replace(f"{MEET}// at the end", "")
"""The same, but producers wait in the end until all stages are empty: CTAs need not meet."""


@LEVELS
@pytest.mark.parametrize("check_races", [False, True])
def test_ctas_that_wait_for_arrivals_do_not_meet(lower: Lowering, check_races: bool) -> None:
    """Also if arrivals release nothing: who waits for a phase knows that they have come."""
    found, expected = run_multicast(DRAINED, lower, check_races=check_races)
    assert (found == expected).all()


def test_arrivals_that_nobody_waits_for() -> None:
    """One of two stages is waited for, not the one that was filled last."""
    tail = "%s2, %p2 = scf.for %n = %c0 to %c2"
    assert DRAINED.count(tail) == 1
    message = "may still reach its shared memory|whose CTA has ended"
    with pytest.raises(ExecutionError, match=message):
        run_multicast(DRAINED.replace(tail, tail.replace("%c2", "%c1")))


@pytest.mark.every(4)
@LEVELS
@pytest.mark.parametrize("check_races", [False, True])
def test_tma_tiles_that_go_to_all_ctas(lower: Lowering, check_races: bool) -> None:
    found, expected = run_multicast(MULTICAST, lower, check_races=check_races)
    assert (found == expected).all()


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            SPEAKS,
            SPEAKS_TO_ITSELF,
            r"deadlock: thread 0 of rank 0 waits for parity 0 .*, which is in phase 0 and lacks 1 "
            r"of 2 arrivals .*; thread 32 of rank 0 waits .*; thread 0 of rank 1 waits for parity",
        ),
        (
            "nvvm.mapa %e, %lane",
            "nvvm.mapa %e, %rank",
            r"race: thread 0 of rank 1 copies to byte 256 of shared memory of rank 0, written by "
            r"copies to the barrier at .* of rank 0 in 'llvm.load'",
        ),
        (WAIT_FOR_EMPTY, "", r"thread 0 of rank 0 arrives on a barrier .*, all of which have come"),
        (
            "nvvm.bar.warp.sync %all : i32",
            "",
            r"race: thread 0 of rank . copies to byte .* read by threads? .* of rank",
        ),
        (
            f"arrive.shared.cluster %their, %c1 {CLUSTER_SCOPE} :",
            "arrive.shared.cluster %their, %c1 {relaxed} :",
            r"race: thread 0 of rank 1 copies to byte 256 of shared memory of rank 0, read by",
        ),
        (
            START,
            "gpu.barrier\n%cluster",
            r"thread 0 of rank 0 uses a barrier in shared memory of rank 1",
        ),
        (
            "nvvm.fence.mbarrier.init",
            "",
            r"race: thread 32 of rank 1 uses a barrier in shared memory of rank 1 that thread 0 of "
            r"rank 1 has set up",
        ),
        (
            f"{MEET}// at the end",
            "",
            r"ends while thread 33 of rank 0 may still reach its shared memory",
        ),
        (
            "%everyone = arith.constant 3",
            "%everyone = arith.constant 1",
            r"deadlock: .*thread 32 of rank 1 waits for parity 0 .* lacks 0 of 1 arrivals and 512",
        ),
        (
            f"{MEET}// at the end",
            f"scf.if %first {{ {MEET} }}",
            r"'nvvm.cluster.arrive' op lane 1 of warp 0 of rank 0 is in the mask",
        ),
        (
            "%everyone = arith.constant 3",
            "%everyone = arith.constant 7",
            r"asks for rank 2 of a cluster that has 2 CTAs",
        ),
        (
            "expect_tx.shared %f, %stage_bytes",
            "expect_tx.shared %f, %half",
            r"thread 48 of rank 0 reads shared memory of rank 0, which was never written",
        ),
        (
            f"%their, %c1 {CLUSTER_SCOPE}",
            "%their, %c1",
            r"race: thread 0 of rank . copies to byte .* of rank",
        ),
        (
            f"%ticks {CLUSTER_SCOPE}",
            "%ticks",
            r"race: thread 0 of rank . copies to byte .* of rank",
        ),
        (
            "%sum, %s1, %p1 = scf.for %n = %c0 to %steps",
            "%sum, %s1, %p1 = scf.for %n = %c0 to %c4",
            r"ends while copies are on their way to the barrier at 0x.* of shared memory of rank",
        ),
    ],
)
def test_bugs_of_multicasts(old: str, new: str, message: str) -> None:
    assert MULTICAST.count(old) == 1
    with pytest.raises(ExecutionError, match=message):
        run_multicast(MULTICAST.replace(old, new))


def test_bytes_that_go_to_all_ctas() -> None:
    body = """
    %bar = llvm.getelementptr %s[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %even = arith.constant false
    %ticks = arith.constant 1000 : i32
    %bytes = arith.constant 256 : i32
    %everyone = arith.constant 3 : i16
    scf.if %first {
      nvvm.mbarrier.init.shared %bar, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx.shared %bar, %bytes : !llvm.ptr<3>, i32
    }
    MEET
    %is_one = arith.cmpi eq, %rank, %c1 : i32
    %copies = arith.andi %is_one, %first : i1
    scf.if %copies {
      nvvm.cp.async.bulk.shared.cluster.global %s, %x, %bar, %bytes, %everyone {multicastEnable}
        : !llvm.ptr<3>, !llvm.ptr<1>, !llvm.ptr<3>, i32, i16
    }
    %done = nvvm.mbarrier.try_wait.parity.shared %bar, %even, %ticks : !llvm.ptr<3>, i1, i32 -> i1
    %q = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %v = llvm.load %q : !llvm.ptr<3> -> f32
    %base = arith.muli %rank, %c32 : i32
    %base2 = arith.muli %base, %c2 : i32
    %at = arith.addi %base2, %t : i32
    %p = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v, %p : f32, !llvm.ptr<1>
    """.replace("MEET", MEET)
    x, out = np.arange(64, dtype=np.float32), np.zeros((2, 64), np.float32)
    run_threads(
        at_level_3(kernel(body, "%x: !llvm.ptr<1>, %out: !llvm.ptr<1>")), 2, [x, out], entry="k"
    )
    assert (out == x).all()
