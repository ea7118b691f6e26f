"""
Who may touch tensor memory when: for each rule a kernel that breaks it, which is reported, and one
that keeps it. Numbers of rules are those of docs/tensor-memory.md.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.interpreter.threads.tensor_cores import TensorOrderWarning, Timing
from tileiras_xdsl.targets.tcgen05 import InstructionDescriptor

from .tensor_kernels import (
    AFTER,
    BEFORE,
    IMAGE_PARAMETERS,
    WAIT_LD,
    WAIT_ST,
    commit,
    elected,
    end,
    kernel,
    matmul_kernel,
    meet,
    mma,
    problem,
    setup,
    shape,
    start,
    store_out,
    wait,
    without,
)

OUT = ("%out: !llvm.ptr<1>",)
TIMINGS: tuple[Timing, ...] = ("late", "early", "random")


def run(text: str, grid: int = 1, columns: int = 16, **options: Any) -> np.ndarray[Any, Any]:
    """What 128 threads of a kernel with one argument store."""
    out = np.full((128, columns), -1, np.int32)
    run_threads(load(text), grid, [out], entry="k", **options)
    return out


def refuses(text: str, message: str, grid: int = 1, **options: Any) -> None:
    with pytest.raises(ExecutionError, match=message):
        run(text, grid, **options)


def refuses_product(text: str, message: str, **options: Any) -> None:
    with pytest.raises(ExecutionError, match=message):
        problem().run(text, **options)


FILL = f"""
%filled = vector.splat %t : vector<16xi32>
nvvm.tcgen05.st %dm, %filled {{{shape("32x32b")}}} : !llvm.ptr<6>, vector<16xi32> // store
{WAIT_ST} // wait st
"""
"""Each thread stores its number to all columns of its lane."""


def access_kernel(body: str, columns: int = 64) -> str:
    return kernel(start(image=False) + setup(columns) + body + end(), OUT)


RIGHT = access_kernel(FILL + store_out(16))


def test_stores_and_loads():
    assert (run(RIGHT) == np.arange(128)[:, None]).all()


# Allocation: R1 to R6


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("%columns = arith.constant 64", "%columns = arith.constant 48", "a power of two"),
        ("%columns = arith.constant 64", "%columns = arith.constant 1024", "a power of two"),
    ],
)
def test_r1_sizes(old: str, new: str, message: str):
    # The verifier knows constants; what is computed, the run.
    text = RIGHT.replace("%slot, %columns", "%slot, %sum").replace("%d, %columns", "%d, %sum")
    text = text.replace("%is_t0 = ", "%zero = arith.subi %t, %t : i32\n%is_t0 = ")
    number = new.rpartition(" ")[2]
    text = text.replace(old, f"%number = arith.constant {number}").replace(
        "scf.if %is_w0", "%sum = arith.addi %zero, %number : i32\nscf.if %is_w0", 1
    )
    refuses(text, message)


TWICE = """
scf.if %is_w0 {
  nvvm.tcgen05.alloc %slot2, %c128 : !llvm.ptr<3>, i32 // second
}
gpu.barrier
%base2 = llvm.load %slot2 : !llvm.ptr<3> -> i32
%d2 = llvm.inttoptr %base2 : i32 to !llvm.ptr<6>
"""
FREE_TWICE = """
scf.if %is_w0 {
  nvvm.tcgen05.dealloc %d2, %c128 : !llvm.ptr<6>, i32 // dealloc second
}
"""


def test_r1_later_allocations_are_not_larger():
    right = access_kernel(TWICE + FILL + store_out(16) + FREE_TWICE, 128)
    right = without(right, "relinquish")
    assert (run(right) == np.arange(128)[:, None]).all()
    wrong = without(access_kernel(TWICE + FREE_TWICE, 64), "relinquish")
    refuses(wrong, "128 columns .* more than the 64")


def test_r1_permit():
    refuses(access_kernel(TWICE + FREE_TWICE, 128), "relinquished the permit")


def test_r1_one_warp():
    text = RIGHT.replace("nvvm.tcgen05.alloc", "scf.if %is_t0 {\nnvvm.tcgen05.alloc")
    text = text.replace("// alloc", "}")
    refuses(text, "executed by 1 of 32 threads")


BLOCKS = """
%cta = nvvm.read.ptx.sreg.ctaid.x : i32
%rows = arith.muli %cta, %c128 : i32
%t2 = arith.addi %t, %rows : i32
%i2 = arith.extui %t2 : i32 to i64
"""


def contending(columns: int) -> str:
    """CTAs of one SM, all of which want columns."""
    text = access_kernel(BLOCKS + FILL + store_out(16).replace("%out[%i]", "%out[%i2]"), columns)
    return text.replace("vector.splat %t ", "vector.splat %t2 ")


@pytest.mark.parametrize(("columns", "together"), [(512, 2), (256, 2), (256, 3)])
def test_r1_ctas_of_an_sm_contend(columns: int, together: int):
    out = np.zeros((128 * together, 16), np.int32)
    run_threads(
        load(contending(columns)),
        together,
        [out],
        entry="k",
        side_by_side=True,
        ctas_per_sm=together,
    )
    assert (out == np.arange(128 * together)[:, None]).all()


IN_TURN = """
%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
%cluster = nvvm.read.ptx.sreg.clusterid.x : i32
%is_first = arith.cmpi eq, %rank, %cluster : i32
%is_second = arith.cmpi ne, %rank, %cluster : i32
%first = arith.andi %is_w0, %is_first : i1
%second = arith.andi %is_w0, %is_second : i1
scf.if %first {
  nvvm.tcgen05.alloc %slot, COLUMNS : !llvm.ptr<3>, i32
  nvvm.tcgen05.relinquish_alloc_permit // relinquish
}
nvvm.cluster.arrive {aligned}
nvvm.cluster.wait {aligned}
scf.if %second {
  nvvm.tcgen05.alloc %slot, COLUMNS : !llvm.ptr<3>, i32
  nvvm.tcgen05.relinquish_alloc_permit // relinquish
}
nvvm.cluster.arrive {aligned}
nvvm.cluster.wait {aligned}
scf.if %is_w0 {
  %base = llvm.load %slot : !llvm.ptr<3> -> i32
  %d = llvm.inttoptr %base : i32 to !llvm.ptr<6>
  nvvm.tcgen05.dealloc %d, COLUMNS : !llvm.ptr<6>, i32
}
"""
"""In each cluster the CTA of its number allocates before the other one does."""


def test_r1_ctas_wait_for_each_other():
    """Clusters on the same SMs that take tensor memory in different order."""

    def check(columns: str, *missing: str, ctas_per_sm: int = 2) -> None:
        body = start(image=False) + IN_TURN.replace("COLUMNS", columns)
        text = kernel(body, OUT, 64, ["gpu.known_cluster_size = array<i32: 2, 1, 1>"])
        out = np.zeros((128, 16), np.int32)
        module = load(without(text, *missing))
        run_threads(module, 4, [out], entry="k", side_by_side=True, ctas_per_sm=ctas_per_sm)

    check("%c256")
    check("%c512", ctas_per_sm=1)
    with pytest.raises(ExecutionError, match=r"deadlock: .* 512 columns of tensor memory"):
        check("%c512")
    with pytest.raises(ExecutionError, match=r"deadlock: .* not relinquished the permit"):
        check("%c256", "relinquish")


def test_r2_the_address_is_a_store():
    """Other warps read it after a barrier."""
    refuses(without(RIGHT, "start"), "race: .* (read|written).*nvvm.tcgen05.alloc|never written")


def test_r3_new_columns_are_undefined():
    refuses(without(RIGHT, "store", "wait st"), "lane .*, column .*never written")
    given = problem()
    adds = matmul_kernel(16, multiply=mma(enable="%odd"))
    refuses_product(adds, "adds to lane 0, column 0 .*never written")
    right = matmul_kernel(16, multiply=mma() + mma(enable="%odd"))
    assert (given.run(right) == 2 * given.expected).all()


def test_r4_deallocation():
    refuses(RIGHT.replace("%d, %columns", "%d, %c32"), "deallocates 32 columns")
    refuses(
        RIGHT.replace("dealloc %d,", "dealloc %dx,").replace(
            "%d = llvm",
            "%far = arith.addi %base, %c32 : i32\n"
            "%dx = llvm.inttoptr %far : i32 to !llvm.ptr<6>\n%d = llvm",
        ),
        "column 32, which this CTA has not allocated",
    )


def test_r4_operations_in_flight():
    """Columns are free when what touches them is complete."""
    refuses(
        without(RIGHT, "wait ld"),
        "deallocates lane .*, column 0 .*read by 'tcgen05.ld' of warp .*not waited for its loads",
    )
    text = start() + setup() + elected(mma() + commit()) + wait() + end()
    problem().run(kernel(text, IMAGE_PARAMETERS))
    wrong = without(kernel(text, IMAGE_PARAMETERS), "wait", "wait: after")
    refuses_product(wrong, "deallocates .*written by the tensor core for thread 0")


def test_r5_ends():
    refuses(without(RIGHT, "dealloc"), "ends with columns 0 to 63 of tensor memory")
    text = access_kernel(FILL + "nvvm.bar.warp.sync %all : i32\n")
    run(text)
    # Of columns that nobody touches again: the CTA ends while the tensor core multiplies.
    body = start() + setup() + elected(mma() + commit()) + wait() + end()
    last = elected(
        "nvvm.tcgen05.cp %d, %a {shape = #nvvm.tcgen05_cp_shape<shape_128x128b>} "
        ": !llvm.ptr<6>, i64 // copy\n"
    )
    right = body.replace(BEFORE + " // end: before", last + BEFORE + " // end: before", 1)
    refuses_product(kernel(right, IMAGE_PARAMETERS), "deallocates .*nvvm.tcgen05.cp")


def test_r5_open_operations():
    """The last commit is waited for by nobody, though all else is right."""
    body = start() + setup() + elected(mma() + commit()) + wait() + end()
    late = elected(commit("%bar2"), "%is_w1").replace("elected", "elected2")
    assert problem().run(kernel(body + late, IMAGE_PARAMETERS)) is not None


def test_r6_columns_of_others():
    refuses(
        RIGHT.replace(
            "%mine = arith.addi %base, %mylane",
            "%far = arith.addi %base, %c64 : i32\n%mine = arith.addi %far, %mylane",
        ),
        "writes column 64 of tensor memory, which nobody has allocated",
    )
    refuses(
        RIGHT.replace(
            "%mine = arith.addi %base, %mylane",
            "%far = arith.addi %base, %c512 : i32\n%mine = arith.addi %far, %mylane",
        ),
        "columns 512 to 527 of tensor memory, which has 128 lanes of 512",
    )


def test_r6_one_group():
    text = matmul_kernel(16).replace(
        "nvvm.tcgen05.relinquish_alloc_permit",
        "nvvm.tcgen05.relinquish_alloc_permit {group = #nvvm.cta_group<cta_2>}",
    )
    refuses_product(text, "is for cta_group::2, but 'nvvm.tcgen05.alloc' .* cta_group::1")


# Loads and stores: R7 to R13


def test_r7_lanes_of_a_warp():
    refuses(
        RIGHT.replace("%base, %mylane", "%base, %c0"),
        "warp 3 accesses lane 0 .*reaches lanes 96 to 127 only",
    )
    refuses(
        RIGHT.replace(
            "%mine = arith.addi %base, %mylane",
            "%sixteen = arith.constant 1048576 : i32\n"
            "%off = arith.addi %mylane, %sixteen : i32\n"
            "%mine = arith.addi %base, %off",
        ),
        "must be a multiple of 32, but is 112",
    )


def test_r7_same_address():
    refuses(
        RIGHT.replace("%mine = arith.addi %base, %mylane", "%mine = arith.addi %base, %t"),
        "the address differs between threads",
    )


def test_r7_whole_warps():
    text = RIGHT.replace(
        "nvvm.tcgen05.st",
        "%lane = nvvm.read.ptx.sreg.laneid : i32\n%low = arith.cmpi ult, %lane, %c16 : i32\n"
        "scf.if %low {\nnvvm.tcgen05.st",
    ).replace("// store", "}")
    refuses(text, "executed by 16 of 32 threads")


def test_r8_r9_load_after_store():
    refuses(
        without(RIGHT, "wait st"),
        "reads lane 96, column 0 .*written by 'tcgen05.st' of warp 3 in 'nvvm.tcgen05.st'.*"
        "not waited for its stores",
    )


def test_r8_stores_come_late():
    """Without checks for races, what is loaded too early is what was there before."""
    body = FILL + FILL.replace("%filled", "%again").replace("vector.splat %t", "vector.splat %c7")
    text = access_kernel(without(body, "wait st") + store_out(16))
    text = text.replace(
        "%again = vector.splat %c7 : vector<16xi32>",
        f"{WAIT_ST}\n%again = vector.splat %c7 : vector<16xi32>",
    )
    out = run(text, check_races=False)
    assert (out == np.arange(128)[:, None]).all()
    assert (run(text, check_races=False, timing="early") == 7).all()


def test_r9_store_after_load():
    again = FILL.replace("%filled", "%again")
    right = access_kernel(FILL + store_out(16) + again)
    run(right)
    refuses(
        without(right, "wait ld"),
        "writes lane 96, column 0 .*read by 'tcgen05.ld' of warp 3 .*not waited for its loads",
    )


HAND_BACK = f"""
{BEFORE} // hand back: before
gpu.barrier
{AFTER} // hand back: after
"""


def reused(n: int = 16) -> str:
    """A product is loaded, and then the accumulator is used again."""
    body = start() + setup() + elected(mma() + commit()) + wait() + store_out(n) + HAND_BACK
    again = elected(mma() + commit("%bar2")) + wait("%bar2", name="again")
    again += store_out(n).replace("%v ", "%v2 ").replace("%v,", "%v2,").replace("%po", "%po2")
    return kernel(body + again.replace("%elected", "%elected2") + end(), IMAGE_PARAMETERS)


def test_r10_products_over_what_is_read():
    given, right = problem(), reused()
    assert (given.run(right) == given.expected).all()
    refuses_product(
        without(right, "wait ld"),
        "multiplies into lane 0, column 0 .*read by 'tcgen05.ld' of warp 0.*not waited",
    )
    refuses_product(without(right, "hand back: before"), "fence::before_thread_sync")
    refuses_product(without(right, "hand back: after"), "fence::after_thread_sync")


STORE_A = f"""
%pa = llvm.getelementptr %image[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<8xi32>
%va = llvm.load %pa {{alignment = 4 : i64}} : !llvm.ptr<1> -> vector<8xi32>
%minea = arith.addi %mine, %c32 : i32
%dma = llvm.inttoptr %minea : i32 to !llvm.ptr<6>
nvvm.tcgen05.st %dma, %va {{{shape("32x32b")}}} : !llvm.ptr<6>, vector<8xi32>
{WAIT_ST} // wait st
{BEFORE} // give: before
gpu.barrier
{AFTER} // give: after
%wherea = arith.addi %base, %c32 : i32
%da = llvm.inttoptr %wherea : i32 to !llvm.ptr<6>
"""


@pytest.mark.part("kernels")
def test_r11_products_of_what_is_stored():
    """Operand A is computed by threads: rows of 16 halves, in eight columns."""
    given = problem()
    a = np.ascontiguousarray(given.image[:16384].reshape(128, 128)[:, :32])
    rows = np.arange(128)
    lines = given.image[:16384].reshape(128, 8, 16)
    a = np.stack([lines[rows, (chunk ^ rows) % 8] for chunk in range(2)], axis=1).reshape(128, 32)
    image = given.image.copy()
    image[:4096] = a.reshape(-1)
    given.image = image
    multiply = mma(a="%da", a_type="!llvm.ptr<6>")
    text = start() + setup() + STORE_A + elected(multiply + commit()) + wait() + store_out(16)
    right = kernel(text + end(), IMAGE_PARAMETERS)
    for timing in TIMINGS:
        assert (given.run(right, timing=timing, seed=1) == given.expected).all()
    refuses_product(without(right, "wait st"), "reads lane .*not waited for its stores")
    refuses_product(without(right, "give: before"), "fence::before_thread_sync")
    refuses_product(without(right, "give: after"), "fence::after_thread_sync")


def test_r12_values_need_no_wait():
    """A thread may use what it loads at once; `wait::ld` is for who writes there later."""
    text = RIGHT.replace(f"{WAIT_LD} // wait ld", "")
    text = text.replace(f"{BEFORE} // end: before", f"{WAIT_LD}\n{BEFORE}")
    assert (run(text) == np.arange(128)[:, None]).all()


# MMAs, copies and shifts: R14 to R23


def test_r14_one_thread():
    text = matmul_kernel(16).replace("scf.if %elected {", "scf.if %odd {")
    refuses_product(text, "issued by 32 threads of warp 0, once for each: one thread")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (1 << 46, "has 0 in bits 46-48, where those of tcgen05 have 1"),
        (7 << 53, "reserved"),
        (1 << 61, "unknown swizzle"),
        (1 << 49, "base offset"),
        (128 >> 4, "not aligned to the 1024 bytes of the pattern"),
        (112 >> 4, "are not in one row of 128 bytes"),
        (512 >> 4, "not aligned to the 1024 bytes"),
    ],
)
def test_r15_descriptors_in_shared_memory(change: int, message: str):
    given = problem()
    given.a ^= change
    with pytest.raises(ExecutionError, match=message):
        given.run(matmul_kernel(16))


def test_r15_bytes_in_shared_memory():
    given = problem()
    given.a += 32 * 1024 >> 4
    with pytest.raises(ExecutionError, match=r"operand A: reads bytes 32768 to .*which has"):
        given.run(matmul_kernel(16))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (InstructionDescriptor("f16", 32, 16, "f16", "f16"), "M must be 64 or 128"),
        (InstructionDescriptor("f16", 128, 264, "f16", "f16"), "N must be a multiple of 16"),
        (InstructionDescriptor("f16", 128, 24, "f16", "f16"), "N must be a multiple of 16"),
        (InstructionDescriptor("f16", 128, 16, "bf16", "f16"), "must have one type"),
        (InstructionDescriptor("f16", 128, 16, "bf16", "bf16", "f16"), "must be f32"),
    ],
)
def test_r15_instruction_descriptors(how: InstructionDescriptor, message: str):
    given = problem()
    given.idesc = how.encode()
    with pytest.raises(ExecutionError, match=message):
        given.run(matmul_kernel(16))


def test_r15_lane_of_the_accumulator():
    text = (
        matmul_kernel(16)
        .replace("%d = llvm.inttoptr %base", "%d = llvm.inttoptr %off")
        .replace("%mine = ", "%x = ")
    )
    text = text.replace(
        "%base = llvm.load %slot : !llvm.ptr<3> -> i32",
        "%base = llvm.load %slot : !llvm.ptr<3> -> i32\n"
        "%sixteen = arith.constant 1048576 : i32\n"
        "%off = arith.addi %base, %sixteen : i32\n"
        "%mine = arith.addi %base, %mylane : i32",
    )
    refuses_product(text, "is at lane 16 of tensor memory, but must be at lane 0")


OVERWRITE = """
%pz = llvm.getelementptr %s[%c16] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
%hundreds = arith.constant 1447056960 : i32
scf.if %is_t0 {
  llvm.store %hundreds, %pz : i32, !llvm.ptr<3> // overwrite
}
"""


def test_r16_operands_stay():
    body = start() + setup() + elected(mma() + commit())
    right = kernel(body + wait() + OVERWRITE + store_out(16) + end(), IMAGE_PARAMETERS)
    given = problem()
    assert (given.run(right) == given.expected).all()
    wrong = kernel(body + OVERWRITE + wait() + store_out(16) + end(), IMAGE_PARAMETERS)
    refuses_product(
        wrong,
        "race: thread 0 writes byte 16 of shared memory, read by the tensor core for thread 0 in "
        "'nvvm.tcgen05.mma'",
    )
    # Without checks the product is wrong, if it is late.
    found = given.run(wrong, check_races=False)
    assert not (found == given.expected).all()
    assert (given.run(wrong, check_races=False, timing="early") == given.expected).all()


SECOND = """
%where2 = arith.addi %base, COLUMN : i32
%d2 = llvm.inttoptr %where2 : i32 to !llvm.ptr<6>
"""


def test_r17_mmas_of_one_thread():
    """Those with the same accumulator are in order, and no others."""
    given = problem()
    same = matmul_kernel(16, multiply=mma() + mma(enable="%odd"))
    assert (given.run(same) == 2 * given.expected).all()
    apart = SECOND.replace("COLUMN", "%c16") + mma() + mma(d="%d2")
    assert (given.run(matmul_kernel(16, multiply=apart)) == given.expected).all()
    over = SECOND.replace("COLUMN", "%c8") + mma() + mma(d="%d2")
    refuses_product(
        matmul_kernel(16, multiply=over),
        "multiplies into lane 0, column 8 .*written by the tensor core .*nobody has waited for",
    )


COPY = (
    "nvvm.tcgen05.cp DEST, %a {shape = #nvvm.tcgen05_cp_shape<shape_128x256b>} "
    ": !llvm.ptr<6>, i64\n"
)


def test_r17_copies():
    """A copy is in order before MMAs; two copies are not; a copy after an MMA is a warning."""
    given = problem()
    where = SECOND.replace("COLUMN", "%c32")
    copy = COPY.replace("DEST", "%d2")
    multiply = mma(a="%d2", a_type="!llvm.ptr<6>")
    right = matmul_kernel(16, multiply=where + copy + multiply)
    for timing in TIMINGS:
        assert (given.run(right, timing=timing, seed=2) == given.expected).all()
    refuses_product(
        matmul_kernel(16, multiply=where + copy + copy + multiply),
        "copies to lane 0, column 32 .*written by the tensor core",
    )
    with pytest.warns(TensorOrderWarning, match="the PTX ISA does not order them"):
        given.run(matmul_kernel(16, multiply=where + copy + multiply + copy))


def test_r17_products_are_not_loaded_at_once():
    """mma, then ld of the same warp."""
    text = matmul_kernel(16)
    refuses_product(
        without(text, "wait", "wait: after"),
        "written by the tensor core for thread 0 in 'nvvm.tcgen05.mma'.*nobody has waited "
        "for a commit|never written",
    )


def test_r18_mmas_of_two_threads():
    first, second = (
        elected(mma() + commit("%bar2")),
        elected(mma(enable="%odd") + commit(), "%is_w1"),
    )
    second = second.replace("%elected", "%elected2")
    between = wait("%bar2", name="turn")
    text = start() + setup() + first + between + second + wait() + store_out(16) + end()
    right, given = kernel(text, IMAGE_PARAMETERS), problem()
    assert (given.run(right) == 2 * given.expected).all()
    refuses_product(without(right, "turn: after"), "fence::after_thread_sync")
    refuses_product(
        without(right, "turn", "turn: after"),
        "thread 32 multiplies into .*written by the tensor core for thread 0",
    )


@pytest.mark.part("kernels")
def test_r18_in_turn():
    """What the tensor core takes in turn needs fences, but nobody has to wait for it."""
    given = problem()
    second = SECOND.replace("COLUMN", "%c32")
    first = elected(COPY.replace("DEST", "%d2") + commit("%bar2"))
    multiply = mma(a="%d2", a_type="!llvm.ptr<6>") + commit()
    last = elected(multiply, "%is_w1").replace("%elected", "%elected2")
    text = start() + setup() + second + first + meet("turn") + last + wait() + store_out(16)
    right = kernel(text + wait("%bar2", name="copied") + end(), IMAGE_PARAMETERS)
    for timing in TIMINGS:
        assert (given.run(right, timing=timing, seed=6) == given.expected).all()
    refuses_product(without(right, "turn: before"), "thread 32 reads lane 0, column 32")
    refuses_product(without(right, "turn: after"), "thread 32 reads lane 0, column 32")
    # But a load is not taken in turn.
    text = start() + setup() + elected(mma()) + meet("turn") + store_out(16) + end()
    refuses_product(kernel(text, IMAGE_PARAMETERS), "nobody has waited for a commit")


def test_r19_commits():
    """A commit covers what its thread has issued, and nothing else."""
    body = (
        start()
        + setup()
        + elected(mma())
        + elected(commit(), "%is_w1").replace("%elected", "%elected2")
    )
    wrong = kernel(body + wait() + store_out(16) + end(), IMAGE_PARAMETERS)
    refuses_product(wrong, "written by the tensor core for thread 0 .*nobody has waited")
    # By a thread that has issued nothing it arrives at once.
    empty = start(image=False) + setup() + elected(commit()) + wait() + FILL + store_out(16) + end()
    assert (run(kernel(empty, OUT)) == np.arange(128)[:, None]).all()
    # It covers no loads or stores.
    text = access_kernel(FILL + elected(commit()) + wait() + store_out(16))
    refuses(without(text, "wait st"), "not waited for its stores")


def test_r19_commit_before_mma():
    text = start() + setup() + elected(commit() + mma()) + wait() + store_out(16) + end()
    refuses_product(kernel(text, IMAGE_PARAMETERS), "nobody has waited for a commit")


def test_r20_fence_after_waiting():
    refuses_product(
        without(matmul_kernel(16), "wait: after"),
        "reads lane 0, column 0 .*fence::after_thread_sync",
    )


def test_r20_shared_memory_needs_no_fence():
    body = start() + setup() + elected(mma() + commit()) + wait() + OVERWRITE
    text = kernel(body + store_out(16) + end(), IMAGE_PARAMETERS)
    moved = text.replace(f"{AFTER} // wait: after", "").replace(
        "// overwrite\n}", f"// overwrite\n}}\n{AFTER}"
    )
    given = problem()
    assert (given.run(moved) == given.expected).all()


def test_r21_proxies():
    refuses_product(
        without(matmul_kernel(16), "proxy fence"),
        "reads byte .* of shared memory asynchronously, .* without a proxy fence",
    )


def test_r22_collector():
    op = ", collector_op = #nvvm.tcgen05_mma_collectorop<{}>"
    fill, use, last = (op.format(word) for word in ("fill", "use", "lastuse"))
    where = SECOND.replace("COLUMN", "%c16")
    given = problem()
    right = where + mma(more=fill) + mma(d="%d2", more=use) + mma(enable="%odd", more=last)
    assert (given.run(matmul_kernel(16, multiply=right)) == 2 * given.expected).all()
    for wrong in (
        mma(more=use),
        mma(more=fill) + mma(a="%b", enable="%odd", more=use),
        mma(more=fill) + mma(enable="%odd") + mma(enable="%odd", more=last),
    ):
        refuses_product(matmul_kernel(16, multiply=wrong), "collector buffer")


@pytest.mark.parametrize("seed", range(4))
def test_r23_any_timing(seed: int):
    given = problem()
    text = reused()
    assert (given.run(text, timing="random", seed=seed) == given.expected).all()


def test_warnings_are_rare():
    """What the ISA orders warns of nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        problem().run(reused())
