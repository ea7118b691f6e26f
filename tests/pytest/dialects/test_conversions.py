"""
Between which types conversions of `cuda_tile` convert, and in which modes: all pairs are tried.

What each of these looks like, and what is said of others, is tested by FileCheck.
"""

from __future__ import annotations

from itertools import product

import pytest
from xdsl.utils.exceptions import VerifyException

from ..harness.modules import parse, parse_unverified, print_module

WIDTHS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
FLOAT_WIDTHS = {
    **{"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "tf32": 19},
    **{"f8E4M3FN": 8, "f8E5M2": 8, "f8E8M0FNU": 8, "f4E2M1FN": 4, "fnv8E5M3FNU": 8},
}
FLOATS = tuple(FLOAT_WIDTHS)
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
"""Those that are converted to floats and from them: i4 is not."""

# `ftof`
WIDE = {"f16", "bf16", "f32", "f64", "tf32"}
ABOVE_HALVES = {"f32", "f64", "tf32"}
DIRECTED = {
    **dict.fromkeys(("f4E2M1FN", "f8E4M3FN", "f8E5M2"), WIDE),
    "fnv8E5M3FNU": WIDE - {"f16"},
    **dict.fromkeys(("f16", "bf16"), ABOVE_HALVES),
    "tf32": {"f32", "f64"},
    "f32": {"f64"},
    "f64": {"f32"},
    "f8E8M0FNU": {"f64"},
}
"""What types are converted to in modes that round in one direction: wider ones, most of them."""


def converts_floats(source: str, result: str, mode: str) -> bool:
    if source == result:
        return False
    match mode:
        case "nearest_even":
            return result != "f8E8M0FNU"
        case "zero":
            return result in WIDE or result == "f8E8M0FNU"
        case "negative_inf":
            return result in DIRECTED[source]
        case "positive_inf":
            return result in DIRECTED[source] or result == "f8E8M0FNU"
        case "nearest_away":
            if (source, result) == ("f32", "tf32"):
                return True
            return result in DIRECTED[source] and source != "f64"
        case _:
            raise ValueError(mode)


MODES = ("nearest_even", "zero", "negative_inf", "positive_inf", "nearest_away")


def check(op: str, source: str, result: str, is_valid: bool, spelled: str = "") -> None:
    """An op is valid or not, and if it is, printed as it is written."""
    head = f'%x = "test.op"() : () -> !cuda_tile.tile<4x{source}>\n'
    types = f"!cuda_tile.tile<4x{source}> -> !cuda_tile.tile<4x{result}>"
    line = f"%y = cuda_tile.{op} %x{spelled} : {types}"
    if not is_valid:
        module = parse_unverified(head + line)
        with pytest.raises(VerifyException, match=f"'cuda_tile.{op}' op "):
            module.verify()
        return
    assert line in " ".join(print_module(parse(head + line)).split()), line


@pytest.mark.requirement("A-16", "A-64", "B-33")
def test_floats():
    for mode, source, result in product(MODES, FLOATS, FLOATS):
        spelled = "" if mode == "nearest_even" else f" rounding<{mode}>"
        check("ftof", source, result, converts_floats(source, result, mode), spelled)


@pytest.mark.requirement("A-16", "A-63", "A-64")
def test_integers_and_floats():
    """Floats that have no zero and no sign are not made of integers."""
    for integer, number in product((*INTEGERS, "i4"), FLOATS):
        for sign in (" signed", " unsigned"):
            check("ftoi", number, integer, integer != "i4", sign)
            check("itof", integer, number, integer != "i4" and number != "f8E8M0FNU", sign)


@pytest.mark.requirement("A-16", "A-63", "B-32")
def test_integers():
    for (source, bits), (result, result_bits) in product(WIDTHS.items(), WIDTHS.items()):
        check("exti", source, result, bits < result_bits, " signed")
        check("exti", source, result, bits < result_bits, " unsigned")
        check("trunci", source, result, bits > result_bits)


@pytest.mark.requirement("A-16")
def test_bit_patterns():
    """Of equal width; tf32 has 19 bits."""
    widths = {**FLOAT_WIDTHS, **{name: WIDTHS[name] for name in INTEGERS}}
    for source, result in product(widths, widths):
        check("bitcast", source, result, widths[source] == widths[result])
