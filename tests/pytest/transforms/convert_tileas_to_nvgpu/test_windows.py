"""
Tiles that do not fit in shared memory go through it in windows, one after the other. A launch that
asks for nothing has 48 KiB on sm_80, so tiles of 64 KiB are large enough.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import prod

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import aggregates
from tileiras_xdsl.transforms.tileas.kernel_model import exchanges
from tileiras_xdsl.transforms.tileas.kernel_model.exchanges import reduction_groups
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import ScratchBudget

from ...harness.passes import lower
from ...harness.running import assert_same_bits, run_both, run_printing
from .tile_kernels import Kernel, tile

ARCH = "sm_80"
SHAPE = (64, 256)


def check(kernel: Kernel) -> None:
    """Compares threads with the program, bit for bit."""
    expected, found = run_both(kernel.text(), kernel.arrays, arch=ARCH)
    assert_same_bits(expected, found)


@pytest.mark.parametrize("part", [(8, 64), (64, 8), (64, 128), (1, 1)])
@pytest.mark.parametrize("index", [(0, 0), (0, 1)])
def test_extract(part: tuple[int, int], index: tuple[int, int]):
    kernel = Kernel()
    value = kernel.values(SHAPE, "f32", np.arange(64 * 256))
    indices = [kernel.add(f"constant <i32: {number}> : tile<i32>") for number in index]
    types = f"{tile(SHAPE, 'f32')} -> {tile(part, 'f32')}"
    result = kernel.add(f"extract {value}[{', '.join(indices)}] : {types}")
    kernel.store(result, part, "f32")
    check(kernel)


@pytest.mark.parametrize("part", [(8, 64), (64, 8)])
@pytest.mark.parametrize("index", [0, 1])
def test_insert(part: tuple[int, int], index: int):
    kernel = Kernel()
    value = kernel.values(SHAPE, "f32", np.arange(64 * 256))
    slice_ = kernel.values(part, "f32", -np.arange(512))
    number = kernel.add(f"constant <i32: {index}> : tile<i32>")
    zero = kernel.add("constant <i32: 0> : tile<i32>")
    at = [number, zero] if part[0] < part[1] else [zero, number]
    types = f"{tile(part, 'f32')}, {tile(SHAPE, 'f32')}"
    result = kernel.add(f"insert {slice_}, {value}[{', '.join(at)}] : {types}")
    kernel.store(result, SHAPE, "f32")
    check(kernel)


def test_pack_and_unpack():
    kernel = Kernel()
    value = kernel.values((64 * 256,), "f32", np.arange(64 * 256))
    packed = kernel.add(f"pack {value} : {tile((64 * 256,), 'f32')} -> tile<65536xi8>")
    result = kernel.add(f"unpack {packed} : tile<65536xi8> -> {tile((64 * 256,), 'i32')}")
    kernel.store(result, (64 * 256,), "i32")
    check(kernel)


@pytest.mark.parametrize("reverse", ["true", "false"])
def test_scan_across_warps(reverse: str):
    kernel = Kernel()
    shape = (64 * 256,)
    value = kernel.values(shape, "i64")
    ty = tile(shape, "i64")
    result = kernel.add(
        f"scan {value} dim=0 reverse={reverse} identities=[0 : i64] : {ty} -> {ty} "
        "(%x: tile<i64>, %y: tile<i64>) {\n"
        "    %z = addi %x, %y : tile<i64>\n    yield %z : tile<i64>\n  }"
    )
    kernel.store(result, shape, "i64")
    check(kernel)


@pytest.mark.parametrize(("num_bytes", "groups"), [(2048, 1), (512, 4), (64, 32)])
def test_reduce_across_warps(num_bytes: int, groups: int, monkeypatch: pytest.MonkeyPatch):
    """Warps exchange what they reduced in groups of registers, here for lack of scratch memory."""
    found: list[int] = []

    def with_less(
        sliced: LinearLayout,
        warp_bits: Collection[int],
        sizes: Sequence[int],
        budget: ScratchBudget,
    ) -> tuple[int, int]:
        less = replace(budget, limit=budget.base + num_bytes)
        groups, count = reduction_groups(sliced, warp_bits, sizes, less)
        found.append(groups)
        return groups, count

    for module in (exchanges, aggregates):
        monkeypatch.setattr(module, "reduction_groups", with_less)
    kernel = Kernel()
    shape, left = (64, 16, 4), (64, 4)
    value = kernel.values(shape, "i32", np.arange(prod(shape)) ** 2)
    result = kernel.add(
        f"reduce {value} dim=1 identities=[0 : i32] : {tile(shape, 'i32')} -> {tile(left, 'i32')} "
        "(%x: tile<i32>, %y: tile<i32>) {\n"
        "    %z = addi %x, %y : tile<i32>\n    yield %z : tile<i32>\n  }"
    )
    kernel.store(result, left, "i32")
    check(kernel)
    assert set(found) == {groups}


@pytest.mark.long
def test_print():
    kernel = Kernel()
    value = kernel.values((4, 16, 128), "i64", np.arange(8192))
    small = kernel.values((2, 2), "i1")
    number = kernel.add("constant <i32: 7> : tile<i32>")
    types = f"tile<i32>, {tile((4, 16, 128), 'i64')}, {tile((2, 2), 'i1')}"
    kernel.add(
        f'print_tko "%d%% of %5lld and %d.\\n", {number}, {value}, {small} token=%token '
        f": {types} -> token"
    )
    module = load(kernel.text())
    expected = run_printing(module, grid=1, args=kernel.arrays)
    assert "[[[    0,     1," in expected
    assert run_printing(lower(module, arch=ARCH), grid=1, args=kernel.arrays) == expected


def test_windows_are_used():
    """The kernels here would not be a test if their tiles fitted."""
    kernel = Kernel()
    value = kernel.values(SHAPE, "f32")
    zero = kernel.add("constant <i32: 0> : tile<i32>")
    types = f"{tile(SHAPE, 'f32')} -> {tile((8, 64), 'f32')}"
    kernel.store(kernel.add(f"extract {value}[{zero}, {zero}] : {types}"), (8, 64), "f32")
    module = lower(load(kernel.text()), arch=ARCH)
    reads = [op for op in module.walk() if op.name == "nvvm.fragment.load"]
    assert sum("mask" in str(op) for op in reads) >= 2
    run(module, grid=1, args=kernel.arrays)
