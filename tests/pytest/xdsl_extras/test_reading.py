"""IR for somebody to read: what is left out, and where it can be found."""

from __future__ import annotations

from pathlib import Path

import pytest

import tileiras_xdsl
from tileiras_xdsl.xdsl_extras.reading import Reading, find_types, hide_types, read_ir

from ..harness.modules import parse

ATTENTION = Path(__file__).parents[3] / "benchmarks" / "gpu" / "bytecode" / "attention_d64.tileirbc"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("%0 = arith.addi %a, %b : i32", "%0 = arith.addi %a, %b"),
        ("%0 = arith.trunci %a : i64 to i32", "%0 = arith.trunci %a"),
        ('"test.op"(%a) {b = 0 : i64} : (i32) -> ()', '"test.op"(%a) {b = 0 : i64}'),
        (
            "%m = nv_tileas.dot %a, %b, %c, %d {atom = #nv_tileas.atom<mma.sm90>} "
            ": tensor<8x8xf16, #mma0>, tensor<8x8xf16, #shared0>, !async0, i1 -> !async0",
            "%m = nv_tileas.dot %a, %b, %c, %d {atom = #nv_tileas.atom<mma.sm90>}",
        ),
        (
            "%r = scf.for %i = %a to %b step %c iter_args(%x = %y) -> (tensor<8xf32>) : i32 {",
            "%r = scf.for %i = %a to %b step %c iter_args(%x = %y) {",
        ),
        (
            "%r = cuda_tile.for %i in (%a to %b, step %c) : !tile_i32 iter_values(%x = %y) "
            "-> (!tile_f32) {",
            "%r = cuda_tile.for %i in (%a to %b, step %c) iter_values(%x = %y) {",
        ),
        (
            "%r = cuda_tile.reduce %x dim=1 identities=[0.0 : f32] : !t -> !u (%a: !v, %b: !v) {",
            "%r = cuda_tile.reduce %x dim=1 identities=[0.0 : f32] (%a: !v, %b: !v) {",
        ),
        (
            'cuda_tile.print_tko " : i32 -> %f" %0 : !tile_f32',
            'cuda_tile.print_tko " : i32 -> %f" %0',
        ),
        ("func.func @f(%a: i32) -> i32 {", "func.func @f(%a: i32) {"),
        ("^bb0(%a: tensor<8xf32>):", "^bb0(%a: tensor<8xf32>):"),
        ("!t = !llvm.func<void (i32) -> i32>", "!t = !llvm.func<void (i32) -> i32>"),
        ("op %a : i32, order = 1", "op %a, order = 1"),
    ],
)
def test_types_are_left_out(line: str, shown: str):
    assert hide_types(f"  {line}") == f"  {shown}"


def test_what_is_left_out_is_types():
    """Of real programs nothing else: values, names, brackets and attributes stay."""
    module = tileiras_xdsl.load(ATTENTION)
    reading = read_ir(module)
    for line in reading.lines:
        for start, end in find_types(line):
            assert "%" not in line[start:end]
            assert line[start:end].count("(") == line[start:end].count(")")
        # The signature is folded.
        if "cuda_tile.entry" not in line:
            assert hide_types(line).count("%") == line.count("%")
    assert all(
        " : " not in line.partition("{")[0]
        for line in map(hide_types, reading.lines)
        if "identities" not in line
    )


ASSUMES = [f"  %{n} = cuda_tile.assume div_by<16>, %a{n} : !tile_i32" for n in range(4)]
LINES = ("!tile_i32 = !cuda_tile.tile<i32>", "m {", *ASSUMES, "  return", *ASSUMES[:2], "}")


def test_assumptions_and_aliases_are_folded():
    assert str(Reading(LINES)).split("\n") == [
        "⋯ 1 alias",
        "m {",
        "  ⋯ %0 … %3: 4 × cuda_tile.assume",
        "  return",
        "  %0 = cuda_tile.assume div_by<16>, %a0",
        "  %1 = cuda_tile.assume div_by<16>, %a1",
        "}",
    ]
    assert str(Reading(LINES, types=True, assumes=True, aliases=True)) == "\n".join(LINES)
    assert str(Reading(LINES, limit=2)).split("\n") == ["⋯ 1 alias", "m {", "⋯ 5 more lines"]


def test_many_parameters_are_folded():
    """As a part of their line, which says how many they are."""
    names = ("a", "b", "c", "d", "e.0", "f", "g", "h")
    few = ", ".join(f"%{name}: !tile<8x(i32)>" for name in names)
    many = f"{few}, %j: !llvm.ptr {{llvm.align = 16 : i64}}"
    for op in ("cuda_tile.entry @k", "func.func private @k", "llvm.func @k.1"):
        assert hide_types(f"  {op}({few}) {{") == f"  {op}({few}) {{"
        folded = f"  {op}(⋯ 9 parameters) attributes {{n = 1 : i32}} {{"
        line = folded.replace("⋯ 9 parameters", many)
        assert hide_types(line) == str(Reading((line,))) == folded
        assert str(Reading((line,), types=True, wrap=False)) == line
        html = Reading((line,))._repr_html_()  # pyright: ignore[reportPrivateUsage]
        assert html.count(">⋯ 9 parameters</span>") == 1
        assert "!llvm.ptr {llvm.align = 16 : i64}</span>) attributes" in html
    assert hide_types(f"%r = func.call @k({many})") == f"%r = func.call @k({many})"


def test_in_a_notebook_it_can_be_unfolded():
    html = Reading(LINES)._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert html.count("<details>") == 2
    assert html.count('<span class="type"> : ') == 6
    # An alias says what it stands for, and what is left out is where it was.
    assert '<span title="!tile_i32 = !cuda_tile.tile&lt;i32&gt;">!tile_i32</span>' in html
    assert '<span class="hint" title=": !tile_i32"> : …</span>' in html
    assert 'class="wrap" checked' in html
    assert 'class="types">' in html


def test_bytes_of_constants_are_shortened():
    module = parse(
        '%c = arith.constant dense<"0x' + "01020304" * 127 + "05060708" + '"> : vector<128xi32>'
    )
    text = str(read_ir(module))
    assert len(text) < 200
    reading = Reading(read_ir(module).lines, aliases=True)
    assert '"0x01020304' in str(reading)
    assert max(map(len, str(reading).split("\n"))) < 160


def test_long_lines_are_wrapped_or_not():
    line = "  f(" + ", ".join(f"%argument{n}" for n in range(40)) + ") : i32"
    assert len(str(Reading((line,))).split("\n")) > 2
    assert str(Reading((line,), wrap=False)) == line.removesuffix(" : i32")
