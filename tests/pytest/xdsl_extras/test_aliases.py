"""Aliases of printed IR: their names, their order, and that what is printed is read back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.ir import Attribute

import tileiras_xdsl
from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.pipeline import Stage, make_pass, select_steps
from tileiras_xdsl.xdsl_extras import aliases
from tileiras_xdsl.xdsl_extras.aliases import (
    MAX_COLUMNS,
    assign_aliases,
    print_ir,
    wrap,
    wrap_line,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import disposable

from ..harness.modules import parse, parse_attribute

BENCHMARKS = Path(__file__).parents[3] / "benchmarks" / "gpu" / "bytecode"
KERNELS = ("attention_d64", "matmul_128x128x64", "layer_norm", "row_gather")

MMA = "#nv_tileas.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]>"  # noqa: E501
SLICE = "#nv_tileas.layout<register = [], lane = [[0], [0], [1], [2], [4]], warp = []>"
BLOCKED = "#nv_tileas.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>"
MEMREF = "!nv_tileaa.memref<64x64xf16, strides = [64, 1]>"


@pytest.mark.parametrize(
    ("attribute", "name"),
    [
        (MMA, "#mma0"),
        (SLICE, "#slice0"),
        (BLOCKED, "#blocked0"),
        ("#nv_tileas.shared<offset = [[0, 1], [0, 2], [1, 0], [2, 0]]>", "#shared0"),
        ("#nv_tileas.shared<offset = [[0, 1], [0, 2], [1, 1], [2, 2]]>", "#swizzled0"),
        (MEMREF, "!memref0"),
        (f"!nv_tileaa.tiled_view<8x8, {MEMREF}>", "!tiled_view0"),
        ("!nv_tileas.pipeline<tensor<8xf32>>", "!pipeline0"),
        ("!nv_tileas.iterator<producer, tensor<8xf32>>", "!producer0"),
        ("!nv_tileas.iterator<consumer, tensor<8xf32>>", "!consumer0"),
    ],
)
def test_names_say_what_a_layout_or_type_is(attribute: str, name: str):
    module = parse(f'"test.op"() {{a = {attribute}}} : () -> ()')
    assert assign_aliases(module)[parse_attribute(attribute)] == name
    text = print_ir(module)
    assert text.count(attribute) <= 1
    assert f'"test.op"() {{a = {name}}}' in text


def test_aliases_are_defined_before_they_are_used():
    view = f"!nv_tileaa.tiled_view<8x8, {MEMREF}>"
    text = print_ir(parse(f'%0, %1 = "test.op"() : () -> ({view}, {MEMREF})'))
    assert text.split("\n") == [
        f"!memref0 = {MEMREF}",
        "!tiled_view0 = !nv_tileaa.tiled_view<8x8, !memref0>",
        "builtin.module {",
        '  %0, %1 = "test.op"() : () -> (!tiled_view0, !memref0)',
        "}",
    ]


def test_numbers_follow_the_order_of_the_text():
    other = MEMREF.replace("64x64", "32x64")
    text = print_ir(parse(f'%0, %1, %2 = "test.op"() : () -> ({other}, {MEMREF}, {other})'))
    assert f"!memref0 = {other}\n!memref1 = {MEMREF}\n" in text
    assert "(!memref0, !memref1, !memref0)" in text


def test_types_in_regions_and_arguments_have_aliases():
    text = print_ir(
        parse(f'"test.op"() ({{\n^bb0(%x: {MEMREF}):\n"test.termop"() : () -> ()\n}}) : () -> ()')
    )
    assert "^bb0(%x: !memref0):" in text


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("!cuda_tile.tile<64x64xf16>", "!tile_64x64xf16"),
        ("!cuda_tile.tile<4xptr<f32>>", "!tile_4xptr_f32"),
        ("!nv_tileas.async<tensor<8x8xf32>>", "!async_8x8xf32"),
        ("!cuda_tile.tensor_view<?x?xf16, strides=[?,1]>", "!tensor_view0"),
        ("!llvm.struct<(f32, f32, f32, f32)>", "!struct_4xf32"),
        ("!nvgpu.mbarrier.token", "!token"),
        ("!llvm.ptr<3>", None),
        ("tensor<128x128x128xf32>", None),
    ],
)
def test_the_short_form_names_all_long_types(written: str, name: str | None):
    module = parse(f'%0 = "test.op"() : () -> {written}')
    text = print_ir(module, short=True)
    assert f"() -> {name or written}\n" in text
    assert (f"{name} = {written}\n" in text) == (name is not None)
    assert str(parse(text)) == str(module)
    assert print_ir(module) == print_ir(module, local_scope=True)


def test_the_short_form_names_constants_by_what_they_are():
    values = ", ".join(map(str, range(40)))
    constant = f"%c = arith.constant dense<[{values}]> : vector<40xi32>"
    module = parse(constant)
    text = print_ir(module, short=True)
    (name,) = (line.split()[0] for line in text.split("\n") if line.startswith("#"))
    assert f"arith.constant {name}\n" in text
    assert str(parse(text)) == str(module)
    # It is called the same when there are others.
    other = constant.replace("39", "41").replace("%c", "%d")
    assert name in print_ir(parse(f"{other}\n{constant}"), short=True)


def test_types_of_the_same_name_have_numbers():
    types = "!nvgpu.mbarrier.token, !nvgpu.mbarrier.token, !cuda_tile.token"
    module = parse(f'%0, %1, %2 = "test.op"() : () -> ({types})')
    text = print_ir(module, short=True)
    assert "-> (!token, !token, !token1)" in text
    assert str(parse(text)) == str(module)


def test_local_scope_spells_everything():
    module = parse(f'%0, %1 = "test.op"() : () -> ({MEMREF}, {MEMREF})')
    assert print_ir(module, local_scope=True) == str(module)
    assert str(module).count(MEMREF) == 2


def test_wrapping_takes_time_in_proportion(monkeypatch: pytest.MonkeyPatch):
    """The location of what is inlined by many calls is a line of a hundred thousand characters."""
    seen = 0
    find_breaks = aliases._breaks  # pyright: ignore[reportPrivateUsage]

    def count_breaks(line: str, depth: int) -> Iterator[tuple[int, int]]:
        nonlocal seen
        for place in find_breaks(line, depth):
            seen += 1
            yield place

    monkeypatch.setattr(aliases, "_breaks", count_breaks)
    line = "f(" + "loc, " * 20_000 + ")"
    assert len(wrap_line(line)) > 500
    assert seen < 2 * line.count(", ")


@pytest.mark.parametrize(
    "line",
    [
        "  %0 = f(" + ", ".join(f"%argument{number}" for number in range(40)) + ") : () -> i32",
        "  %0 = scf.for %i = %a to %b step %c iter_args("
        + ", ".join(f"%x{number} = %y{number}" for number in range(20))
        + ") -> (i32) : i32 {",
        '  f() {text = "' + "a, b -> c : d, " * 20 + '", number = 0 : i32} : () -> ()',
        "  short",
    ],
)
def test_wrapping_keeps_the_text(line: str):
    parts = wrap_line(line)
    assert " ".join(" ".join(parts).split()) == " ".join(line.split())
    for part in parts[1:]:
        assert part[:7] == " " * 6 + part.strip()[0]


def test_types_of_attributes_stay_with_them():
    attributes = ", ".join(f"attribute{number} = {number} : i64" for number in range(20))
    for part in wrap_line(f"  f() {{{attributes}}} : () -> ()"):
        assert not part.lstrip().startswith(": i64")


def test_only_long_lines_are_broken():
    short = "  f() {" + ", ".join(f"%{number}" for number in range(20)) + "}"
    assert wrap_line(short) == [short]
    assert all(len(part) <= MAX_COLUMNS for part in wrap_line(short * 10))


@pytest.mark.parametrize("before", ["", "\\\\", '\\"'])
def test_strings_are_not_broken(before: str):
    """Not even one that follows a string which ends in a backslash, or has a quotation mark."""
    text = "a, " * 100
    line = f'  f() {{a = "{before}", b = "{text}"}}'
    assert any(f'"{text}"' in part for part in wrap_line(line))


@pytest.mark.every(8, first=7)
@pytest.mark.parametrize("stage", ["tileaa", "tileas"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_are_read_back(kernel: str, stage: Stage):
    module, context = tileiras_xdsl.load(BENCHMARKS / f"{kernel}.tileirbc"), make_context()
    with disposable(module):
        for step in select_steps(to=stage):
            make_pass(step, "sm_90a", "device-maps").apply(context, module)
    for is_short in (False, True):
        text = print_ir(module, short=is_short)
        assert str(parse(text)) == str(module)
        assert print_ir(parse(text), short=is_short) == text
        wrapped = wrap(text)
        assert max(map(len, wrapped.split("\n"))) <= MAX_COLUMNS
        assert str(parse(wrapped)) == str(module)
        assert len(text) < len(str(module))


def test_no_two_have_the_same_name(monkeypatch: pytest.MonkeyPatch):
    """Also if a name that another has already gets a number, which makes it that of a third."""
    types = [f"!llvm.array<{size} x i32>" for size in (1, 2, 11)]
    names = dict(zip(map(parse_attribute, types), ("!t_1", "!t_1", "!t_11"), strict=True))

    def short_name(attribute: Attribute, known: object) -> tuple[str, bool]:
        return names[attribute], True

    monkeypatch.setattr(aliases, "_short_name", short_name)
    module = parse(f'%0, %1, %2 = "test.op"() : () -> ({", ".join(types)})')
    found = assign_aliases(module, short=True)
    assert list(found.values()) == ["!t_1", "!t_11", "!t_111"]
    assert parse(print_ir(module, short=True)).is_structurally_equivalent(module)
