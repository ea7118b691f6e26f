"""Whole kernels with tensor memory, at levels 3 and 4, and what TMA has for pairs of CTAs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import f16

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nvgpu.types import HostMap
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.interpreter.threads.tensor_cores import Timing
from tileiras_xdsl.targets.tcgen05 import InstructionDescriptor, SharedDescriptor

from .tensor_kernels import (
    BARRIERS,
    K_MAJOR,
    RIGHT_AT,
    Array,
    commit,
    elected,
    end,
    fresh_image,
    kernel,
    mma,
    numbers,
    setup,
    signed,
    start,
    store_out,
    wait,
    without,
)
from .test_tensor_memory import scale_words
from .test_tensor_memory_pairs import CLUSTER, COMMIT, END, GROUP, LEADER, STORE, meet
from .thread_levels import LEVELS, Lowering, at_level_3

GEMM = (Path(__file__).parents[2] / "filecheck" / "backend" / "tcgen05_gemm.mlir").read_text()
RANDOM = np.random.default_rng(11)


def whole(*shape: int) -> Array:
    return RANDOM.integers(-3, 4, shape).astype(np.float16)


def run_gemm(module: Any, m: int, n: int, k: int, **options: Any) -> None:
    a, b = whole(m, k), whole(k, n)
    c = np.full((m, n), np.nan, np.float32)
    grid = (n // 128, m // 128)
    run_threads(module, grid, [a, b, c, m, n, k], entry="gemm", **options)
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


@pytest.mark.every(6, first=5)
@LEVELS
@pytest.mark.parametrize("timing", ["late", "early", "random"])
def test_gemm(lower: Lowering, timing: Timing):
    run_gemm(lower(GEMM), 128, 128, 192, timing=timing, seed=5)


def test_gemm_of_several_tiles():
    run_gemm(at_level_3(GEMM), 256, 128, 128)


@pytest.mark.parametrize("seed", [None, 3])
def test_gemm_by_run(seed: int | None):
    """`run` takes a seed for the order of all that has none."""
    a, b, c = whole(128, 64), whole(64, 128), np.zeros((128, 128), np.float32)
    run(at_level_3(GEMM), entry="gemm", grid=(1, 1), args=[a, b, c, 128, 128, 64], seed=seed)
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


def constant(descriptor: SharedDescriptor | InstructionDescriptor) -> str:
    """How a program has a descriptor."""
    width = 64 if isinstance(descriptor, SharedDescriptor) else 32
    bits = descriptor.encode()
    return f"arith.constant {bits - (bits >> (width - 1) << width)} : i{width}"


MN_MAJOR = InstructionDescriptor("f16", 128, 128, "f16", "f16", trans_b=True)
K_MAJOR_B = replace(MN_MAJOR, trans_b=False)

PLANTED = {
    "the wait for free tiles": (
        "%is_free = nvvm.mbarrier.try_wait.parity.shared %empty, %before, %ticks "
        ": !shared, i1, i32 -> i1",
        "%is_free = arith.constant true",
        "copies to byte 0 of shared memory, read by the tensor core",
    ),
    "the wait for full tiles": (
        "%is_full = nvvm.mbarrier.try_wait.parity.shared %full, %phase, %ticks "
        ": !shared, i1, i32 -> i1",
        "%is_full = arith.constant true",
        "reads shared memory that an asynchronous copy",
    ),
    "the commit of tiles": (
        "nvvm.tcgen05.commit %empty : !shared",
        "",
        "deadlock: .*waits for parity",
    ),
    "the phase": ("scf.yield %before : i1", "scf.yield %phase : i1", "race|deadlock"),
    "the wait for loads": (
        "nvvm.tcgen05.wait {kind = #nvvm.tcgen05_wait<load>}",
        "",
        "not waited for its loads",
    ),
    "bytes": (
        "%bytes = arith.constant 32768",
        "%bytes = arith.constant 24576",
        "bytes more have come",
    ),
    "columns": (
        "nvvm.tcgen05.alloc %slot, %c128",
        "nvvm.tcgen05.alloc %slot, %c64",
        "column 64 .*nobody has allocated",
    ),
    "lanes": ("%c21 = arith.constant 21", "%c21 = arith.constant 20", "warp . accesses lane|lane"),
    "a step": ("a_step = 2", "a_step = 1", "numbers"),
    "a stride": (
        constant(SharedDescriptor(leading=8192, stride=1024)),
        constant(SharedDescriptor(leading=4096, stride=1024)),
        "numbers|never",
    ),
    "a swizzle": (
        constant(SharedDescriptor(stride=1024)),
        constant(SharedDescriptor(stride=512, swizzle="64B")),
        "numbers",
    ),
    "the first product": ("arith.cmpi ne, %i, %c0", "arith.cmpi sge, %i, %c0", "adds to lane 0"),
    "the transposition": (constant(MN_MAJOR), constant(K_MAJOR_B), "operand B: reads bytes"),
}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", PLANTED)
def test_planted_bugs(name: str):
    """Each of them is found: reported, or by numbers."""
    old, new, message = PLANTED[name]
    assert old in GEMM
    module = load(GEMM.replace(old, new))
    with pytest.raises((ExecutionError, AssertionError)) as found:
        run_gemm(module, 128, 128, 192)
    if isinstance(found.value, ExecutionError):
        found.match(message)
    else:
        assert "numbers" in message


SYNCHRONIZING = {
    "nvvm.tcgen05.fence": (False, False, False, True, True, True),
    "gpu.barrier": (True, True),
    "nvvm.tcgen05.commit": (True, True),
    "nvvm.tcgen05.wait": (True,),
    "nvvm.tcgen05.dealloc": (True,),
    "nvvm.tcgen05.alloc": (True,),
    "nvvm.mbarrier.arrive.expect_tx.shared": (True,),
    "nvvm.mbarrier.init.shared": (True, True, True),
}
"""
What the kernel has of each op, and whether it is needed. Three fences are not: `alloc` is no
asynchronous operation, and before a product of the same thread nobody else touched the accumulator.
"""


@pytest.mark.every(6)
@pytest.mark.parametrize(
    ("name", "number"),
    [(name, number) for name, each in SYNCHRONIZING.items() for number in range(len(each))],
)
def test_all_synchronization_is_needed(name: str, number: int):
    module = at_level_3(GEMM)
    found = [op for op in module.walk() if op.name == name]
    assert len(found) == len(SYNCHRONIZING[name])
    found[number].detach()
    if SYNCHRONIZING[name][number]:
        with pytest.raises(ExecutionError):
            run_gemm(module, 128, 128, 192)
    else:
        run_gemm(module, 128, 128, 192)


# Pairs


LOAD = (
    """
%full = llvm.getelementptr %s[BARRIER] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%row0 = arith.muli %rank, %c128 : i32
%col0 = arith.muli %rank, %c16 : i32
%bytes2 = arith.constant 36864 : i32
%tile_b = llvm.getelementptr %s[RIGHT] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
scf.if %is_t0 {
  scf.if %is_leader {
    nvvm.mbarrier.arrive.expect_tx.shared %full, %bytes2 : !llvm.ptr<3>, i32 // arm
  }
  nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %s, %map_a, %c0, %row0, %full \
{GROUP, leader_barrier} : !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %tile_b, %map_b, %c0, %col0, %full \
{GROUP, leader_barrier} : !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>
}
""".replace("BARRIER", str(BARRIERS + 16))
    .replace("RIGHT", str(RIGHT_AT))
    .replace("GROUP", GROUP)
)

RANK = """
%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
%is_leader = arith.cmpi eq, %rank, %c0 : i32
%rows = arith.muli %rank, %c128 : i32
"""


def pair_gemm() -> str:
    """A product of 256 x 32 x 64: each CTA loads its parts, the even one multiplies."""
    body = RANK + start(image=False) + meet("begin") + setup(64, f"{{{GROUP}}}") + meet("ready")
    full = wait("%full", name="full")
    steps = f", {GROUP}, k_steps = 4 : i32, a_step = 2 : i64, b_step = 2 : i64"
    body += LOAD + LEADER + elected(full + mma(more=steps) + COMMIT, "%issues") + wait()
    body += STORE + store_out(32).replace("%out[%i]", "%out[%irow]") + meet("done") + END
    body += meet("end")
    parameters = ["%xa: !llvm.ptr<1>", "%xb: !llvm.ptr<1>", "%out: !llvm.ptr<1>", "%a: i64"]
    parameters += ["%b: i64", "%idesc: i32", "%map_a: !llvm.ptr", "%map_b: !llvm.ptr"]
    return kernel(body, parameters, attributes=CLUSTER)


def run_pair_gemm(text: str, **options: Any) -> None:
    a, b = whole(256, 64), whole(32, 64)
    out = np.full((256, 32), np.nan, np.float32)
    maps = [
        HostMap(f16, 0, ((64, None), (256, None)), ((128, None),), (64, 128), 128),
        HostMap(f16, 1, ((64, None), (32, None)), ((128, None),), (64, 16), 128),
    ]
    how = InstructionDescriptor("f16", 256, 32, "f16", "f16")
    arguments = [a, b, out, K_MAJOR.describe(0), K_MAJOR.describe(RIGHT_AT), signed(how.encode())]
    run_threads(load(text), 2, arguments, entry="k", tensor_maps=maps, **options)
    assert (out == a.astype(np.float32) @ b.astype(np.float32).T).all()


@pytest.mark.parametrize("timing", ["late", "random"])
def test_r25_one_barrier_for_both(timing: Timing):
    run_pair_gemm(pair_gemm(), timing=timing, seed=8)


def test_r25_bytes_of_both():
    wrong = pair_gemm().replace("arith.constant 36864", "arith.constant 18432")
    with pytest.raises(ExecutionError, match=r"18432 bytes more have come|rank 1, which was never"):
        run_pair_gemm(wrong)
    with pytest.raises(ExecutionError, match=r"deadlock|asynchronous copy"):
        run_pair_gemm(pair_gemm().replace(", leader_barrier}", "}"))
    with pytest.raises(ExecutionError, match="deadlock"):
        run_pair_gemm(without(pair_gemm(), "arm"))


# Rows anywhere


GATHER = """
scf.if %is_t0 {
  %bytes4 = arith.constant 512 : i32
  nvvm.mbarrier.arrive.expect_tx.shared %bar, %bytes4 : !llvm.ptr<3>, i32
  nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile.gather4 %s, %map, %c0, %c5, %c1, %c7, \
%c1, %bar : !llvm.ptr<3>, !llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr<3>
  %got = nvvm.mbarrier.try_wait.parity.shared %bar, %even, %ticks : !llvm.ptr<3>, i1, i32 -> i1
  nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile.scatter4 %map2, %c0, %c0, %c3, %c2, %c1, \
%s : !llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr<3>
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0
}
"""


@pytest.mark.parametrize("swizzle", [0, 128])
def test_rows_anywhere(swizzle: int):
    init = """
    scf.if %is_t0 {
      nvvm.mbarrier.init.shared %bar, %c1 : !llvm.ptr<3>, i32
    }
    gpu.barrier
    """
    parameters = ["%x: !llvm.ptr<1>", "%y: !llvm.ptr<1>", "%map: !llvm.ptr", "%map2: !llvm.ptr"]
    text = kernel(start(image=False) + init + GATHER, parameters, 32)
    x, y = whole(8, 64), np.zeros((8, 64), np.float16)
    maps = [
        HostMap(f16, number, ((64, None), (8, None)), ((128, None),), (64, 1), swizzle)
        for number in range(2)
    ]
    run_threads(load(text), 1, [x, y], entry="k", tensor_maps=maps)
    expected = np.zeros_like(y)
    expected[[0, 3, 2, 1]] = x[[5, 1, 7, 1]]
    assert (y == expected).all()


# Block-scaled products


def describe(name: str, base: str, matrix: SharedDescriptor) -> str:
    """The descriptor of a matrix at an address."""
    return f"""
%bits_{name} = {constant(matrix)}
%int_{name} = llvm.ptrtoint {base} : !llvm.ptr<3> to i32
%units_{name} = arith.shrui %int_{name}, %c4 : i32
%wide_{name} = arith.extui %units_{name} : i32 to i64
%desc_{name} = arith.ori %bits_{name}, %wide_{name} : i64
"""


SCALES = SharedDescriptor(stride=128, swizzle="none")
SCALED = f"""
%at_b = llvm.getelementptr %s[16384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%at_sa = llvm.getelementptr %s[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%at_sb = llvm.getelementptr %s[33280] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
{describe("a", "%s", SharedDescriptor(stride=1024))}
{describe("b", "%at_b", SharedDescriptor(stride=1024))}
{describe("sa", "%at_sa", SCALES)}
{describe("sb", "%at_sb", SCALES)}
%wherea = arith.addi %base, %c128 : i32
%whereb = arith.addi %wherea, %c4 : i32
%acc = llvm.inttoptr %base : i32 to !llvm.ptr<6>
%sfa = llvm.inttoptr %wherea : i32 to !llvm.ptr<6>
%sfb = llvm.inttoptr %whereb : i32 to !llvm.ptr<6>
nvvm.tcgen05.cp %sfa, %desc_sa {{shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, \
multicast = #nvvm.tcgen05_cp_multicast<warpx4>}} : !llvm.ptr<6>, i64
nvvm.tcgen05.cp %sfb, %desc_sb {{shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, \
multicast = #nvvm.tcgen05_cp_multicast<warpx4>}} : !llvm.ptr<6>, i64
%idesc = {constant(InstructionDescriptor("mxf8f6f4", 128, 128, "e4m3", "e4m3", scale="ue8m0"))}
nvvm.tcgen05.mma.block_scale %acc, %desc_a, %desc_b, %idesc, %even, %sfa, %sfb \
{{kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>, k_steps = 4 : i32, a_step = 2 : i64, \
b_step = 2 : i64, idesc_step = 536870928 : i32}} : !llvm.ptr<6>, i64
"""


@LEVELS
def test_scaled_steps(lower: Lowering):
    """Four steps along K, each of which has the next byte of the words of scale factors."""
    image = fresh_image()
    a, b = numbers("e4m3", 128, 128), numbers("e4m3", 128, 128)
    K_MAJOR.put(image, 0, a, "e4m3")
    K_MAJOR.put(image, RIGHT_AT, b, "e4m3")
    codes = RANDOM.integers(125, 130, (2, 128, 4)).astype(np.uint8)
    for number, each in enumerate(codes):
        image[32768 + 512 * number :][:512] = scale_words(each)
    body = start() + setup(256) + elected(SCALED + commit()) + wait() + store_out(128) + end()
    text = kernel(body, ["%image: !llvm.ptr<1>", "%out: !llvm.ptr<1>"])
    out = np.full((128, 128), np.nan, np.float32)
    run_threads(lower(text), 1, [image, out], entry="k")
    factors = np.repeat(2.0 ** (codes.astype(np.float64) - 127), 32, axis=2)
    x, y = (m.astype(np.float64) * f for m, f in zip((a, b), factors, strict=True))
    np.testing.assert_array_equal(out, (x @ y.T).astype(np.float32))
