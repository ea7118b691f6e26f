"""Pairs of CTAs that multiply together: numbers, and rules R24 to R26 of docs/tensor-memory.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.interpreter.threads.tensor_cores import Timing
from tileiras_xdsl.targets.tcgen05 import InstructionDescriptor

from .tensor_kernels import (
    AFTER,
    BEFORE,
    IMAGE_BYTES,
    IMAGE_PARAMETERS,
    K_MAJOR,
    RIGHT_AT,
    WAIT_LD,
    Array,
    Layout,
    elected,
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

GROUP = "group = #nvvm.cta_group<cta_2>"
CLUSTER = ("gpu.known_cluster_size = array<i32: 2, 1, 1>",)


def meet(name: str) -> str:
    return f"""
    {BEFORE} // {name}: before
    nvvm.cluster.arrive {{aligned}} // {name}
    nvvm.cluster.wait {{aligned}} // {name}
    {AFTER} // {name}: after
    """


RANK = f"""
%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
%is_leader = arith.cmpi eq, %rank, %c0 : i32
%part = arith.constant {IMAGE_BYTES} : i32
%skip = arith.muli %rank, %part : i32
%image = llvm.getelementptr %images[%skip] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%rows = arith.muli %rank, %c128 : i32
"""
COMMIT = f"""
%both = arith.constant 3 : i16
nvvm.tcgen05.commit %bar multicast_mask = %both {{{GROUP}}} : !llvm.ptr<3> // commit
"""
LEADER = "%issues = arith.andi %is_w0, %is_leader : i1\n"
STORE = """
%row = arith.addi %t, %rows : i32
%irow = arith.extui %row : i32 to i64
"""
END = f"""
scf.if %is_w0 {{
  nvvm.bar.warp.sync %all : i32
  nvvm.tcgen05.dealloc %d, %columns {{{GROUP}}} : !llvm.ptr<6>, i32 // dealloc
}}
"""


def pair_kernel(n: int, *, columns: int = 64, multiply: str | None = None) -> str:
    """The product of a pair: the even CTA issues it."""
    body = RANK + start() + meet("begin") + setup(columns, f"{{{GROUP}}}") + meet("ready")
    multiply = multiply or mma(more=f", {GROUP}") + COMMIT
    body += LEADER + elected(multiply, "%issues") + wait()
    body += STORE + store_out(n).replace("%out[%i]", "%out[%irow]") + meet("done") + END
    body += meet("end")
    parameters = ["%images: !llvm.ptr<1>", *IMAGE_PARAMETERS[1:]]
    return kernel(body, parameters, attributes=CLUSTER)


@dataclass
class PairProblem:
    """A product of a pair, of which each CTA has half of the rows of A and of B."""

    m: int
    n: int

    def __post_init__(self) -> None:
        a, b = numbers("f16", self.m, 16), numbers("f16", self.n, 16)
        self.images = np.zeros((2, IMAGE_BYTES), np.uint8)
        for image, left, right in zip(self.images, np.split(a, 2), np.split(b, 2), strict=True):
            self.a = K_MAJOR.put(image, 0, left, "f16")
            self.b = K_MAJOR.put(image, RIGHT_AT, right, "f16")
        self.expected = a.astype(np.float32) @ b.astype(np.float32).T
        self.how = InstructionDescriptor("f16", self.m, self.n, "f16", "f16")

    def run(self, text: str, columns: int, **options: Any) -> Array:
        out = np.full((256, columns), -1, np.int32)
        arguments = [self.images, out, self.a, self.b, signed(self.how.encode())]
        run_threads(load(text), 2, arguments, entry="k", **options)
        return out.view(np.float32)


def refuses(text: str, message: str, **options: Any) -> None:
    with pytest.raises(ExecutionError, match=message):
        PairProblem(256, 32).run(text, 32, **options)


@pytest.mark.parametrize("timing", ["late", "early", "random"])
def test_256_rows(timing: Timing):
    given = PairProblem(256, 32)
    assert (given.run(pair_kernel(32), 32, timing=timing, seed=4) == given.expected).all()


def test_128_rows():
    """Each CTA has 64 rows; the right half of the columns is in the upper lanes."""
    given = PairProblem(128, 32)
    found = given.run(pair_kernel(16), 16).reshape(2, 2, 64, 16)
    expected = given.expected.reshape(2, 64, 2, 16).transpose(0, 2, 1, 3)
    assert (found == expected).all()


def test_operands_of_the_other_cta():
    """R16: what the other CTA has in shared memory must stay there, and be fenced."""
    given = PairProblem(256, 32)
    text = pair_kernel(32)
    refuses(without(text, "proxy fence"), "without a proxy fence")
    overwrite = """
    %pz = llvm.getelementptr %s[%c16] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    scf.if %is_t0 {
      llvm.store %c0, %pz : i32, !llvm.ptr<3>
    }
    """
    after = text.replace(f"{AFTER} // wait: after", f"{AFTER}\n{overwrite}")
    assert (given.run(after, 32) == given.expected).all()
    other = overwrite.replace(
        "scf.if %is_t0", "%is_z = arith.cmpi eq, %row0, %c128 : i32\nscf.if %is_z"
    )
    early = text.replace("%issues = ", f"%row0 = arith.addi %t, %rows : i32\n{other}\n%issues = ")
    refuses(early, "race: .* byte 16 of shared memory of rank 1|rank 1 .*without a proxy fence")


def test_r24_commits_reach_both():
    """The other CTA waits for a barrier of its own, which a commit for one does not signal."""
    refuses(
        pair_kernel(32).replace("%both = arith.constant 3", "%both = arith.constant 1"),
        "deadlock: .* of rank 1 wait for parity 0",
    )
    refuses(
        pair_kernel(32).replace("%both = arith.constant 3", "%both = arith.constant 7"),
        "rank 2 of a cluster that has 2 CTAs",
    )


def test_r24_the_other_cta_must_run():
    """It may have ended, or not begun."""
    text = without(pair_kernel(32), "begin")
    refuses(text, "rank . reaches the shared memory of rank .*may not have begun")


def test_r24_the_other_cta_waits_for_the_product():
    """A CTA that ends while the product is under way."""
    text = pair_kernel(32)
    # Rank 1 neither waits for the product, nor loads it.
    text = text.replace(
        "%issues = ",
        """%is_other = arith.cmpi ne, %rank, %c0 : i32
    %issues = """,
    )
    first, rest = text.split("%wait_ = ", 1)
    body, last = rest.split(f"{BEFORE} // done: before", 1)
    wrong = first + "scf.if %is_leader {\n%wait_ = " + body + "}\n"
    refuses(
        wrong + without(last, "done", "done: after"),
        "deallocates lane 0, column 0 .*written by the tensor core for thread 0 of rank 0|"
        "thread .* of rank 1 deallocates",
    )


def test_r24_barriers_that_are_still_signalled():
    """A commit that the other CTA does not wait for may come when that has ended."""
    given, text = PairProblem(256, 32), pair_kernel(32)
    second = COMMIT.replace("%both", "%both2").replace("%bar ", "%bar2 ")
    text = text.replace("// commit", f"// commit\n{second}", 1)
    refuses(text, "of thread 0 of rank 0 is to arrive on a barrier of a CTA that ends")
    waits = wait("%bar2", name="drain")
    right = text.replace(f"{BEFORE} // done: before", f"{waits}{BEFORE} // done: before")
    assert (given.run(right, 32) == given.expected).all()


def test_r26_pairs_allocate_together():
    text = pair_kernel(32)
    alone = text.replace(
        "scf.if %is_w0 {\n      nvvm.bar.warp.sync %all : i32\n      nvvm.tcgen05.alloc",
        "%alone = arith.andi %is_w0, %is_leader : i1\nscf.if %alone {\nnvvm.tcgen05.alloc",
    )
    assert alone != text
    refuses(
        alone, "deadlock: .* for rank 1, which must allocate columns of tensor memory|never written"
    )
    other = text.replace("%slot, %columns", "%slotx, %columns").replace(
        "%columns = ",
        """%four2 = arith.muli %rank, %c4 : i32
    %slotx = llvm.getelementptr %slot[%four2] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %columns = """,
    )
    refuses(other, "the place is .* in rank .*, but .* in rank")
    warps = text.replace(
        "scf.if %is_w0 {\n      nvvm.bar.warp.sync %all : i32\n      nvvm.tcgen05.alloc",
        "%is_mine = arith.cmpi eq, %w, %rank : i32\nscf.if %is_mine {\nnvvm.tcgen05.alloc",
    )
    refuses(warps, "the warp is . in rank ., but . in rank .")


def test_r26_pairs_deallocate_together():
    text = pair_kernel(32)
    alone = text.replace(
        "scf.if %is_w0 {\n  nvvm.bar.warp.sync %all : i32\n  nvvm.tcgen05.dealloc",
        "%alone = arith.andi %is_w0, %is_leader : i1\nscf.if %alone {\nnvvm.tcgen05.dealloc",
    )
    assert alone != text
    refuses(alone, "deadlock: .* for rank 1, which must deallocate|ends with columns")


def test_one_cta_is_no_pair():
    text = pair_kernel(32).replace("array<i32: 2, 1, 1>", "array<i32: 1, 1, 1>")
    refuses(text, "is for a pair of CTAs, but the cluster has 1")


def reused_kernel() -> str:
    """
    The accumulator is used again when the warps of both CTAs have loaded it: they tell the even
    one, which multiplies.
    """
    give_back = f"""
    {WAIT_LD} // wait ld again
    {BEFORE} // give back
    %chosen = nvvm.elect.sync -> i1
    %theirs = nvvm.mapa %bar2, %c0 : !llvm.ptr<3> -> !llvm.ptr<7>
    scf.if %chosen {{
      nvvm.mbarrier.arrive.shared.cluster %theirs, %c1 {{scope = #nvvm.mem_scope<SCOPE>}} \
: !llvm.ptr<7>, i32
    }}
    """
    again = wait("%bar2", name="taken") + mma(more=f", {GROUP}") + COMMIT
    again = again.replace("%both", "%both2")
    text = pair_kernel(32)
    text = text.replace("init.shared %bar2, %c1", "init.shared %bar2, %c8")
    last = elected(again, "%issues").replace("%elected", "%elected2")
    last += wait(parity="%odd", name="again")
    second = store_out(32).replace("%out[%i]", "%out[%irow]")
    for name in ("%v", "%po"):
        second = second.replace(name, f"{name}2")
    return text.replace(
        f"{BEFORE} // done: before", f"{give_back}{last}{second}{BEFORE} // done: before"
    )


@pytest.mark.every(2)
@pytest.mark.parametrize("scope", ["cta", "cluster"])
def test_accumulators_are_given_back_to_the_other_cta(scope: str):
    given = PairProblem(256, 32)
    text = reused_kernel().replace("SCOPE", scope)
    assert (given.run(text, 32) == given.expected).all()
    refuses(without(text, "wait ld", "wait ld again"), "multiplies into lane .*not waited for its")
    refuses(without(text, "give back"), "fence::before_thread_sync")
    refuses(without(text, "taken: after"), "fence::after_thread_sync")


def test_scaled_products():
    """Each CTA has the scale factors of its rows of A, and all of those of B."""
    m, n, k = 256, 128, 32
    a, b = numbers("e4m3", m, k), numbers("e4m3", n, k)
    codes = np.random.default_rng(4).integers(125, 130, (m + n, 4)).astype(np.uint8)
    images = np.zeros((2, IMAGE_BYTES), np.uint8)
    lefts, rights = np.split(a, 2), np.split(b, 2)
    for rank, image in enumerate(images):
        K_MAJOR.put(image, 0, lefts[rank], "e4m3")
        K_MAJOR.put(image, RIGHT_AT, rights[rank], "e4m3")
        image[32768:33280] = scale_words(codes[128 * rank : 128 * rank + 128])
        image[33280:33792] = scale_words(codes[m:])
    source = Layout("none", leading=16, stride=128)
    multiply = f"""
    %sa = arith.constant {source.describe(32768)} : i64
    %sb = arith.constant {source.describe(33280)} : i64
    %wherea = arith.addi %base, %c128 : i32
    %whereb = arith.addi %wherea, %c4 : i32
    %sfa = llvm.inttoptr %wherea : i32 to !llvm.ptr<6>
    %sfb = llvm.inttoptr %whereb : i32 to !llvm.ptr<6>
    """
    for to, desc in (("%sfa", "%sa"), ("%sfb", "%sb")):
        multiply += (
            f"nvvm.tcgen05.cp {to}, {desc} {{shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, "
        )
        multiply += (
            f"multicast = #nvvm.tcgen05_cp_multicast<warpx4>, {GROUP}}} : !llvm.ptr<6>, i64\n"
        )
    multiply += "nvvm.tcgen05.mma.block_scale %d, %a, %b, %idesc, %even, %sfa, %sfb "
    multiply += f"{{kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>, {GROUP}}} : !llvm.ptr<6>, i64\n"
    how = InstructionDescriptor(
        "mxf8f6f4", m, n, "e4m3", "e4m3", scale="ue8m0", scale_a_id=1, scale_b_id=3
    )
    text = pair_kernel(n, columns=256, multiply=multiply + COMMIT)
    out = np.full((m, n), np.nan, np.float32)
    bits = (K_MAJOR.describe(0), K_MAJOR.describe(RIGHT_AT), signed(how.encode()))
    run_threads(load(text), 2, [images, out, *bits], entry="k")
    factors = 2.0 ** (codes.astype(np.float64) - 127)
    x = a.astype(np.float64) * factors[:m, 1:2]
    y = b.astype(np.float64) * factors[m:, 3:]
    np.testing.assert_array_equal(out, (x @ y.T).astype(np.float32))
