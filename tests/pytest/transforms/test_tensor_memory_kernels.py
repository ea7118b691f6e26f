"""
Kernels whose accumulators are in tensor memory: from Tile IR to threads they compute the same, and
no thread or MMA is too early.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl import load
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nv_tileas.decisions import AGENTS, SCHEDULE, STAGE
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_shared_memory
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import TensorMemoryLoadOp, WaitDotsOp
from tileiras_xdsl.dialects.nv_tileas.types import get_kernel_hint
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.interpreter.threads.tensor_cores import Timing
from tileiras_xdsl.interpreter.values import Array
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.targets.blackwell_datacenter import SM_100
from tileiras_xdsl.transforms.common.kernel_spec import get_warps, kernels
from tileiras_xdsl.transforms.tileas import tileas_materialize_schedule
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_memory_webs import needed_columns
from tileiras_xdsl.xdsl_extras.walking import find_all, integer_of

from ..harness.cases import every
from ..harness.modules import context
from ..harness.remarks import asked, messages
from ..strategies.matmul_programs import SMALL, random_matmul
from .test_random_matmuls import expected, wrong_arrays
from .test_warpgroup_kernels import (
    DTYPES,
    Attention,
    Gemm,
    View,
    as_arguments,
    check,
    count,
    kernel,
    lower,
    numbers,
    with_occupancy,
)

ARCH = "sm_100a"
RANDOM = np.random.default_rng(10)

GEMMS = [
    (Gemm("f16", 64, 64, 64), "device-maps", (64, 64), ARCH),
    (Gemm("f16", 128, 32, 32, "a"), "host-maps", (96, 48), ARCH),
    (Gemm("f16", 128, 256, 16, "b"), "host-maps", (128, 256), ARCH),
    (Gemm("f16", 64, 128, 64, "ab"), "host-maps", (64, 112), ARCH),
    (Gemm("f16", 256, 32, 16), "host-maps", (256, 32), ARCH),
    (Gemm("bf16", 128, 128, 32), "host-maps", (80, 128), "sm_103a"),
    (Gemm("f8E4M3FN", 64, 64, 128, "b"), "device-maps", (64, 48), ARCH),
    (Gemm("f8E5M2", 128, 32, 32, "b"), "host-maps", (64, 32), "sm_110a"),
    (Gemm("i8", 64, 64, 64, "b"), "host-maps", (48, 64), ARCH),
    (Gemm("i8", 64, 32, 64), "host-maps", (48, 32), ARCH),
    (Gemm("f8E4M3FN", 128, 128, 64, "a"), "host-maps", (128, 128), ARCH),
]


@pytest.mark.every(11)
@pytest.mark.parametrize(
    ("gemm", "abi", "sizes", "arch"),
    GEMMS,
    ids=[f"{g.element}_{g.m}x{g.n}x{g.k}{g.transposed}_{arch}" for g, _, _, arch in GEMMS],
)
def test_matmuls(gemm: Gemm, abi: str, sizes: tuple[int, int], arch: str):
    arrays = gemm.arrays(*sizes, 2 * gemm.k + 16)
    grid = (-(-sizes[0] // gemm.m), -(-sizes[1] // gemm.n))
    check(gemm.text(), arrays, gemm.product(arrays), grid=grid, n=3, abi=abi, arch=arch)


@pytest.mark.part("kernels")
def test_matmuls_in_nvvm():
    gemm = Gemm("f16", 128, 32, 32)
    arrays = gemm.arrays(112, 32, 96)
    check(gemm.text(), arrays, gemm.product(arrays), n=3, levels=(4,), arch=ARCH)


@pytest.mark.part("kernels")
@pytest.mark.every(3, first=2)
@pytest.mark.parametrize("trips", [0, 1, 6])
def test_the_first_iteration_overwrites(trips: int):
    """What is in tensor memory before is not added, and nothing is there if there is none."""
    gemm = Gemm("f16", 64, 32, 16)
    arrays = gemm.arrays(64, 32, 16 * 6)
    module = check(gemm.text(), arrays, gemm.product(arrays, 16 * trips), n=trips, arch=ARCH)
    assert count(module, "nvvm.tcgen05.st") == 1  # if there is no iteration


@pytest.mark.part("kernels")
def test_the_next_tile_is_multiplied_while_the_last_one_is_stored():
    """There are two accumulators; the third tile waits for threads that read the first one."""
    gemm = Gemm("f16", 128, 64, 16)
    arrays = gemm.arrays(640, 64, 32)
    module = check(gemm.rows_in_turn(), arrays, gemm.product(arrays), n=2, m=5, arch=ARCH)
    (allocation,) = [op for op in module.walk() if isinstance(op, nvvm.Tcgen05AllocOp)]
    assert integer_of(allocation.columns) == 128
    for seed in (1, 2):
        total = np.zeros_like(arrays[2])
        run(module, grid=1, args=as_arguments([*arrays[:2], total], 2, 5), check=True, seed=seed)
        np.testing.assert_allclose(total, gemm.product(arrays))


@pytest.mark.part("kernels")
def test_exchanges_are_in_the_order_of_the_kernel():
    """A kernel becomes the same code each time."""
    wide, narrow = Gemm("f16", 128, 64, 16), Gemm("f16", 128, 32, 16)
    (a, b, c), (_, d, e) = wide.views, narrow.views
    views = [
        a,
        b,
        c,
        replace(d, name="d"),
        replace(e, name="e"),
        replace(c, name="f", pads=True),
        replace(e, name="g", pads=True),
    ]
    body = f"""
    {views[5].load("%nothing", "%i", "%zero")}
    {wide.loop("%i", "%zero")}
    {c.store("%sum", "%i", "%zero")}
    {views[6].load("%begin", "%i", "%zero")}
    %more = for %round in (%zero to %n, step %one) : tile<i32>
        iter_values(%t = %begin) -> ({e.tile_type}) {{
      {a.load("%u", "%i", "%round")}
      {views[3].load("%v", "%round", "%zero")}
      {narrow.multiply("%w", "%u", "%v", "%t")}
      continue %w : {e.tile_type}
    }}
    {views[4].store("%more", "%i", "%zero")}"""
    found: set[str] = set()
    kept: list[ModuleOp] = []
    for _ in range(6):
        module = load(kernel(views, body))
        for step in select_steps(3, to="nvgpu"):
            make_pass(step, ARCH, "host-maps").apply(context(), module)
            if step.name == "tileas-materialize-schedule":
                break
        kept.append(module)  # so that objects of the next one are elsewhere
        assert any(map(AGENTS.is_on, module.walk()))
        found.add(str(module))
    assert len(found) == 1


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("has_agent", [True, False])
def test_slices_are_read_before_threads_write_the_next_tile(
    has_agent: bool, monkeypatch: pytest.MonkeyPatch
):
    """Threads divide a tile that they write otherwise than the slices that they read of it."""
    if not has_agent:
        refused = tileas_materialize_schedule.Separation(refusal="it is not asked for")

        def separate(function: object, schedule: object) -> object:
            return refused

        monkeypatch.setattr(tileas_materialize_schedule, "separate", separate)
    gemm = Gemm("f16", 128, 256, 16)
    (a, b, c), old = gemm.views, View("o", "f32", (128, 256))
    factor = 2 if has_agent else 4
    body = f"""
    %factor = constant <f32: {factor}.0> : {c.tile_type}
    for %tile in (%zero to %m, step %one) : tile<i32> {{
      {old.load("%nothing", "%tile", "%zero")}
      {gemm.loop("%tile", "%zero")}
      %scaled = mulf %sum, %factor : {c.tile_type}
      {c.store("%scaled", "%tile", "%zero")}
    }}"""
    arrays = gemm.arrays(384, 256, 16)
    arrays.insert(2, numbers("f32", 384, 256))
    total = factor * (gemm.product(arrays) + arrays[2])
    module = lower(kernel([a, b, old, c], body), "host-maps", 3, 3, ARCH)[3]
    for timing in ("late", "early"):
        arrays[-1][:] = 7
        run_threads(module, 1, as_arguments(arrays, 1, 3), entry="kernel", timing=timing)
        np.testing.assert_array_equal(arrays[-1], total)


@pytest.mark.part("kernels")
@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("attention", "trips"),
    [
        (Attention("f16", 128, 32, 32), 3),
        (Attention("bf16", 64, 64, 32), 2),
        (Attention("f16", 128, 64, 64), 1),
        (Attention("f16", 256, 32, 32), 2),
    ],
    ids=["128x32x32", "64x64x32", "128x64x64", "256x32x32"],
)
def test_attention(attention: Attention, trips: int):
    keys = attention.keys * trips
    kind = DTYPES[attention.element]
    shapes = ((attention.queries, attention.width), *[(keys, attention.width)] * 2)
    q, k, w = (RANDOM.standard_normal(shape) for shape in shapes)
    arrays = [(q / 4).astype(kind), k.astype(kind), w.astype(kind)]
    weights = np.exp2(arrays[0].astype(np.float64) @ arrays[1].astype(np.float64).T)
    total = weights @ arrays[2].astype(np.float64) / weights.sum(1, keepdims=True)
    module = check(
        attention.text(),
        [*arrays, np.zeros(q.shape, np.float32)],
        total,
        n=trips,
        tolerance=0.03 if attention.element == "bf16" else 0.004,
        arch=ARCH,
    )
    # Scores, weights and sums are in tensor memory, unless warps share rows.
    is_in_memory = any(op.is_a_in_tensor_memory for op in find_mmas(module))
    assert is_in_memory == (attention.queries == 128)


def rising_and_falling(attention: Attention, trips: int) -> list[Array]:
    """Operands with the largest score of a row in the first tile of keys, or in the last."""
    q = np.zeros((attention.queries, attention.width))
    q[:, 0] = np.where(np.arange(attention.queries) // 32 % 2, 1, -1)
    q[5, 0] *= -1  # in a warp of other rows
    k = RANDOM.standard_normal((attention.keys * trips, attention.width)) / 4
    k[:, 0] = np.repeat(np.arange(trips), attention.keys) * 2
    w = RANDOM.standard_normal(k.shape)
    return [each.astype(np.float16) for each in (q, k, w)]


def weighted(arrays: list[Array]) -> Array:
    """What attention computes."""
    q, k, w = (each.astype(np.float64) for each in arrays)
    weights = np.exp2(q @ k.T)
    return weights @ w / weights.sum(1, keepdims=True)


@pytest.mark.part("kernels")
@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("timing", "queries", "ctas"),
    [("late", 128, 1), ("random", 128, 1), ("early", 128, 2), ("late", 256, 1)],
)
def test_rows_are_scaled_in_tensor_memory(queries: int, ctas: int, timing: Timing):
    """A warp whose rows are all multiplied by one leaves them as they are."""
    attention, trips = Attention("f16", queries, 32, 64), 4
    arrays = rising_and_falling(attention, trips)
    modules = lower(with_occupancy(attention.text(), ctas), "host-maps", 3, 3, ARCH)
    # In a loop that is software-pipelined, and after it.
    assert count(modules[2], "nv_tileas.tensor_memory_scale") == 2
    assert count(modules[3], "nvvm.vote.sync") == 2
    result = np.full((queries, 64), np.nan, np.float32)
    arguments = as_arguments([*arrays, result], trips)
    run_threads(modules[3], args=arguments, timing=timing, seed=2)
    np.testing.assert_allclose(result, weighted(arrays), atol=0.004)


def schedule(text: str, last: str = "tileas-generate-schedule") -> FuncOp:
    """A kernel with its schedule."""
    module = asked(load(text))
    for step in select_steps(to="tileas"):
        make_pass(step, ARCH).apply(context(), module)
        if step.name == last:
            break
    (function,) = kernels(module)
    return function


@pytest.mark.part("kernels")
def test_two_ctas_share_an_sm():
    """Threads of one compute exponentials while the other one waits for MMAs."""
    attention, trips, blocks = Attention("f16", 128, 128, 32), 2, 3
    q = RANDOM.standard_normal((128 * blocks, 32))
    k, w = (RANDOM.standard_normal((128 * trips, 32)) for _ in range(2))
    arrays = [(q / 4).astype(np.float16), k.astype(np.float16), w.astype(np.float16)]
    module = lower(with_occupancy(attention.text(), 2), "host-maps", 3, 3, ARCH)[3]
    large = with_occupancy(Attention("f16", 128, 128, 128).text(), 2)
    function = schedule(large, "tileas-allocate-shared-memory")
    assert get_kernel_hint(function, "occupancy") == 2
    shared = get_shared_memory(function)
    assert shared is not None
    assert shared.size <= SM_100.shared.per_cta(2)
    for timing in ("late", "early"):
        result = np.full(q.shape, np.nan, np.float32)
        run_threads(
            module,
            grid=blocks,
            args=as_arguments([*arrays, result], trips),
            timing=timing,
            side_by_side=True,
            ctas_per_sm=2,
        )
        np.testing.assert_allclose(result, weighted(arrays), atol=0.004)


@pytest.mark.part("kernels")
def test_a_warp_overwrites_what_it_has_read():
    """P has columns of S: a warp writes to lanes that no other one reads, and waits for none."""
    attention, trips = Attention("f16", 128, 128, 128), 2
    text, arrays = with_occupancy(attention.text(), 2), rising_and_falling(attention, trips)
    function = schedule(text, "tileas-allocate-tensor-memory")
    names = [op.name.rpartition(".")[2] for op in function.walk()]
    read, scaled = names.index("tensor_memory_load"), names.index("tensor_memory_scale")
    assert "tensor_memory_store" in names[read:scaled]
    assert "barrier" not in names[read:scaled]
    module = lower(text, "host-maps", 3, 3, ARCH)[3]
    for timing in ("late", "random"):
        result = np.full((128, 128), np.nan, np.float32)
        run_threads(module, args=as_arguments([*arrays, result], trips), timing=timing, seed=3)
        np.testing.assert_allclose(result, weighted(arrays), atol=0.004)


def test_loops_of_two_ctas():
    """
    They are software-pipelined if all tiles have columns of their own (O 64, S 128 and P 64 of the
    256 of a CTA): an agent issues MMAs, and leaves registers to threads.
    """
    narrow, wide = (
        SCHEDULE.get(schedule(with_occupancy(Attention("f16", 128, 128, width).text(), 2)))
        for width in (64, 128)
    )
    assert narrow is not None
    assert wide is not None
    assert (narrow.data.mma_warps, narrow.data.registers) == (1, (48, 208))
    assert (wide.data.mma_warps, wide.data.registers) == (None, None)


def in_two_loops(text: str) -> str:
    """The first tile of keys in a loop of its own, as causal attention has one without masks."""
    begin, end = text.index("    %top, %all, %sum = for"), text.index("      %alls_column")
    loop = text[begin:end]
    first = loop.replace("%top, %all, %sum =", "%top0, %all0, %sum0 =").replace(
        "to %n,", "to %one,"
    )
    second = loop.replace("(%zero to", "(%one to").replace("%m0 = %low", "%m0 = %top0")
    second = second.replace("%l0 = %none", "%l0 = %all0").replace("%o0 = %nothing", "%o0 = %sum0")
    return text[:begin] + first + second + text[end:]


@pytest.mark.part("kernels")
@pytest.mark.every(3)
@pytest.mark.parametrize(("trips", "timing"), [(3, "random"), (1, "late"), (3, "early")])
def test_loops_share_places(trips: int, timing: Timing):
    """
    S and P of two loops are in the same columns, as there are not enough for all: agents hand them
    to each other by one pipeline.
    """
    attention = Attention("f16", 128, 128, 64)
    arrays = rising_and_falling(attention, trips)
    text = with_occupancy(in_two_loops(attention.text()), 2)
    modules = lower(text, "host-maps", 3, 3, ARCH)
    (switch,) = find_all(modules[2], AgentSwitchOp)
    assert AGENTS.is_on(switch)
    # Three of loads; O goes back and forth.
    assert count(modules[2], "nv_tileas.async.pipeline.create_pipeline") == 3 + 4
    result = np.full((128, 64), np.nan, np.float32)
    arguments = as_arguments([*arrays, result], trips)
    run_threads(modules[3], args=arguments, timing=timing, seed=4)
    np.testing.assert_allclose(result, weighted(arrays), atol=0.004)


def chained(attention: Attention, products: Sequence[int]) -> str:
    """
    A kernel with a loop for each number, which adds this many products of positive scores and
    values to O: of tiles 0, 1, …, of 0, 2, … and so on.
    """
    q, k, w, o = attention.views
    scores = f"tile<{attention.queries}x{attention.keys}xf32>"
    operand = f"tile<{attention.queries}x{attention.keys}xf16>"
    lines = [
        f"%o = constant <f32: 0.0> : {o.tile_type}",
        f"%zeros = constant <f32: 0.0> : {scores}",
    ]
    lines.append(q.load("%query", "%i", "%zero"))
    total = "%o"
    for loop, number in enumerate(products):
        lines.append(f"%r{loop} = for %t{loop} in (%zero to %n, step %one) : tile<i32>")
        lines.append(f"iter_values(%p{loop} = {total}) -> ({o.tile_type}) {{")
        total = f"%p{loop}"
        for each in range(number):
            x = f"_{loop}_{each}"
            lines.append(f"""
      %by{x} = constant <i32: {each + 1}> : tile<i32>
      %t{x} = muli %t{loop}, %by{x} : tile<i32>
      {k.load(f"%key{x}", "%zero", f"%t{x}")}
      %score{x} = mmaf %query, %key{x}, %zeros : {q.tile_type}, {k.tile_type}, {scores}
      %positive{x} = maxf %score{x}, %zeros : {scores}
      %h{x} = ftof %positive{x} : {scores} -> {operand}
      {w.load(f"%value{x}", f"%t{x}", "%zero")}
      %o{x} = mmaf %h{x}, %value{x}, {total} : {operand}, {w.tile_type}, {o.tile_type}""")
            total = f"%o{x}"
        lines.append(f"continue {total} : {o.tile_type}\n}}")
        total = f"%r{loop}"
    lines.append(o.store(total, "%i", "%zero"))
    return kernel(attention.views, "\n".join(lines))


@pytest.mark.parametrize(
    ("products", "is_pipelined"),
    [((2, 1), True), pytest.param((3,), False, marks=pytest.mark.long)],
)
def test_columns_of_several_tiles_in_a_loop(products: Sequence[int], is_pipelined: bool):
    """
    S and P of one loop do not share columns by way of those of another one: they are in use at the
    same time in a loop that is software-pipelined. It is not if there are too few columns for that.
    """
    text = chained(Attention("f16", 128, 128, 64), products)
    assert any(map(STAGE.is_on, schedule(text).walk())) == is_pipelined
    schedule(text, "tileas-allocate-tensor-memory")


@pytest.mark.long
@pytest.mark.parametrize("timing", ["late", "early", "random"])
@pytest.mark.parametrize("products", [(2, 1), (3,)])
def test_several_tiles_in_a_loop(products: Sequence[int], timing: Timing):
    text, tiles = chained(Attention("f16", 128, 128, 64), products), max(products) + 1
    arrays = [numbers("f16", rows, 64) for rows in (128, 128 * tiles, 128 * tiles)]
    right, result = (np.full((128, 64), np.nan, np.float32) for _ in range(2))
    run(load(text), grid=1, args=as_arguments([*arrays, right], 2))
    module = lower(text, "host-maps", 3, 3, ARCH)[3]
    run_threads(module, args=as_arguments([*arrays, result], 2), timing=timing, seed=6)
    np.testing.assert_array_equal(result, right)
    assert count(module, "nvvm.fragment.mma") == 0


@pytest.mark.parametrize(
    ("attention", "why"),
    [
        (
            Attention("f16", 128, 256, 64),
            "each needs 320 columns of tensor memory",
        ),
        (Attention("f16", 256, 64, 32), "threads need about 104 registers and would have 96"),
    ],
)
def test_two_ctas_do_not_fit(attention: Attention, why: str):
    function = schedule(with_occupancy(attention.text(), 2))
    assert get_kernel_hint(function, "occupancy") == 1
    (remark,) = messages(function, category="Pipeline")
    assert f"occupancy = 2 is not met: {why}" in remark


def test_one_cta_without_a_hint():
    function = schedule(Attention("f16", 128, 128, 64).text())
    assert get_kernel_hint(function, "occupancy") == 1
    assert not messages(function, category="Pipeline")


@pytest.mark.parametrize(("hint", "is_met"), [(2, True), (3, False)])
def test_a_hint_is_followed(hint: int, is_met: bool):
    """Two CTAs share an SM, also if all that threads hold at once would not fit."""
    function = schedule(with_occupancy(Attention("f16", 128, 128, 128).text(), hint))
    assert get_kernel_hint(function, "occupancy") == 2
    assert all(STAGE.get(op) is None for op in function.walk())
    assert (not messages(function, category="Pipeline")) == is_met


def find_mmas(module: ModuleOp) -> list[nvvm.Tcgen05MmaOp]:
    return [op for op in module.walk() if isinstance(op, nvvm.Tcgen05MmaOp)]


@pytest.mark.part("kernels")
def test_attention_without_keys():
    attention = Attention("f16", 128, 32, 32)
    arrays = [numbers("f16", rows, 32) for rows in (128, 32, 32)]
    nothing = np.full((128, 32), np.nan)
    check(attention.text(), [*arrays, np.zeros((128, 32), np.float32)], nothing, arch=ARCH)


@pytest.mark.every(2)
@pytest.mark.parametrize("seed", every(2, [2, 4, 25, 33]))
def test_random_programs(seed: int):
    program = random_matmul(seed, SMALL)
    results = expected(program)
    module = program.module.clone()
    for step in select_steps(to="nvgpu"):
        make_pass(step, ARCH).apply(context(), module)
    assert not wrong_arrays(module, program, results, check=True)


# Bugs


def drop_wait(index: int) -> Callable[[ModuleOp], None]:
    """Forgets one of the waits for mbarriers."""

    def apply(module: ModuleOp) -> None:
        tries = [op for op in module.walk() if op.name == "nvvm.mbarrier.try_wait.parity.shared"]
        wait = tries[index].parent_op()
        assert isinstance(wait, scf.WhileOp)
        wait.detach()

    return apply


def drop_fence(index: int) -> Callable[[ModuleOp], None]:
    """Forgets one of the fences of tensor memory."""

    def apply(module: ModuleOp) -> None:
        [op for op in module.walk() if op.name == "nvvm.tcgen05.fence"][index].detach()

    return apply


def overlap(module: ModuleOp) -> None:
    """Puts two tiles into the same columns."""
    places = [op for op in module.walk() if "nv_tileas.column" in op.attributes]
    places[0].attributes["nv_tileas.column"] = places[-1].attributes["nv_tileas.column"]


BUGS = {
    "a result is read before the MMA is complete": ("nvgpu", drop_wait(0), "tcgen05.ld"),
    "an MMA overwrites what threads still read": ("nvgpu", drop_wait(5), "tcgen05.mma"),
    "an MMA does not wait for what threads write": ("nvgpu", drop_wait(21), "tcgen05.st"),
    "threads do not fence what MMAs write": ("nvgpu", drop_fence(2), "tcgen05.ld"),
    "tiles share columns": ("tileas", overlap, "tcgen05"),
}
"""What goes wrong, after the conversion to threads or before it."""


@pytest.mark.every(5, first=3)
@pytest.mark.parametrize("name", BUGS)
def test_bugs_are_found(name: str):
    """Kernels without one of their waits do not get away with it."""
    level, bug, message = BUGS[name]
    attention = Attention("f16", 128, 32, 32)
    arrays = [numbers("f16", rows, 32) for rows in (128, 96, 96)]
    module = load(attention.text())
    for step in select_steps(to="nvgpu"):
        make_pass(step, ARCH).apply(context(), module)
        if step.name == "tileas-allocate-tensor-memory" and level == "tileas":
            bug(module)
    if level == "nvgpu":
        bug(module)
    arguments = as_arguments([*arrays, np.zeros((128, 32), np.float32)], 3)
    with pytest.raises(ExecutionError, match=message):
        run(module, grid=1, args=arguments, check=True)


def test_sums_are_narrowed_piece_by_piece():
    """Each part of a row is converted before the next one is read."""
    gemm, half = Gemm("f16", 128, 128, 16), View("h", "f16", (128, 128), pads=False)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    {gemm.loop("%i", "%j")}
    %half = ftof %sum : {c.tile_type} -> {half.tile_type}
    {half.store("%half", "%i", "%j")}"""
    arrays = gemm.arrays(128, 128, 32)
    total = gemm.product(arrays)
    arrays[2] = np.zeros((128, 128), np.float16)
    module = check(kernel([a, b, half], body), arrays, total, n=2, arch=ARCH)
    accesses = [op.name for op in module.walk() if op.name in ("nvvm.tcgen05.ld", "arith.truncf")]
    assert accesses == ["nvvm.tcgen05.ld", "arith.truncf"] * 8


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize(("others", "waits"), [("bf16", 0), ("f8E4M3FN", 4)])
def test_dots_that_add_to_one_accumulator(others: str, waits: int):
    """
    It stays in tensor memory. MMAs of one kind are in order, and are issued by an agent of their
    own; those of another wait for them.
    """
    gemm = Gemm("f16", 128, 32, 32)
    (a, b, c), k = gemm.views, gemm.k
    x, y = View("x", others, (gemm.m, k)), View("y", others, (k, gemm.n))
    body = gemm.with_second(x, y)
    arrays = gemm.arrays(gemm.m, gemm.n, 3 * k)
    more = [numbers(others, gemm.m, 3 * k), numbers(others, 3 * k, gemm.n)]
    total = gemm.product(arrays) + more[0].astype(np.float64) @ more[1].astype(np.float64)
    text = kernel([a, b, x, y, c], body)
    module = check(text, [*arrays[:2], *more, arrays[2]], total, n=3, arch=ARCH)
    assert count(module, "nvvm.tcgen05.ld") == 2
    module = load(text)
    for step in select_steps(to="nvgpu"):
        make_pass(step, ARCH).apply(context(), module)
        if step.name == "tileas-allocate-tensor-memory":
            assert count(module, WaitDotsOp.name) == waits


def test_clusters_have_all_their_tensor_memory():
    """
    Two CTAs with 512 columns are not on one SM: if two clusters had one half of theirs each, both
    would wait for the other half.
    """
    gemm = Gemm("f16", 64, 128, 16)
    a, b, c = gemm.views
    places = range(4)
    ty = ", ".join([c.tile_type] * len(places))
    body = "".join(f"%z{n} = constant <f32: {n}.0> : {c.tile_type}\n    " for n in places)
    body += f"""%sums:4 = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values({", ".join(f"%p{n} = %z{n}" for n in places)}) -> ({ty}) {{
      {a.load("%a0", "%i", "%k")}
      {b.load("%b0", "%k", "%j")}
      {" ".join(gemm.multiply(f"%d{n}", "%a0", "%b0", f"%p{n}") for n in places)}
      continue {", ".join(f"%d{n}" for n in places)} : {ty}
    }}
    %e0 = addf %sums#0, %sums#1 : {c.tile_type}
    %e1 = addf %sums#2, %sums#3 : {c.tile_type}
    %e2 = addf %e0, %e1 : {c.tile_type}
    {c.store("%e2", "%i", "%j")}"""
    text = kernel(gemm.views, body)
    sizes = {
        ctas: shared_memory_of(
            text.replace(
                ") {", f") optimization_hints=<sm_100 = {{num_cta_in_cga = {ctas}}}> {{", 1
            )
        )
        for ctas in (1, 2)
    }
    assert sizes[1] <= SM_100.shared.per_cta(2) < sizes[2]


def shared_memory_of(text: str) -> int:
    """The shared memory that a kernel allocates."""
    module = load(text)
    for step in select_steps(to="nvgpu"):
        make_pass(step, ARCH, "host-maps").apply(context(), module)
        if step.name == "tileas-allocate-shared-memory":
            break
    (function,) = kernels(module)
    allocated = get_shared_memory(function)
    assert allocated is not None
    return allocated.size


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("trips", [1, 5])
def test_clusters_wait_for_commits_of_the_peer(trips: int):
    """A commit is late: it must not arrive on a barrier of a CTA that has ended."""
    gemm = Gemm("f16", 64, 32, 16)
    arrays = gemm.arrays(128, 64, 16 * trips)
    product = gemm.product(arrays)
    text = gemm.text().replace(") {", ") optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {", 1)
    check(text, arrays, product, grid=(2, 2), n=trips, arch=ARCH)


@pytest.mark.part("kernels")
def test_two_ctas_whose_tiles_share_columns():
    """Five accumulators of 64 columns would take 512, a power of two; two CTAs have 256 each."""
    gemm = Gemm("f16", 64, 64, 16)
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    {a.load("%x", "%i", "%zero")}
    {b.load("%y", "%zero", "%j")}
    {gemm.multiply("%d0", "%x", "%y", "%nothing")}
    {gemm.multiply("%d1", "%x", "%y", "%d0")}
    {gemm.multiply("%d2", "%x", "%y", "%d1")}
    %e0 = addf %d0, %d1 : {c.tile_type}
    {gemm.multiply("%d3", "%x", "%y", "%e0")}
    %e1 = addf %d2, %d3 : {c.tile_type}
    {gemm.multiply("%d4", "%x", "%y", "%e1")}
    {c.store("%d4", "%i", "%j")}"""
    text = with_occupancy(kernel(gemm.views, body), 2)
    arrays = gemm.arrays(64, 64, 16)
    product = gemm.product(arrays)
    check(text, arrays, 8 * product, arch=ARCH)
    assert needed_columns(schedule(kernel(gemm.views, body))) == 512
    function = schedule(text, "tileas-allocate-tensor-memory")
    assert get_kernel_hint(function, "occupancy") == 2
    assert not messages(function, category="Pipeline")


def chains(gemm: Gemm, names: str) -> str:
    """A kernel that adds up products in some accumulators, with work in between."""
    a, b, c = gemm.views
    types = ", ".join(c.tile_type for _ in names)
    steps = "".join(
        f"""
      %{name}0 = maxf %{name}, %nothing : {c.tile_type}
      {gemm.multiply(f"%{name}1", "%x", "%y", f"%{name}0")}
      %{name}2 = maxf %{name}1, %nothing : {c.tile_type}
      {gemm.multiply(f"%{name}3", "%x", "%y", f"%{name}2")}"""
        for name in names
    )
    sums = "".join(
        f"""
    %e{number + 1} = addf %e{number}, %sums#{number} : {c.tile_type}"""
        for number in range(len(names))
    )
    body = f"""
    {gemm.zero}
    %sums:{len(names)} = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values({", ".join(f"%{name} = %nothing" for name in names)}) -> ({types}) {{
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%j")}{steps}
      continue {", ".join(f"%{name}3" for name in names)} : {types}
    }}
    %e0 = addf %nothing, %nothing : {c.tile_type}{sums}
    {c.store(f"%e{len(names)}", "%i", "%j")}"""
    return kernel(gemm.views, body)


@pytest.mark.part("kernels")
@pytest.mark.parametrize(
    ("columns", "names"), [pytest.param(256, "pq", marks=pytest.mark.long), (128, "pqrs")]
)
def test_accumulators_that_do_not_fit(columns: int, names: str):
    """
    Chains of two dots each, with work in between, have more places than columns, though only two or
    four accumulators are live together. One dot is left to `mma.sync`, and two warpgroups have
    registers for its accumulator, and for those of others that are in between.
    """
    gemm = Gemm("f16", 128, columns, 16)
    arrays = gemm.arrays(128, columns, 16)
    product = gemm.product(arrays)
    total = len(names) * (np.maximum(product, 0) + product)
    text = chains(gemm, names)
    module = check(text, arrays, total, n=1, arch=ARCH)
    assert count(module, "nvvm.fragment.mma") > 0
    (function,) = find_all(lower(text, "host-maps", 3, 3, ARCH)[2], FuncOp)
    assert get_warps(function) == 8


def test_loads_wait():
    """A token for each accumulator that is read, behind the MMA."""
    module = lower(Attention("f16", 128, 32, 32).text(), "host-maps", 3, 3, ARCH)[2]
    assert count(module, TensorMemoryLoadOp.name) > 0
    assert count(module, WaitDotsOp.name) == 0  # They come with columns.
