"""
Products whose accumulators are an 8-bit operand A of other products: TMA loads even keys before odd
ones, and threads compute what the program says, whatever depends on the number of a key.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileiras_xdsl import load
from tileiras_xdsl.analysis.axis_info_analysis import analyze
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.arguments import tensor_map_arguments
from tileiras_xdsl.backend.entries import make_records
from tileiras_xdsl.backend.launch_record import LaunchRecord
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.cost.work import renames_registers
from tileiras_xdsl.dialects.nv_tileas.decisions import K_PERMUTATION, LAYOUT, MULTICAST
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nvgpu.types import get_host_maps, set_host_maps
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import select_steps
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import set_anchor_layout
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import (
    k_permutation_or_reason,
    takes_accumulators,
)
from tileiras_xdsl.transforms.tileas.layouts import dot_layouts
from tileiras_xdsl.transforms.tileas.tileas_assign_dot_layouts import TileasAssignDotLayoutsPass
from tileiras_xdsl.xdsl_extras.dialect_conversion import ConversionError

from ..harness.modules import context
from ..harness.passes import run_steps
from .test_warpgroup_kernels import ARCH, DTYPES, View, as_arguments, kernel, lower

Array = npt.NDArray[Any]
ABIS = ("host-maps", "device-maps")


@dataclass(frozen=True)
class Chain:
    """Queries times keys, changed, times values, over `%n` tiles of keys."""

    element: str = "f8E4M3FN"
    queries: int = 64
    keys: int = 32
    width: int = 32
    change: str = "nothing"
    """What is done between the products: one of `CHANGES`."""
    uses_keys: bool = False
    """Whether keys are added up as well."""

    @property
    def total(self) -> str:
        return "i32" if self.element == "i8" else "f32"

    @property
    def views(self) -> tuple[View, ...]:
        return (
            View("q", self.element, (self.queries, self.width)),
            View("k", self.element, (self.width, self.keys), transposed=True),
            View("w", self.element, (self.keys, self.width), transposed=True),
            View("b", self.total, (self.queries, self.keys)),
            View("o", self.total, (self.queries, self.width), pads=False),
        )

    @property
    def scores(self) -> str:
        return f"tile<{self.queries}x{self.keys}x{self.total}>"

    def tile(self, element: str, rows: int | None = None, columns: int | None = None) -> str:
        rows = self.queries if rows is None else rows
        return f"tile<{rows}x{self.keys if columns is None else columns}x{element}>"

    def multiply(self, result: str, a: str, b: str, c: str, *types: str) -> str:
        name, signs = ("mmai", " signed signed") if self.element == "i8" else ("mmaf", "")
        return f"{result} = {name} {a}, {b}, {c}{signs} : {', '.join(types)}"

    @property
    def numbers(self) -> str:
        """The numbers of the keys of the tile, and of queries, as i32."""
        integers = self.tile("i32")
        return f"""
      %per = constant <i32: {self.keys}> : tile<i32>
      %first = muli %t, %per : tile<i32>
      %c0 = iota : tile<{self.keys}xi32>
      %c1 = reshape %c0 : tile<{self.keys}xi32> -> {self.tile("i32", 1)}
      %c2 = broadcast %c1 : {self.tile("i32", 1)} -> {integers}
      %f0 = reshape %first : tile<i32> -> tile<1x1xi32>
      %f1 = broadcast %f0 : tile<1x1xi32> -> {integers}
      %column = addi %c2, %f1 : {integers}
      %r0 = iota : tile<{self.queries}xi32>
      %r1 = reshape %r0 : tile<{self.queries}xi32> -> {self.tile("i32", None, 1)}
      %row = broadcast %r1 : {self.tile("i32", None, 1)} -> {integers}"""

    @property
    def changed(self) -> str:
        """The ops between the products."""
        scores, one = self.scores, f"tile<{self.total}>"
        add = "addi" if self.total == "i32" else "addf"
        as_total = (
            "%number = addi %column, %fewer : " + scores
            if self.total == "i32"
            else f"%number = itof %column signed : {self.tile('i32')} -> {scores}"
        )
        match self.change:
            case "columns":
                fewer = f"%fewer = constant <i32: 0> : {self.tile('i32')}"
                return f"""{self.numbers}
      {fewer}
      {as_total}
      %changed = {add} %score, %number : {scores}"""
            case "causal":
                return f"""{self.numbers}
      %kept = cmpi greater_than_or_equal %row, %column, signed
          : {self.tile("i32")} -> {self.tile("i1")}
      %changed = select %kept, %score, %zeros : {self.tile("i1")}, {scores}"""
            case "bias":
                return f"""
      {self.views[3].load("%bias", "%zero", "%t")}
      %changed = {add} %score, %bias : {scores}"""
            case "reduction":
                return f"""
      %top = reduce %score dim=1 identities=[-1000.0 : f32] : {scores} -> tile<{self.queries}xf32>
        (%x: {one}, %y: {one}) {{
          %z = maxf %x, %y : {one}
          yield %z : {one}
        }}
      %t0 = reshape %top : tile<{self.queries}xf32> -> {self.tile("f32", None, 1)}
      %t1 = broadcast %t0 : {self.tile("f32", None, 1)} -> {scores}
      %changed = subf %score, %t1 : {scores}"""
            case "branch":
                return f"""{self.numbers}
      %flag = cmpi equal %t, %one, signed : tile<i32> -> tile<i1>
      %changed = if %flag -> ({scores}) {{
        %kept = cmpi greater_than_or_equal %row, %column, signed
            : {self.tile("i32")} -> {self.tile("i1")}
        %less = select %kept, %score, %zeros : {self.tile("i1")}, {scores}
        yield %less : {scores}
      }} else {{
        yield %score : {scores}
      }}"""
            case _:
                return f"%changed = {add} %score, %zeros : {scores}"

    def text(self) -> str:
        q, k, w, _, o = self.views
        zero = "0" if self.total == "i32" else "0.0"
        operand = self.tile(self.element)
        narrow = (
            f"%h = trunci %changed : {self.scores} -> {operand}"
            if self.element == "i8"
            else f"%h = ftof %changed : {self.scores} -> {operand}"
        )
        second = ""
        if self.uses_keys:
            turned = self.tile(self.element, self.keys, self.width)
            types = operand, turned, o.tile_type
            second = f"""
      %kt = permute %key [1, 0] : {k.tile_type} -> {turned}
      {self.multiply("%more", "%h", "%kt", "%o1", *types)}"""
        return kernel(
            self.views,
            f"""
    %zeros = constant <{self.total}: {zero}> : {self.scores}
    %nothing = constant <{self.total}: {zero}> : {o.tile_type}
    {q.load("%query", "%i", "%zero")}
    %sum = for %t in (%zero to %n, step %one) : tile<i32>
        iter_values(%o0 = %nothing) -> ({o.tile_type}) {{
      {k.load("%key", "%zero", "%t")}
      {self.multiply("%score", "%query", "%key", "%zeros", q.tile_type, k.tile_type, self.scores)}
      {self.changed}
      {narrow}
      {w.load("%value", "%t", "%zero")}
      {self.multiply("%o1", "%h", "%value", "%o0", operand, w.tile_type, o.tile_type)}{second}
      continue {"%more" if self.uses_keys else "%o1"} : {o.tile_type}
    }}
    {o.store("%sum", "%i", "%zero")}""",
        )

    def arrays(self, keys: int, seed: int = 0) -> list[Array]:
        """Small whole numbers, of which sums are exact; values as they lie in memory."""
        random = np.random.default_rng(seed)
        kind = DTYPES[self.element]

        def make(*shape: int) -> Array:
            return random.integers(-1, 2, shape).astype(kind)

        # Rows of 16 bytes.
        stored = -(-keys // 16) * 16
        bias = random.integers(-4, 5, (self.queries, stored)).astype(DTYPES[self.total])
        values = make(self.width, stored)
        values[:, keys:] = 0
        out = np.zeros((self.queries, self.width), DTYPES[self.total])
        return [make(self.queries, self.width), make(keys, self.width), values, bias, out]

    def expected(self, arrays: Sequence[Array], tiles: int) -> Array:
        """What the program computes, by NumPy."""
        q, k, w, bias, _ = (array.astype(np.float64) for array in arrays)
        count = tiles * self.keys
        k, w, bias = (
            np.pad(each, [(0, max(0, a - b)) for a, b in zip(shape, each.shape, strict=True)])
            for each, shape in (
                (k, (count, k.shape[1])),
                (w, (w.shape[0], count)),
                (bias, (bias.shape[0], count)),
            )
        )
        total = np.zeros((self.queries, self.width))
        rows = np.arange(self.queries)[:, None]
        for tile in range(tiles):
            columns = np.arange(tile * self.keys, (tile + 1) * self.keys)
            scores = q @ k[columns].T
            match self.change:
                case "columns":
                    scores = scores + columns
                case "causal":
                    scores = np.where(rows >= columns, scores, 0)
                case "bias":
                    scores = scores + bias[:, columns]
                case "reduction":
                    scores = scores - scores.max(1, keepdims=True)
                case "branch":
                    scores = np.where((rows >= columns) | (tile != 1), scores, 0)
                case _:
                    pass
            kind = DTYPES[self.element]
            total += scores.astype(np.float32).astype(kind).astype(np.float64) @ w[:, columns].T
        return total


CHANGES = ("nothing", "columns", "causal", "bias", "reduction", "branch")


def loads_of(module: ModuleOp) -> list[TiledLoadOp]:
    """The loads with even elements first."""
    ops = (op for op in module.walk() if isinstance(op, TiledLoadOp))
    return [op for op in ops if K_PERMUTATION.is_on(op)]


def check(chain: Chain, keys: int, tiles: int, abi: str, levels: Sequence[int], seed: int = 0):
    """A chain computes the same at some levels, and threads exchange nothing for operand A."""
    modules = lower(chain.text(), abi, 3, max(levels), ARCH)
    assert len({op.view for op in loads_of(modules[2])}) == 1
    arrays = chain.arrays(keys, seed)
    expected = chain.expected(arrays, tiles)
    for level in levels:
        copies = [*arrays[:-1], np.full_like(arrays[-1], 7)]
        run(modules[level], grid=1, args=as_arguments(copies, tiles), check=level == 3)
        np.testing.assert_array_equal(copies[-1].astype(np.float64), expected, f"level {level}")
    conversions = [op for op in modules[2].walk() if isinstance(op, ConvertLayoutOp)]
    assert conversions
    assert all(map(renames_registers, conversions))


CASES = [
    (Chain(), 96, "host-maps"),
    (Chain(), 77, "device-maps"),
    (Chain("f8E5M2", keys=64), 128, "host-maps"),
    (Chain("i8", change="columns"), 63, "host-maps"),
    (Chain("i8", 64, 64, 64, "causal"), 192, "device-maps"),
    (Chain("f8E4M3FN", 64, 32, 32, "columns"), 81, "device-maps"),
    (Chain("f8E4M3FN", 64, 64, 32, "columns"), 129, "host-maps"),
    (Chain("f8E4M3FN", 64, 32, 64, "causal"), 65, "host-maps"),
    (Chain("f8E4M3FN", 64, 32, 32, "bias"), 80, "host-maps"),
    (Chain("f8E5M2", 64, 32, 32, "reduction"), 96, "device-maps"),
    (Chain("f8E4M3FN", 64, 32, 32, "branch"), 93, "host-maps"),
    (Chain("f8E4M3FN", 128, 128, 128, "causal"), 255, "host-maps"),
    (Chain("f8E5M2", 128, 256, 32, "columns"), 257, "host-maps"),
    (Chain("f8E4M3FN", 128, 32, 256, "columns"), 64, "host-maps"),
]


CASES_OF_HARDWARE = [(chain, keys) for chain, keys, _ in CASES if chain.total == "f32"][::3]
"""For `tests/gpu/self_check_tma.py`, which compares what a GPU computes."""


@pytest.mark.every(14)
@pytest.mark.parametrize(
    ("chain", "keys", "abi"),
    CASES,
    ids=[f"{c.element}_{c.queries}x{c.keys}x{c.width}_{c.change}_{abi}" for c, _, abi in CASES],
)
def test_chains(chain: Chain, keys: int, abi: str):
    check(chain, keys, -(-keys // chain.keys), abi, (2, 3))


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("abi", ABIS)
def test_chains_in_nvvm(abi: str):
    check(Chain(change="causal"), 61, 2, abi, (4,))


@pytest.mark.part("kernels")
@pytest.mark.every(3)
@pytest.mark.parametrize("opt", [0, 1, 2])
def test_levels_of_optimization(opt: int):
    chain = Chain(keys=64, change="columns")
    module = run_steps(load(chain.text()), select_steps(opt, to="nvgpu"), ARCH, "host-maps")
    (function,) = kernels(module)
    assert any(each.element_strides for each in get_host_maps(function))
    assert not wrong(module, chain)


@pytest.mark.part("kernels")
def test_ctas_of_a_cluster_load_even_or_odd_keys():
    """Each has them copied to both."""
    chain = Chain(change="causal")
    hint = "optimization_hints=<sm_90 = {num_cta_in_cga = 2}>"
    text = chain.text().replace(") {", f") {hint} {{", 1)
    modules = lower(text, "host-maps", 3, 3)
    assert any(map(MULTICAST.is_on, loads_of(modules[2])))
    arrays, expected = chain.arrays(77), chain.expected(chain.arrays(77), 3)
    # All CTAs compute the same, of rows of their own.
    q, *others, out = arrays
    arrays = [np.tile(q, (4, 1)), *others, np.tile(out, (4, 1))]
    run(modules[3], grid=4, args=as_arguments(arrays, 3), check=True)
    np.testing.assert_array_equal(arrays[-1].astype(np.float64), np.tile(expected, (4, 1)))


@pytest.mark.part("kernels")
@pytest.mark.every(16, first=8)
@pytest.mark.parametrize("seed", range(16))
def test_random_chains(seed: int):
    random = np.random.default_rng(seed)
    element = str(random.choice(["f8E4M3FN", "f8E5M2", "i8"]))
    changes = [each for each in CHANGES if each != "reduction" or element != "i8"]
    # More columns than that would be divided among warpgroups.
    queries, most = [(64, 64), (128, 128)][random.integers(2)]
    chain = Chain(
        element,
        queries,
        int(random.choice([32, 64, most])),
        int(random.choice([32, 64, most])),
        str(random.choice(changes)),
    )
    keys = int(random.integers(1, 3 * chain.keys))
    tiles = int(random.integers(1, 4))
    check(chain, keys, tiles, str(random.choice(ABIS)), (3,), seed)


# What it takes


def assigned(text: str, *, k_permutation: bool = True) -> ModuleOp:
    """A program after `tileas-assign-dot-layouts`."""
    module = load(text)
    for step in select_steps(to="tileas"):
        if step.name == TileasAssignDotLayoutsPass.name:
            break
        run_steps(module, [step], ARCH)
    TileasAssignDotLayoutsPass(k_permutation=k_permutation).apply(context(), module)
    return module


def test_the_option_switches_it_on_and_off():
    """Also where the pass runs again, as `--insert` of benchmarks has it."""
    plain = assigned(Chain().text(), k_permutation=False)
    assert not loads_of(plain)
    module = assigned(Chain().text())
    assert len(loads_of(module)) == 1
    TileasAssignDotLayoutsPass(k_permutation=False).apply(context(), module)
    assert module.is_structurally_equivalent(plain)
    TileasAssignDotLayoutsPass(k_permutation=True).apply(context(), module)
    assert module.is_structurally_equivalent(assigned(Chain().text()))


def reasons(text: str, warpgroups: int = 1) -> list[str]:
    """Why operands A of 8 bits are exchanged between threads."""
    module = assigned(text)
    assert not loads_of(module)
    found: list[str] = []
    for function in kernels(module):
        dots = [op for op in function.walk() if isinstance(op, DotOp) and takes_accumulators(op)]
        axis_info = analyze(function)
        for each in (k_permutation_or_reason(op, warpgroups, axis_info) for op in dots):
            assert isinstance(each, str)
            found.append(each)
    return found


def test_warpgroups_that_divide_columns():
    """Each of them would need accumulators of the other."""
    assert reasons(Chain(width=512).text(), 2) == ["warpgroups divide its columns"]


def test_keys_that_are_used_elsewhere():
    """The other product would read them in the wrong order."""
    chain = Chain("i8", uses_keys=True)
    assert set(reasons(chain.text())) == {
        "operand B of the dot that it comes from is used elsewhere as well"
    }


def test_elements_of_16_bits_are_in_their_place():
    chain = Chain("f16")
    assert not reasons(chain.text())


# Planted bugs


def wrong(module: ModuleOp, chain: Chain) -> bool:
    """Whether a program computes something else."""
    arrays = chain.arrays(2 * chain.keys)
    run(module, grid=1, args=as_arguments(arrays, 2))
    return not np.array_equal(arrays[-1].astype(np.float64), chain.expected(arrays, 2))


@pytest.mark.part("kernels")
def test_a_launcher_that_copies_all_elements_is_noticed():
    chain = Chain(width=64)
    module = lower(chain.text(), "host-maps", 3, 3)[3]
    assert not wrong(module, chain)
    (function,) = kernels(module)
    maps = get_host_maps(function)
    assert [each.element_strides for each in maps].count((1, 2)) == 1
    rows = [
        replace(each, element_strides=(), box=(each.box[0], each.box[1] // 2))
        if each.element_strides
        else each
        for each in maps
    ]
    set_host_maps(function, rows)
    assert wrong(module, chain)


@pytest.mark.part("kernels")
def test_odd_elements_first_are_noticed(monkeypatch: pytest.MonkeyPatch):
    chain = Chain(keys=64)
    tma_tiles = TmaTiling.tma_tiles

    def exchanged(tiling: TmaTiling) -> Any:
        if tiling.k_permutation is None:
            return tma_tiles(tiling)
        found = list(tma_tiles(tiling))
        starts, offsets = zip(*found, strict=True)
        return zip(reversed(starts), offsets, strict=True)

    monkeypatch.setattr(TmaTiling, "tma_tiles", exchanged)
    assert wrong(lower(chain.text(), "host-maps", 3, 3)[3], chain)


@pytest.mark.part("kernels")
def test_accumulators_in_another_order_are_noticed(monkeypatch: pytest.MonkeyPatch):
    """The anchor of a dot says where accumulators are, the load where the columns are."""
    monkeypatch.setattr(dot_layouts, "set_anchor_layout", only_plain)
    with pytest.raises(ConversionError, match="columns of operand B and of the accumulators are"):
        lower(Chain("f8E5M2", width=64).text(), "host-maps", 3, 3)


def only_plain(op: Operation, attribute: Any, layout: LinearLayout) -> None:
    if attribute is not LAYOUT or not LAYOUT.is_on(op):
        set_anchor_layout(op, attribute, layout)


# Launches


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("abi", ABIS)
def test_launch_records_say_which_elements_are_copied(abi: str):
    module = lower(Chain(change="causal").text(), abi, 3, 4)[4]
    target = NvptxTarget.parse(ARCH)
    ptx = nvptx.compile_to_ptx(translate_module(module, target), target)
    (record,) = make_records(module, ptx, target, {})
    assert LaunchRecord.from_json(record.to_json()) == record
    if abi == "device-maps":
        assert not record.tensor_maps
        pattern = r"tensormap\.replace\.tile\.element_stride\S*\s+\[\S+\], (\d), (%\w+);"
        strides = {
            (dim, number)
            for dim, register in re.findall(pattern, ptx)
            for number in re.findall(rf"mov\.b32\s+{register}, (\d+);", ptx)
        }
        assert strides == {("0", "1"), ("1", "1"), ("1", "2")}
        return
    (keys,) = (each for each in record.tensor_maps if each.element_strides)
    assert (keys.box, keys.element_strides) == ((32, 32), (1, 2))
    arguments = tensor_map_arguments(keys, 0x1000, [32, 61], [32])
    assert (arguments.box, arguments.element_strides) == ((32, 32), (1, 2))
