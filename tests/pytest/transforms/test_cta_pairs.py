"""
Pairs of CTAs that multiply together (`cta_group::2`): from Tile IR to threads they compute the
same, and neither CTA is too early, or gone too soon.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl import compile, load, run
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    PAIR,
    PAIR_BARRIER,
    get_schedule,
)
from tileiras_xdsl.dialects.nv_tileas.types import get_kernel_hint
from tileiras_xdsl.dialects.nvvm import BulkTensorLoadOp
from tileiras_xdsl.dialects.nvvm.tcgen05 import GroupOperation, group_size
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.interpreter.threads.tensor_cores import Timing
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.transforms.tileas import tileas_materialize_schedule

from ..harness.modules import context
from ..harness.remarks import asked, told
from .test_warpgroup_kernels import (
    ABIS,
    Array,
    Attention,
    Gemm,
    View,
    as_arguments,
    check,
    count,
    kernel,
    lower,
    numbers,
)

ARCH = "sm_100a"
HINT = ") optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {"


def hinted(text: str) -> str:
    """A kernel that asks for two CTAs."""
    return text.replace(") {", HINT, 1)


def is_paired(module: ModuleOp) -> bool:
    """Whether all that is for one CTA or for a pair is for a pair."""
    ops = [op for op in module.walk() if isinstance(op, GroupOperation | BulkTensorLoadOp)]
    return bool(ops) and all(group_size(op.group) == 2 for op in ops)


GEMMS = [
    (Gemm("f16", 256, 64, 16), "host-maps", (480, 64)),
    (Gemm("f16", 256, 256, 64, "b"), "host-maps", (256, 208)),
    (Gemm("bf16", 256, 128, 32, "a"), "device-maps", (256, 128)),
    (Gemm("f16", 256, 32, 64, "ab"), "host-maps", (224, 64)),
    (Gemm("f8E4M3FN", 256, 128, 64, "b"), "device-maps", (256, 96)),
    (Gemm("f8E5M2", 256, 64, 32), "host-maps", (80, 128)),
    (Gemm("i8", 256, 64, 64, "b"), "host-maps", (256, 64)),
    (Gemm("f16", 512, 64, 16), "host-maps", (512, 64)),
]


@pytest.mark.every(8, first=5)
@pytest.mark.parametrize(
    ("gemm", "abi", "sizes"),
    GEMMS,
    ids=[f"{g.element}_{g.m}x{g.n}x{g.k}{g.transposed}_{abi}" for g, abi, _ in GEMMS],
)
def test_products(gemm: Gemm, abi: str, sizes: tuple[int, int]):
    """Each CTA loads its rows of A, and half of the columns of B; tiles may be cut off."""
    arrays = gemm.arrays(*sizes, 2 * gemm.k + 16)
    grid = (-(-sizes[0] // gemm.m), -(-sizes[1] // gemm.n))
    product = gemm.product(arrays)
    module = check(hinted(gemm.text()), arrays, product, grid=grid, n=3, abi=abi, arch=ARCH)
    assert is_paired(module)
    assert count(module, "nvvm.tcgen05.mma") == 1


@pytest.mark.part("kernels")
def test_products_in_nvvm():
    gemm = Gemm("f16", 256, 32, 32)
    arrays = gemm.arrays(256, 32, 96)
    check(hinted(gemm.text()), arrays, gemm.product(arrays), n=3, levels=(4,), arch=ARCH)


def run_pair(
    gemm: Gemm, module: ModuleOp, *, tiles: int = 1, trips: int = 5, **options: Any
) -> None:
    """Runs the threads of a kernel of several tile blocks below each other."""
    arrays = gemm.arrays(gemm.m * tiles, gemm.n, gemm.k * trips)
    expected = gemm.product(arrays)
    arrays[-1][:] = 7
    run_threads(module, tiles, as_arguments(arrays, trips), entry="kernel", **options)
    np.testing.assert_array_equal(arrays[-1], expected)


@pytest.mark.part("kernels")
@pytest.mark.every(3, first=2)
@pytest.mark.parametrize(("timing", "seed"), [("early", 0), ("random", 1), ("random", 2)])
def test_timings(timing: Timing, seed: int):
    gemm = Gemm("f16", 256, 32, 16)
    module = lower(hinted(gemm.text()), "host-maps", 3, 3, ARCH)[3]
    run_pair(gemm, module, tiles=2, timing=timing, seed=seed)


@pytest.mark.part("kernels")
@pytest.mark.every(3, first=2)
@pytest.mark.parametrize("trips", [0, 1, 13])
def test_trip_counts(trips: int):
    gemm = Gemm("f16", 256, 32, 16)
    module = lower(hinted(gemm.text()), "host-maps", 3, 3, ARCH)[3]
    run_pair(gemm, module, trips=trips)


@pytest.mark.every(6, first=5)
@pytest.mark.parametrize("abi", ABIS)
@pytest.mark.parametrize("sm_count", [1, 3, 4])
def test_pairs_take_their_next_tile_block_together(sm_count: int, abi: str):
    """As many CTAs loop over tile blocks as are in pairs, though SMs may be odd."""
    gemm = Gemm("f16", 256, 32, 16)
    module = lower(hinted(gemm.text()), abi, 3, 3, ARCH)[3]
    run_pair(gemm, module, tiles=3, trips=2, sm_count=sm_count, timing="random", seed=sm_count)


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("abi", ABIS)
def test_tile_blocks_that_take_longer(abi: str):
    """They are not taken in pairs: of an odd number of them the last one is for both CTAs."""
    gemm = Gemm("f16", 256, 32, 16)
    text = hinted(gemm.text().replace("(%zero to %n, step %one)", "(%zero to %i, step %one)"))
    arrays = gemm.arrays(3 * gemm.m, gemm.n, 3 * gemm.k)
    expected = np.concatenate(
        [
            gemm.product([arrays[0][gemm.m * row : gemm.m * (row + 1)], arrays[1]], gemm.k * row)
            for row in range(3)
        ]
    )
    module = check(text, arrays, expected, grid=(3,), abi=abi, arch=ARCH)
    assert is_paired(module)


@pytest.mark.part("kernels")
def test_launches():
    """A tile block is a cluster, of which a launch has as many as the GPU holds."""
    text = hinted(Gemm("f16", 256, 128, 64).text())
    result = compile(text, gpu="sm_100", abi="host-maps", cache=False, isolate=False)
    record = result.launch_record
    assert record.persistent == 1
    assert record.blocks_are_clusters
    assert record.launched_grid((3, 1, 1), 148) == (3, 1, 1)
    assert record.launched_grid((10, 20, 1), 148) == (74, 1, 1)


@pytest.mark.part("kernels")
def test_the_next_tile_waits_for_the_epilogues_of_both():
    gemm = Gemm("f16", 256, 32, 16)
    arrays = gemm.arrays(768, 32, 32)
    text = hinted(gemm.rows_in_turn())
    module = check(text, arrays, gemm.product(arrays), n=2, m=3, arch=ARCH)
    assert is_paired(module)


# Random products


@dataclass(frozen=True)
class Case:
    """A random kernel, with its matrices and what has to come out."""

    text: str
    arrays: list[Array]
    expected: Array
    trips: int
    tiles: int


def random_case(seed: int) -> Case:
    """
    A product of which a pair does each tile: accumulators that begin with a tile that is loaded,
    several of them, or one for several tiles.
    """
    random = np.random.default_rng(seed)
    element = str(random.choice(["f16", "f16", "bf16", "f8E4M3FN", "i8"]))
    k = int(random.choice([32, 64]))
    transposed = str(random.choice(["", "a", "b", "ab"]))
    gemm = Gemm(element, 256, int(random.choice([64, 128, 256])), k, transposed)
    (a, b, c), (add, total) = gemm.views, ("addi" if element == "i8" else "addf", gemm.total)
    trips, tiles = int(random.integers(0, 5)), int(random.integers(1, 4))
    rows = gemm.m * tiles - int(random.choice([0, 32, 144]))
    columns = gemm.n - int(random.choice([0, 16]))
    arrays = gemm.arrays(rows, columns, k * max(trips, 1) - int(random.choice([0, 16])))
    product = gemm.product(arrays, k * trips)
    begin, loop, store = gemm.zero, gemm.loop("%i", "%j"), c.store("%sum", "%i", "%j")
    views = [a, b, c]
    match str(random.choice(["added", "two", "turns"])):
        case "added":
            old = View("o", total, (gemm.m, gemm.n))
            views.insert(2, old)
            arrays.insert(2, numbers(total, rows, columns))
            begin, product = old.load("%nothing", "%i", "%j"), product + arrays[2]
        case "two":
            types = f"{c.tile_type}, {c.tile_type}"
            loop = f"""
    %r:2 = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing, %t = %nothing) -> ({types}) {{
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%j")}
      {gemm.multiply("%d", "%x", "%y", "%s")}
      {gemm.multiply("%e", "%x", "%y", "%t")}
      continue %d, %e : {types}
    }}
    %sum = {add} %r#0, %r#1 : {c.tile_type}"""
            product = 2 * product
        case _:
            return Case(gemm.rows_in_turn(), arrays, product, trips, tiles)
    return Case(kernel(views, f"{begin}\n{loop}\n{store}"), arrays, product, trips, tiles)


@pytest.mark.part("kernels")
@pytest.mark.every(6, first=5)
@pytest.mark.parametrize("seed", range(6))
def test_random_products(seed: int):
    case = random_case(seed)
    modules = lower(hinted(case.text), ABIS[seed % 2], 3, 3, ARCH)
    assert is_paired(modules[3])
    grid = 1 if "%tile" in case.text else case.tiles
    for level in (2, 3):
        arrays = [*case.arrays[:-1], np.full_like(case.arrays[-1], 7)]
        arguments = as_arguments(arrays, case.trips, case.tiles)
        if level == 2:
            run(modules[2], grid=grid, args=arguments)
        else:
            options: dict[str, Any] = {"timing": "random", "seed": seed, "sm_count": 2 + seed % 3}
            run_threads(modules[3], grid, arguments, entry="kernel", **options)
        np.testing.assert_array_equal(arrays[-1].astype(np.float64), case.expected)


# Which kernels


def after(text: str, name: str, abi: str = "host-maps", arch: str = ARCH) -> ModuleOp:
    """A kernel after a pass."""
    module = asked(load(text))
    for step in select_steps(3, to="nvgpu"):
        make_pass(step, arch, abi).apply(context(), module)
        module.verify()
        if step.name == name:
            return module
    raise AssertionError(name)


def why_no_pair(text: str, abi: str = "host-maps") -> str | None:
    """Why a kernel is no pair; None if it is."""
    (function,) = kernels(after(text, "tileas-pair-ctas", abi))
    reasons = [each.reason for each in told(function, kind="Missed", name="Pair")]
    assert PAIR.is_on(function) == (not reasons)
    return reasons[-1] if reasons else None


def test_stages():
    """A pair has more stages, as each has half of operand B."""
    stages: list[int] = []
    for text in (Gemm("f16", 128, 256, 64).text(), hinted(Gemm("f16", 256, 256, 64).text())):
        (function,) = kernels(after(text, "tileas-generate-schedule"))
        schedule = get_schedule(function)
        assert schedule is not None
        stages += schedule.stages
    assert stages == [3, 5]


@pytest.mark.part("kernels")
@pytest.mark.parametrize("abi", ABIS)
def test_by_hint_only(abi: str):
    """Tiles that one CTA has no registers for are no pair unless it is asked for, either."""
    for gemm in (Gemm("f16", 256, 256, 64), Gemm("f16", 256, 128, 64)):
        (function,) = kernels(after(gemm.text(), "tileas-pair-ctas", abi))
        assert not PAIR.is_on(function)
        assert why_no_pair(hinted(gemm.text()), abi) is None


def test_tiles_of_few_rows_are_no_pair():
    """The hint is left to clusters that multicast."""
    text = hinted(Gemm("f16", 128, 128, 64).text())
    said = "MMAs of a pair have 128 rows of each CTA, but each CTA would have 64 rows"
    assert why_no_pair(text) == said
    (function,) = kernels(after(text, "tileas-pair-ctas"))
    assert get_kernel_hint(function, "num_ctas") == 2


def test_computed_operands_are_no_pair():
    text = hinted(Attention("f16", 256, 32, 32).text())
    assert why_no_pair(text) == "operand A is not loaded"


def test_paths_that_differ():
    """Rows of a CTA may decide how long its loop is: the other CTA must have as many iterations."""
    gemm = Gemm("f16", 256, 32, 16)
    module = after(hinted(gemm.text()), "tileas-prepare-for-scheduling")
    pair = make_pass(next(s for s in select_steps(3) if s.name == "tileas-pair-ctas"), ARCH)
    (loop,) = (op for op in module.walk() if op.name == "scf.for")
    rank = next(op for op in module.walk() if op.name == "nv_tileaa.andi")
    loop.operands[1] = rank.results[0]
    pair.apply(context(), module)
    (said,) = told(module, name="Pair")
    assert said.reason == "CTAs may run a loop of MMAs differently often"


def test_tiles_that_differ():
    """CTAs that need other tiles of B do not share them."""
    gemm = Gemm("f16", 256, 32, 16)
    module = after(hinted(gemm.text()), "tileas-prepare-for-scheduling")
    pair = make_pass(next(s for s in select_steps(3) if s.name == "tileas-pair-ctas"), ARCH)
    loads = [op for op in module.walk() if op.name == "nv_tileas.tiled_load"]
    rank = next(op for op in module.walk() if op.name == "nv_tileaa.andi")
    loads[1].operands[2] = rank.results[0]
    pair.apply(context(), module)
    (said,) = told(module, name="Pair")
    assert said.reason == "CTAs may load different tiles of B"


@pytest.mark.part("kernels")
@pytest.mark.every(3, first=2)
@pytest.mark.parametrize("arch", ["sm_100", "sm_103", "sm_110"])
def test_assembly(arch: str):
    text = Gemm("f16", 256, 256, 64).text().replace(") {", HINT.replace("sm_100", arch), 1)
    result = compile(text, gpu=arch, cache=False, isolate=False)
    assert "tcgen05.mma.cta_group::2.kind::f16" in result.ptx
    assert "tcgen05.alloc.cta_group::2" in result.ptx
    assert ".cta_group::1" not in result.ptx
    assembled = Ptxas.find().compile(result.ptx, NvptxTarget.parse(f"{arch}a"))
    (usage,) = assembled.functions.values()
    assert (usage.spill_stores, usage.spill_loads) == (0, 0)
    assert "pairs of CTAs multiply; each loads half of operand B" in result.remarks


# Bugs


def forget_pair_barrier(module: ModuleOp) -> None:
    """A CTA waits for its own threads only."""
    for op in module.walk():
        PAIR_BARRIER.drop(op)


def release_at_once(module: ModuleOp) -> None:
    """Threads give an accumulator back before they have read it."""
    releases = [op for op in module.walk() if op.name.endswith(".consumer_release")]
    token = releases[-1].operands[1].owner
    assert isinstance(token, Operation)
    releases[-1].detach()
    Rewriter.insert_op(releases[-1], InsertPoint.after(token))


def forget_last_waits(module: ModuleOp) -> None:
    """The producer does not wait until MMAs have read all stages."""
    acquired = [op for op in module.walk() if op.name.endswith(".producer_acquire")]
    (last,) = (op for op in acquired if op.results[0].first_use is None)
    last.detach()


def load_whole(module: ModuleOp) -> None:
    """Both CTAs load the first half."""
    for op in module.walk():
        if op.name == "arith.muli" and "ctarank" in str(op.operands[0].owner):
            op.operands[0] = zero_before(op)


def zero_before(op: Operation) -> SSAValue:
    zero = ConstantOp(IntegerAttr(0, i32))
    Rewriter.insert_op(zero, InsertPoint.before(op))
    return zero.result


def without(name: str, index: int) -> Callable[[ModuleOp], None]:
    """Forgets one of the ops of a name."""

    def apply(module: ModuleOp) -> None:
        [op for op in module.walk() if op.name == name][index].detach()

    return apply


def without_property(name: str, key: str) -> Callable[[ModuleOp], None]:
    """Forgets a property of all ops of a name."""

    def apply(module: ModuleOp) -> None:
        for op in module.walk():
            if op.name == name:
                op.properties.pop(key, None)

    return apply


BUGS: dict[str, tuple[str, Callable[[ModuleOp], None], str]] = {
    "an epilogue is overtaken": (
        "tileas-materialize-schedule",
        release_at_once,
        "multiplies into lane",
    ),
    "bytes arrive at the wrong CTA": (
        "convert-tileas-to-nvgpu",
        without_property(
            "nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile", "leader_barrier"
        ),
        "deadlock|asynchronous copy|bytes more",
    ),
    "CTAs begin at different times": (
        "convert-tileas-to-nvgpu",
        without("nvvm.cluster.wait", 0),
        "may not have begun|initiali|arrive",
    ),
    "a CTA ends before its stages are empty": (
        "tileas-materialize-schedule",
        forget_last_waits,
        "arrive on a barrier of a CTA that ends",
    ),
}


@pytest.mark.part("kernels")
@pytest.mark.every(4, first=3)
@pytest.mark.parametrize("name", BUGS)
def test_bugs_are_found(name: str):
    step_name, bug, message = BUGS[name]
    gemm = Gemm("f16", 256, 32, 16)
    module = load(hinted(gemm.text()))
    for step in select_steps(3, to="nvgpu"):
        make_pass(step, ARCH, "device-maps").apply(context(), module)
        if step.name == step_name:
            bug(module)
    with pytest.raises(ExecutionError, match=message):
        run_pair(gemm, module, tiles=4, trips=2, sm_count=2)


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("is_right", [True, False])
def test_without_an_mma_agent(is_right: bool, monkeypatch: pytest.MonkeyPatch):
    """Where consumer warps issue MMAs, those of both CTAs wait for each other before."""
    refused = tileas_materialize_schedule.Separation(refusal="it is not asked for")

    def separate(function: object, schedule: object) -> object:
        return refused

    monkeypatch.setattr(tileas_materialize_schedule, "separate", separate)
    gemm = Gemm("f16", 256, 32, 16)
    module = load(hinted(gemm.text()))
    for step in select_steps(3, to="nvgpu"):
        make_pass(step, ARCH, "device-maps").apply(context(), module)
        if step.name == "tileas-allocate-tensor-memory" and not is_right:
            forget_pair_barrier(module)
    assert is_paired(module)
    if is_right:
        run_pair(gemm, module, tiles=3, sm_count=2, timing="random", seed=5)
        return
    with pytest.raises(ExecutionError, match="multiplies into lane"):
        run_pair(gemm, module, tiles=3, sm_count=2)


def test_halves_that_are_the_same_are_wrong():
    gemm = Gemm("f16", 256, 32, 16)
    module = lower(hinted(gemm.text()), "host-maps", 3, 3, ARCH)[3]
    load_whole(module)
    with pytest.raises(AssertionError, match="Mismatched elements"):
        run_pair(gemm, module)
