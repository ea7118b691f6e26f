"""
Products in a row whose tiles do not fit in shared memory together, as in loops that were unrolled
by hand: they share the stages of a pipeline, or threads load them.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.atoms import is_async_mma
from tileiras_xdsl.dialects.nv_tileas.decisions import LOAD_GROUP, get_schedule
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.targets import blackwell_datacenter, hopper
from tileiras_xdsl.targets.machine import KIB
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.transforms.tileas.layouts import dot_layouts
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.modules import context
from ..harness.remarks import asked, messages
from ..strategies.matmul_programs import SMALL, random_unrolled
from .test_random_matmuls import expected, wrong_arrays
from .test_warpgroup_kernels import Gemm, check, kernel

SHARED = {"sm_90a": hopper.SHARED, "sm_100a": blackwell_datacenter.SHARED}
LIMITS = replace(SMALL, rows=(64,), rounds=(0, 1, 2))


@contextmanager
def shared_memory(arch: str, size: int) -> Generator[None]:
    """An architecture with less shared memory, so that small tiles do not fit."""
    shared = SHARED[arch]
    fields = {"per_sm": size + shared.reserved, "opt_in": size, "static": size}
    before = {name: getattr(shared, name) for name in fields}
    for name, value in fields.items():
        object.__setattr__(shared, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            object.__setattr__(shared, name, value)


def products(gemm: Gemm, columns: Sequence[str], total: str) -> str:
    """A product for each column of tiles of A, each of which adds to the one before."""
    a, b, _ = gemm.views
    lines: list[str] = []
    for number, column in enumerate(columns):
        x, y, result = (f"%{name}{number}" for name in "xyd")
        lines += [a.load(x, "%i", column), b.load(y, column, "%j")]
        lines.append(gemm.multiply(result, x, y, total))
        total = result
    return "\n      ".join(lines)


def straight(gemm: Gemm, count: int) -> str:
    """This many products, without a loop."""
    numbers = [f"%c{number} = constant <i32: {number}> : tile<i32>" for number in range(count)]
    body = products(gemm, [f"%c{number}" for number in range(count)], "%nothing")
    store = gemm.views[2].store(f"%d{count - 1}", "%i", "%j")
    return kernel(gemm.views, "\n    ".join([gemm.zero, *numbers, body, store]))


def in_loop(gemm: Gemm, count: int) -> str:
    """The same in each iteration of a loop."""
    total = gemm.views[2].tile_type
    numbers = [f"%c{number} = constant <i32: {number}> : tile<i32>" for number in range(count)]
    places = [f"%p{number} = addi %start, %c{number} : tile<i32>" for number in range(count)]
    return kernel(
        gemm.views,
        f"""{gemm.zero}
    {" ".join(numbers)}
    %count = constant <i32: {count}> : tile<i32>
    %sum = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({total}) {{
      %start = muli %k, %count : tile<i32>
      {" ".join(places)}
      {products(gemm, [f"%p{number}" for number in range(count)], "%s")}
      continue %d{count - 1} : {total}
    }}
    {gemm.views[2].store("%sum", "%i", "%j")}""",
    )


def lowered(module: ModuleOp, arch: str, last: str, opt: int = 3, abi: str = "host-maps") -> int:
    """Lowers a program down to a pass; how many loads have a number of their load group."""
    count = 0
    for step in select_steps(opt, to="nvgpu"):
        make_pass(step, arch, abi).apply(context(), module)
        if step.name == "tileas-generate-schedule":
            count = sum(map(LOAD_GROUP.is_on, module.walk()))
        if step.name == last:
            break
    return count


@pytest.mark.part("kernels")
@pytest.mark.every(6)
@pytest.mark.parametrize(
    ("gemm", "count", "loops", "arch", "opt"),
    [
        (Gemm("f16", 128, 256, 256), 2, False, "sm_90a", 0),
        (Gemm("f16", 128, 128, 128), 4, False, "sm_90a", 3),
        (Gemm("f16", 128, 128, 128), 4, True, "sm_90a", 1),
        (Gemm("f16", 128, 128, 128), 4, True, "sm_100a", 3),
    ],
)
def test_tiles_of_real_size(gemm: Gemm, count: int, loops: bool, arch: str, opt: int):
    text = in_loop(gemm, count) if loops else straight(gemm, count)
    rounds = 2 if loops else 1
    arrays = gemm.arrays(gemm.m, gemm.n, gemm.k * count * rounds)
    check(text, arrays, gemm.product(arrays), n=rounds, levels=(3,), opt=opt, arch=arch)


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("arch", SHARED)
def test_one_pipeline_for_all(arch: str):
    """Each load takes the next stage, as in a loop that is not unrolled."""
    gemm = Gemm("f16", 128, 64, 64)
    for text in (straight(gemm, 12), in_loop(gemm, 12)):
        module = asked(load(text), explain=True)
        assert lowered(module, arch, "tileas-generate-schedule") == 24
        (function,) = kernels(module)
        schedule = get_schedule(function)
        assert schedule is not None
        (stages,) = schedule.stages
        # Two CTAs of one warpgroup share an SM.
        assert (3 if arch == "sm_90a" else 4) <= stages < 12
        assert f"pipeline 0 has {stages} stages of 24576 bytes" in messages(module)
    # All of them fit: each has a pipeline, so that they are loaded at once.
    assert lowered(load(straight(gemm, 3)), arch, "tileas-generate-schedule") == 0


def test_threads_load_what_does_not_fit():
    """WGMMA does the products of most work; the others are by `mma.sync`."""
    gemms = [Gemm("f16", 64, 32, k) for k in (16, 32, 64, 128)]
    sizes = [(gemm.m + gemm.n) * gemm.k * 2 for gemm in gemms]
    views = [
        replace(view, name=f"{view.name}{gemm.k}") for gemm in gemms for view in gemm.views[:2]
    ]
    result = gemms[0].views[2]
    lines, total = [gemms[0].zero], "%nothing"
    for number, gemm in enumerate(gemms):
        a, b = views[2 * number : 2 * number + 2]
        x, y, d = (f"%{name}{number}" for name in "xyd")
        lines += [a.load(x, "%zero", "%zero"), b.load(y, "%zero", "%zero")]
        lines.append(gemm.multiply(d, x, y, total))
        total = d
    text = kernel((*views, result), "\n    ".join([*lines, result.store(total, "%i", "%j")]))
    with shared_memory("sm_90a", sizes[-1] + sizes[-2] + 20 * KIB):
        module = load(text)
        lowered(module, "sm_90a", "tileas-assign-dot-layouts")
        assert [is_async_mma(op) for op in find_all(module, DotOp)] == [False, False, True, True]
        lowered(load(text), "sm_90a", "convert-tileas-to-nvgpu")


def in_other_order(gemm: Gemm, count: int) -> str:
    """Products in a row; of every other one operand B is loaded first."""
    a, b, result = gemm.views
    lines, total = [gemm.zero], "%nothing"
    for number in range(count):
        place, x, y, d = (f"%{name}{number}" for name in "cxyd")
        lines.append(f"{place} = constant <i32: {number}> : tile<i32>")
        loads = [a.load(x, "%i", place), b.load(y, place, "%j")]
        lines += loads if number % 2 else reversed(loads)
        lines.append(gemm.multiply(d, x, y, total))
        total = d
    return kernel(gemm.views, "\n    ".join([*lines, result.store(total, "%i", "%j")]))


def with_one_operand(gemm: Gemm, count: int) -> str:
    """The sum of products with the same operand A, of which none waits for another."""
    a, b, result = gemm.views
    lines, total = [gemm.zero, a.load("%x", "%i", "%zero")], "%nothing"
    for number in range(count):
        lines.append(f"%c{number} = constant <i32: {number}> : tile<i32>")
        lines.append(b.load(f"%y{number}", f"%c{number}", "%j"))
    for number in range(count):
        lines.append(gemm.multiply(f"%d{number}", "%x", f"%y{number}", "%nothing"))
    for number in range(count):
        lines.append(f"%s{number} = addf {total}, %d{number} : {result.tile_type}")
        total = f"%s{number}"
    return kernel(gemm.views, "\n    ".join([*lines, result.store(total, "%i", "%j")]))


@pytest.mark.every(2)
@pytest.mark.parametrize("arch", SHARED)
def test_operands_in_any_order(arch: str):
    """Load groups share a pipeline whichever operand is loaded first."""
    gemm = Gemm("f16", 64, 32, 64)
    text = in_other_order(gemm, 4)
    arrays = gemm.arrays(gemm.m, gemm.n, gemm.k * 4)
    with shared_memory(arch, 32 * KIB):
        assert lowered(load(text), arch, "tileas-generate-schedule") == 8
        check(text, arrays, gemm.product(arrays), n=1, levels=(3,), arch=arch)


@pytest.mark.part("kernels")
def test_products_with_one_operand():
    """Tiles of WGMMAs that do not wait for each other are read one after the other as well."""
    gemm, count = Gemm("f16", 64, 128, 256), 3
    text = with_one_operand(gemm, count)
    assert lowered(load(text), "sm_90a", "tileas-generate-schedule") == count
    a, b, c = gemm.arrays(gemm.m, gemm.n, gemm.k * count)
    parts = b.reshape(count, gemm.k, gemm.n).astype(np.float64)
    product = a[:, : gemm.k].astype(np.float64) @ parts.sum(axis=0)
    check(text, [a, b, c], product, n=1, levels=(3,))


@pytest.mark.part("kernels")
def test_a_view_that_both_stages_of_a_loop_use():
    """
    Threads load the first tile of a view that is made in the loop, an iteration ahead, and TMA the
    second one: each makes the view by itself.
    """
    gemm = Gemm("f16", 64, 32, 64)
    lines = in_loop(gemm, 2).splitlines()
    (view,) = [line for line in lines if "%va = make_partition_view" in line]
    lines.remove(view)
    lines.insert(next(n for n, line in enumerate(lines) if "%start = muli" in line), view)
    place = next(n for n, line in enumerate(lines) if "%x0" in line and "load_view_tko" in line)
    hint = "] optimization_hints = <default = {allow_tma = false}> :"
    lines[place] = lines[place].replace("] :", hint, 1)
    arrays = gemm.arrays(gemm.m, gemm.n, gemm.k * 6)
    check("\n".join(lines), arrays, gemm.product(arrays), n=3, levels=(3,), opt=1)


SEEDS = [
    (4004, "sm_90a"),
    (4006, "sm_100a"),
    (4008, "sm_90a"),
    (4013, "sm_100a"),
    (4006, "sm_90a"),
    (4004, "sm_100a"),
]


@pytest.mark.part("kernels")
@pytest.mark.every(10)
@pytest.mark.parametrize(("seed", "arch"), SEEDS)
def test_random_programs(seed: int, arch: str):
    """On little shared memory, of several shapes, in branches and inner loops."""
    program = random_unrolled(seed, LIMITS)
    module = program.module.clone()
    opt, abi = (3, 3, 1, 0, 2)[seed % 5], ("host-maps", "device-maps")[seed % 2]
    with shared_memory(arch, (32, 36, 40, 48)[seed % 4] * KIB):
        assert lowered(module, arch, "convert-tileas-to-nvgpu", opt, abi)
    assert not wrong_arrays(module, program, expected(program))


def test_dots_that_are_dropped_leave_less_to_share(monkeypatch: pytest.MonkeyPatch):
    """
    Dots that tensor memory has no room for leave their tiles to threads, which share no buffers
    with MMAs: whether the other dots fit in shared memory is asked again.
    """
    asked: list[int] = []
    unfitting, overflowing = dot_layouts.drop_unfitting, dot_layouts.drop_overflowing

    def drop_unfitting(dots: list[DotOp], *rest: Any, **options: Any) -> list[DotOp]:
        asked.append(len(dots))
        return unfitting(dots, *rest, **options)

    def drop_overflowing(function: Any, dots: list[DotOp], *rest: Any) -> list[DotOp]:
        # As if one of four had no room.
        return overflowing(function, dots[:3], *rest)

    monkeypatch.setattr(dot_layouts, "drop_unfitting", drop_unfitting)
    monkeypatch.setattr(dot_layouts, "drop_overflowing", drop_overflowing)
    module = load(straight(Gemm("f16", 128, 128, 128), 4))
    lowered(module, "sm_100a", "tileas-generate-schedule")
    assert asked[:2] == [4, 3]
