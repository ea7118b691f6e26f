"""`print` and `assert`: text as C's `printf` writes it, messages with CTA and lane."""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.interpreter.errors import ExecutionError

from .kernels import Case, floats, ints, lowered, on_tiles

INTEGERS = [0, 1, -1, 42, -12345, 2147483647, -2147483648]
NAN, INFINITY = float("nan"), float("inf")
FLOATS = [0.0, -0.0, 1.0, -1.5, 3.14159265, 1e10, 1e-7, 123456789.0, INFINITY, -INFINITY, NAN]
NARROW = [0.5, 2.5, 1e300, 5e-324]
"""Ties, and numbers of unusual size."""

INTEGER_FORMATS = (
    "%d %i %u %x %X %o %5d %-8d| %05d %+d %.3d %8.3d %08.3d %#x %#X %#o %.0d %+08d %-#10x| "
    "%hhd %hd %hhu %hx %+u %3c| %-3c|"
).split()
FLOAT_FORMATS = (
    "%f %e %g %F %E %G %.2f %10.3f %-10.3f| %010.3f %+f %.0f %#.0f %.10g %#g %a %A %.2a %.0a "
    "%20a %020a %-20a| %.15a %08f %+e %.12e"
).split()

Printf = Callable[[str, ctypes.c_double | ctypes.c_int], str]


@pytest.fixture(scope="module")
def c_printf() -> Printf:
    """`snprintf` of the C library."""
    if not sys.platform.startswith("linux"):
        pytest.skip("the formats are those of glibc")
    library = ctypes.CDLL(None)

    def printf(fmt: str, value: ctypes.c_double | ctypes.c_int) -> str:
        buffer = ctypes.create_string_buffer(1024)
        library.snprintf(buffer, ctypes.c_size_t(1024), fmt.encode(), value)
        return buffer.value.decode("latin-1")

    return printf


def print_case(fmt: str, element: str, values: list[float], *, legacy: bool = False) -> Case:
    """Prints each number."""
    is_float = element.startswith("f")
    tiles = {
        f"v{n}": floats(element, [v], ()) if is_float else ints(element, [int(v)], ())
        for n, v in enumerate(values)
    }
    text = " ; ".join([fmt] * len(values)) + "\\0A"
    names = ", ".join(f"%{name}" for name in tiles)
    types = ", ".join(tile.type for tile in tiles.values())
    if legacy:
        body = f'print "{text}", {names} : {types}'
    else:
        body = f'%t = print_tko "{text}", {names} : {types} -> token'
    return on_tiles("print" if legacy else "print_tko", body, tiles, {})


CASES = [
    print_case("%d", "i32", [1]),
    print_case("%d", "i32", [1], legacy=True),
]


def printed(case: Case, capsys: pytest.CaptureFixture[str]) -> str:
    """What a case prints, at both levels alike."""
    module = tx.load(case.text)
    arrays = list(case.arrays().values())
    capsys.readouterr()
    tx.run(module, grid=case.grid, args=arrays, engine="interpreter")
    first = capsys.readouterr().out
    tx.run(lowered(module), grid=case.grid, args=arrays, engine="interpreter")
    assert capsys.readouterr().out == first
    return first


@pytest.mark.parametrize("fmt", [*INTEGER_FORMATS, "% d"])
def test_integers_as_in_c(fmt: str, c_printf: Printf, capsys: pytest.CaptureFixture[str]):
    """Flags, widths, precisions and sizes of integers."""
    values = [65, 66] if "c" in fmt else INTEGERS
    wanted = " ; ".join(c_printf(fmt, ctypes.c_int(value)) for value in values)
    assert printed(print_case(fmt, "i32", [*values]), capsys) == wanted + "\n"


@pytest.mark.parametrize("fmt", [*FLOAT_FORMATS, "% f"])
def test_floats_as_in_c(fmt: str, c_printf: Printf, capsys: pytest.CaptureFixture[str]):
    """Flags, widths and precisions of floats."""
    values = FLOATS + NARROW
    wanted = " ; ".join(c_printf(fmt, ctypes.c_double(value)) for value in values)
    assert printed(print_case(fmt, "f64", values), capsys) == wanted + "\n"


@pytest.mark.parametrize(
    ("fmt", "element", "value", "wanted"),
    [
        ("%lld", "i64", -(1 << 63), "-9223372036854775808"),
        ("%llu", "i64", -1, "18446744073709551615"),
        ("%llx", "i64", -2, "fffffffffffffffe"),
        ("%d", "i64", 1 << 40, "1099511627776"),
        ("%d", "i8", -1, "-1"),
        ("%u", "i8", -1, "4294967295"),
        ("%hhu", "i8", -1, "255"),
        ("%x", "i16", -1, "ffffffff"),
        ("%d", "i1", 1, "1"),
        ("%u", "i1", 1, "1"),
        ("%f", "f16", 0.1, "0.099976"),
        ("%g", "f32", 1.5, "1.5"),
        ("%.9g", "f32", 0.1, "0.100000001"),
        ("%d", "f32", 2.75, "2"),
        ("%d", "f32", float("nan"), "0"),
        ("%f", "i32", 3, "3.000000"),
        ("%s", "i32", 3, "3"),
        ("100%%: %d", "i32", 3, "100%: 3"),
    ],
)
def test_sizes(
    fmt: str, element: str, value: float, wanted: str, capsys: pytest.CaptureFixture[str]
):
    """Integers have the width of their type, of 32 bits at least."""
    assert printed(print_case(fmt, element, [value]), capsys) == f"{wanted}\n"


@pytest.mark.parametrize("legacy", [False, True])
def test_tiles_print_as_lists(legacy: bool, capsys: pytest.CaptureFixture[str]):
    """Each element by the conversion, nested by dimension."""
    tiles = {
        "a": ints("i32", [1, -2, 3, 4], (2, 2)),
        "b": floats("bf16", [0.5, 1.0]),
        "c": ints("i1", [1, 0]),
        "d": ints("i8", [7], (1, 1, 1)),
    }
    fmt = "a=%3d b=%.1f c=%d d=%d\\0A"
    names = ", ".join(f"%{name}" for name in tiles)
    types = ", ".join(tile.type for tile in tiles.values())
    body = (
        f'print "{fmt}", {names} : {types}'
        if legacy
        else f'%t = print_tko "{fmt}", {names} : {types} -> token'
    )
    text = printed(on_tiles("", body, tiles, {}), capsys)
    assert text == "a=[[  1,  -2], [  3,   4]] b=[0.5, 1.0] c=[1, 0] d=[[[7]]]\n"


def test_pointers_print(capsys: pytest.CaptureFixture[str]):
    """An address as hexadecimal digits: a multiple of the element's size."""
    case = Case("", '%t = print_tko "%p" , %x : tile<ptr<f32>> -> token', {"x": floats("f32", [1])})
    assert re.fullmatch(r"0x[0-9a-f]+", text := printed(case, capsys))
    assert int(text, 16) % 4 == 0


def test_prints_of_ctas_are_ordered(capsys: pytest.CaptureFixture[str]):
    """CTAs run with the first index fastest; text without arguments needs no token."""
    body = """
    %x, %y, %z = get_tile_block_id : tile<i32>
    %a = make_token : token
    %b = print_tko "(" token=%a -> token
    %c = print_tko "%d,%d,%d", %x, %y, %z token=%b : tile<i32>, tile<i32>, tile<i32> -> token
    %d = print_tko ")" token=%c -> token
    """
    case = Case("", body, {}, grid=(2, 1, 2))
    assert printed(case, capsys) == "(0,0,0)(1,0,0)(0,0,1)(1,0,1)"


# Assertions


ASSERT = """
%x, %y, %z = get_tile_block_id : tile<i32>
%n = iota : tile<8xi32>
%two = constant <i32: 2> : tile<i32>
%is = cmpi equal %y, %two, signed : tile<i32> -> tile<i1>
%five = constant <i32: 5> : tile<8xi32>
%all = constant <i32: 100> : tile<8xi32>
%one = reshape %is : tile<i1> -> tile<1xi1>
%many = broadcast %one : tile<1xi1> -> tile<8xi1>
%limit = select %many, %five, %all : tile<8xi1>, tile<8xi32>
%below = cmpi less_than %n, %limit, signed : tile<8xi32> -> tile<8xi1>
assert %below, "lane too large" : tile<8xi1>
%t = store_ptr_tko weak %r, %y : tile<ptr<i32>>, tile<i32> -> token
"""
CASES.append(Case("assert", ASSERT, {"r": ints("i32", [-1], ())}, grid=(1, 4)))


@pytest.mark.parametrize("level", [0, 1])
def test_failed_assertion(level: int):
    """The error names the message, the CTA and the first lane; CTAs before it have run."""
    module = tx.load(CASES[-1].text)
    result = np.array([-1], np.int32)
    with pytest.raises(ExecutionError) as caught:
        tx.run(
            lowered(module) if level else module, grid=(1, 4), args=[result], engine="interpreter"
        )
    assert "lane too large" in str(caught.value)
    assert "assert" in str(caught.value)
    assert "(CTA (0, 2, 0), lane (5))" in str(caught.value)
    assert (caught.value.cta, list(caught.value.lane or ())) == ((0, 2, 0), [5])
    assert result.tolist() == [1]


@pytest.mark.parametrize("level", [0, 1])
def test_scalar_assertion(level: int):
    """A scalar has no lane; one that holds does nothing."""
    body = """
    %yes = constant <i1: true> : tile<i1>
    assert %yes, "never" : tile<i1>
    assert %c, "a \\22quoted\\22 message" : tile<i1>
    """
    case = Case("", body, {"c": ("i1", 0)})
    module = tx.load(case.text)
    module = lowered(module) if level else module
    tx.run(module, grid=1, args=[True], engine="interpreter")
    with pytest.raises(ExecutionError, match=r'a "quoted" message \(CTA \(0, 0, 0\)\)'):
        tx.run(module, grid=1, args=[False], engine="interpreter")
